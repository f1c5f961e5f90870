//! Taking messages in (`SendMessageProcessor`, `AbstractSendMessageProcessor`).

use super::{
    Process,
    answers::{Owed, Promised, Then},
    ha::ReplicaWait,
    send_back::TOPIC_FLAG_UNIT_SUB,
    topics,
};
use crate::{
    message::{Message, Properties, batch::MessageBatch, property, sys_flag},
    namesrv::FAQ,
    node::{BrokerStep, Caller, Service, Turn},
    planted::PlantedFault,
    store::{PutMessageResult, PutMessageStatus, human_time},
    wire::{
        AUTO_CREATE_TOPIC, PERM_READ, PERM_WRITE, Response, ResponseBody, ResponseCode, SendMessage, SendResponse,
        TopicConfig,
    },
};

/// A put that waits for a flush (`GroupCommitRequest`).
#[derive(Clone, Debug)]
pub(super) struct WaitingPut {
    /// Its number.
    put: u64,
    /// Everything before this has to be flushed, bytes.
    pub(super) next_offset: i64,
    /// When the answer is given without the flush, microseconds: a monotonic clock counts here.
    deadline_us: i64,
    /// Whether the batch that is being flushed is its own.
    pub(super) in_batch: bool,
    /// Whether its time is over; the flush goes on without it.
    expired: bool,
}

/// The code and the remark of an answer that refuses.
pub(super) type Refusal = (ResponseCode, String);

/// `TopicSysFlag`: the topic belongs to a unit.
const TOPIC_FLAG_UNIT: i32 = 1;

impl Process {
    pub(super) fn send(&mut self, caller: &Caller, request: SendMessage, turn: &mut Turn<'_>) {
        let resolved = self.check(caller, &request, turn).and_then(|topic| {
            let queue_id = queue_of(&request, &topic, turn)?;
            let (name, stored_in) =
                self.retried_too_often(&request, turn)?.unwrap_or((request.topic.clone(), queue_id));
            Ok((topic, queue_id, name, stored_in))
        });
        let (topic, queue_id, name, stored_in) = match resolved {
            Ok(resolved) => resolved,
            Err(refusal) => return refuse(caller, refusal, turn),
        };
        let properties = self.properties_of(&request);
        let mut stored = properties.clone();
        // WAIT is what the producer asks of this put, not part of the message: it stays in memory only.
        stored.remove(property::WAIT);
        let is_half = properties.get(property::TRAN_MSG).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        if is_half && self.config.reject_transaction_message {
            let ip = &self.config.broker_ip1;
            let remark = format!("the broker[{ip}] sending transaction message is forbidden");
            return refuse(caller, (ResponseCode::NoPermission, remark), turn);
        }
        let mut message = Message {
            topic: name,
            queue_id: stored_in,
            flag: request.flag,
            sys_flag: record_flags(&request, &topic),
            born_timestamp: request.born_timestamp,
            born_host: caller.host,
            store_host: self.store_host,
            reconsume_times: request.reconsume_times.unwrap_or(0),
            prepared_transaction_offset: 0,
            body: request.body,
            properties_text: stored.to_text(),
            properties,
        };
        if is_half {
            message = self.prepare(message, turn);
        }
        turn.step(BrokerStep::MessageBuilt {
            topic: message.topic.clone(),
            queue_id: message.queue_id,
            properties_text: message.properties_text.clone(),
            body_len: message.body.len() as u64,
        });
        let result = self.store.put_message(&message, turn);
        if result.status == PutMessageStatus::UnknownError && message.delay_level().is_none() {
            // What `Integer.parseInt` throws is not caught before the remoting layer.
            let level = message.properties.get(property::DELAY).unwrap_or_default();
            let remark = format!("java.lang.NumberFormatException: For input string: \"{level}\"");
            return refuse(caller, (ResponseCode::SystemError, remark), turn);
        }
        self.put_ended(caller, queue_id, &result, turn);
    }

    pub(super) fn send_batch(&mut self, caller: &Caller, request: SendMessage, turn: &mut Turn<'_>) {
        let resolved =
            self.check(caller, &request, turn).and_then(|topic| Ok((queue_of(&request, &topic, turn)?, topic)));
        let (queue_id, topic) = match resolved {
            Ok(resolved) => resolved,
            Err(refusal) => return refuse(caller, refusal, turn),
        };
        let properties = self.properties_of(&request);
        turn.step(BrokerStep::MessageBuilt {
            topic: request.topic.clone(),
            queue_id,
            properties_text: properties.to_text(),
            body_len: request.body.len() as u64,
        });
        let batch = MessageBatch {
            sys_flag: record_flags(&request, &topic),
            topic: request.topic,
            queue_id,
            born_timestamp: request.born_timestamp,
            born_host: caller.host,
            store_host: self.store_host,
            reconsume_times: request.reconsume_times.unwrap_or(0),
            properties,
            body: request.body,
        };
        let result = self.store.put_messages(&batch, turn);
        self.put_ended(caller, queue_id, &result, turn);
    }

    /// The request's properties and `CLUSTER`.
    fn properties_of(&self, request: &SendMessage) -> Properties {
        let mut properties = Properties::parse(&request.properties);
        properties.put(property::CLUSTER, self.config.broker_cluster_name.clone());
        // 4.9.8 takes WAIT out of the map while it writes the text, and puts it back: behind the others of its bucket, of
        // which DELAY is one. That shows where a text is made anew from the map.
        if let Some(wait) = properties.remove(property::WAIT) {
            properties.put(property::WAIT, wait);
        }
        properties
    }

    /// `preSend` and `msgCheck`: the first rule that fails answers. The topic comes into being if it may.
    fn check(&mut self, caller: &Caller, request: &SendMessage, turn: &mut Turn<'_>) -> Result<TopicConfig, Refusal> {
        let open_ms = self.config.start_accept_send_request_time_stamp;
        if turn.wall_ms() < open_ms {
            let remark = format!("broker unable to service, until {}", human_time(open_ms));
            return Err((ResponseCode::SystemError, remark));
        }
        let name = &request.topic;
        let known = self.topics.get(name);
        if self.config.broker_permission & PERM_WRITE == 0 && known.is_some_and(|topic| topic.order) {
            let remark = format!("the broker[{}] sending message is forbidden", self.config.broker_ip1);
            return Err((ResponseCode::NoPermission, remark));
        }
        topics::validate(name).map_err(|remark| (ResponseCode::SystemError, remark))?;
        topics::may_send(name).map_err(|remark| (ResponseCode::NoPermission, remark))?;
        let topic = match known.cloned() {
            Some(topic) => topic,
            None => self.create_for(request, turn).ok_or_else(|| {
                let remark = format!("topic[{name}] not exist, apply first please!{FAQ}");
                (ResponseCode::TopicNotExist, remark)
            })?,
        };
        if request.queue_id >= topic.write_queue_nums.max(topic.read_queue_nums) {
            let (queue, producer) = (request.queue_id, &caller.host);
            let remark = format!("request queueId[{queue}] is illegal, {topic} Producer: {producer}");
            return Err((ResponseCode::SystemError, remark));
        }
        turn.step(BrokerStep::TopicChecked { topic: name.clone(), queue_id: request.queue_id });
        Ok(topic)
    }

    /// An unknown topic comes into being after the default topic's model; a retry topic in any case.
    fn create_for(&mut self, request: &SendMessage, turn: &mut Turn<'_>) -> Option<TopicConfig> {
        let (name, default) = (&request.topic, &request.default_topic);
        let auto_create = self.config.auto_create_topic_enable;
        let is_retry = name.starts_with(topics::RETRY_PREFIX);
        let sys_flag = match (request.unit_mode, is_retry) {
            (false, _) => 0,
            (true, false) => TOPIC_FLAG_UNIT,
            (true, true) => TOPIC_FLAG_UNIT_SUB,
        };
        if default == AUTO_CREATE_TOPIC && !auto_create {
            // Without automatic creation nothing can be made after it from now on, nor once the broker has started again.
            self.topics.set_perm(default, PERM_READ | PERM_WRITE);
        }
        if let Some(made) = self.topics.inherit(name, default, request.default_topic_queue_nums) {
            let made = TopicConfig { topic_sys_flag: sys_flag, ..made };
            self.create_topic(made.clone(), Some(default.clone()), turn);
            return Some(made);
        }
        is_retry.then(|| self.topic_for_retries(name, 1, sys_flag, turn))
    }

    /// A send to a retry topic, which a consumer's client does when it cannot give a message back: consumed in vain too
    /// often it goes to the dead-letter queue (`handleRetryAndDLQ`). The topic and queue, unless they stay.
    fn retried_too_often(
        &mut self,
        request: &SendMessage,
        turn: &mut Turn<'_>,
    ) -> Result<Option<(String, i32)>, Refusal> {
        let Some(group) = request.topic.strip_prefix(topics::RETRY_PREFIX) else { return Ok(None) };
        let settings = self.retrying_group(group, turn)?;
        let most = request.max_reconsume_times.unwrap_or(settings.retry_max_times);
        let times = request.reconsume_times.unwrap_or(0);
        Ok((times >= most).then(|| (self.dead_letter(group, times, most, turn), 0)))
    }

    /// `handlePutMessageResult`, and the waits before it.
    fn put_ended(&mut self, caller: &Caller, queue_id: i32, result: &PutMessageResult, turn: &mut Turn<'_>) {
        let stored = result.append.as_ref().map(|append| SendResponse {
            msg_id: append.msg_id(),
            queue_id,
            queue_offset: append.queue_offset,
        });
        if let Some(append) = result.append.as_ref().filter(|_| result.is_ok()) {
            self.appended(append.wrote_offset, turn);
        }
        match stored {
            Some(stored) if result.waits() => self.answer_later(caller, stored, result, turn),
            stored => self.answer_put(caller, result.status, stored.as_ref(), turn),
        }
    }

    /// The answer comes once flush and replica are over, unless a fault is planted.
    fn answer_later(&mut self, caller: &Caller, stored: SendResponse, result: &PutMessageResult, turn: &mut Turn<'_>) {
        let mut result = result.clone();
        let promises = Promised::by(&result);
        let drops_flush = self.planted.has(PlantedFault::ReplyBeforeFlush) && result.flush.take().is_some();
        let drops_replica = self.planted.has(PlantedFault::ReplyBeforeReplication) && result.replica.take().is_some();
        if drops_flush || drops_replica {
            self.promised = self.promised.and(promises);
        }
        if result.waits() {
            self.wait_for_store(Then::Answer(caller.clone(), stored), &result, turn);
        } else {
            self.answer_put(caller, result.status, Some(&stored), turn);
        }
    }

    /// What follows from a put comes once its flush, and its replica, are over.
    pub(super) fn wait_for_store(&mut self, then: Then, result: &PutMessageResult, turn: &mut Turn<'_>) {
        let (flush, replica) = (result.flush, result.replica);
        let put = self.owe(Owed {
            then,
            status: result.status,
            flush: flush.is_some(),
            replica: replica.is_some(),
            promises: Promised::by(result),
        });
        // A monotonic clock counts for both.
        let after_us =
            |timeout_ms: i32, turn: &Turn<'_>| turn.now_us().saturating_add(i64::from(timeout_ms).saturating_mul(1000));
        if let Some(flush) = flush {
            let deadline_us = after_us(self.store.config().sync_flush_timeout, turn);
            let (next_offset, in_batch, expired) = (flush.next_offset, false, false);
            self.waiting_puts.push(WaitingPut { put, next_offset, deadline_us, in_batch, expired });
            turn.wake_for_work(Service::FlushCommitLog, turn.now_us());
            turn.wake_for_work(Service::FlushDiskWatcher, deadline_us);
        }
        if let Some(replica) = replica {
            let deadline_us = after_us(self.store.config().slave_timeout, turn);
            self.wait_for_slave(ReplicaWait { put, next_offset: replica.next_offset, deadline_us }, turn);
        }
    }

    /// The flush of a put has ended, well or not, unless its time was over before.
    pub(super) fn put_flushed(&mut self, waiting: &WaitingPut, flushed: bool, turn: &mut Turn<'_>) {
        if !waiting.expired {
            self.flush_ended(waiting.put, flushed, turn);
        }
    }

    /// Ends the waits of puts whose flush has not come about in time (`FlushDiskWatcher`). The flush goes on without
    /// them.
    pub(super) fn expire_puts(&mut self, turn: &mut Turn<'_>) {
        let mut puts = std::mem::take(&mut self.waiting_puts);
        let now_us = turn.now_us();
        for put in puts.iter_mut().filter(|put| put.deadline_us <= now_us) {
            self.put_flushed(put, false, turn);
            put.expired = true;
        }
        if let Some(next_us) = puts.iter().filter(|put| !put.expired).map(|put| put.deadline_us).min() {
            turn.wake_at(Service::FlushDiskWatcher, next_us);
        }
        self.waiting_puts = puts;
    }

    pub(super) fn answer_put(
        &self,
        caller: &Caller,
        status: PutMessageStatus,
        stored: Option<&SendResponse>,
        turn: &mut Turn<'_>,
    ) {
        turn.step(BrokerStep::PutEnded { status: status.name().to_owned() });
        let answered = |code| {
            let body = stored.cloned().map_or(ResponseBody::None, ResponseBody::Send);
            Response { code, remark: None, body }
        };
        let response = match status {
            PutMessageStatus::PutOk => answered(ResponseCode::Success),
            PutMessageStatus::FlushDiskTimeout => answered(ResponseCode::FlushDiskTimeout),
            PutMessageStatus::FlushSlaveTimeout => answered(ResponseCode::FlushSlaveTimeout),
            PutMessageStatus::SlaveNotAvailable => answered(ResponseCode::SlaveNotAvailable),
            PutMessageStatus::CreateMappedFileFailed => {
                Response::failure(ResponseCode::SystemError, "create mapped file failed, server is busy or broken.")
            }
            PutMessageStatus::MessageIllegal | PutMessageStatus::PropertiesSizeExceeded => Response::failure(
                ResponseCode::MessageIllegal,
                format!(
                    "the message is illegal, maybe msg body or properties length not matched. msg body length limit \
                     {}B, msg properties length limit 32KB.",
                    self.store.config().max_message_size
                ),
            ),
            PutMessageStatus::ServiceNotAvailable => Response::failure(
                ResponseCode::ServiceNotAvailable,
                format!(
                    "service not available now. It may be caused by one of the following reasons: the broker's disk \
                     is full [{}], messages are put to the slave, message store has been shut down, etc.",
                    self.disk_util()
                ),
            ),
            PutMessageStatus::OsPageCacheBusy => Response::failure(
                ResponseCode::SystemError,
                "[PC_SYNCHRONIZED]broker busy, start flow control for a while",
            ),
            PutMessageStatus::UnknownError => Response::failure(ResponseCode::SystemError, "UNKNOWN_ERROR"),
        };
        turn.reply(caller, response);
    }

    /// How full the disk is, as 4.9.8 prints it; here all three paths lie on one disk.
    fn disk_util(&self) -> String {
        let ratio = self.disk_ratio();
        format!("CL: {ratio:5.2} CQ: {ratio:5.2} INDEX: {ratio:5.2}")
    }
}

/// The queue that is asked for, or one that is drawn. Of a topic without queues Java cannot draw one.
fn queue_of(request: &SendMessage, topic: &TopicConfig, turn: &mut Turn<'_>) -> Result<i32, Refusal> {
    if request.queue_id >= 0 {
        return Ok(request.queue_id);
    }
    let drawn = i32::try_from(turn.streams().below("queueId", 99_999_999)).unwrap_or(0);
    let queue_id = drawn
        .checked_rem(topic.write_queue_nums)
        .ok_or_else(|| (ResponseCode::SystemError, "java.lang.ArithmeticException: / by zero".to_owned()))?;
    turn.step(BrokerStep::QueueDrawn { queue_id });
    Ok(queue_id)
}

fn refuse(caller: &Caller, (code, remark): Refusal, turn: &mut Turn<'_>) {
    turn.step(BrokerStep::Refused { code, remark: remark.clone() });
    turn.reply(caller, Response::failure(code, remark));
}

fn record_flags(request: &SendMessage, topic: &TopicConfig) -> i32 {
    let multi_tags = if topic.topic_filter_type == "MULTI_TAG" { sys_flag::MULTI_TAGS } else { 0 };
    request.sys_flag | multi_tags
}
