//! A consumer gives a message back (`DefaultMQPullConsumerImpl.sendMessageBack`,
//! `MQClientAPIImpl.consumerSendMessageBack`).
//!
//! The broker that is asked is the one that the record names as its store host. Where that fails, for whatever reason, the
//! client's inner producer sends a new message to the retry topic, at whatever broker has that.

use super::{Client, NewMessage, Received, SendOutcome, Waiting, ask::Asked, exception::Exception, purpose::Purpose};
use crate::{
    message::{OffsetMsgId, Properties, property},
    node::{Answer, ProducerStep, Service, Turn},
    wire::{ConsumerSendMsgBack, Request, RequestCode, Response, ResponseBody, ResponseCode},
};

/// How long the broker's answer is waited for, milliseconds.
const TIMEOUT_MS: i64 = 3_000;

/// The delay level of a new message that has never been given back.
const FIRST_LEVEL: i32 = 3;

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

/// A message that is being given back.
#[derive(Clone, Debug)]
pub(super) struct GivingBack {
    back: GiveBack,
    asked: Asked,
}

impl Client {
    /// The application gives a message back. How that ended is among the [`answers`](Self::answers).
    pub fn give_back(&mut self, back: GiveBack, turn: &mut Turn<'_>) {
        let GiveBack { message, delay_level, max_reconsume_times } = &back;
        let request = Request::ConsumerSendMsgBack(ConsumerSendMsgBack {
            offset: message.physical_offset,
            group: self.group().to_owned(),
            delay_level: *delay_level,
            origin_msg_id: Some(message.msg_id.clone()),
            origin_topic: Some(message.topic.clone()),
            unit_mode: false,
            max_reconsume_times: Some(*max_reconsume_times),
        });
        let asked = Asked { code: request.code(), about: message.msg_id.clone(), addr: None, node: None };
        match message.offset_msg_id.parse::<OffsetMsgId>() {
            Ok(id) => {
                let addr = id.host.to_string();
                let call = turn.call(Service::Api, &addr, request, TIMEOUT_MS);
                let asked = Asked { node: Some(turn.name_of(&addr)), addr: Some(addr), ..asked };
                self.calls.insert(call, Waiting::GiveBack(Box::new(GivingBack { back, asked })));
            }
            Err(error) => self.end_ask(&asked, Err(Exception::client(&error.to_string())), turn),
        }
    }

    /// The broker has taken a message back, or has not.
    pub(super) fn gave_back(&mut self, giving: GivingBack, answer: Answer, turn: &mut Turn<'_>) {
        let GivingBack { back, asked } = giving;
        let cause = match answer.result {
            Ok(Response { code: ResponseCode::Success, .. }) => {
                return self.end_ask(&asked, Ok(ResponseBody::None), turn);
            }
            Ok(Response { code, remark, .. }) => Exception::broker(code, remark.as_deref(), asked.addr.as_deref()),
            Err(error) => Exception::remoting(&error),
        };
        let message = self.instead(back);
        turn.step(ProducerStep::SentInstead { topic: message.topic.clone(), cause: cause.message });
        self.send_for(Purpose::GivenBack { about: asked.about }, message, turn);
    }

    /// The new message that stands for one that could not be given back. All properties of the received one are taken
    /// over, so that it has its id; the id of origin that was set before goes with the map that they replace.
    pub(super) fn instead(&self, back: GiveBack) -> NewMessage {
        let GiveBack { message, max_reconsume_times, .. } = back;
        let mut properties = Properties::parse(&message.properties_text);
        if let Some((min, max)) = message.queue_range {
            properties.put(property::MIN_OFFSET, min.to_string());
            properties.put(property::MAX_OFFSET, max.to_string());
        }
        properties.put(property::RETRY_TOPIC, message.topic);
        properties.put(property::RECONSUME_TIME, message.reconsume_times.saturating_add(1).to_string());
        properties.put(property::MAX_RECONSUME_TIMES, max_reconsume_times.to_string());
        properties.put(property::DELAY, message.reconsume_times.saturating_add(FIRST_LEVEL).to_string());
        NewMessage {
            topic: format!("%RETRY%{}", self.group()),
            properties: properties.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            flag: message.flag,
            body: message.body,
            ..NewMessage::default()
        }
    }

    /// The new message is sent, or is not: that is what the application learns.
    pub(super) fn sent_instead(&mut self, about: String, place: usize, turn: &mut Turn<'_>) {
        let outcome = self.sent.get(place).cloned();
        let asked = Asked { code: RequestCode::ConsumerSendMsgBack, about, addr: None, node: None };
        let result = match outcome {
            Some(SendOutcome { error: Some(message), .. }) => Err(Exception::plain("Exception", message)),
            _ => Ok(ResponseBody::None),
        };
        self.end_ask(&asked, result, turn);
    }
}
