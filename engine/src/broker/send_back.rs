//! Messages that consumers give back (`SendMessageProcessor.asyncConsumerSendMsgBack`), and what send and send-back share
//! about retry and dead-letter topics.

use super::{GroupConfig, Process, RETRY_PREFIX, send::Refusal};
use crate::{
    message::{Message, java, property, record},
    namesrv::FAQ,
    node::{BrokerStep, Caller, IntakeStep, Turn},
    store::PutMessageStatus,
    wire::{ConsumerSendMsgBack, PERM_READ, PERM_WRITE, Response, ResponseBody, ResponseCode, TopicConfig},
};

/// A group's dead-letter topic is this and its name.
pub const DLQ_PREFIX: &str = "%DLQ%";

/// Queues of a dead-letter topic (`DLQ_NUMS_PER_GROUP`).
const DLQ_QUEUES: i32 = 1;

/// The delay level of the first retry; each further one waits a level longer.
const FIRST_RETRY_LEVEL: i32 = 3;

/// `TopicSysFlag`: the topic is subscribed by a unit.
pub(super) const TOPIC_FLAG_UNIT_SUB: i32 = 2;

/// Where a message goes that was consumed in vain.
struct Retry {
    topic: String,
    queue_id: i32,
    delay_level: i32,
}

impl Process {
    /// A consumer gives a message back.
    pub(super) fn send_back(&mut self, caller: &Caller, request: &ConsumerSendMsgBack, turn: &mut Turn<'_>) {
        match self.build_back(request, turn) {
            Ok(Some(message)) => {
                turn.step(BrokerStep::MessageBuilt {
                    topic: message.topic.clone(),
                    queue_id: message.queue_id,
                    properties_text: message.properties_text.clone(),
                    body_len: message.body.len() as u64,
                });
                let result = self.store.put_message(&message, turn);
                if let Some(append) = result.append.as_ref().filter(|_| result.is_ok()) {
                    self.appended(append.wrote_offset, turn);
                }
                turn.step(BrokerStep::PutEnded { status: result.status.name().to_owned() });
                let response = match result.status {
                    PutMessageStatus::PutOk => Response::success(ResponseBody::None),
                    other => Response::failure(ResponseCode::SystemError, other.name()),
                };
                turn.reply(caller, response);
            }
            Ok(None) => turn.reply(caller, Response::success(ResponseBody::None)),
            Err((code, remark)) => {
                turn.step(BrokerStep::Refused { code, remark: remark.clone() });
                turn.reply(caller, Response::failure(code, remark));
            }
        }
    }

    /// The message that is put in place of the one given back; `None`: its group wants no retries.
    fn build_back(&mut self, request: &ConsumerSendMsgBack, turn: &mut Turn<'_>) -> Result<Option<Message>, Refusal> {
        let group = &request.group;
        let settings = self.retrying_group(group, turn)?;
        if self.config.broker_permission & PERM_WRITE == 0 {
            let remark = format!("the broker[{}] sending message is forbidden", self.config.broker_ip1);
            return Err((ResponseCode::NoPermission, remark));
        }
        if settings.retry_queue_nums <= 0 {
            turn.step(IntakeStep::SentBackDropped { group: group.clone() });
            return Ok(None);
        }
        let retry_topic = format!("{RETRY_PREFIX}{group}");
        let drawn = i32::try_from(turn.streams().below("queueId", 99_999_999)).unwrap_or(0);
        let queue_id = drawn.checked_rem(settings.retry_queue_nums).unwrap_or(0);
        let sys_flag = if request.unit_mode { TOPIC_FLAG_UNIT_SUB } else { 0 };
        let topic = self.topic_for_retries(&retry_topic, settings.retry_queue_nums, sys_flag, turn);
        if topic.perm & PERM_WRITE == 0 {
            return Err((ResponseCode::NoPermission, format!("the topic[{retry_topic}] sending message is forbidden")));
        }
        let offset = request.offset;
        let bytes = self.store.look_message_by_offset(offset);
        let record = bytes.as_deref().and_then(|bytes| record::decode_unchecked(bytes).ok());
        let Some(record) = record else {
            return Err((ResponseCode::SystemError, format!("look message by offset failed, {offset}")));
        };

        let mut properties = record.properties();
        if !properties.contains(property::RETRY_TOPIC) {
            properties.put(property::RETRY_TOPIC, record.topic.clone());
        }
        properties.put(property::WAIT, "false");
        let reconsume_times = record.reconsume_times;
        let most = request.max_reconsume_times.unwrap_or(settings.retry_max_times);
        let retry = if reconsume_times >= most || request.delay_level < 0 {
            let topic = self.dead_letter(group, reconsume_times, most, turn);
            Retry { topic, queue_id: 0, delay_level: 0 }
        } else {
            let delay_level = match request.delay_level {
                0 => FIRST_RETRY_LEVEL.wrapping_add(reconsume_times),
                level => level,
            };
            let topic = retry_topic.clone();
            turn.step(IntakeStep::SentBack { physical_offset: offset, reconsume_times, delay_level, topic });
            Retry { topic: retry_topic, queue_id, delay_level }
        };
        properties.put(property::DELAY, retry.delay_level.to_string());
        if properties.get(property::ORIGIN_MESSAGE_ID).is_none_or(java::is_blank) {
            properties.put(property::ORIGIN_MESSAGE_ID, record.offset_msg_id().to_string());
        }
        Ok(Some(Message {
            topic: retry.topic,
            queue_id: retry.queue_id,
            flag: record.flag,
            sys_flag: record.sys_flag,
            born_timestamp: record.born_timestamp,
            born_host: record.born_host,
            store_host: record.store_host,
            reconsume_times: reconsume_times.wrapping_add(1),
            prepared_transaction_offset: 0,
            body: record.body.to_vec().into(),
            properties_text: properties.to_text(),
            properties,
        }))
    }

    /// The settings of a group whose messages are to be retried.
    pub(super) fn retrying_group(&mut self, group: &str, turn: &mut Turn<'_>) -> Result<GroupConfig, Refusal> {
        self.group(group, turn).ok_or_else(|| {
            let remark = format!("subscription group not exist, {group} {FAQ}");
            (ResponseCode::SubscriptionGroupNotExist, remark)
        })
    }

    /// A message has been consumed in vain too often, or is given up: its group's dead-letter topic.
    pub(super) fn dead_letter(&mut self, group: &str, reconsume_times: i32, most: i32, turn: &mut Turn<'_>) -> String {
        let topic = format!("{DLQ_PREFIX}{group}");
        self.topic_for_retries(&topic, DLQ_QUEUES, 0, turn);
        turn.step(IntakeStep::DeadLettered { reconsume_times, max_reconsume_times: most, topic: topic.clone() });
        topic
    }

    /// A retry or dead-letter topic, made if there is none (`createTopicInSendMessageBackMethod`).
    pub(super) fn topic_for_retries(
        &mut self,
        name: &str,
        queues: i32,
        sys_flag: i32,
        turn: &mut Turn<'_>,
    ) -> TopicConfig {
        if let Some(topic) = self.topics.get(name) {
            return topic.clone();
        }
        let mut topic = TopicConfig::new(name, queues, queues, PERM_READ | PERM_WRITE);
        topic.topic_sys_flag = sys_flag;
        self.create_topic(topic.clone(), None, turn);
        topic
    }
}
