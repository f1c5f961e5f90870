//! Reading for consumers (`PullMessageProcessor`).

use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use super::{Process, hold::Held};
use crate::{
    fastjson::Value,
    filter::{ConsumerFilterData, ExpressionMessageFilter, Subscription},
    message::{Message, Properties, property},
    namesrv::FAQ,
    node::{BrokerStep, Caller, Turn},
    store::{GetMessageResult, GetMessageStatus},
    wire::{PERM_READ, PullMessage, PullResponse, Response, ResponseBody, ResponseCode, pull_flag},
};

/// Where corrections of consumer offsets are noted.
const OFFSET_MOVED_TOPIC: &str = "OFFSET_MOVED_EVENT";

type Refusal = (ResponseCode, String);

impl Process {
    /// A pull; `first`: it has not been held yet.
    pub(super) fn pull(&mut self, caller: &Caller, request: &PullMessage, first: bool, turn: &mut Turn<'_>) {
        let filter = match self.check_pull(caller, request, turn) {
            Ok(filter) => filter,
            Err((code, remark)) => {
                turn.step(BrokerStep::Refused { code, remark: remark.clone() });
                turn.reply(caller, Response::failure(code, remark));
                return;
            }
        };
        let result = self.store.get_message_in(
            &request.consumer_group,
            &request.topic,
            request.queue_id,
            request.queue_offset,
            request.max_msg_nums,
            Some(&filter),
            turn,
        );
        if let Some(result) = result {
            self.answer_pull(caller, request, filter, &result, first, turn);
        } else {
            let remark = "store getMessage return null";
            turn.reply(caller, Response::failure(ResponseCode::SystemError, remark));
        }
        if first && request.sys_flag & pull_flag::COMMIT_OFFSET != 0 && !self.store.is_slave() {
            let PullMessage { consumer_group, topic, queue_id, commit_offset, .. } = request;
            self.commit_offset(consumer_group, topic, *queue_id, *commit_offset, turn);
        }
    }

    /// The rules before the store is asked; the first that fails answers.
    fn check_pull(
        &mut self,
        caller: &Caller,
        request: &PullMessage,
        turn: &mut Turn<'_>,
    ) -> Result<ExpressionMessageFilter, Refusal> {
        let (group, topic) = (&request.consumer_group, &request.topic);
        if self.config.broker_permission & PERM_READ == 0 {
            let remark = format!("the broker[{}] pulling message is forbidden", self.config.broker_ip1);
            return Err((ResponseCode::NoPermission, remark));
        }
        let Some(settings) = self.group(group, turn) else {
            let remark = format!("subscription group [{group}] does not exist, {FAQ}");
            return Err((ResponseCode::SubscriptionGroupNotExist, remark));
        };
        if !settings.consume_enable {
            return Err((ResponseCode::NoPermission, format!("subscription group no permission, {group}")));
        }
        let Some(config) = self.topics.get(topic) else {
            let remark = format!("topic[{topic}] not exist, apply first please! {FAQ}");
            return Err((ResponseCode::TopicNotExist, remark));
        };
        if config.perm & PERM_READ == 0 {
            return Err((ResponseCode::NoPermission, format!("the topic[{topic}] pulling message is forbidden")));
        }
        let queue_id = request.queue_id;
        if queue_id < 0 || queue_id >= config.read_queue_nums {
            let remark = format!(
                "queueId[{queue_id}] is illegal, topic:[{topic}] topicConfig.readQueueNums:[{}] consumer:[/{}]",
                config.read_queue_nums, caller.host
            );
            return Err((ResponseCode::SystemError, remark));
        }
        let filter = self.filter(request, settings.consume_broadcast_enable, turn.wall_ms())?;
        let subscription = filter.subscription();
        if !subscription.is_tag_type() && !self.config.enable_property_filter {
            let remark =
                format!("The broker does not support consumer to filter message by {}", subscription.expression_type);
            return Err((ResponseCode::SystemError, remark));
        }
        Ok(filter)
    }

    /// The filter of the subscription in the request, else of the group's.
    fn filter(
        &self,
        request: &PullMessage,
        broadcast_enable: bool,
        now_ms: i64,
    ) -> Result<ExpressionMessageFilter, Refusal> {
        if request.sys_flag & pull_flag::SUBSCRIPTION != 0 {
            let (expression, kind) = (request.subscription.as_deref(), request.expression_type.as_deref());
            let subscription = Subscription::build(&request.topic, expression, kind, request.sub_version);
            let unread =
                || (ResponseCode::SubscriptionParseFailed, "parse the consumer's subscription failed".to_owned());
            let subscription = subscription.ok_or_else(unread)?;
            // What cannot be read is logged, and filters nothing.
            let data = (!subscription.is_tag_type())
                .then(|| ConsumerFilterData::build(&request.consumer_group, &subscription, now_ms).ok().map(Arc::new));
            return Ok(self.message_filter(subscription, data.flatten()));
        }
        let group = &request.consumer_group;
        let Some(state) = self.clients.groups().get(group) else {
            let remark = format!("the consumer's group info not exist{FAQ}");
            return Err((ResponseCode::SubscriptionNotExist, remark));
        };
        if !broadcast_enable && state.message_model == "BROADCASTING" {
            let remark = format!("the consumer group[{group}] can not consume by broadcast way");
            return Err((ResponseCode::NoPermission, remark));
        }
        let Some(subscription) = state.subscriptions.get(&request.topic) else {
            let remark = format!("the consumer's subscription not exist{FAQ}");
            return Err((ResponseCode::SubscriptionNotExist, remark));
        };
        if subscription.sub_version < request.sub_version {
            let remark = "the consumer's subscription not latest".to_owned();
            return Err((ResponseCode::SubscriptionNotLatest, remark));
        }
        let data = if subscription.is_tag_type() { None } else { Some(self.filter_data(request)?) };
        Ok(self.message_filter(subscription.clone(), data))
    }

    /// What the broker has of the group's expression: nothing, where no heartbeat has brought one that can be read.
    fn filter_data(&self, request: &PullMessage) -> Result<Arc<ConsumerFilterData>, Refusal> {
        let Some(data) = self.filters.get(&request.topic, &request.consumer_group) else {
            let remark = "The broker's consumer filter data is not exist!Your expression may be wrong!".to_owned();
            return Err((ResponseCode::FilterDataNotExist, remark));
        };
        if data.client_version < request.sub_version {
            return Err((
                ResponseCode::FilterDataNotLatest,
                "the consumer's consumer filter data not latest".to_owned(),
            ));
        }
        Ok(Arc::clone(data))
    }

    fn answer_pull(
        &mut self,
        caller: &Caller,
        request: &PullMessage,
        filter: ExpressionMessageFilter,
        result: &GetMessageResult,
        first: bool,
        turn: &mut Turn<'_>,
    ) {
        let bytes: i64 = result.selected.iter().map(|selected| i64::from(selected.size)).sum();
        turn.step(BrokerStep::GetEnded {
            status: result.status.name().to_owned(),
            count: u32::try_from(result.selected.len()).unwrap_or(u32::MAX),
            bytes: u64::try_from(bytes).unwrap_or(0),
            next_begin_offset: result.next_begin_offset,
        });
        let mut code = code_of(result.status, request.queue_offset);
        if code == ResponseCode::PullNotFound && first && request.sys_flag & pull_flag::SUSPEND != 0 {
            let suspend_ms = if self.config.long_polling_enable {
                request.suspend_timeout_millis
            } else {
                self.config.short_polling_time_mills
            };
            self.hold(Held::new(caller.clone(), request.clone(), suspend_ms, filter, turn.wall_ms()), turn);
            return;
        }
        let settings = self.group(&request.consumer_group, turn);
        let master = settings.as_ref().map_or(0, |settings| settings.broker_id);
        let mut suggest_which_broker_id = match settings {
            Some(settings) if self.config.slave_read_enable && result.suggest_pulling_from_slave => {
                settings.which_broker_when_consume_slowly
            }
            Some(settings) if self.config.slave_read_enable => settings.broker_id,
            _ => 0,
        };
        if code == ResponseCode::PullOffsetMoved {
            if self.store.is_slave() && !self.store.config().offset_check_in_slave {
                // A slave may lag behind: the master is to judge the offset.
                suggest_which_broker_id = master;
                code = ResponseCode::PullRetryImmediately;
            } else {
                self.offset_moved(request, result.next_begin_offset, turn);
            }
        }
        let body = if code == ResponseCode::Success { self.records(result) } else { Bytes::new() };
        let pulled = PullResponse {
            suggest_which_broker_id,
            next_begin_offset: result.next_begin_offset,
            min_offset: result.min_offset,
            max_offset: result.max_offset,
            body,
        };
        let remark = Some(result.status.name().to_owned());
        turn.reply(caller, Response { code, remark, body: ResponseBody::Pull(pulled) });
    }

    /// A master notes every correction of an offset as a message (`generateOffsetMovedEvent`).
    fn offset_moved(&mut self, request: &PullMessage, next: i64, turn: &mut Turn<'_>) {
        let queue: [(&str, Value<'_>); 3] = [
            ("brokerName", (&self.config.broker_name).into()),
            ("queueId", request.queue_id.into()),
            ("topic", (&request.topic).into()),
        ];
        let event: [(&str, Value<'_>); 4] = [
            ("consumerGroup", (&request.consumer_group).into()),
            ("messageQueue", Value::object(queue)),
            ("offsetNew", next.into()),
            ("offsetRequest", request.queue_offset.into()),
        ];
        let mut properties = Properties::new();
        properties.put(property::TAGS, request.consumer_group.clone());
        properties.put(property::DELAY, "0");
        properties.put(property::KEYS, request.consumer_group.clone());
        let message = Message {
            topic: OFFSET_MOVED_TOPIC.to_owned(),
            queue_id: 0,
            flag: 0,
            sys_flag: 0,
            born_timestamp: turn.wall_ms(),
            born_host: self.store_host,
            store_host: self.store_host,
            reconsume_times: 0,
            prepared_transaction_offset: 0,
            body: Value::object(event).to_compact().into_bytes().into(),
            properties_text: properties.to_text(),
            properties,
        };
        let result = self.store.put_message(&message, turn);
        if let Some(append) = result.append.as_ref().filter(|_| result.is_ok()) {
            self.appended(append.wrote_offset, turn);
        }
    }

    /// The records, one after the other.
    fn records(&self, result: &GetMessageResult) -> Bytes {
        if let [only] = result.selected.as_slice() {
            return self.store.read(only.physical_offset, only.size).unwrap_or_default();
        }
        let mut bytes = BytesMut::new();
        for selected in &result.selected {
            if let Some(record) = self.store.read(selected.physical_offset, selected.size) {
                bytes.extend_from_slice(&record);
            }
        }
        bytes.freeze()
    }
}

/// `PullMessageProcessor.processRequest`: the code of a status.
const fn code_of(status: GetMessageStatus, request_offset: i64) -> ResponseCode {
    match status {
        GetMessageStatus::Found => ResponseCode::Success,
        GetMessageStatus::MessageWasRemoving | GetMessageStatus::NoMatchedMessage => ResponseCode::PullRetryImmediately,
        GetMessageStatus::NoMatchedLogicQueue | GetMessageStatus::NoMessageInQueue if request_offset != 0 => {
            ResponseCode::PullOffsetMoved
        }
        GetMessageStatus::NoMatchedLogicQueue
        | GetMessageStatus::NoMessageInQueue
        | GetMessageStatus::OffsetFoundNull
        | GetMessageStatus::OffsetOverflowOne => ResponseCode::PullNotFound,
        GetMessageStatus::OffsetOverflowBadly | GetMessageStatus::OffsetTooSmall => ResponseCode::PullOffsetMoved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of `PullMessageProcessor.processRequest`: status, code for the first offset, code for any other.
    #[test]
    fn every_status_has_its_code() {
        use GetMessageStatus as Status;
        use ResponseCode as Code;
        for (status, first, other) in [
            (Status::Found, Code::Success, Code::Success),
            (Status::MessageWasRemoving, Code::PullRetryImmediately, Code::PullRetryImmediately),
            (Status::NoMatchedLogicQueue, Code::PullNotFound, Code::PullOffsetMoved),
            (Status::NoMessageInQueue, Code::PullNotFound, Code::PullOffsetMoved),
            (Status::NoMatchedMessage, Code::PullRetryImmediately, Code::PullRetryImmediately),
            (Status::OffsetFoundNull, Code::PullNotFound, Code::PullNotFound),
            (Status::OffsetOverflowBadly, Code::PullOffsetMoved, Code::PullOffsetMoved),
            (Status::OffsetOverflowOne, Code::PullNotFound, Code::PullNotFound),
            (Status::OffsetTooSmall, Code::PullOffsetMoved, Code::PullOffsetMoved),
        ] {
            assert_eq!((code_of(status, 0), code_of(status, 1)), (first, other), "{}", status.name());
        }
    }
}
