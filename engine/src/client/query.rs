//! Looking messages up by key at every broker of a topic, and the client's own look at what they found
//! (`MQAdminImpl.queryMessage`).

use super::{After, AskOutcome, Client, Received, Waiting, config::ADMIN_TIMEOUT_MS, exception::Exception};
use crate::{
    node::{Answer, ClientStep, ProducerStep, Service, Turn},
    wire::{QueryMessage, Request, RequestCode, Response, ResponseBody, ResponseCode},
};

/// How long the answer of each broker is waited for, milliseconds.
const QUERY_TIMEOUT_MS: i64 = ADMIN_TIMEOUT_MS * 3;

/// A query that brokers are still asked for.
#[derive(Clone, Debug)]
pub(super) struct Querying {
    query: QueryMessage,
    /// Brokers that have not answered.
    open: usize,
    /// What was found so far, in the order of the answers, each with its broker.
    found: Vec<(String, Received)>,
}

impl Client {
    /// The application looks messages up by key.
    pub fn query(&mut self, query: QueryMessage, turn: &mut Turn<'_>) {
        let topic = query.topic.clone();
        self.use_topic(&topic, turn);
        if self.routes.table().contains_key(&topic) {
            return self.send_query(query, None, turn);
        }
        let then = Box::new(After::Query(query.clone()));
        if !self.ask_route(&topic, Waiting::Route { topic: topic.clone(), then }, turn) {
            let error = Exception::client("No name server address, please set it.");
            self.end_query(&query, 0, Err(error), turn);
        }
    }

    /// Asks one broker of each name: the master, or else any slave (`BrokerData.selectBrokerAddr`).
    pub(super) fn send_query(&mut self, query: QueryMessage, unreachable: Option<String>, turn: &mut Turn<'_>) {
        let route = self.routes.table().get(&query.topic);
        let mut addrs = Vec::new();
        for broker in route.into_iter().flat_map(|route| &route.broker_datas) {
            let slaves: Vec<&String> = broker.broker_addrs.values().collect();
            let addr = broker.broker_addrs.get(&0).or_else(|| {
                let drawn = turn.streams().below("brokerAddr", u32::try_from(slaves.len()).unwrap_or(u32::MAX));
                slaves.get(drawn as usize).copied()
            });
            addrs.extend(addr.map(|addr| (broker.broker_name.clone(), addr.clone())));
        }
        if addrs.is_empty() {
            let text = format!("The topic[{}] not matched route info", query.topic);
            let error = unreachable.map_or_else(
                || Exception::refused(ResponseCode::TopicNotExist, &text),
                |cause| Exception::plain("IllegalStateException", cause),
            );
            return self.end_query(&query, 0, Err(error), turn);
        }
        let id = self.next_job;
        self.next_job += 1;
        let waits_ms = self.noticed_after_ms(QUERY_TIMEOUT_MS, turn);
        for (broker_name, addr) in &addrs {
            let call = turn.call_async(Service::Api, addr, Request::QueryMessage(query.clone()), waits_ms);
            self.calls.insert(call, Waiting::Query { id, broker_name: broker_name.clone() });
        }
        self.queries.insert(id, Querying { query, open: addrs.len(), found: Vec::new() });
    }

    /// A broker has answered a query, or will not.
    pub(super) fn query_answered(&mut self, id: u64, broker_name: &str, answer: Answer, turn: &mut Turn<'_>) {
        let Some(querying) = self.queries.get_mut(&id) else { return };
        // What a broker refuses is only logged: it has found nothing.
        if let Ok(Response { code: ResponseCode::Success, body: ResponseBody::Messages(bytes), .. }) = answer.result {
            querying.found.extend(Received::read_all(&bytes).into_iter().map(|found| (broker_name.to_owned(), found)));
        }
        querying.open = querying.open.saturating_sub(1);
        if querying.open > 0 {
            return;
        }
        let Some(Querying { query, found, .. }) = self.queries.remove(&id) else { return };
        let candidates = found.len();
        let messages = kept(found, &query, turn);
        let result = if messages.is_empty() {
            let text = "query message by key finished, but no message.";
            Err(Exception::refused(ResponseCode::NoMessage, text))
        } else {
            Ok(messages)
        };
        self.end_query(&query, candidates, result, turn);
    }

    fn end_query(
        &mut self,
        query: &QueryMessage,
        candidates: usize,
        result: Result<Vec<Received>, Exception>,
        turn: &mut Turn<'_>,
    ) {
        let (messages, error) = match result {
            Ok(messages) => (messages, None),
            Err(error) => (Vec::new(), Some(error.message)),
        };
        let answer = error.clone().unwrap_or_else(|| format!("{} messages", messages.len()));
        turn.step(ClientStep::CallEnded { code: RequestCode::QueryMessage, answer });
        self.answers.push_back(AskOutcome {
            code: RequestCode::QueryMessage,
            about: query.topic.clone(),
            node: None,
            value: None,
            messages,
            lines: Vec::new(),
            candidates,
            error,
            ended_us: turn.now_us(),
        });
    }
}

/// The brokers compare hash codes only: of a unique key the client keeps the oldest message that has it, whatever its
/// topic, of any other key the messages of the topic that have it.
fn kept(found: Vec<(String, Received)>, query: &QueryMessage, turn: &mut Turn<'_>) -> Vec<Received> {
    let mut messages: Vec<Received> = Vec::new();
    for (broker_name, message) in found {
        let matches = if query.unique_key_query {
            message.msg_id == query.key
        } else {
            message.topic == query.topic && message.has_key(&query.key)
        };
        if !matches {
            let Received { topic, keys, physical_offset, .. } = message;
            turn.step(ProducerStep::CandidateDropped { broker_name, physical_offset, topic, keys });
        } else if !query.unique_key_query || messages.is_empty() {
            messages.push(message);
        } else if messages.first().is_some_and(|oldest| oldest.store_timestamp > message.store_timestamp) {
            messages = vec![message];
        }
    }
    messages
}
