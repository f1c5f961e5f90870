//! A consumer gives a message back (`DefaultMQPullConsumerImpl.sendMessageBack`,
//! `MQClientAPIImpl.consumerSendMessageBack`).
//!
//! The broker that is asked is the one that the record names as its store host. Where that fails, 4.9.8 sends a new
//! message to the retry topic with a producer of its own; here the application is told.

use super::{Client, Received, Waiting, ask::Asked, exception::Exception};
use crate::{
    message::OffsetMsgId,
    node::{Service, Turn},
    wire::{ConsumerSendMsgBack, Request},
};

/// How long the broker's answer is waited for, milliseconds.
const TIMEOUT_MS: i64 = 3_000;

/// What a consumer gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GiveBack {
    /// The message as it was received.
    pub message: Received,
    /// The delay level; 0 lets the broker choose, below 0 is the dead-letter queue.
    pub delay_level: i32,
    /// How often a message may be given back.
    pub max_reconsume_times: i32,
}

impl GiveBack {
    /// `DefaultMQPullConsumer.maxReconsumeTimes`.
    pub const USUAL_MAX: i32 = 16;
}

impl Client {
    /// The application gives a message back. How that ended is among the [`answers`](Self::answers).
    pub fn give_back(&mut self, back: GiveBack, turn: &mut Turn<'_>) {
        let GiveBack { message, delay_level, max_reconsume_times } = back;
        let request = Request::ConsumerSendMsgBack(ConsumerSendMsgBack {
            offset: message.physical_offset,
            group: self.group().to_owned(),
            delay_level,
            origin_msg_id: Some(message.msg_id.clone()),
            origin_topic: Some(message.topic),
            unit_mode: false,
            max_reconsume_times: Some(max_reconsume_times),
        });
        let asked = Asked { code: request.code(), about: message.msg_id };
        match message.offset_msg_id.parse::<OffsetMsgId>() {
            Ok(id) => {
                let call = turn.call(Service::Api, &id.host.to_string(), request, TIMEOUT_MS);
                self.calls.insert(call, Waiting::Ask(Box::new(asked)));
            }
            Err(error) => self.end_ask(&asked, Err(Exception::client(&error.to_string())), turn),
        }
    }
}
