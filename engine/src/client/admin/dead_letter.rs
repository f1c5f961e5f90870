//! Sending dead letters again: they are pulled from `%DLQ%group` and sent to the topic that they came from, with the
//! properties that their producer gave them and the same `UNIQ_KEY`.

use super::{AdminCommand, Call, Job, Then, To, refused, topics, unexpected};
use crate::{
    client::{Client, INNER_PRODUCER, Received, exception::Exception, job::send_status},
    message::{Properties, property},
    node::Turn,
    wire::{PullMessage, QueueRef, Request, ResponseBody, ResponseCode, SendMessage, TopicRouteData, pull_flag},
};

/// The group that the tools pull with (`MixAll.TOOLS_CONSUMER_GROUP`).
const TOOLS_CONSUMER: &str = "TOOLS_CONSUMER";

/// Messages of one pull.
const PULL_MAX: i32 = 32;

/// Properties that brokers and consumers put, and that the message had not when it was first sent.
const NOT_ITS_OWN: [&str; 11] = [
    property::RETRY_TOPIC,
    property::ORIGIN_MESSAGE_ID,
    property::DELAY,
    property::REAL_TOPIC,
    property::REAL_QID,
    property::MIN_OFFSET,
    property::MAX_OFFSET,
    property::CONSUME_START_TIME,
    property::RECONSUME_TIME,
    property::MAX_RECONSUME_TIMES,
    property::CLUSTER,
];

/// Steps of sending dead letters again.
#[derive(Clone, Debug)]
pub(super) enum Letters {
    /// The brokers that hold dead letters are known.
    Route,
    /// The first offset of a queue of them is known.
    Min(Queue),
    /// Letters have been read.
    Pulled(Queue),
    /// The route of the topic is known that a letter came from.
    Origin(Box<Received>),
    /// A letter is sent.
    Sent {
        /// Its message id.
        msg_id: String,
        /// The topic that it went to.
        topic: String,
    },
}

/// A queue of dead letters.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    addr: String,
    topic: String,
    id: i32,
}

pub(super) fn begin(group: &str) -> Call {
    topics::route(&format!("%DLQ%{group}"), Then::Letters(Letters::Route))
}

fn pull(queue: &Queue, offset: i64, max: i32) -> Call {
    let request = Request::PullMessage(PullMessage {
        consumer_group: TOOLS_CONSUMER.to_owned(),
        topic: queue.topic.clone(),
        queue_id: queue.id,
        queue_offset: offset,
        max_msg_nums: max,
        sys_flag: pull_flag::SUBSCRIPTION,
        commit_offset: 0,
        suspend_timeout_millis: 0,
        subscription: Some("*".to_owned()),
        sub_version: 0,
        expression_type: Some("TAG".to_owned()),
    });
    Call::new(To::Addr(queue.addr.clone()), request, Then::Letters(Letters::Pulled(queue.clone())))
}

/// The queues that can be read, at each broker's master, else at any of its addresses.
fn queues(route: &TopicRouteData, topic: &str) -> Vec<Queue> {
    let mut all = Vec::new();
    for data in &route.queue_datas {
        let broker = route.broker_datas.iter().find(|broker| broker.broker_name == data.broker_name);
        let addr = broker.and_then(|broker| broker.broker_addrs.values().next());
        for queue_id in 0..data.read_queue_nums {
            all.extend(addr.map(|addr| Queue { addr: addr.clone(), topic: topic.to_owned(), id: queue_id }));
        }
    }
    all
}

impl Client {
    pub(super) fn letters_answered(
        &mut self,
        job: &mut Job,
        letters: Letters,
        code: ResponseCode,
        body: ResponseBody,
        remark: Option<&str>,
        turn: &mut Turn<'_>,
    ) -> Result<(), Exception> {
        let AdminCommand::ResendDeadLetter { group, queue_offset } = job.command.clone() else { return Ok(()) };
        match (letters, body) {
            (Letters::Pulled(queue), ResponseBody::Pull(pulled)) => {
                let letters = Received::read_all(&pulled.body);
                let wanted = |letter: &Received| queue_offset.is_none_or(|offset| letter.queue_offset == offset);
                let origins = letters.iter().filter(|letter| wanted(letter)).map(origin);
                let mut calls = origins.collect::<Result<Vec<Call>, Exception>>()?;
                if queue_offset.is_none() && !letters.is_empty() && pulled.next_begin_offset < pulled.max_offset {
                    calls.push(pull(&queue, pulled.next_begin_offset, PULL_MAX));
                }
                if queue_offset.is_some() && calls.is_empty() {
                    let text = format!("no dead letter at offset {} of {}", queue_offset.unwrap_or(0), queue.topic);
                    return Err(Exception::plain("Exception", text));
                }
                job.first(calls);
            }
            (Letters::Sent { msg_id, topic }, ResponseBody::Send(sent)) => {
                job.count(1);
                let status = send_status(code);
                let (queue_id, id) = (sent.queue_id, sent.msg_id);
                job.say(format!("{msg_id} sent again to {topic}, queue {queue_id}: {status} {id}"), turn);
            }
            _ if code != ResponseCode::Success => return Err(refused(code, remark)),
            (Letters::Route, ResponseBody::Route(route)) => {
                let all = queues(&route, &format!("%DLQ%{group}"));
                let calls = all.into_iter().map(|queue| {
                    if let Some(offset) = queue_offset {
                        return pull(&queue, offset, 1);
                    }
                    let ask = Request::GetMinOffset(QueueRef { topic: queue.topic.clone(), queue_id: queue.id });
                    Call::new(To::Addr(queue.addr.clone()), ask, Then::Letters(Letters::Min(queue)))
                });
                job.first(calls.collect());
            }
            (Letters::Min(queue), ResponseBody::Offset(min)) => job.first(vec![pull(&queue, min.max(0), PULL_MAX)]),
            (Letters::Origin(letter), ResponseBody::Route(route)) => {
                let call = self.send_again(&letter, route, turn)?;
                job.messages.push(*letter);
                job.first(vec![call]);
            }
            _ => return Err(unexpected()),
        }
        Ok(())
    }

    fn send_again(&mut self, letter: &Received, route: TopicRouteData, turn: &mut Turn<'_>) -> Result<Call, Exception> {
        let mut properties = Properties::parse(&letter.properties_text);
        let topic = properties.get(property::RETRY_TOPIC).unwrap_or_default().to_owned();
        self.routes.apply(&topic, route, None);
        let queue = self.routes.publish_mut(&topic).and_then(|info| info.select(None, turn));
        let addr = queue.as_ref().and_then(|queue| self.routes.master(&queue.broker_name)).map(str::to_owned);
        let Some((queue, addr)) = queue.zip(addr) else {
            return Err(Exception::client(&format!("No route info of this topic: {topic}")));
        };
        for name in NOT_ITS_OWN {
            properties.remove(name);
        }
        let request = Request::SendMessageV2(SendMessage {
            producer_group: INNER_PRODUCER.to_owned(),
            topic: topic.clone(),
            default_topic: self.config.create_topic_key.clone(),
            default_topic_queue_nums: self.config.default_topic_queue_nums,
            queue_id: queue.queue_id,
            sys_flag: 0,
            born_timestamp: turn.wall_ms(),
            flag: letter.flag,
            properties: properties.to_text(),
            reconsume_times: Some(0),
            unit_mode: false,
            max_reconsume_times: None,
            batch: false,
            body: letter.body.clone(),
        });
        let then = Then::Letters(Letters::Sent { msg_id: letter.msg_id.clone(), topic });
        Ok(Call::new(To::Addr(addr), request, then))
    }
}

/// Asks for the route of the topic that a letter came from.
fn origin(letter: &Received) -> Result<Call, Exception> {
    let topic = letter.property(property::RETRY_TOPIC).ok_or_else(|| {
        Exception::plain("Exception", format!("{} does not say where it came from: no RETRY_TOPIC", letter.msg_id))
    })?;
    Ok(topics::route(&topic, Then::Letters(Letters::Origin(Box::new(letter.clone())))))
}
