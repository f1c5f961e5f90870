//! Where the pulls of a queue begin (`RebalancePushImpl.computePullFromWhereWithException`): at the offset that is kept for
//! the group, or else where the consumer is set to begin.

use super::{PullFromWhere, Stored, parse_consume_timestamp};
use crate::{
    client::{After, Client, ConsumerCall, PullQueue, Waiting, config::ADMIN_TIMEOUT_MS, exception::Exception},
    node::{Answer, Service, Turn},
    wire::{QueryConsumerOffset, QueueRef, Request, Response, ResponseBody, ResponseCode, SearchOffset},
};

/// How long the offset that a broker keeps is waited for, milliseconds.
const OFFSET_TIMEOUT_MS: i64 = 5_000;

/// Who wants to know where a queue begins.
#[derive(Clone, Debug)]
pub(in crate::client) struct StartOf {
    queue: PullQueue,
    /// The first pull after the lock, of the queue in these hands; else the rebalance, which takes the queue over.
    pull: Option<u64>,
    /// Where the offset is from.
    from: &'static str,
}

/// Where a queue begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// The offset; below 0: nobody could be asked.
    pub(super) offset: i64,
    /// Where that is from, as the trace names it.
    pub(super) from: &'static str,
}

/// Where a consumer began with a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BegunAt {
    /// When, microseconds.
    pub at_us: i64,
    /// The offset of its first pull.
    pub offset: i64,
    /// Where that is from: `storedOffset`, `firstOffset`, `lastOffset` and the like.
    pub from: &'static str,
}

impl StartOf {
    pub(super) const fn rebalance(queue: PullQueue) -> Self {
        Self { queue, pull: None, from: "storedOffset" }
    }

    pub(super) const fn pull(queue: PullQueue, id: u64) -> Self {
        Self { queue, pull: Some(id), from: "storedOffset" }
    }

    const fn service(&self) -> Service {
        if self.pull.is_some() { Service::PullMessage } else { Service::Rebalance }
    }
}

impl Client {
    /// Asks where the offsets are kept: the master. Where it is not known, the topic's route is asked for first, once
    /// (`RemoteBrokerOffsetStore.fetchConsumeOffsetFromBroker`).
    pub(super) fn find_start(&mut self, of: StartOf, turn: &mut Turn<'_>) {
        if let Some(stored) = self.push.as_mut().and_then(|push| push.stored_locally(&of.queue)) {
            return self.offset_stored(of, stored, turn);
        }
        if self.routes.master(&of.queue.broker_name).is_none() {
            let topic = of.queue.topic.clone();
            let then = Box::new(After::StartOf(of.clone()));
            if self.ask_route_for(of.service(), &topic, Waiting::Route { topic: topic.clone(), then }, turn) {
                return;
            }
        }
        self.ask_start(of, turn);
    }

    /// The route that a question for an offset waited for is there, or not.
    pub(in crate::client) fn find_start_with_route(
        &mut self,
        of: StartOf,
        unreachable: Option<&str>,
        turn: &mut Turn<'_>,
    ) {
        match unreachable {
            Some(_) => self.offset_stored(of, Stored::Unknown, turn),
            None => self.ask_start(of, turn),
        }
    }

    /// Asks the master, or else whichever broker of its name is known.
    fn ask_start(&mut self, of: StartOf, turn: &mut Turn<'_>) {
        let addr = self.routes.reader_like(&of.queue.broker_name, 0).map(|(_, addr)| addr.to_owned());
        let Some(addr) = addr else { return self.offset_stored(of, Stored::Unknown, turn) };
        let query = Request::QueryConsumerOffset(QueryConsumerOffset {
            consumer_group: self.group().to_owned(),
            topic: of.queue.topic.clone(),
            queue_id: of.queue.queue_id,
        });
        let call = turn.call(of.service(), &addr, query, OFFSET_TIMEOUT_MS);
        self.calls.insert(call, Waiting::Consumer(ConsumerCall::Offset(of)));
    }

    /// What the broker keeps for the group is known, or not.
    pub(super) fn offset_answered(&mut self, of: StartOf, answer: &Answer, turn: &mut Turn<'_>) {
        let stored = match answer.result {
            Ok(Response { code: ResponseCode::Success, body: ResponseBody::Offset(offset), .. }) => Stored::At(offset),
            Ok(_) => Stored::Nothing,
            Err(_) => Stored::Unknown,
        };
        if let (Stored::At(offset), Some(push)) = (stored, &mut self.push) {
            push.update_offset(&of.queue, offset, false);
        }
        self.offset_stored(of, stored, turn);
    }

    fn offset_stored(&mut self, mut of: StartOf, stored: Stored, turn: &mut Turn<'_>) {
        let Some(push) = &self.push else { return };
        of.from = if stored == Stored::Nothing { "noStoredOffset" } else { "storedOffset" };
        let start = push.settings.consume_from_where.pull_from(stored, &of.queue.topic);
        let timestamp = parse_consume_timestamp(&push.consume_timestamp).unwrap_or(0);
        let QueueRef { topic, queue_id } = QueueRef { topic: of.queue.topic.clone(), queue_id: of.queue.queue_id };
        let request = match start {
            PullFromWhere::At(offset) => return self.start_found(of, Ok(offset), turn),
            PullFromWhere::Skip => return self.start_found(of, Ok(-1), turn),
            PullFromWhere::MaxOffset => {
                of.from = "maxOffset";
                Request::GetMaxOffset(QueueRef { topic, queue_id })
            }
            PullFromWhere::Timestamp => {
                of.from = "consumeTimestamp";
                Request::SearchOffsetByTimestamp(SearchOffset { topic, queue_id, timestamp })
            }
        };
        if self.routes.master(&of.queue.broker_name).is_none() {
            let topic = of.queue.topic.clone();
            let then = Box::new(After::Position(of.clone(), request.clone()));
            if self.ask_route_for(of.service(), &topic, Waiting::Route { topic: topic.clone(), then }, turn) {
                return;
            }
        }
        self.ask_position(of, request, turn);
    }

    /// The route that the question for an end or a time waited for is there, or not.
    pub(in crate::client) fn ask_position_with_route(
        &mut self,
        of: StartOf,
        request: Request,
        unreachable: Option<String>,
        turn: &mut Turn<'_>,
    ) {
        match unreachable {
            Some(cause) => self.start_found(of, Err(cause), turn),
            None => self.ask_position(of, request, turn),
        }
    }

    /// Asks the master, and nobody else (`MQAdminImpl.maxOffset`, `searchOffset`).
    fn ask_position(&mut self, of: StartOf, request: Request, turn: &mut Turn<'_>) {
        let Some(addr) = self.routes.master(&of.queue.broker_name).map(str::to_owned) else {
            let cause = Self::no_such_broker(&of.queue);
            return self.start_found(of, Err(cause), turn);
        };
        let call = turn.call(of.service(), &addr, request, ADMIN_TIMEOUT_MS);
        self.calls.insert(call, Waiting::Consumer(ConsumerCall::Position(of)));
    }

    /// The offset to begin at is known, or not.
    pub(super) fn position_answered(&mut self, of: StartOf, answer: Answer, turn: &mut Turn<'_>) {
        let start = match answer.result {
            Ok(Response { code: ResponseCode::Success, body: ResponseBody::Offset(offset), .. }) => Ok(offset),
            Ok(Response { code, remark, .. }) => Err(Exception::broker(code, remark.as_deref(), None).message),
            Err(error) => Err(error.to_string()),
        };
        self.start_found(of, start, turn);
    }

    fn start_found(&mut self, of: StartOf, start: Result<i64, String>, turn: &mut Turn<'_>) {
        let StartOf { queue, pull, from } = of;
        match pull {
            Some(id) => self.pull_start_known(&queue, id, start, turn),
            None => self.start_known(queue, start.map(|offset| Start { offset, from }), turn),
        }
    }

    /// What 4.9.8 throws where it knows no address of a queue's broker.
    pub(super) fn no_such_broker(queue: &PullQueue) -> String {
        format!("The broker[{}] not exist", queue.broker_name)
    }
}
