//! Messages that were not consumed go back to their broker (`DefaultMQPushConsumerImpl.sendMessageBack`); where that fails,
//! the client's inner producer sends new ones to the retry topic.

use std::sync::Arc;

use super::{
    ListenerKind,
    pool::{Call, Listened, Stage},
};
use crate::{
    client::{Client, ConsumerCall, GiveBack, NewMessage, Received, Waiting, exception::Exception, purpose::Purpose},
    message::property,
    node::{Answer, ConsumerStep, ProducerStep, Service, Turn},
    wire::{ConsumerSendMsgBack, Request, Response, ResponseCode},
};

/// How long the broker's answer is waited for, milliseconds.
const TIMEOUT_MS: i64 = 5_000;

/// Who sends a message back, and learns whether it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) enum BackFrom {
    /// The thread of a concurrent service whose listener has not consumed it.
    Thread(u32),
    /// The thread of an orderly service, which gives it up.
    InOrder(u32),
    /// The look for messages that a listener has had for too long.
    Clean,
}

/// A message that goes back.
#[derive(Clone, Debug)]
pub(in crate::client) struct Back {
    pub(super) from: BackFrom,
    pub(super) message: Arc<Received>,
    /// The broker's address, if it is known.
    pub(super) addr: Option<String>,
    pub(super) delay_level: i32,
}

impl Client {
    /// Sends the next message of a thread back, or ends.
    pub(super) fn send_next_back(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let Some(push) = &self.push else { return };
        let Some(Call { task, listened, stage: Stage::SendingBack { at, .. }, .. }) = push.pool.calls().get(&thread)
        else {
            return;
        };
        let next = listened.zip(task.messages.get(*at));
        let Some((Listened { place, outcome }, message)) = next else { return self.finish(thread, turn) };
        let delay_level = outcome.delay_level_when_next_consume;
        let back = Back {
            from: BackFrom::Thread(thread),
            message: Arc::clone(message),
            addr: self.routes.master(&task.queue.broker_name).map(str::to_owned),
            delay_level,
        };
        let (number, queue_offset) = (place as u64, message.queue_offset);
        turn.step(ConsumerStep::MessageSentBack { number, queue_offset, delay_level });
        self.send_message_back(back, turn);
    }

    /// Asks the broker to take a message back.
    pub(super) fn send_message_back(&mut self, back: Back, turn: &mut Turn<'_>) {
        let Some(addr) = back.addr.clone() else {
            return self.send_instead(&back, "connect to null failed".to_owned(), turn);
        };
        let request = Request::ConsumerSendMsgBack(ConsumerSendMsgBack {
            offset: back.message.physical_offset,
            group: self.group().to_owned(),
            delay_level: back.delay_level,
            origin_msg_id: Some(back.message.msg_id.clone()),
            origin_topic: Some(back.message.topic.clone()),
            unit_mode: false,
            max_reconsume_times: Some(self.max_reconsume_times(ListenerKind::Concurrently)),
        });
        let service = if back.from == BackFrom::Clean { Service::CleanExpiredMsg } else { Service::Consume };
        let call = turn.call(service, &addr, request, TIMEOUT_MS);
        self.calls.insert(call, Waiting::Consumer(ConsumerCall::Back(Box::new(back))));
    }

    fn max_reconsume_times(&self, kind: ListenerKind) -> i32 {
        self.push.as_ref().map_or(GiveBack::USUAL_MAX, |push| push.config.max_reconsume_times(kind))
    }

    /// The broker has taken the message, or has not.
    pub(super) fn sent_back(&mut self, back: &Back, answer: Answer, turn: &mut Turn<'_>) {
        let cause = match answer.result {
            Ok(Response { code: ResponseCode::Success, .. }) => return self.back_ended(back.from, true, turn),
            Ok(Response { code, remark, .. }) => Exception::broker(code, remark.as_deref(), back.addr.as_deref()),
            Err(error) => Exception::remoting(&error),
        };
        self.send_instead(back, cause.message, turn);
    }

    /// The inner producer sends a new message.
    fn send_instead(&mut self, back: &Back, cause: String, turn: &mut Turn<'_>) {
        let new = self.retry_message(&back.message, ListenerKind::Concurrently);
        turn.step(ProducerStep::SentInstead { topic: new.topic.clone(), cause });
        self.send_for(Purpose::SentBack { from: back.from }, new, turn);
    }

    /// The message for the retry topic that stands for one that was not consumed: it has all properties of that but the one
    /// of a half message.
    pub(super) fn retry_message(&self, message: &Received, kind: ListenerKind) -> NewMessage {
        let max_reconsume_times = self.max_reconsume_times(kind);
        let mut new = self.instead(GiveBack { message: message.clone(), delay_level: 0, max_reconsume_times });
        new.properties.retain(|(name, _)| name != property::TRAN_MSG);
        if kind == ListenerKind::Orderly {
            // Its count is the one that was reached, and not one more.
            let count = new.properties.iter_mut().find(|(name, _)| name == property::RECONSUME_TIME);
            if let Some((_, times)) = count {
                *times = message.reconsume_times.to_string();
            }
        }
        new
    }

    /// The new message is sent, or is not: then the old one stays in hand, and is tried again here.
    pub(in crate::client) fn sent_in_place(&mut self, from: BackFrom, place: usize, turn: &mut Turn<'_>) {
        let sent = self.sent.get(place).is_some_and(|outcome| outcome.error.is_none());
        self.back_ended(from, sent, turn);
    }

    fn back_ended(&mut self, from: BackFrom, went: bool, turn: &mut Turn<'_>) {
        match from {
            BackFrom::Clean => self.expired_sent(went, turn),
            BackFrom::InOrder(thread) => self.judged(thread, !went, turn),
            BackFrom::Thread(thread) => {
                let call = self.push.as_mut().and_then(|push| push.pool.call_mut(thread));
                if let Some(Call { stage: Stage::SendingBack { at, failed }, .. }) = call {
                    if !went {
                        failed.push(*at);
                    }
                    *at += 1;
                }
                self.send_next_back(thread, turn);
            }
        }
    }
}
