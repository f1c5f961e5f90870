//! The delay levels of a broker: what waits on each, when the next is due, and how far the progress is saved.

use serde::{Deserialize, Serialize};

use super::names::PlacedSends;
use crate::{
    broker::{Broker, DelayTask, Process},
    message::{delay::SCHEDULE_TOPIC, property, record},
    sim::World,
    store::{ConsumeQueue, saved_delay_offsets},
};

/// Waiting messages shown of a level at most.
const WAITING_MAX: i64 = 32;

/// Everything about delayed delivery at one broker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DelayPicture {
    /// The broker's node.
    pub node: String,
    /// Whether the service works here: at a master that runs.
    pub delivers: bool,
    /// The broker's wall clock, milliseconds since the epoch.
    pub now_ms: i64,
    /// The levels, from 1; none while the process is down.
    pub levels: Vec<LevelPicture>,
}

/// One level: a queue of `SCHEDULE_TOPIC_XXXX` and the task that reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LevelPicture {
    /// The level.
    pub level: i32,
    /// What it asks for, milliseconds.
    pub delay_ms: i64,
    /// Its queue: the level less 1.
    pub queue_id: i32,
    /// First unit of the queue.
    pub min: i64,
    /// Where the next unit of the queue goes.
    pub max: i64,
    /// The progress in memory: everything before is delivered.
    pub offset: i64,
    /// The progress in `delayOffset.json`, from which a restart goes on.
    pub persisted: i64,
    /// The next unit that the task looks at: beyond `offset` where units were passed over, or their results wait.
    pub next: i64,
    /// When the task does something next, by the broker's wall clock, milliseconds since the epoch: the first poll at
    /// which the head of the queue is due. `None` as long as nothing waits, or nothing can be done.
    pub next_due_ms: Option<i64>,
    /// Whether a put was refused or a message is broken, so that the level does not move on for now.
    pub stuck: bool,
    /// Puts of which the results wait (`enableScheduleAsyncDeliver`).
    pub pending: u32,
    /// The messages from `next` on, the first 32 of them.
    pub waiting: Vec<WaitingPicture>,
}

/// A message that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingPicture {
    /// Its unit in the level's queue.
    pub queue_offset: i64,
    /// Where its record starts.
    pub physical_offset: i64,
    /// When it is due by itself, milliseconds since the epoch.
    pub due_ms: i64,
    /// The topic that it is for; `None` if its record cannot be read or does not say.
    pub real_topic: Option<String>,
    /// The queue that it is for.
    pub real_queue: Option<i32>,
    /// The name that the learner gave it.
    pub name: Option<String>,
}

/// The delay levels of a broker. `None` if there is no such broker.
pub fn delay_picture(world: &World, node: &str) -> Option<DelayPicture> {
    let broker = world.broker(node)?;
    let now_ms = world.node_wall_ms(node)?;
    let levels = broker.process().map(|process| levels(world, broker, process, now_ms)).unwrap_or_default();
    let delivers = broker.process().is_some_and(|process| process.delay_tasks().next().is_some());
    Some(DelayPicture { node: node.to_owned(), delivers, now_ms, levels })
}

fn levels(world: &World, broker: &Broker, process: &Process, now_ms: i64) -> Vec<LevelPicture> {
    let store = process.store();
    let saved = saved_delay_offsets(store.disk());
    let offset_of = |offsets: &std::collections::BTreeMap<i32, i64>, level| offsets.get(&level).copied().unwrap_or(0);
    let wall_ms = |at_us: i64| now_ms.saturating_add(at_us.saturating_sub(world.now_us()).div_euclid(1000));
    let level = |(level, delay_ms): (i32, i64)| {
        let queue_id = level.saturating_sub(1);
        let queue = store.queue(SCHEDULE_TOPIC, queue_id);
        let offset = offset_of(store.delay_offsets(), level);
        let idle = DelayTask { level, queue_offset: offset, due_us: None, stuck: false, pending: 0 };
        let task = process.delay_tasks().find(|task| task.level == level).unwrap_or(idle);
        LevelPicture {
            level,
            delay_ms,
            queue_id,
            min: queue.map_or(0, ConsumeQueue::min_offset_in_queue),
            max: queue.map_or(0, ConsumeQueue::max_offset_in_queue),
            offset,
            persisted: offset_of(&saved, level),
            next: task.queue_offset,
            next_due_ms: task.due_us.map(wall_ms),
            stuck: task.stuck,
            pending: task.pending,
            waiting: waiting(world, broker, process, level, task.queue_offset),
        }
    };
    store.delay_levels().iter().map(level).collect()
}

fn waiting(world: &World, broker: &Broker, process: &Process, level: i32, from: i64) -> Vec<WaitingPicture> {
    let store = process.store();
    let units = (from..from.saturating_add(WAITING_MAX)).map_while(|at| Some((at, store.delayed_unit(level, at)?)));
    let units: Vec<_> = units.collect();
    if units.is_empty() {
        return Vec::new();
    }
    let sends = PlacedSends::of(world, *broker.store_host(), usize::MAX);
    let picture = |(queue_offset, unit): (i64, crate::store::DelayedUnit)| {
        let bytes = store.read(unit.physical_offset, unit.size);
        let properties =
            bytes.as_deref().and_then(|bytes| record::decode(bytes).ok()).map(|record| record.properties());
        let property = |name: &str| properties.as_ref().and_then(|properties| properties.get(name).map(str::to_owned));
        WaitingPicture {
            queue_offset,
            physical_offset: unit.physical_offset,
            due_ms: unit.deliver_ms,
            real_topic: property(property::REAL_TOPIC),
            real_queue: property(property::REAL_QID).and_then(|queue| queue.parse().ok()),
            name: sends.get(unit.physical_offset).and_then(|sent| sent.name.clone()),
        }
    };
    units.into_iter().map(picture).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Query, Session};
    use super::DelayPicture;
    use crate::sim::{Action, Send};

    fn picture(session: &mut Session) -> DelayPicture {
        let query = Query::Delay { node: "broker-a".to_owned() };
        let Answer::Delay(picture) = session.ask(query) else { panic!("a picture of the levels") };
        *picture
    }

    fn act(session: &mut Session, action: Action) {
        let answer = session.ask(Query::Act { action });
        assert!(matches!(answer, Answer::Workbench(_)), "{answer:?}");
    }

    /// Level 5 is a minute and queue 4.
    #[test]
    fn a_message_is_seen_waiting_and_then_delivered() {
        let mut session = Session::new();
        session.ask(Query::StartSandbox { cluster: None, seed: 1 });
        let idle = picture(&mut session);
        assert_eq!((idle.delivers, idle.levels.len()), (true, 18));
        assert!(idle.levels.iter().all(|level| level.waiting.is_empty() && level.next_due_ms.is_none()));
        let send = Send {
            name: Some("M1".to_owned()),
            producer: "producer".to_owned(),
            topic: "OrderTopic".to_owned(),
            properties: [("DELAY".to_owned(), "5".to_owned())].into(),
            ..Send::default()
        };
        act(&mut session, Action::Send(Box::new(send)));
        let mut steps = 0;
        while picture(&mut session).levels[4].waiting.is_empty() {
            steps += 1;
            assert!(steps < 50, "it comes to wait");
            session.ask(Query::Step);
        }
        let waiting = picture(&mut session);
        let level = &waiting.levels[4];
        assert_eq!((level.level, level.delay_ms, level.queue_id), (5, 60_000, 4));
        assert_eq!((level.min, level.max, level.offset, level.persisted, level.next), (0, 1, 0, 0, 0));
        let message = &level.waiting[0];
        assert_eq!((message.queue_offset, message.real_topic.as_deref()), (0, Some("OrderTopic")));
        let due_ms = level.next_due_ms.expect("it is due some time");
        assert!((message.due_ms..message.due_ms + 100).contains(&due_ms), "the first poll that finds it due");
        assert!((59_000..=60_000).contains(&(message.due_ms - waiting.now_ms)));

        session.ask(Query::Run { events: 1000 });
        let after = picture(&mut session);
        let level = &after.levels[4];
        assert_eq!((level.offset, level.next, level.waiting.len(), level.next_due_ms), (1, 1, 0, None));
        assert_eq!(level.persisted, 0, "saved within 10 s");
        act(&mut session, Action::Wait { ms: 10_000 });
        session.ask(Query::Run { events: 1000 });
        assert_eq!(picture(&mut session).levels[4].persisted, 1);
    }

    #[test]
    fn a_broker_that_is_down_has_no_levels() {
        let mut session = Session::new();
        session.ask(Query::StartSandbox { cluster: None, seed: 1 });
        act(&mut session, Action::Kill { node: "broker-a".to_owned() });
        let down = picture(&mut session);
        assert_eq!((down.delivers, down.levels.len()), (false, 0));
        let nobody = session.ask(Query::Delay { node: "nobody".to_owned() });
        assert!(matches!(nobody, Answer::Failed(_)));
    }
}
