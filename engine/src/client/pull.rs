//! One pull from one queue (`DefaultMQPullConsumerImpl`, `PullAPIWrapper`).

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use super::{After, Client, PullOutcome, Received, Waiting, exception::Exception};
use crate::{
    filter::Subscription,
    node::{Answer, ClientStep, Service, Turn},
    wire::{PullMessage, PullResponse, Request, Response, ResponseBody, ResponseCode, pull_flag},
};

/// What a consumer pulls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    /// The topic.
    pub topic: String,
    /// The name of the broker that holds the queue; absent: the first in the route that has such a queue.
    pub broker: Option<String>,
    /// The queue.
    pub queue_id: i32,
    /// The queue offset to begin at.
    pub offset: i64,
    /// Messages at most.
    pub max: i32,
    /// Tags, or everything.
    pub tags: Option<String>,
    /// An SQL92 expression instead of tags.
    pub sql: Option<String>,
    /// How long the broker may hold the pull, milliseconds.
    pub suspend_ms: Option<i64>,
    /// The offset to commit with the pull.
    pub commit: Option<i64>,
}

/// A queue that is pulled from. The order is that of `MessageQueue.compareTo`: topic, broker, queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PullQueue {
    /// The topic.
    pub topic: String,
    /// The broker.
    pub broker_name: String,
    /// The queue.
    pub queue_id: i32,
}

/// `MessageQueue.toString`: what consistent hashing places a queue by.
impl fmt::Display for PullQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { topic, broker_name, queue_id } = self;
        write!(f, "MessageQueue [topic={topic}, brokerName={broker_name}, queueId={queue_id}]")
    }
}

/// A pull that is under way.
#[derive(Clone, Debug)]
pub(super) struct Pulling {
    request: PullRequest,
    queue: PullQueue,
    /// Who is asked.
    addr: String,
}

/// A pull's answer, if it is no error.
struct Pulled {
    node: String,
    status: &'static str,
    remark: Option<String>,
    response: PullResponse,
}

impl PullRequest {
    /// What is asked for.
    fn subscription(&self, sub_version: i64) -> Subscription {
        match &self.sql {
            Some(expression) => Subscription::sql(&self.topic, expression, sub_version),
            None => Subscription::tags(&self.topic, self.tags.as_deref(), sub_version),
        }
    }
}

impl Client {
    /// Which broker of its name the next pull from a queue asks: 0, the master, until an answer suggests another.
    pub const fn pull_from(&self) -> &BTreeMap<PullQueue, i64> {
        &self.pull_from
    }

    /// The application pulls.
    pub fn pull(&mut self, request: PullRequest, turn: &mut Turn<'_>) {
        // `DefaultMQPullConsumerImpl.getSubscriptionData`.
        if request.sql.as_ref().is_some_and(String::is_empty) {
            self.end_pull(&request, Err(Exception::client("parse subscription error")), turn);
            return;
        }
        self.use_topic(&request.topic, turn);
        let known = match &request.broker {
            Some(broker) => self.routes.brokers().contains_key(broker),
            None => self.routes.reader(&request.topic, request.queue_id).is_some(),
        };
        if known {
            self.send_pull(request, None, turn);
            return;
        }
        let topic = request.topic.clone();
        let then = Box::new(After::Pull(request.clone()));
        if !self.ask_route(&topic, Waiting::Route { topic: topic.clone(), then }, turn) {
            let error = Exception::client("No name server address, please set it.");
            self.end_pull(&request, Err(error), turn);
        }
    }

    pub(super) fn send_pull(&mut self, request: PullRequest, unreachable: Option<String>, turn: &mut Turn<'_>) {
        let held_by = request.broker.as_deref().or_else(|| self.routes.holder(&request.topic, request.queue_id));
        let queue = held_by.map(|broker_name| PullQueue {
            topic: request.topic.clone(),
            broker_name: broker_name.to_owned(),
            queue_id: request.queue_id,
        });
        // The last answer said whom to ask (`PullAPIWrapper.recalculatePullFromWhichNode`).
        let reader = queue.as_ref().and_then(|queue| {
            let suggested = self.pull_from.get(queue).copied().unwrap_or(0);
            self.routes.reader_like(&queue.broker_name, suggested)
        });
        let Some((queue, (broker_id, addr))) = queue.clone().zip(reader) else {
            let text = unreachable.unwrap_or_else(|| match &request.broker {
                Some(broker) => format!("The broker[{broker}] not exist"),
                None => format!("Can not find Message Queue for this topic, {}", request.topic),
            });
            self.end_pull(&request, Err(Exception::client(&text)), turn);
            return;
        };
        let addr = addr.to_owned();
        let subscription = request.subscription(turn.wall_ms());
        let mut sys_flag = pull_flag::SUBSCRIPTION;
        if request.suspend_ms.is_some() {
            sys_flag |= pull_flag::SUSPEND;
        }
        // A slave would not keep the offset.
        if request.commit.is_some() && broker_id == 0 {
            sys_flag |= pull_flag::COMMIT_OFFSET;
        }
        let header = PullMessage {
            consumer_group: self.group().to_owned(),
            topic: request.topic.clone(),
            queue_id: request.queue_id,
            queue_offset: request.offset,
            max_msg_nums: request.max,
            sys_flag,
            commit_offset: request.commit.unwrap_or(0),
            suspend_timeout_millis: request.suspend_ms.unwrap_or(self.config.broker_suspend_max_time_millis),
            sub_version: if subscription.is_tag_type() { 0 } else { subscription.sub_version },
            subscription: Some(subscription.sub_string),
            expression_type: Some(subscription.expression_type),
        };
        let timeout_ms = if request.suspend_ms.is_some() {
            self.config.consumer_timeout_millis_when_suspend
        } else {
            self.config.consumer_pull_timeout_millis
        };
        let call = turn.call(Service::Api, &addr, Request::PullMessage(header), timeout_ms);
        let pulling = Pulling { request, queue, addr };
        self.calls.insert(call, Waiting::Pull(Box::new(pulling)));
    }

    pub(super) fn pulled(&mut self, pulling: Pulling, answer: Answer, turn: &mut Turn<'_>) {
        let Pulling { request, queue, addr } = pulling;
        let refused = |code, remark: Option<&str>| Err(Exception::broker(code, remark, Some(&addr)));
        let result = match answer.result {
            Ok(Response { code, body: ResponseBody::Pull(response), remark }) => match pull_status(code) {
                Some(status) => {
                    self.pull_from.insert(queue, response.suggest_which_broker_id);
                    Ok(Pulled { node: turn.name_of(&addr), status, remark, response })
                }
                None => refused(code, remark.as_deref()),
            },
            Ok(Response { code, remark, .. }) => refused(code, remark.as_deref()),
            Err(error) => Err(Exception::remoting(&error)),
        };
        self.end_pull(&request, result, turn);
    }

    fn end_pull(&mut self, request: &PullRequest, result: Result<Pulled, Exception>, turn: &mut Turn<'_>) {
        let mut outcome = PullOutcome {
            topic: request.topic.clone(),
            queue_id: request.queue_id,
            offset: request.offset,
            status: String::new(),
            received: 0,
            dropped_by_tag: 0,
            next_begin_offset: request.offset,
            min_offset: 0,
            max_offset: 0,
            node: None,
            remark: None,
            suggest_which_broker_id: 0,
            error: None,
            ended_us: turn.now_us(),
        };
        let mut arrived = 0;
        match result {
            Ok(Pulled { node, status, remark, response: pulled }) => {
                let subscription = request.subscription(0);
                for mut message in Received::read_all(&pulled.body) {
                    arrived += 1;
                    message.queue_range = Some((pulled.min_offset, pulled.max_offset));
                    // The broker compared hash codes only.
                    let tag = message.tags.as_deref();
                    if subscription.matches_tag(tag) {
                        outcome.received += 1;
                        self.received.push_back(message);
                    }
                }
                outcome.dropped_by_tag = arrived - outcome.received;
                status.clone_into(&mut outcome.status);
                outcome.next_begin_offset = pulled.next_begin_offset;
                outcome.min_offset = pulled.min_offset;
                outcome.max_offset = pulled.max_offset;
                outcome.node = Some(node);
                outcome.remark = remark;
                outcome.suggest_which_broker_id = pulled.suggest_which_broker_id;
            }
            Err(error) => {
                error.name.clone_into(&mut outcome.status);
                outcome.error = Some(error.message);
            }
        }
        turn.step(ClientStep::PullEnded {
            status: outcome.status.clone(),
            arrived,
            dropped_by_tag: outcome.dropped_by_tag,
            next_begin_offset: outcome.next_begin_offset,
            error: outcome.error.clone(),
        });
        self.pulls.push_back(outcome);
    }
}

/// `MQClientAPIImpl.processPullResponse`.
pub(super) const fn pull_status(code: ResponseCode) -> Option<&'static str> {
    match code {
        ResponseCode::Success => Some("FOUND"),
        ResponseCode::PullNotFound => Some("NO_NEW_MSG"),
        ResponseCode::PullRetryImmediately => Some("NO_MATCHED_MSG"),
        ResponseCode::PullOffsetMoved => Some("OFFSET_ILLEGAL"),
        _ => None,
    }
}
