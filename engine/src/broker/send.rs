//! Taking messages in (`SendMessageProcessor`, `AbstractSendMessageProcessor`).

use super::{Process, answers::Owed, ha::ReplicaWait, topics};
use crate::{
    message::{Message, Properties, TransactionType, batch::MessageBatch, property, sys_flag},
    namesrv::FAQ,
    node::{Caller, NodeStep, Service, Turn},
    store::{PutMessageResult, PutMessageStatus},
    wire::{PERM_WRITE, Response, ResponseBody, ResponseCode, SendMessage, SendResponse, TopicConfig},
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

type Refusal = (ResponseCode, String);

impl Process {
    pub(super) fn send(&mut self, caller: &Caller, request: SendMessage, turn: &mut Turn<'_>) {
        let topic = match self.check(caller, &request, turn) {
            Ok(topic) => topic,
            Err(refusal) => return refuse(caller, refusal, turn),
        };
        let queue_id = queue_of(&request, &topic, turn);
        let properties = self.properties_of(&request);
        let mut stored = properties.clone();
        // WAIT is what the producer asks of this put, not part of the message: it stays in memory only.
        stored.remove(property::WAIT);
        if properties.get(property::TRAN_MSG).is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            // Half messages need the services that check them back; without those a broker has to refuse them, as one
            // with rejectTransactionMessage does.
            let ip = &self.config.broker_ip1;
            let remark = format!("the broker[{ip}] sending transaction message is forbidden");
            return refuse(caller, (ResponseCode::NoPermission, remark), turn);
        }
        let message = Message {
            topic: request.topic.clone(),
            queue_id,
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
        turn.step(NodeStep::MessageBuilt {
            topic: message.topic.clone(),
            queue_id,
            properties_text: message.properties_text.clone(),
            body_len: message.body.len() as u64,
        });
        let result = self.store.put_message(&message, turn);
        self.put_ended(caller, queue_id, &result, turn);
    }

    pub(super) fn send_batch(&mut self, caller: &Caller, request: SendMessage, turn: &mut Turn<'_>) {
        let topic = match self.check(caller, &request, turn) {
            Ok(topic) => topic,
            Err(refusal) => return refuse(caller, refusal, turn),
        };
        let queue_id = queue_of(&request, &topic, turn);
        let properties = self.properties_of(&request);
        turn.step(NodeStep::MessageBuilt {
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
        properties
    }

    /// `preSend` and `msgCheck`: the first rule that fails answers. The topic comes into being if it may.
    fn check(&mut self, caller: &Caller, request: &SendMessage, turn: &mut Turn<'_>) -> Result<TopicConfig, Refusal> {
        let open_ms = self.config.start_accept_send_request_time_stamp;
        if turn.wall_ms() < open_ms {
            return Err((ResponseCode::SystemError, format!("broker unable to service, until {open_ms}")));
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
        turn.step(NodeStep::TopicChecked { topic: name.clone(), queue_id: request.queue_id });
        Ok(topic)
    }

    /// An unknown topic comes into being after the default topic's model; a retry topic in any case.
    fn create_for(&mut self, request: &SendMessage, turn: &mut Turn<'_>) -> Option<TopicConfig> {
        let (name, default) = (&request.topic, &request.default_topic);
        let auto_create = self.config.auto_create_topic_enable;
        let (made, from) = match self.topics.inherit(name, default, request.default_topic_queue_nums, auto_create) {
            Some(made) => (made, Some(default.clone())),
            None if name.starts_with(topics::RETRY_PREFIX) => (TopicConfig::new(name, 1, 1, 6), None),
            None => return None,
        };
        self.create_topic(made.clone(), from, turn);
        Some(made)
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
        let (flush, replica) = (result.flush, result.replica);
        let waits = flush.is_some() || replica.is_some();
        let Some(stored) = stored.clone().filter(|_| waits) else {
            self.answer_put(caller, result.status, stored.as_ref(), turn);
            return;
        };
        let (flushes, replicates) = (flush.is_some(), replica.is_some());
        let owed = Owed { caller: caller.clone(), stored, status: result.status, flush: flushes, replica: replicates };
        let put = self.owe(owed);
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

    /// Whether requests to send are turned away at the door (`SendMessageProcessor.rejectRequest`): somebody holds the
    /// append lock too long, or the transient pool has no buffer left.
    pub(super) fn is_busy(&self, turn: &Turn<'_>) -> bool {
        self.store.is_os_page_cache_busy(turn.wall_ms()) || self.store.transient_buffers_left() == Some(0)
    }

    pub(super) fn answer_put(
        &self,
        caller: &Caller,
        status: PutMessageStatus,
        stored: Option<&SendResponse>,
        turn: &mut Turn<'_>,
    ) {
        turn.step(NodeStep::PutEnded { status: status.name().to_owned() });
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

fn queue_of(request: &SendMessage, topic: &TopicConfig, turn: &mut Turn<'_>) -> i32 {
    if request.queue_id >= 0 {
        return request.queue_id;
    }
    let drawn = i32::try_from(turn.streams().below("queueId", 99_999_999)).unwrap_or(0);
    let queue_id = drawn.checked_rem(topic.write_queue_nums).unwrap_or(0);
    turn.step(NodeStep::QueueDrawn { queue_id });
    queue_id
}

fn refuse(caller: &Caller, (code, remark): Refusal, turn: &mut Turn<'_>) {
    turn.step(NodeStep::Refused { code, remark: remark.clone() });
    turn.reply(caller, Response::failure(code, remark));
}

fn record_flags(request: &SendMessage, topic: &TopicConfig) -> i32 {
    // The transaction type is the store's to set.
    let flags = sys_flag::with_transaction(request.sys_flag, TransactionType::Not);
    if topic.topic_filter_type == "MULTI_TAG" { flags | sys_flag::MULTI_TAGS } else { flags }
}
