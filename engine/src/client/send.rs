//! Sending: validation, route, attempts within one budget of time (`DefaultMQProducerImpl.sendDefaultImpl`).

use super::{Client, Role, SendOutcome, Waiting, draft::NewMessage, purpose::Purpose};
use crate::{
    message::{OffsetMsgId, java},
    namesrv::FAQ,
    node::{Answer, CallError, CallId, NodeStep, Turn},
    wire::{Response, ResponseBody, ResponseCode, SendResponse},
};

/// Codes that another attempt may cure (`retryResponseCodes`).
const RETRY_CODES: [ResponseCode; 6] = [
    ResponseCode::TopicNotExist,
    ResponseCode::ServiceNotAvailable,
    ResponseCode::SystemError,
    ResponseCode::NoPermission,
    ResponseCode::NoBuyerId,
    ResponseCode::NotInCurrentUnit,
];

/// `ClientErrorCode`.
mod error_code {
    pub(super) const CONNECT_BROKER: i32 = 10001;
    pub(super) const ACCESS_BROKER_TIMEOUT: i32 = 10002;
    pub(super) const BROKER_NOT_EXIST: i32 = 10003;
    pub(super) const NO_NAME_SERVER: i32 = 10004;
    pub(super) const NOT_FOUND_TOPIC: i32 = 10005;
}

/// An exception on its way to the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exception {
    /// Its short name.
    pub(super) name: &'static str,
    pub(super) message: String,
    pub(super) code: Option<i32>,
}

impl Exception {
    pub(super) fn client(message: String, code: Option<i32>) -> Self {
        Self { name: "MQClientException", message, code }
    }

    /// `MQBrokerException`.
    pub(super) fn broker(code: ResponseCode, remark: Option<&str>) -> Self {
        let text = format!("CODE: {}  DESC: {}", code.value(), remark.unwrap_or("null"));
        // FAQUrl.attachDefaultURL: only where no advice is given yet.
        let more = if text.contains("\nSee ") {
            ""
        } else {
            "\nFor more information, please visit the url, http://rocketmq.apache.org/docs/faq/"
        };
        Self { name: "MQBrokerException", message: format!("{text}{more}"), code: Some(code.value()) }
    }

    pub(super) fn remoting(error: &CallError) -> Self {
        let code = match error {
            CallError::Connect { .. } => Some(error_code::CONNECT_BROKER),
            CallError::Timeout { .. } => Some(error_code::ACCESS_BROKER_TIMEOUT),
            CallError::Closed { .. } => None,
        };
        Self { name: error.exception(), message: error.to_string(), code }
    }
}

/// A send that is under way.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) message: NewMessage,
    /// Who waits for it.
    purpose: Purpose,
    pub(super) began_us: i64,
    /// Attempts begun.
    pub(super) attempts: u32,
    /// The brokers tried.
    brokers: Vec<String>,
    /// The queue of the present attempt.
    pub(super) queue_id: Option<i32>,
    pub(super) uniq_key: Option<String>,
    last: Option<Exception>,
    /// An answer that would do if no better one comes.
    kept: Option<(ResponseCode, SendResponse)>,
}

impl Job {
    /// The exception at the end of all attempts.
    fn exhausted(&self, last: &Exception, now_us: i64) -> Exception {
        let Self { attempts, brokers, message, .. } = self;
        let (topic, brokers, cost_ms) = (&message.topic, brokers.join(", "), (now_us - self.began_us) / 1000);
        let text = format!(
            "Send [{attempts}] times, still failed, cost [{cost_ms}]ms, Topic: {topic}, BrokersSent: [{brokers}]{FAQ}"
        );
        Exception::client(text, last.code)
    }

    /// The outcome as far as the job knows it.
    fn outcome(&self, now_us: i64) -> SendOutcome {
        SendOutcome {
            name: self.message.name.clone(),
            topic: self.message.topic.clone(),
            status: String::new(),
            msg_id: self.uniq_key.clone(),
            offset_msg_id: None,
            physical_offset: None,
            broker_name: self.brokers.last().cloned(),
            queue_id: self.queue_id,
            queue_offset: None,
            attempts: self.attempts,
            error: None,
            response_code: None,
            began_us: self.began_us,
            ended_us: now_us,
        }
    }
}

impl SendOutcome {
    fn failed(self, error: Exception) -> Self {
        Self { status: error.name.to_owned(), error: Some(error.message), response_code: error.code, ..self }
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

impl Client {
    /// The application sends a message.
    pub fn send(&mut self, message: NewMessage, turn: &mut Turn<'_>) {
        self.send_for(Purpose::Application, message, turn);
    }

    /// Sends a message; once it is known how that ended, what `purpose` says follows ([`Client::send_ended`]).
    pub(super) fn send_for(&mut self, purpose: Purpose, message: NewMessage, turn: &mut Turn<'_>) {
        let id = self.next_job;
        self.next_job += 1;
        let job = Job {
            message,
            purpose,
            began_us: turn.now_us(),
            attempts: 0,
            brokers: Vec::new(),
            queue_id: None,
            uniq_key: None,
            last: None,
            kept: None,
        };
        if let Role::Bare { broker_addr, .. } = &self.role {
            let addr = broker_addr.clone();
            self.sends.insert(id, Job { attempts: 1, queue_id: job.message.queue, ..job });
            self.transmit(id, &addr, turn);
            return;
        }
        let refusal = self.validate(&job.message);
        let topic = job.message.topic.clone();
        self.sends.insert(id, job);
        if let Some(refusal) = refusal {
            self.end_send(id, Err(refusal), turn);
            return;
        }
        self.use_topic(&topic, turn);
        if self.routes.publish_mut(&topic).is_some() {
            self.attempt(id, turn);
        } else {
            self.find_route(id, &topic, turn);
        }
    }

    /// `Validators.checkMessage`.
    fn validate(&self, message: &NewMessage) -> Option<Exception> {
        let illegal = |text: String| Some(Exception::client(text, Some(ResponseCode::MessageIllegal.value())));
        if java::is_blank(&message.topic) {
            return Some(Exception::client("The specified topic is blank".to_owned(), None));
        }
        if message.batch.is_empty() && message.body.is_empty() {
            return illegal("the message body length is zero".to_owned());
        }
        let most = self.config.max_message_size;
        if i32::try_from(message.body.len()).is_ok_and(|len| len <= most) {
            return None;
        }
        illegal(format!("the message body size over max value, MAX: {most}"))
    }

    fn find_route(&mut self, id: u64, asked: &str, turn: &mut Turn<'_>) {
        if !self.ask_route(asked, Waiting::SendRoute { job: id, asked: asked.to_owned() }, turn) {
            let text = "No name server address, please set it.";
            self.end_send(id, Err(Exception::client(text.to_owned() + FAQ, Some(error_code::NO_NAME_SERVER))), turn);
        }
    }

    /// The route that a send waited for is there, or not: then the default topic's is asked for.
    pub(super) fn send_route(&mut self, id: u64, asked: &str, answer: Answer, turn: &mut Turn<'_>) {
        let Some(topic) = self.sends.get(&id).map(|job| job.message.topic.clone()) else { return };
        if let Some(cause) = self.take_route(&topic, asked, answer, turn) {
            self.end_send(id, Err(Exception { name: "IllegalStateException", message: cause, code: None }), turn);
            return;
        }
        if self.routes.publish_mut(&topic).is_some() {
            self.attempt(id, turn);
            return;
        }
        let default = self.config.create_topic_key.clone();
        if asked == topic && topic != default {
            self.find_route(id, &default, turn);
        } else {
            let text = format!("No route info of this topic: {topic}{FAQ}");
            self.end_send(id, Err(Exception::client(text, Some(error_code::NOT_FOUND_TOPIC))), turn);
        }
    }

    /// The next attempt, if there is one left and time for it.
    fn attempt(&mut self, id: u64, turn: &mut Turn<'_>) {
        let Some(job) = self.sends.get(&id) else { return };
        let (topic, given) = (job.message.topic.clone(), job.message.queue);
        let last_broker = job.brokers.last().cloned();
        let Some(info) = self.routes.publish_mut(&topic) else { return };
        let queue = match given {
            Some(queue_id) => {
                let exact = info.queues.iter().find(|queue| queue.queue_id == queue_id);
                exact.or_else(|| info.queues.first()).map(|queue| super::MessageQueue { queue_id, ..queue.clone() })
            }
            None => info.select(last_broker.as_deref(), turn),
        };
        let Some(queue) = queue else { return };
        let addr = self.routes.master(&queue.broker_name).map(str::to_owned);
        let Some(job) = self.sends.get_mut(&id) else { return };
        job.attempts += 1;
        job.brokers.push(queue.broker_name.clone());
        job.queue_id = Some(queue.queue_id);
        let attempt = job.attempts;
        let broker_name = queue.broker_name.clone();
        turn.step(NodeStep::QueueSelected { broker_name, queue_id: queue.queue_id, attempt });
        if let Some(addr) = addr {
            self.transmit(id, &addr, turn);
        } else {
            let text = format!("The broker[{}] not exist{FAQ}", queue.broker_name);
            self.failed(id, Exception::client(text, Some(error_code::BROKER_NOT_EXIST)), true, turn);
        }
    }

    /// What came of an attempt.
    pub(super) fn send_answered(&mut self, id: u64, answer: Answer, turn: &mut Turn<'_>) {
        match answer.result {
            Ok(Response { code, body: ResponseBody::Send(stored), .. }) => {
                let again = code != ResponseCode::Success && self.config.retry_another_broker_when_not_store_ok;
                if again && self.may_retry(id, turn) {
                    if let Some(job) = self.sends.get_mut(&id) {
                        job.kept = Some((code, stored));
                    }
                    let error = Exception { name: "SendStatus", message: code.name().to_owned(), code: None };
                    self.failed(id, error, true, turn);
                } else {
                    self.end_send(id, Ok((code, stored)), turn);
                }
            }
            Ok(Response { code, remark, .. }) => {
                let error = Exception::broker(code, remark.as_deref());
                self.failed(id, error, RETRY_CODES.contains(&code), turn);
            }
            Err(error) => self.failed(id, Exception::remoting(&error), true, turn),
        }
    }

    fn attempts_in_all(&self) -> u32 {
        1 + u32::try_from(self.config.retry_times_when_send_failed).unwrap_or(0)
    }

    fn may_retry(&self, id: u64, turn: &Turn<'_>) -> bool {
        self.sends.get(&id).is_some_and(|job| {
            self.is_whole()
                && job.message.queue.is_none()
                && !job.message.oneway
                && job.attempts < self.attempts_in_all()
                && (turn.now_us() - job.began_us) / 1000 < self.config.send_msg_timeout
        })
    }

    /// An attempt failed: another follows, or the send has failed.
    fn failed(&mut self, id: u64, error: Exception, curable: bool, turn: &mut Turn<'_>) {
        let retry = curable && self.may_retry(id, turn);
        let attempts_in_all = self.attempts_in_all();
        let timeout_ms = self.config.send_msg_timeout;
        let Some(job) = self.sends.get_mut(&id) else { return };
        if retry {
            turn.step(NodeStep::SendRetried { attempt: job.attempts, cause: error.message.clone() });
            job.last = Some(error);
            self.attempt(id, turn);
            return;
        }
        if let Some((code, stored)) = job.kept.take() {
            self.end_send(id, Ok((code, stored)), turn);
            return;
        }
        let cost_ms = (turn.now_us() - job.began_us) / 1000;
        let given_queue = job.message.queue.is_some() || !matches!(self.role, Role::Producer { .. });
        let error = if given_queue || !curable {
            error
        } else if job.attempts < attempts_in_all && cost_ms >= timeout_ms {
            let message = "sendDefaultImpl call timeout".to_owned();
            Exception { name: "RemotingTooMuchRequestException", message, code: None }
        } else {
            job.exhausted(&error, turn.now_us())
        };
        self.end_send(id, Err(error), turn);
    }

    /// The application goes on at once; should there be no connection, it learns of it.
    pub(super) fn sent_oneway(&mut self, id: u64, call: CallId, job: Job, turn: &mut Turn<'_>) {
        const NEWS_US: i64 = 4_000_000;
        let now_us = turn.now_us();
        self.calls
            .retain(|_, waiting| !matches!(waiting, Waiting::Oneway { began_us, .. } if now_us - *began_us > NEWS_US));
        self.calls.insert(call, Waiting::Oneway { place: self.sent.len(), began_us: now_us, job: Box::new(job) });
        self.sends.remove(&id).into_iter().for_each(|job| {
            let outcome = SendOutcome { status: "ONEWAY".to_owned(), ..job.outcome(now_us) };
            let place = self.tell(self.sent.len(), outcome, turn);
            self.send_ended(job.purpose, place, turn);
        });
    }

    /// There was no connection for a one-way send.
    pub(super) fn oneway_failed(&mut self, place: usize, job: &Job, answer: Answer, turn: &mut Turn<'_>) {
        if let Err(error) = answer.result {
            let error = job.exhausted(&Exception::remoting(&error), turn.now_us());
            let outcome = job.outcome(turn.now_us()).failed(error);
            self.tell(place, outcome, turn);
        }
    }

    /// Ends a send.
    pub(super) fn end_send(
        &mut self,
        id: u64,
        result: Result<(ResponseCode, SendResponse), Exception>,
        turn: &mut Turn<'_>,
    ) {
        let Some(job) = self.sends.remove(&id) else { return };
        let outcome = job.outcome(turn.now_us());
        let outcome = match result {
            Ok((code, stored)) => outcome.stored(code, stored),
            Err(error) => outcome.failed(error),
        };
        let place = self.tell(self.sent.len(), outcome, turn);
        self.send_ended(job.purpose, place, turn);
    }

    /// Writes down what the application is told, at `place` in [`Client::sent`].
    fn tell(&mut self, place: usize, outcome: SendOutcome, turn: &mut Turn<'_>) -> usize {
        turn.step(NodeStep::SendEnded {
            status: outcome.status.clone(),
            msg_id: outcome.msg_id.clone(),
            offset_msg_id: outcome.offset_msg_id.clone(),
            queue_id: outcome.queue_id,
            queue_offset: outcome.queue_offset,
            error: outcome.error.clone(),
        });
        if let Some(told) = self.sent.get_mut(place) {
            *told = outcome;
        } else {
            self.sent.push_back(outcome);
        }
        place
    }

    /// How much of the budget is left, milliseconds.
    pub(super) fn left_ms(&self, job: &Job, turn: &Turn<'_>) -> i64 {
        self.config.send_msg_timeout.saturating_sub((turn.now_us() - job.began_us) / 1000)
    }
}

/// `MQClientAPIImpl.processSendResponse`.
const fn send_status(code: ResponseCode) -> &'static str {
    match code {
        ResponseCode::FlushDiskTimeout => "FLUSH_DISK_TIMEOUT",
        ResponseCode::FlushSlaveTimeout => "FLUSH_SLAVE_TIMEOUT",
        ResponseCode::SlaveNotAvailable => "SLAVE_NOT_AVAILABLE",
        _ => "SEND_OK",
    }
}
