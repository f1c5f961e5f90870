//! Questions about queues, offsets and messages (`AdminBrokerProcessor`, `ConsumerManageProcessor`,
//! `QueryMessageProcessor`).

use bytes::BytesMut;

use super::Process;
use crate::{
    node::{BrokerStep, Caller, NodeStep, Turn},
    wire::{QueryConsumerOffset, QueryMessage, Request, Response, ResponseBody, ResponseCode, TopicConfig},
};

impl Process {
    pub(super) fn admin(&mut self, caller: &Caller, request: Request, turn: &mut Turn<'_>) {
        let number = |value: i64| Response::success(ResponseBody::Offset(value));
        let response = match request {
            Request::GetMaxOffset(of) => number(self.store.max_offset_in_queue(&of.topic, of.queue_id)),
            Request::GetMinOffset(of) => number(self.store.min_offset_in_queue(&of.topic, of.queue_id)),
            Request::GetEarliestMsgStoretime(of) => number(self.store.earliest_message_time(&of.topic, of.queue_id)),
            Request::SearchOffsetByTimestamp(of) => {
                number(self.store.offset_in_queue_by_time(&of.topic, of.queue_id, of.timestamp))
            }
            Request::QueryConsumerOffset(of) => self.query_offset(&of),
            Request::UpdateConsumerOffset(of) => {
                self.commit_offset(&of.consumer_group, &of.topic, of.queue_id, of.commit_offset, turn);
                Response::success(ResponseBody::None)
            }
            Request::QueryMessage(query) => self.query_message(&query, turn),
            Request::ViewMessageById(view) => self.store.select_one_message(view.offset).map_or_else(
                || {
                    let remark = format!("can not find message by the offset, {}", view.offset);
                    Response::failure(ResponseCode::SystemError, remark)
                },
                |record| Response::success(ResponseBody::Messages(record)),
            ),
            Request::GetConsumerListByGroup(ask) => self.consumer_list(&ask, turn),
            Request::CheckClientConfig(check) => self.check_client_config(&check, turn),
            Request::LockBatchMq(request) => self.lock_batch(&request, turn),
            Request::UnlockBatchMq(request) => self.unlock_batch(&request, turn),
            Request::ResumeCheckHalfMessage(ask) => self.resume_check(&ask, turn),
            other => match self.config_of(&other) {
                Some(text) => Response::success(ResponseBody::Config(text)),
                None => match self.administer(caller, &other, turn) {
                    Some(response) => response,
                    None => return,
                },
            },
        };
        turn.reply(caller, response);
    }

    /// A group without an offset begins at 0 in a queue that still has its first message in memory.
    fn query_offset(&mut self, of: &QueryConsumerOffset) -> Response {
        if let Some(offset) = self.offsets.query(&of.consumer_group, &of.topic, of.queue_id) {
            return Response::success(ResponseBody::Offset(offset));
        }
        let min = self.store.min_offset_in_queue(&of.topic, of.queue_id);
        if min <= 0 && !self.store.is_in_disk(&of.topic, of.queue_id, 0) {
            return Response::success(ResponseBody::Offset(0));
        }
        Response::failure(
            ResponseCode::QueryNotFound,
            "Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first",
        )
    }

    fn query_message(&self, query: &QueryMessage, turn: &mut Turn<'_>) -> Response {
        let most = if query.unique_key_query { self.store.config().default_query_max_num } else { query.max_num };
        let QueryMessage { topic, key, begin_timestamp, end_timestamp, .. } = query;
        let found = self.store.query_message_in(topic, key, most, *begin_timestamp, *end_timestamp, turn);
        let mut bytes = BytesMut::new();
        for located in &found.messages {
            if let Some(record) = self.store.read(located.physical_offset, located.size) {
                bytes.extend_from_slice(&record);
            }
        }
        if bytes.is_empty() {
            let remark = "can not find message, maybe time range not correct";
            return Response::failure(ResponseCode::QueryNotFound, remark);
        }
        Response::success(ResponseBody::Messages(bytes.freeze()))
    }

    /// An administrator creates or changes a topic (`UPDATE_AND_CREATE_TOPIC`).
    pub(crate) fn set_topic(&mut self, topic: TopicConfig, turn: &mut Turn<'_>) {
        if self.store.is_slave() {
            let remark = "Can't modify topic or subscription group from slave broker, please execute it from master \
                          broker.";
            turn.step(BrokerStep::Refused { code: ResponseCode::SystemError, remark: remark.to_owned() });
            return;
        }
        self.create_topic(topic, None, turn);
    }

    /// The learner sets the reput position.
    pub(crate) fn reput_from(&mut self, offset: i64, turn: &mut Turn<'_>) {
        let from = self.store.reput_from_offset();
        self.store.set_reput_from_offset(offset);
        turn.step(NodeStep::ReputPositionSet { from, to: offset });
        self.wake_reput(self.next_reput_us(turn), turn);
    }
}
