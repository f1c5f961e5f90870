//! Asynchronous sends: the request goes out again, unchanged, where there was no answer (`MQClientAPIImpl.
//! sendMessageAsync`, `onExceptionImpl`).

use super::{
    Client, MessageQueue, Waiting,
    attempt::{attempts_in_all, sent},
    exception::Exception,
    job::Sent,
};
use crate::node::{Answer, CallError, ClientStep, ProducerStep, Service, Turn};

/// A request without an answer is dropped so long after its time at the earliest (`scanResponseTable`), milliseconds.
const SCAN_LATE_MS: i64 = 1_000;

impl Client {
    /// Hands the request of an asynchronous send to the network.
    pub(super) fn send_async(&mut self, id: u64, turn: &mut Turn<'_>) {
        let Some(job) = self.sends.get(&id) else { return };
        let (Some(request), Some(addr)) = (&job.request, &job.addr) else { return };
        let waits_ms = self.noticed_after_ms(job.waits_ms, turn);
        let call = turn.call_async(Service::Api, addr, request.as_ref().clone(), waits_ms);
        self.calls.insert(call, Waiting::Send { job: id });
    }

    /// Nobody wakes up when the time of an asynchronous request is over: a scan every second finds those that are late
    /// by a second. An answer that comes before it does still counts.
    pub(super) fn noticed_after_ms(&self, waits_ms: i64, turn: &Turn<'_>) -> i64 {
        let now_us = turn.now_us();
        let due_us = now_us.saturating_add(waits_ms.saturating_add(SCAN_LATE_MS).saturating_mul(1000));
        let scan_us = self.scan.at_or_after(due_us);
        scan_us.saturating_sub(now_us).saturating_add(999) / 1000
    }

    /// What came of an attempt of an asynchronous send.
    pub(super) fn async_answered(&mut self, id: u64, answer: Answer, turn: &mut Turn<'_>) {
        let Some(job) = self.sends.get(&id) else { return };
        let mut result = match answer.result {
            // The exceptions of a call that waits are not those of one that does not.
            Err(CallError::Timeout { .. }) => {
                Err(Exception::client(&format!("wait response timeout {}ms", job.waits_ms)))
            }
            Err(CallError::Closed { .. }) => Err(Exception::client("send request failed")),
            _ => sent(answer, job.addr.as_deref()),
        };
        while let Some(again) = self.resend(id, result, turn) {
            result = again;
        }
    }

    /// Sends again if that may help, and else ends the send; what came of it at once.
    fn resend(&mut self, id: u64, result: Sent, turn: &mut Turn<'_>) -> Option<Sent> {
        let now_us = turn.now_us();
        let job = self.sends.get_mut(&id)?;
        job.end_try(&result, now_us);
        let tried = job.tried(now_us);
        self.note_latency(&tried, result.is_err(), turn);
        let attempts = attempts_in_all(self.config.retry_times_when_send_async_failed);
        let job = self.sends.get_mut(&id)?;
        let error = match result {
            // A broker that refuses is believed at once.
            Err(error) if error.name != "MQBrokerException" && job.attempts < attempts => error,
            over => {
                self.end_send(id, over, turn);
                return None;
            }
        };
        turn.step(ClientStep::SendRetried { attempt: job.attempts, cause: error.message });
        let (topic, aimed) = (job.message.topic.clone(), job.message.is_aimed());
        let queue = job.queue.clone()?;
        let other = if aimed { None } else { self.select(&topic, Some(&queue.broker_name), turn) };
        // Another broker, if there is one; the header keeps the queue.
        let queue = MessageQueue { broker_name: other.map_or(queue.broker_name, |other| other.broker_name), ..queue };
        let addr = self.publish_addr(&queue.broker_name);
        let job = self.sends.get_mut(&id)?;
        job.begin_try(queue.clone(), now_us);
        let MessageQueue { broker_name, queue_id } = queue;
        turn.step(ProducerStep::SentAgain { broker_name, queue_id, attempt: job.attempts });
        let left_ms = self.config.send_msg_timeout.saturating_sub((now_us - job.began_us) / 1000);
        let Some(addr) = addr else {
            let text = "connect to null failed".to_owned();
            return Some(Err(Exception::plain("RemotingConnectException", text)));
        };
        if left_ms < 0 {
            return Some(Err(Exception::too_late(format!("invokeAsync call the addr[{addr}] timeout"))));
        }
        (job.addr, job.waits_ms) = (Some(addr), left_ms);
        self.send_async(id, turn);
        None
    }
}
