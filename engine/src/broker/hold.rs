//! Pulls that wait for a message (`PullRequestHoldService`).

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
};

use super::{BrokerConfig, Process};
use crate::{
    filter::ExpressionMessageFilter,
    message::{Properties, record},
    node::{BrokerStep, CallId, Caller, ConnId, Fnv, Grid, Service, Turn},
    store::{DispatchInfo, ExtUnit, MessageFilter as _},
    wire::PullMessage,
};

/// The service looks at every held pull so often, microseconds.
const CHECK_PERIOD_US: i64 = 5_000_000;

/// A pull that waits.
#[derive(Clone, Debug)]
pub(super) struct Held {
    caller: Caller,
    request: PullMessage,
    filter: ExpressionMessageFilter,
    /// It is answered at the first look after this, milliseconds since the epoch.
    until_ms: i64,
}

impl Held {
    pub(super) const fn new(
        caller: Caller,
        request: PullMessage,
        suspend_ms: i64,
        filter: ExpressionMessageFilter,
        now_ms: i64,
    ) -> Self {
        Self { caller, request, filter, until_ms: now_ms.saturating_add(suspend_ms) }
    }
}

/// A message that has been dispatched, as far as filters look at it.
struct Arrived {
    /// Its entry in the ConsumeQueueExt, whether it has one or not.
    entry: ExtUnit,
    /// Its properties, if it has any and somebody looks at them.
    properties: Option<Properties>,
}

/// The held pulls by topic and queue, and those that are to be tried again.
#[derive(Clone, Debug)]
pub(super) struct Holds {
    held: BTreeMap<(String, i32), Vec<Held>>,
    again: VecDeque<Held>,
    grid: Grid,
}

impl Holds {
    pub(super) fn new(config: &BrokerConfig, now_us: i64) -> Self {
        let period_us = if config.long_polling_enable {
            CHECK_PERIOD_US
        } else {
            config.short_polling_time_mills.saturating_mul(1000)
        };
        let grid = Grid::new(now_us.saturating_add(period_us), period_us);
        Self { held: BTreeMap::new(), again: VecDeque::new(), grid }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, i32, i64)> {
        self.held.iter().flat_map(|((topic, queue_id), held)| {
            held.iter().map(move |held| (topic.as_str(), *queue_id, held.request.queue_offset))
        })
    }

    /// Those that wait, the longest first for each queue.
    fn waiting(&self) -> impl Iterator<Item = WaitingPull<'_>> {
        self.held.values().flat_map(|held| {
            held.iter().enumerate().map(|(place, held)| WaitingPull {
                call: held.caller.call,
                request: &held.request,
                place,
                until_ms: held.until_ms,
            })
        })
    }

    /// Nobody would read the answers any more.
    pub(super) fn forget(&mut self, conn: ConnId) {
        for held in self.held.values_mut() {
            held.retain(|held| held.caller.conn != conn);
        }
        self.held.retain(|_, held| !held.is_empty());
        self.again.retain(|held| held.caller.conn != conn);
    }
}

/// A pull that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitingPull<'a> {
    /// The call that its answer ends.
    pub(crate) call: Option<CallId>,
    pub(crate) request: &'a PullMessage,
    /// Its place among those that wait for the same queue.
    pub(crate) place: usize,
    /// It is answered at the first look after this, milliseconds since the epoch.
    pub(crate) until_ms: i64,
}

impl Process {
    /// The pulls that wait, by topic and queue.
    pub(crate) fn waiting_pulls(&self) -> impl Iterator<Item = WaitingPull<'_>> {
        self.holds.waiting()
    }

    /// Whether there are pulls whose wait is over, and that are to be tried again.
    pub(crate) fn has_woken_pulls(&self) -> bool {
        !self.holds.again.is_empty()
    }

    /// The pull of a call ran out of time and was sent again, often: the last one waits until `until_ms`.
    pub(super) fn pull_renewed(&mut self, call: CallId, until_ms: i64) {
        let held = self.holds.held.values_mut().flatten().find(|held| held.caller.call == Some(call));
        if let Some(held) = held {
            held.until_ms = until_ms;
        }
    }

    /// What decides how a pull that waits now goes when its time is over, and it is sent again.
    pub(super) fn polling(&self) -> u64 {
        let mut hash = Fnv::default();
        let mut take = |what: fmt::Arguments<'_>| {
            // Writing into a hash cannot fail.
            let _: Result<(), std::io::Error> = std::io::Write::write_fmt(&mut hash, what);
        };
        take(format_args!("{:?} {:?} {:?}", self.topics.version(), self.groups.version, self.phase));
        for pull in self.holds.waiting() {
            let PullMessage { consumer_group: group, topic, queue_id, .. } = pull.request;
            let members = self.clients.groups().get(group);
            let subscribed = members.map(|members| (&members.message_model, members.subscriptions.get(topic)));
            let queue = self.store.queue(topic, *queue_id);
            let range = queue.map(|queue| (queue.min_offset_in_queue(), queue.max_offset_in_queue()));
            let committed = self.offsets.query(group, topic, *queue_id);
            let filter = self.filters.get(topic, group).map(|data| (&data.expression, data.client_version));
            take(format_args!("{:?} {} {subscribed:?} {filter:?} {range:?} {committed:?}", pull.request, pull.place));
        }
        take(format_args!("{}", self.has_woken_pulls()));
        hash.value()
    }

    /// The look at the pulls that wait takes place at its next moment, which may be now.
    pub(super) fn plan_hold_check(&self, turn: &mut Turn<'_>) {
        if !self.holds.held.is_empty() {
            turn.wake_at(Service::PullHold, self.holds.grid.at_or_after(turn.now_us()));
        }
    }

    pub(super) fn hold(&mut self, held: Held, turn: &mut Turn<'_>) {
        let PullMessage { topic, queue_id, queue_offset, .. } = &held.request;
        turn.step(BrokerStep::PullHeld {
            topic: topic.clone(),
            queue_id: *queue_id,
            offset: *queue_offset,
            suspend_ms: held.until_ms.saturating_sub(turn.wall_ms()),
        });
        self.holds.held.entry((topic.clone(), *queue_id)).or_default().push(held);
        turn.wake_at(Service::PullHold, self.holds.grid.after(turn.now_us()));
    }

    /// Reput has dispatched a message: pulls that wait for it are tried again.
    pub(super) fn arriving(&mut self, info: &DispatchInfo, turn: &mut Turn<'_>) {
        // Reput of a slave tells nobody: pulls that wait there are found by the periodic look.
        if self.config.long_polling_enable && !self.store.is_slave() {
            let next = info.queue_offset.saturating_add(1);
            let arrived = Arrived {
                entry: ExtUnit {
                    tags_code: info.tags_code,
                    msg_store_time: info.store_timestamp,
                    filter_bit_map: info.bit_map.clone().unwrap_or_default(),
                    ..ExtUnit::default()
                },
                properties: self.arrived_properties(info),
            };
            self.notify(&info.topic, info.queue_id, next, Some(&arrived), turn);
        }
    }

    /// The periodic look at every held pull.
    pub(super) fn check_holds(&mut self, turn: &mut Turn<'_>) {
        let keys: Vec<(String, i32)> = self.holds.held.keys().cloned().collect();
        for (topic, queue_id) in keys {
            let end = self.queue_end(&topic, queue_id);
            self.notify(&topic, queue_id, end, None, turn);
        }
        if !self.holds.held.is_empty() {
            turn.wake_at(Service::PullHold, self.holds.grid.after(turn.now_us()));
        }
    }

    /// The properties of the message that was dispatched, if one of the pulls that wait for it looks at them. A message
    /// without any is not asked for them.
    fn arrived_properties(&self, info: &DispatchInfo) -> Option<Properties> {
        let held = self.holds.held.get(&(info.topic.to_string(), info.queue_id))?;
        if !held.iter().any(|held| held.filter.looks_into_commit_log()) {
            return None;
        }
        let bytes = self.store.read(info.physical_offset, info.size)?;
        let properties = record::decode_unchecked(&bytes).ok()?.properties();
        (!properties.is_empty()).then_some(properties)
    }

    fn queue_end(&self, topic: &str, queue_id: i32) -> i64 {
        self.store.queue(topic, queue_id).map_or(0, crate::store::ConsumeQueue::max_offset_in_queue)
    }

    /// `notifyMessageArriving`: a pull is tried again once something that its filter may take stands beyond its
    /// offset, or its time is over.
    fn notify(&mut self, topic: &str, queue_id: i32, end: i64, arrived: Option<&Arrived>, turn: &mut Turn<'_>) {
        let now_ms = turn.wall_ms();
        let real_end = self.queue_end(topic, queue_id);
        let Some(held) = self.holds.held.get_mut(&(topic.to_owned(), queue_id)) else { return };
        let mut woken = Vec::new();
        held.retain_mut(|held| {
            let offset = held.request.queue_offset;
            let newest = if end > offset { end } else { real_end };
            held.filter.renew_origins(self.filters.table());
            let (entry, properties) = (arrived.map(|of| &of.entry), arrived.and_then(|of| of.properties.as_ref()));
            let matched = held.filter.by_consume_queue(entry.map(|entry| entry.tags_code), entry)
                && properties.is_none_or(|properties| held.filter.by_commit_log(properties));
            let reason = if newest > offset && matched {
                "arrived"
            } else if now_ms >= held.until_ms {
                "timeout"
            } else {
                return true;
            };
            woken.push((held.clone(), reason));
            false
        });
        if held.is_empty() {
            self.holds.held.remove(&(topic.to_owned(), queue_id));
        }
        for (held, reason) in woken {
            turn.step(BrokerStep::PullWoken { topic: topic.to_owned(), queue_id, reason: reason.to_owned() });
            self.holds.again.push_back(held);
            turn.wake_for_work(Service::Pull, turn.now_us());
        }
    }

    /// One held pull is tried again, this time without the right to be held.
    pub(super) fn pull_again(&mut self, turn: &mut Turn<'_>) {
        if let Some(held) = self.holds.again.pop_front() {
            self.pull(&held.caller, &held.request, false, turn);
        }
        if !self.holds.again.is_empty() {
            turn.wake_for_work(Service::Pull, turn.now_us());
        }
    }
}
