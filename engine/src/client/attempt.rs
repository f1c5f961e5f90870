//! The attempts of a send within one budget of time (`sendDefaultImpl`, `sendSelectImpl`, `send(msg, queue)`).

use super::{Client, MessageQueue, NewMessage, SendMode, exception::Exception, job::Sent};
use crate::{
    node::{Answer, ClientStep, ProducerStep, Turn},
    wire::{Response, ResponseBody, ResponseCode},
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

/// How far an attempt got in this turn.
pub(super) enum Step {
    /// An answer is waited for, or nobody waits any more.
    Waits,
    /// The attempt came to something at once.
    Came(Sent),
    /// There is no attempt: the send is over.
    Over(Sent),
}

impl Client {
    /// One attempt after the other, until one is under way or the send is over.
    pub(super) fn go_on(&mut self, id: u64, turn: &mut Turn<'_>) {
        loop {
            let over = match self.attempt(id, turn) {
                Step::Waits => return,
                Step::Came(result) => self.weigh(id, result, turn),
                Step::Over(result) => Some(result),
            };
            if let Some(result) = over {
                return self.end_send(id, result, turn);
            }
        }
    }

    /// A bare sender knows one address and tries once.
    pub(super) fn attempt_bare(&mut self, id: u64, addr: &str, turn: &mut Turn<'_>) {
        let broker_name = turn.name_of(addr);
        let Some(job) = self.sends.get_mut(&id) else { return };
        let queue_id = job.message.queue.unwrap_or(-1);
        job.begin_try(MessageQueue { broker_name, queue_id }, turn.now_us());
        if let Step::Came(result) = self.transmit(id, addr, turn) {
            self.end_send(id, result, turn);
        }
    }

    /// What came of an attempt.
    pub(super) fn send_answered(&mut self, id: u64, answer: Answer, turn: &mut Turn<'_>) {
        let Some(job) = self.sends.get(&id) else { return };
        if job.message.mode == SendMode::Async && self.is_whole() {
            return self.async_answered(id, answer, turn);
        }
        let result = sent(answer, job.addr.as_deref());
        match self.weigh(id, result, turn) {
            Some(result) => self.end_send(id, result, turn),
            None => self.go_on(id, turn),
        }
    }

    fn attempt(&mut self, id: u64, turn: &mut Turn<'_>) -> Step {
        let Some(job) = self.sends.get_mut(&id) else { return Step::Waits };
        let resumed = job.queue.clone().filter(|_| std::mem::take(&mut job.asks_address));
        let asked = resumed.is_some();
        let queue = match resumed.map_or_else(|| self.next_queue(id, turn), Ok) {
            Ok(queue) => queue,
            Err(refusal) => return Step::Over(refusal),
        };
        if let Some(addr) = self.publish_addr(&queue.broker_name) {
            return self.transmit(id, &addr, turn);
        }
        let Some(job) = self.sends.get_mut(&id) else { return Step::Waits };
        let topic = job.message.topic.clone();
        if self.routes.publish_mut(&topic).is_none() && !asked {
            job.asks_address = true;
            turn.step(ProducerStep::AddressMissing { broker_name: queue.broker_name });
            return match self.find_route(id, &topic, turn) {
                Ok(()) => Step::Waits,
                Err(error) => Step::Over(Err(error)),
            };
        }
        Step::Came(Err(Exception::client(&format!("The broker[{}] not exist", queue.broker_name))))
    }

    /// Chooses the queue of another attempt and begins with it; what the send comes to if there is none, or no time.
    fn next_queue(&mut self, id: u64, turn: &mut Turn<'_>) -> Result<MessageQueue, Sent> {
        let queue = self.choose(id, turn).map_err(Err)?;
        let timeout_us = self.config.send_msg_timeout.saturating_mul(1000);
        let Some(job) = self.sends.get_mut(&id) else { return Err(Err(Exception::too_late(LATE))) };
        // A wait that took the whole budget has also taken the time to notice it.
        if turn.now_us() - job.began_us >= timeout_us {
            let late = if job.message.selector.is_some() {
                "sendSelectImpl call timeout"
            } else if job.message.queue.is_some() {
                "call timeout"
            } else {
                LATE
            };
            return Err(job.kept.take().map_or_else(|| Err(Exception::too_late(late)), Ok));
        }
        job.begin_try(queue.clone(), turn.now_us());
        let (broker_name, queue_id, attempt) = (queue.broker_name.clone(), queue.queue_id, job.attempts);
        turn.step(ClientStep::QueueSelected { broker_name, queue_id, attempt });
        Ok(queue)
    }

    fn choose(&mut self, id: u64, turn: &mut Turn<'_>) -> Result<MessageQueue, Exception> {
        let no_route = || Exception::client("No route info for this topic");
        let job = self.sends.get(&id).ok_or_else(no_route)?;
        let NewMessage { topic, queue, broker, selector, .. } = &job.message;
        if let (Some(queue_id), Some(broker_name)) = (*queue, broker) {
            return Ok(MessageQueue { broker_name: broker_name.clone(), queue_id });
        }
        let (topic, given, selector) = (topic.clone(), *queue, selector.clone());
        let last_broker = job.broker_name().map(str::to_owned);
        if selector.is_none() && given.is_none() {
            return self.select(&topic, last_broker.as_deref(), turn).ok_or_else(no_route);
        }
        let queues = self.routes.publish_mut(&topic).map(|info| info.queues.clone()).unwrap_or_default();
        if let Some(selector) = selector {
            let picked = selector.select(&queues, turn);
            return picked.ok_or_else(|| Exception::client("select message queue return null."));
        }
        let exact = queues.iter().find(|queue| given == Some(queue.queue_id));
        let holder = exact.or_else(|| queues.first()).ok_or_else(no_route)?;
        Ok(MessageQueue { queue_id: given.unwrap_or(holder.queue_id), ..holder.clone() })
    }

    /// What follows an attempt: the end of the send, or another attempt.
    fn weigh(&mut self, id: u64, result: Sent, turn: &mut Turn<'_>) -> Option<Sent> {
        let now_us = turn.now_us();
        let whole = self.is_whole();
        let job = self.sends.get_mut(&id)?;
        job.end_try(&result, now_us);
        if !whole || job.message.is_aimed() {
            return Some(result);
        }
        let tried = job.tried(now_us);
        self.note_latency(&tried, result.is_err(), turn);
        let again = self.config.retry_another_broker_when_not_store_ok;
        let attempts_in_all = attempts_in_all(self.config.retry_times_when_send_failed);
        let job = self.sends.get_mut(&id)?;
        let cause = match result {
            Ok((code, stored)) if again && job.is_sync() && code != ResponseCode::Success => {
                job.kept = Some((code, stored));
                code.name().to_owned()
            }
            Err(error) if is_curable(&error) => {
                let cause = error.message.clone();
                job.last = Some(error);
                cause
            }
            // An earlier answer is better than an exception.
            Err(error) => return Some(job.kept.take().ok_or(error)),
            stored => return Some(stored),
        };
        if job.is_sync() && job.attempts < attempts_in_all {
            turn.step(ClientStep::SendRetried { attempt: job.attempts, cause });
            return None;
        }
        Some(job.kept.take().map_or_else(|| Err(job.exhausted(now_us)), Ok))
    }
}

/// `sendDefaultImpl`'s words when the budget is spent.
const LATE: &str = "sendDefaultImpl call timeout";

pub(super) fn attempts_in_all(retries: i32) -> u32 {
    u32::try_from(retries).unwrap_or(0).saturating_add(1)
}

/// Whether another attempt may help.
fn is_curable(error: &Exception) -> bool {
    error.name != "MQBrokerException" || RETRY_CODES.iter().any(|code| error.code == Some(code.value()))
}

/// What an answer means for a send.
pub(super) fn sent(answer: Answer, addr: Option<&str>) -> Sent {
    match answer.result {
        Ok(Response { code, body: ResponseBody::Send(stored), .. }) => Ok((code, stored)),
        Ok(Response { code, remark, .. }) => Err(Exception::broker(code, remark.as_deref(), addr)),
        Err(error) => Err(Exception::remoting(&error)),
    }
}
