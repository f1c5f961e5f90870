//! Making the request of one attempt (`DefaultMQProducerImpl.sendKernelImpl`).

use bytes::Bytes;

use super::{
    Client, INNER_PRODUCER, Role, SendMode, Waiting, attempt::Step, draft::property_map, exception::Exception,
    job::Job, purpose::Purpose,
};
use crate::{
    message::{body, java, property, sys_flag},
    node::{ClientStep, Service, Turn},
    wire::{Request, SendMessage},
};

/// The brokers' second port lies so far below the first (`fastListenPort`).
const VIP_DISTANCE: u16 = 2;

/// Topics of messages that consumers have given back.
const RETRY_PREFIX: &str = "%RETRY%";

impl Client {
    /// The address that messages for a broker are sent to (`findBrokerAddressInPublish`, `brokerVIPChannel`).
    pub(super) fn publish_addr(&self, broker_name: &str) -> Option<String> {
        let addr = self.routes.master(broker_name)?;
        if !self.config.vip_channel_enabled {
            return Some(addr.to_owned());
        }
        let (ip, port) = addr.rsplit_once(':')?;
        Some(format!("{ip}:{}", port.parse::<u16>().ok()?.checked_sub(VIP_DISTANCE)?))
    }

    /// Sends the message of a job to `addr`.
    pub(super) fn transmit(&mut self, id: u64, addr: &str, turn: &mut Turn<'_>) -> Step {
        let Some(mut job) = self.sends.remove(&id) else { return Step::Waits };
        let header = self.request_of(&mut job, turn);
        let mode = job.message.mode;
        let plain = self.is_whole() && !job.message.is_aimed();
        let broker_name = job.broker_name().map(str::to_owned).unwrap_or_default();
        job.waits_ms = self.left_ms(&job, turn.now_us());
        job.addr = Some(addr.to_owned());
        let header = match header {
            Ok(header) => header,
            Err(error) => {
                self.sends.insert(id, job);
                return Step::Over(Err(error));
            }
        };
        let request = match &self.role {
            _ if header.batch => Request::SendBatchMessage(header),
            Role::Bare { .. } => Request::SendMessage(header),
            _ if !self.config.send_smart_msg => Request::SendMessage(header),
            _ => Request::SendMessageV2(header),
        };
        let waits_ms = job.waits_ms;
        match mode {
            SendMode::Oneway => {
                self.sends.insert(id, job);
                let call = turn.oneway(Service::Api, addr, request);
                if plain {
                    self.note_latency(&(broker_name, 0), false, turn);
                }
                self.sent_oneway(id, call, turn);
            }
            SendMode::Async if self.is_whole() => {
                job.request = Some(Box::new(request));
                self.sends.insert(id, job);
                self.send_async(id, turn);
                if plain {
                    self.note_latency(&(broker_name, 0), false, turn);
                }
            }
            SendMode::Sync | SendMode::Async => {
                self.sends.insert(id, job);
                let call = turn.call(Service::Api, addr, request, waits_ms);
                self.calls.insert(call, Waiting::Send { job: id });
            }
        }
        Step::Waits
    }

    fn request_of(&mut self, job: &mut Job, turn: &mut Turn<'_>) -> Result<SendMessage, Exception> {
        let mut properties = property_map(&job.message.properties);
        let is_batch = job.message.batch.is_some();
        let mut flags = 0;
        let content = if is_batch {
            job.message.body.clone()
        } else {
            // A retry uses the id of the first attempt.
            let have = job.uniq_key.take().or_else(|| properties.get(property::UNIQ_KEY).map(str::to_owned));
            if let Some(uniq_key) = self.new_uniq_key(have, turn) {
                properties.put(property::UNIQ_KEY, uniq_key.clone());
                job.uniq_key = Some(uniq_key);
            }
            self.body_of(job, &mut flags, turn)
        };
        if properties.get(property::TRAN_MSG).is_some_and(|prepared| prepared.eq_ignore_ascii_case("true")) {
            flags |= sys_flag::TRANSACTION_PREPARED;
        }
        let retries = self.is_whole() && job.message.topic.starts_with(RETRY_PREFIX);
        let mut counted = |name: &str| take_number(&mut job.message.properties, name);
        let (reconsume_times, max_reconsume_times) = if retries {
            (counted(property::RECONSUME_TIME), counted(property::MAX_RECONSUME_TIMES))
        } else {
            (None, None)
        };
        let producer_group = match job.purpose {
            Purpose::GivenBack { .. } | Purpose::SentBack { .. } => INNER_PRODUCER,
            _ => self.group(),
        };
        Ok(SendMessage {
            producer_group: producer_group.to_owned(),
            topic: job.message.topic.clone(),
            default_topic: self.config.create_topic_key.clone(),
            default_topic_queue_nums: self.config.default_topic_queue_nums,
            queue_id: job.queue.as_ref().map_or(-1, |queue| queue.queue_id),
            sys_flag: flags,
            born_timestamp: turn.wall_ms(),
            flag: job.message.flag,
            properties: properties.to_text(),
            reconsume_times: Some(reconsume_times.transpose()?.unwrap_or(0)),
            unit_mode: false,
            max_reconsume_times: max_reconsume_times.transpose()?,
            batch: is_batch,
            body: content,
        })
    }

    /// The `UNIQ_KEY` that a message has, or a new one; bare senders give none.
    pub(super) fn new_uniq_key(&mut self, have: Option<String>, turn: &mut Turn<'_>) -> Option<String> {
        have.or_else(|| {
            let uniq_key = self.ids.as_mut()?.next(turn.wall_ms());
            turn.step(ClientStep::UniqKeySet { uniq_key: uniq_key.clone() });
            Some(uniq_key)
        })
    }

    /// The body as it is sent: a whole client compresses long ones, even if they grow.
    fn body_of(&self, job: &Job, flags: &mut i32, turn: &mut Turn<'_>) -> Bytes {
        let from = job.message.body.len();
        let threshold = usize::try_from(self.config.compress_msg_body_over_howmuch).unwrap_or(0);
        if !self.is_whole() || from < threshold {
            return job.message.body.clone();
        }
        let deflated = body::deflate(&job.message.body);
        *flags |= sys_flag::COMPRESSED | sys_flag::COMPRESSION_ZLIB;
        turn.step(ClientStep::BodyCompressed { from: from as u64, to: deflated.len() as u64 });
        deflated.into()
    }
}

/// Takes a number out of the properties for the header. The properties text is made before, so it still has it; only
/// another attempt has it no more, and its header neither.
fn take_number(properties: &mut Vec<(String, String)>, name: &str) -> Option<Result<i32, Exception>> {
    let place = properties.iter().rposition(|(put, _)| put == name)?;
    let (_, text) = properties.remove(place);
    let bad = || Exception::plain("NumberFormatException", format!("For input string: \"{text}\""));
    Some(java::parse_int(&text).ok_or_else(bad))
}
