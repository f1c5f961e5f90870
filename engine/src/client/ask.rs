//! Questions about queues and messages, and commits by hand (`MQAdminImpl`, `RemoteBrokerOffsetStore`).

use super::{After, AskOutcome, Client, Received, Waiting, config::ADMIN_TIMEOUT_MS, exception::Exception};
use crate::{
    message::OffsetMsgId,
    node::{Answer, ClientStep, Service, Turn},
    wire::{
        QueryConsumerOffset, QueueRef, Request, RequestCode, Response, ResponseBody, ResponseCode, SearchOffset,
        UpdateConsumerOffset, ViewMessage,
    },
};

/// A question to a broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// `GET_MAX_OFFSET`, `GET_MIN_OFFSET`, `SEARCH_OFFSET_BY_TIMESTAMP`, `QUERY_CONSUMER_OFFSET`: a number of a queue.
    Queue {
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// Which number.
        what: QueueNumber,
    },
    /// `UPDATE_CONSUMER_OFFSET`, one-way.
    Commit {
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// The next offset to read.
        offset: i64,
    },
    /// `VIEW_MESSAGE_BY_ID`: goes to the address in the id.
    View(OffsetMsgId),
}

/// A number of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueNumber {
    /// Its end.
    Max,
    /// Its first offset.
    Min,
    /// The offset of a store time, milliseconds since the epoch.
    At(i64),
    /// The group's next offset to read.
    Consumer,
}

/// A question that is under way.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) code: RequestCode,
    pub(super) about: String,
    /// Who is asked, `ip:port`.
    pub(super) addr: Option<String>,
    /// The node there.
    pub(super) node: Option<String>,
}

impl Client {
    /// The application asks.
    pub fn ask(&mut self, ask: Ask, turn: &mut Turn<'_>) {
        let topic = match &ask {
            Ask::Queue { topic, .. } | Ask::Commit { topic, .. } => topic.clone(),
            Ask::View(_) => {
                self.send_ask(ask, None, turn);
                return;
            }
        };
        self.use_topic(&topic, turn);
        if self.holder_of(&ask).is_some_and(|broker_name| self.routes.master(broker_name).is_some()) {
            self.send_ask(ask, None, turn);
            return;
        }
        let then = Box::new(After::Ask(ask.clone()));
        if !self.ask_route(&topic, Waiting::Route { topic: topic.clone(), then }, turn) {
            let error = Exception::client("No name server address, please set it.");
            let (_, asked) = self.question(ask);
            self.end_ask(&asked, Err(error), turn);
        }
    }

    /// The broker that holds the queue of a question.
    fn holder_of(&self, ask: &Ask) -> Option<&str> {
        match ask {
            Ask::Queue { topic, queue_id, .. } | Ask::Commit { topic, queue_id, .. } => {
                self.routes.holder(topic, *queue_id)
            }
            Ask::View(_) => None,
        }
    }

    /// Numbers of a queue are the master's to say (`findBrokerAddressInPublish`). A group's offset is any broker's that is
    /// known where the master is not (`findBrokerAddressInSubscribe`).
    pub(super) fn send_ask(&mut self, ask: Ask, unreachable: Option<String>, turn: &mut Turn<'_>) {
        let holder = self.holder_of(&ask).map(str::to_owned);
        let known = holder.as_deref().and_then(|broker_name| match &ask {
            Ask::Queue { what: QueueNumber::Consumer, .. } | Ask::Commit { .. } => {
                self.routes.reader_like(broker_name, 0).map(|(_, addr)| addr)
            }
            _ => self.routes.master(broker_name),
        });
        let addr = match &ask {
            Ask::View(id) => Some(id.host.to_string()),
            _ => known.filter(|_| unreachable.is_none()).map(str::to_owned),
        };
        let oneway = matches!(ask, Ask::Commit { .. });
        let (request, asked) = self.question(ask);
        let Some(addr) = addr else {
            let refused = |text: &str| Exception::refused(ResponseCode::TopicNotExist, text);
            let error = match (unreachable, holder) {
                (Some(cause), _) => refused(&cause),
                (None, Some(broker_name)) => Exception::client(&format!("The broker[{broker_name}] not exist")),
                (None, None) => refused(&format!("The topic[{}] not matched route info", asked.about)),
            };
            self.end_ask(&asked, Err(error), turn);
            return;
        };
        if oneway {
            turn.oneway(Service::Api, &addr, request);
        } else {
            let call = turn.call(Service::Api, &addr, request, ADMIN_TIMEOUT_MS);
            let asked = Asked { node: Some(turn.name_of(&addr)), addr: Some(addr), ..asked };
            self.calls.insert(call, Waiting::Ask(Box::new(asked)));
        }
    }

    fn question(&self, ask: Ask) -> (Request, Asked) {
        let consumer_group = self.group().to_owned();
        let (request, about) = match ask {
            Ask::Queue { topic, queue_id, what } => {
                let about = topic.clone();
                let queue = QueueRef { topic: topic.clone(), queue_id };
                let request = match what {
                    QueueNumber::Max => Request::GetMaxOffset(queue),
                    QueueNumber::Min => Request::GetMinOffset(queue),
                    QueueNumber::At(timestamp) => {
                        Request::SearchOffsetByTimestamp(SearchOffset { topic, queue_id, timestamp })
                    }
                    QueueNumber::Consumer => {
                        Request::QueryConsumerOffset(QueryConsumerOffset { consumer_group, topic, queue_id })
                    }
                };
                (request, about)
            }
            Ask::Commit { topic, queue_id, offset } => {
                let about = topic.clone();
                let update = UpdateConsumerOffset { consumer_group, topic, queue_id, commit_offset: offset };
                (Request::UpdateConsumerOffset(update), about)
            }
            Ask::View(id) => (Request::ViewMessageById(ViewMessage { offset: id.physical_offset }), id.to_string()),
        };
        let code = request.code();
        (request, Asked { code, about, addr: None, node: None })
    }

    pub(super) fn asked(&mut self, asked: &Asked, answer: Answer, turn: &mut Turn<'_>) {
        let result = match answer.result {
            Ok(Response { code: ResponseCode::Success, body, .. }) => Ok(body),
            Ok(Response { code, remark, .. }) => Err(Exception::broker(code, remark.as_deref(), asked.addr.as_deref())),
            Err(error) => Err(Exception::remoting(&error)),
        };
        self.end_ask(asked, result, turn);
    }

    pub(super) fn end_ask(&mut self, asked: &Asked, result: Result<ResponseBody, Exception>, turn: &mut Turn<'_>) {
        let mut outcome = AskOutcome {
            code: asked.code,
            about: asked.about.clone(),
            node: asked.node.clone(),
            value: None,
            messages: Vec::new(),
            lines: Vec::new(),
            candidates: 0,
            error: None,
            ended_us: turn.now_us(),
        };
        match result {
            Ok(ResponseBody::Offset(value)) => outcome.value = Some(value),
            Ok(ResponseBody::Messages(bytes)) => {
                outcome.messages = Received::read_all(&bytes);
                outcome.candidates = outcome.messages.len();
            }
            Ok(_) => {}
            Err(error) => outcome.error = Some(error.message),
        }
        let answer = match (&outcome.error, outcome.value) {
            (Some(error), _) => error.clone(),
            (None, Some(value)) => value.to_string(),
            (None, None) if asked.code == RequestCode::ConsumerSendMsgBack => ResponseCode::Success.name().to_owned(),
            (None, None) => format!("{} messages", outcome.messages.len()),
        };
        turn.step(ClientStep::CallEnded { code: asked.code, answer });
        self.answers.push_back(outcome);
    }
}
