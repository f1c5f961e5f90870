//! Which brokers a producer would rather not send to (`LatencyFaultToleranceImpl`, `MQFaultStrategy`), and the choice of
//! a queue.

use std::{cmp::Ordering, collections::BTreeMap};

use super::{Client, ClientConfig, MessageQueue, Routes, route::PublishInfo};
use crate::{
    node::{ProducerStep, Turn},
    wire::PERM_WRITE,
};

/// A failed attempt counts as one of this latency, milliseconds.
const ISOLATION_MS: i64 = 30_000;

/// What a producer knows of the brokers' speed. It is kept with `sendLatencyFaultEnable` only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultTable {
    items: BTreeMap<String, FaultItem>,
    /// `whichItemWorst`: drawn at the first use, then counted up.
    index: Option<i32>,
}

/// What is known of one broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultItem {
    /// How long the last attempt took, milliseconds.
    pub latency_ms: i64,
    /// From when on it counts as available, by the client's wall clock, milliseconds since the epoch.
    pub start_ms: i64,
}

impl FaultItem {
    /// Whether it counts as available at `now_ms`.
    pub const fn is_available(&self, now_ms: i64) -> bool {
        now_ms.saturating_sub(self.start_ms) >= 0
    }

    /// The better first: available, then quick, then available for longer.
    fn compare(&self, other: &Self, now_ms: i64) -> Ordering {
        let available = other.is_available(now_ms).cmp(&self.is_available(now_ms));
        available.then(self.latency_ms.cmp(&other.latency_ms)).then(self.start_ms.cmp(&other.start_ms))
    }
}

impl FaultTable {
    /// The brokers, by name.
    pub const fn items(&self) -> &BTreeMap<String, FaultItem> {
        &self.items
    }

    /// Whether a broker counts as available: one that nothing is known of does.
    pub fn is_available(&self, broker_name: &str, now_ms: i64) -> bool {
        self.items.get(broker_name).is_none_or(|item| item.is_available(now_ms))
    }

    /// `pickOneAtLeast`: in turn one of the better half. Those that are equally good stand by name.
    fn pick(&mut self, turn: &mut Turn<'_>) -> Option<String> {
        let now_ms = turn.wall_ms();
        let mut items: Vec<(&String, &FaultItem)> = self.items.iter().collect();
        items.sort_by(|(_, one), (_, two)| one.compare(two, now_ms));
        let half = i32::try_from(items.len() / 2).unwrap_or(i32::MAX);
        let place = if half == 0 {
            0
        } else {
            let drawn = self.index.unwrap_or_else(|| turn.streams().next_i32("whichItemWorst").wrapping_abs());
            let index = drawn.wrapping_add(1);
            self.index = Some(index);
            (index & i32::MAX).checked_rem(half)?
        };
        items.get(usize::try_from(place).ok()?).map(|(name, _)| (*name).clone())
    }
}

/// How long a broker counts as unavailable after an attempt of that latency (`computeNotAvailableDuration`),
/// milliseconds. Where the two lists differ in length, the shorter counts.
fn not_available_ms(config: &ClientConfig, latency_ms: i64) -> i64 {
    let steps = config.latency_max.iter().zip(&config.not_available_duration);
    steps.rev().find(|(least, _)| latency_ms >= **least).map_or(0, |(_, duration)| *duration)
}

impl Client {
    /// What it knows of the brokers' speed.
    pub const fn faults(&self) -> &FaultTable {
        &self.faults
    }

    /// `updateFaultItem`: an attempt at a broker took so many milliseconds. `isolation`: it failed.
    pub(super) fn note_latency(&mut self, tried: &(String, i64), isolation: bool, turn: &mut Turn<'_>) {
        let (broker_name, latency_ms) = (&tried.0, tried.1);
        if !self.config.send_latency_fault_enable {
            return;
        }
        let counted_ms = if isolation { ISOLATION_MS } else { latency_ms };
        let not_available_ms = not_available_ms(&self.config, counted_ms);
        let item = FaultItem { latency_ms, start_ms: turn.wall_ms().saturating_add(not_available_ms) };
        self.faults.items.insert(broker_name.clone(), item);
        let broker_name = broker_name.clone();
        turn.step(ProducerStep::LatencyNoted { broker_name, latency_ms, isolation, not_available_ms });
    }

    /// The queue of the next attempt (`MQFaultStrategy.selectOneMessageQueue`).
    pub(super) fn select(
        &mut self,
        topic: &str,
        last_broker: Option<&str>,
        turn: &mut Turn<'_>,
    ) -> Option<MessageQueue> {
        if self.config.send_latency_fault_enable {
            select_by_latency(&mut self.faults, &mut self.routes, topic, turn)
        } else {
            self.routes.publish_mut(topic)?.select(last_broker, turn)
        }
    }
}

fn select_by_latency(
    faults: &mut FaultTable,
    routes: &mut Routes,
    topic: &str,
    turn: &mut Turn<'_>,
) -> Option<MessageQueue> {
    let now_ms = turn.wall_ms();
    let info = routes.publish_mut(topic)?;
    let index = info.next_index(turn);
    let available = (0..info.queues.len()).map(|step| info.at(index.wrapping_add(i32::try_from(step).unwrap_or(0))));
    if let Some(queue) = available.flatten().find(|queue| faults.is_available(&queue.broker_name, now_ms)) {
        return Some(queue.clone());
    }
    let Some(picked) = faults.pick(turn) else { return routes.publish_mut(topic)?.step(turn) };
    let queues = write_queues(routes, topic, &picked);
    let info = routes.publish_mut(topic)?;
    if queues <= 0 {
        faults.items.remove(&picked);
        return info.step(turn);
    }
    // One place of the round goes to nobody: 4.9.8 takes it, and uses only the next.
    info.step(turn)?;
    let queue_id = info.next_index(turn).checked_rem(queues)?;
    Some(MessageQueue { broker_name: picked, queue_id })
}

/// `TopicPublishInfo.getQueueIdByBroker`: queues of a topic at a broker that may be written.
fn write_queues(routes: &Routes, topic: &str, broker_name: &str) -> i32 {
    let route = routes.table().get(topic);
    let mut datas = route.into_iter().flat_map(|route| &route.queue_datas);
    let data = datas.find(|data| data.perm & PERM_WRITE != 0 && data.broker_name == broker_name);
    data.map_or(-1, |data| data.write_queue_nums)
}

impl PublishInfo {
    /// The queue at a place of the round.
    pub(super) fn at(&self, index: i32) -> Option<&MessageQueue> {
        let place = usize::try_from(index.wrapping_abs()).unwrap_or(0).checked_rem(self.queues.len())?;
        self.queues.get(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the client's specification, section 4.
    #[test]
    fn a_latency_means_so_long_a_pause() {
        let config = ClientConfig::default();
        let pauses = [
            (0, 0),
            (49, 0),
            (50, 0),
            (549, 0),
            (550, 30_000),
            (1_000, 60_000),
            (2_999, 120_000),
            (3_000, 180_000),
            (14_999, 180_000),
            (15_000, 600_000),
            (ISOLATION_MS, 600_000),
        ];
        for (latency_ms, pause_ms) in pauses {
            assert_eq!(not_available_ms(&config, latency_ms), pause_ms, "{latency_ms}");
        }
    }

    #[test]
    fn the_better_broker_is_available_then_quick_then_available_for_longer() {
        let item = |latency_ms, start_ms| FaultItem { latency_ms, start_ms };
        let better = |one: FaultItem, two: FaultItem| one.compare(&two, 100) == Ordering::Less;
        assert!(better(item(900, 100), item(1, 101)));
        assert!(better(item(1, 90), item(2, 10)));
        assert!(better(item(1, 10), item(1, 90)));
    }
}
