//! Messages that were not consumed go back to their broker (`DefaultMQPushConsumerImpl.sendMessageBack`); where that fails,
//! the client's inner producer sends new ones to the retry topic.

use std::sync::Arc;

use super::{
    ListenerKind,
    pool::{Call, Stage},
};
use crate::{
    client::{Client, ConsumerCall, GiveBack, PullQueue, Received, Waiting, exception::Exception, purpose::Purpose},
    message::property,
    node::{Answer, ConsumerStep, ProducerStep, Service, Turn},
    wire::{ConsumerSendMsgBack, Request, Response, ResponseCode},
};

/// How long the broker's answer is waited for, milliseconds.
const TIMEOUT_MS: i64 = 5_000;

/// A message that goes back.
struct Back {
    message: Arc<Received>,
    queue: PullQueue,
    number: u64,
    delay_level: i32,
    max_reconsume_times: i32,
}

impl Client {
    /// The message that a thread is to send back next.
    fn next_back(&self, thread: u32) -> Option<Back> {
        let push = self.push.as_ref()?;
        let Call { task, place, outcome, stage: Stage::SendingBack { at, .. } } = push.pool.calls().get(&thread)?
        else {
            return None;
        };
        Some(Back {
            message: Arc::clone(task.messages.get(*at)?),
            queue: task.queue.clone(),
            number: *place as u64,
            delay_level: outcome.delay_level_when_next_consume,
            max_reconsume_times: push.config.max_reconsume_times(ListenerKind::Concurrently),
        })
    }

    /// Sends the next message back, or ends.
    pub(super) fn send_next_back(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let Some(back) = self.next_back(thread) else { return self.finish(thread, turn) };
        let Back { message, queue, number, delay_level, max_reconsume_times } = back;
        turn.step(ConsumerStep::MessageSentBack { number, queue_offset: message.queue_offset, delay_level });
        let Some(addr) = self.routes.master(&queue.broker_name).map(str::to_owned) else {
            let cause = Self::no_such_broker(&queue);
            return self.send_instead(thread, cause, turn);
        };
        let request = Request::ConsumerSendMsgBack(ConsumerSendMsgBack {
            offset: message.physical_offset,
            group: self.group().to_owned(),
            delay_level,
            origin_msg_id: Some(message.msg_id.clone()),
            origin_topic: Some(message.topic.clone()),
            unit_mode: false,
            max_reconsume_times: Some(max_reconsume_times),
        });
        let call = turn.call(Service::Consume, &addr, request, TIMEOUT_MS);
        self.calls.insert(call, Waiting::Consumer(ConsumerCall::Back(thread)));
    }

    /// The broker has taken the message, or has not.
    pub(super) fn sent_back(&mut self, thread: u32, answer: Answer, turn: &mut Turn<'_>) {
        let cause = match answer.result {
            Ok(Response { code: ResponseCode::Success, .. }) => return self.back_ended(thread, true, turn),
            Ok(Response { code, remark, .. }) => Exception::broker(code, remark.as_deref(), None),
            Err(error) => Exception::remoting(&error),
        };
        self.send_instead(thread, cause.message, turn);
    }

    /// The inner producer sends a new message, which has all properties of the old one but that of a half message.
    fn send_instead(&mut self, thread: u32, cause: String, turn: &mut Turn<'_>) {
        let Some(Back { message, delay_level, max_reconsume_times, .. }) = self.next_back(thread) else { return };
        let message = Arc::unwrap_or_clone(message);
        let mut new = self.instead(GiveBack { message, delay_level, max_reconsume_times });
        new.properties.retain(|(name, _)| name != property::TRAN_MSG);
        turn.step(ProducerStep::SentInstead { topic: new.topic.clone(), cause });
        self.send_for(Purpose::SentBack { thread }, new, turn);
    }

    /// The new message is sent, or is not: then the old one stays in hand, and is tried again here.
    pub(in crate::client) fn sent_in_place(&mut self, thread: u32, place: usize, turn: &mut Turn<'_>) {
        let sent = self.sent.get(place).is_some_and(|outcome| outcome.error.is_none());
        self.back_ended(thread, sent, turn);
    }

    fn back_ended(&mut self, thread: u32, went: bool, turn: &mut Turn<'_>) {
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
