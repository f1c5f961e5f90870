//! A send that is under way.

use super::{
    Cause, MessageQueue, NewMessage, SendMode, SendOutcome, TRIES_TOLD, Try, exception::Exception, purpose::Purpose,
};
use crate::{
    message::OffsetMsgId,
    namesrv::FAQ,
    wire::{Request, ResponseCode, SendResponse},
};

/// What an attempt, or a send, comes to.
pub(super) type Sent = Result<(ResponseCode, SendResponse), Exception>;

/// A send that is under way.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) message: NewMessage,
    /// Who waits for it.
    pub(super) purpose: Purpose,
    /// When the application called, microseconds.
    pub(super) began_us: i64,
    pub(super) uniq_key: Option<String>,
    /// The queue of the present attempt.
    pub(super) queue: Option<MessageQueue>,
    /// The route is asked for because the address of its broker is missing.
    pub(super) asks_address: bool,
    /// The address of the present attempt.
    pub(super) addr: Option<String>,
    /// Attempts begun.
    pub(super) attempts: u32,
    /// The last of them.
    pub(super) tries: Vec<Try>,
    /// The brokers of all attempts, joined as the exception at the end tells them.
    brokers: String,
    /// How the last attempt failed.
    pub(super) last: Option<Exception>,
    /// An answer that would do if no better one comes.
    pub(super) kept: Option<(ResponseCode, SendResponse)>,
    /// The request of an asynchronous send, which is sent again as it is.
    pub(super) request: Option<Box<Request>>,
    /// How long the answer to the present attempt is waited for, milliseconds.
    pub(super) waits_ms: i64,
}

impl Job {
    pub(super) const fn new(message: NewMessage, purpose: Purpose, now_us: i64) -> Self {
        Self {
            message,
            purpose,
            began_us: now_us,
            uniq_key: None,
            queue: None,
            asks_address: false,
            addr: None,
            attempts: 0,
            tries: Vec::new(),
            brokers: String::new(),
            last: None,
            kept: None,
            request: None,
            waits_ms: 0,
        }
    }

    /// Another attempt begins.
    pub(super) fn begin_try(&mut self, queue: MessageQueue, now_us: i64) {
        self.attempts = self.attempts.saturating_add(1);
        if self.attempts > 1 {
            self.brokers.push_str(", ");
        }
        self.brokers.push_str(&queue.broker_name);
        if self.tries.len() >= TRIES_TOLD {
            self.tries.remove(0);
        }
        let (broker_name, queue_id) = (queue.broker_name.clone(), queue.queue_id);
        self.tries.push(Try { broker_name, queue_id, began_us: now_us, ended_us: None, status: None, error: None });
        self.queue = Some(queue);
    }

    /// The present attempt ends.
    pub(super) fn end_try(&mut self, result: &Sent, now_us: i64) {
        let Some(last) = self.tries.last_mut() else { return };
        last.ended_us = Some(now_us);
        match result {
            Ok((code, _)) => last.status = Some(send_status(*code).to_owned()),
            Err(error) => {
                last.status = Some(error.name.to_owned());
                last.error = Some(error.message.clone());
            }
        }
    }

    /// The broker of the present attempt, and how long it has taken, milliseconds.
    pub(super) fn tried(&self, now_us: i64) -> (String, i64) {
        self.tries
            .last()
            .map_or_else(Default::default, |last| (last.broker_name.clone(), (now_us - last.began_us) / 1000))
    }

    pub(super) fn broker_name(&self) -> Option<&str> {
        self.queue.as_ref().map(|queue| queue.broker_name.as_str())
    }

    /// The exception at the end of all attempts.
    pub(super) fn exhausted(&self, now_us: i64) -> Exception {
        let Self { attempts, brokers, message, .. } = self;
        let (topic, cost_ms) = (&message.topic, (now_us - self.began_us) / 1000);
        let text = format!(
            "Send [{attempts}] times, still failed, cost [{cost_ms}]ms, Topic: {topic}, BrokersSent: [{brokers}]{FAQ}"
        );
        let error = Exception::client(&text);
        match &self.last {
            Some(last) => error.with_code(last.code_when_last()).caused_by(last),
            None => error,
        }
    }

    /// The outcome as far as the job knows it.
    pub(super) fn outcome(&self, now_us: i64) -> SendOutcome {
        SendOutcome {
            name: self.message.name.clone(),
            topic: self.message.topic.clone(),
            status: String::new(),
            msg_id: self.uniq_key.clone(),
            offset_msg_id: None,
            physical_offset: None,
            broker_name: self.broker_name().map(str::to_owned),
            queue_id: self.queue.as_ref().map(|queue| queue.queue_id),
            queue_offset: None,
            mode: self.message.mode,
            waits: self.message.waits(),
            attempts: self.attempts,
            tries: self.tries.clone(),
            error: None,
            response_code: None,
            cause: None,
            began_us: self.began_us,
            ended_us: now_us,
        }
    }

    /// What is known of it when its process ends.
    pub(super) fn untold(&self) -> SendOutcome {
        let last = self.tries.last().map_or(self.began_us, |last| last.began_us);
        self.outcome(last)
    }

    pub(super) const fn is_sync(&self) -> bool {
        matches!(self.message.mode, SendMode::Sync)
    }
}

impl SendOutcome {
    pub(super) fn ended(self, result: Sent) -> Self {
        match result {
            Ok((code, stored)) => self.stored(code, stored),
            Err(error) => self.failed(error),
        }
    }

    fn failed(self, error: Exception) -> Self {
        Self {
            status: error.name.to_owned(),
            error: Some(error.message),
            response_code: error.code,
            cause: error.cause.map(|cause: Box<Cause>| *cause),
            ..self
        }
    }

    fn stored(self, code: ResponseCode, stored: SendResponse) -> Self {
        let first = stored.msg_id.split(',').next().unwrap_or_default();
        Self {
            status: send_status(code).to_owned(),
            physical_offset: first.parse::<OffsetMsgId>().ok().map(|id| id.physical_offset),
            msg_id: self.msg_id.or_else(|| Some(stored.msg_id.clone())),
            offset_msg_id: Some(stored.msg_id),
            queue_id: Some(stored.queue_id),
            queue_offset: Some(stored.queue_offset),
            ..self
        }
    }
}

/// `MQClientAPIImpl.processSendResponse`.
pub(super) const fn send_status(code: ResponseCode) -> &'static str {
    match code {
        ResponseCode::FlushDiskTimeout => "FLUSH_DISK_TIMEOUT",
        ResponseCode::FlushSlaveTimeout => "FLUSH_SLAVE_TIMEOUT",
        ResponseCode::SlaveNotAvailable => "SLAVE_NOT_AVAILABLE",
        _ => "SEND_OK",
    }
}
