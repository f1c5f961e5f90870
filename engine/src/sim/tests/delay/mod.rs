//! Delayed delivery: one task a level, its polls, its progress, and what a restart makes of it.

mod failing;
mod later;
mod restarts;

use super::crashes::{act, broker, configured, kill, start, stop, store};
use super::*;
use crate::message::record;
use crate::node::DelayStep;
use crate::store::config_file;

const BROKER: &str = "broker-a";
const SCHEDULE: &str = "SCHEDULE_TOPIC_XXXX";

/// A message for OrderTopic/0 that waits on a delay level first.
fn delayed(level: i32) -> Action {
    Action::Send(Box::new(Send {
        producer: "sender".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: Some(0),
        properties: [("DELAY".to_owned(), level.to_string())].into(),
        ..Send::default()
    }))
}

fn wait(ms: i64) -> Action {
    Action::Wait { ms }
}

fn jump(ms: i64) -> Action {
    Action::JumpClock { node: BROKER.to_owned(), ms }
}

/// Sends it, and stops once the producer has its answer.
fn sent(world: &mut World, level: i32) {
    let answers = world.client("sender").unwrap().sent().len();
    world.act(delayed(level)).unwrap();
    run_until(world, |world| world.client("sender").unwrap().sent().len() > answers);
}

/// So many messages of level 1 that are all due at the same poll.
fn due_together(world: &mut World, count: usize) {
    world.act(pause(BROKER, Some(Service::Schedule))).unwrap();
    for _ in 0..count {
        sent(world, 1);
    }
    pass(world, 2_000);
    world.act(resume(BROKER, Some(Service::Schedule))).unwrap();
}

fn run_until(world: &mut World, done: impl Fn(&World) -> bool) -> Vec<TraceEvent> {
    let mut events = Vec::new();
    while !done(world) {
        assert!(events.len() < 10_000, "it does not come about");
        events.push(world.step().expect("something is still to happen"));
    }
    events
}

/// Lets so much time pass, whatever happens in it.
fn pass(world: &mut World, ms: i64) -> Vec<TraceEvent> {
    let until_us = world.now_us() + ms * 1000;
    world.act(wait(ms)).unwrap();
    run_until(world, |world| world.now_us() >= until_us)
}

fn deliveries(events: &[TraceEvent]) -> Vec<&TraceEvent> {
    events.iter().filter(|event| event.service == "schedule").collect()
}

/// What the service told, with its times.
fn told(events: &[TraceEvent]) -> Vec<(i64, DelayStep)> {
    let steps = events.iter().flat_map(|event| event.steps.iter().map(|step| (step.at_us, &step.what)));
    steps
        .filter_map(|(at_us, step)| if let StepKind::Delay(step) = step { Some((at_us, step.clone())) } else { None })
        .collect()
}

/// Messages that stand in OrderTopic/0.
fn delivered(world: &World) -> i64 {
    store(world).queue("OrderTopic", 0).map_or(0, crate::store::ConsumeQueue::max_offset_in_queue)
}

fn progress(world: &World, level: i32) -> Option<i64> {
    store(world).delay_offsets().get(&level).copied()
}

fn saved(world: &World) -> Option<String> {
    config_file::read_text(broker(world).disk(), "config/delayOffset.json")
}

/// The record of a unit.
fn stored(world: &World, topic: &str, queue_id: i32, queue_offset: i64) -> bytes::Bytes {
    let store = store(world);
    let unit = store.unit(topic, queue_id, queue_offset).unwrap();
    store.read(unit.physical_offset, unit.size).unwrap()
}

/// The first poll comes 1000 ms after the start, the next ones every 100 ms; level 1 is 1000 ms.
#[test]
fn a_message_is_delivered_at_the_first_poll_after_its_time() {
    let mut cold = cluster();
    cold.begin = Begin::Cold;
    let mut world = World::new(&cold, 1).unwrap();
    let events = rest(&mut world);
    let started = |event: &TraceEvent| {
        let steps = event.steps.iter();
        let step = steps.clone().find(|step| matches!(step.what, StepKind::Broker(BrokerStep::BrokerStarted)))?;
        Some(step.at_us)
    };
    let started_us = events.iter().find_map(started).unwrap();
    pass(&mut world, 3_333);
    let events = act(&mut world, delayed(1));

    let bytes = stored(&world, SCHEDULE, 0, 0);
    let waiting = record::decode(&bytes).unwrap();
    let due_ms = waiting.store_timestamp + 1000;
    let mut poll_us = started_us + 1_000_000;
    while world.cluster.start_ms + poll_us.div_euclid(1000) < due_ms {
        poll_us += 100_000;
    }
    let turns = deliveries(&events);
    assert_eq!(turns.iter().map(|turn| turn.at_us).collect::<Vec<_>>(), [poll_us], "one turn, and no poll beside it");
    let late_ms = world.cluster.start_ms + poll_us.div_euclid(1000) - due_ms;
    let expected = [
        DelayStep::DelayDue { level: 1, queue_offset: 0, deliver_timestamp: due_ms, late_ms },
        DelayStep::DelayProgress { level: 1, queue_offset: 1 },
    ];
    assert_eq!(told(&events).into_iter().map(|(_, step)| step).collect::<Vec<_>>(), expected);
    let cause = events.iter().find(|event| Some(event.seq) == turns[0].cause).unwrap();
    assert_eq!(cause.service, "reput", "the dispatch of the record that waits");
    assert_eq!((delivered(&world), progress(&world, 1)), (1, Some(1)));
}

/// The delivered record is a second one; its properties are those of the first, `DELAY` and the rest included.
#[test]
fn it_is_stored_twice_and_keeps_its_properties() {
    let mut world = world();
    act(&mut world, delayed(2));
    let (first, second) = (stored(&world, SCHEDULE, 1, 0), stored(&world, "OrderTopic", 0, 0));
    let (waiting, delivered) = (record::decode(&first).unwrap(), record::decode(&second).unwrap());
    assert_eq!(waiting.properties_text, delivered.properties_text);
    for (name, value) in [("DELAY", "2"), ("REAL_TOPIC", "OrderTopic"), ("REAL_QID", "0")] {
        assert_eq!(delivered.property(name), Some(value));
    }
    assert_eq!(delivered.property("WAIT"), None);
    assert_eq!((delivered.body, delivered.born_timestamp), (waiting.body, waiting.born_timestamp));
    assert_eq!((delivered.born_host, delivered.store_host), (waiting.born_host, waiting.store_host));
    assert!((5_000..5_200).contains(&(delivered.store_timestamp - waiting.store_timestamp)), "level 2 is 5 s");
    assert_eq!(delivered.physical_offset, i64::from(waiting.total_size) + waiting.physical_offset);
}

/// The order that the recorded broker wrote for a message with these properties: WAIT and DELAY share a bucket.
#[test]
fn the_properties_stand_in_the_recorded_order() {
    let mut world = world();
    let send = Send {
        producer: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: Some(0),
        keys: Some("kd".to_owned()),
        tag: Some("TagA".to_owned()),
        delay_level: Some(2),
        ..Send::default()
    };
    act(&mut world, Action::Send(Box::new(send)));
    for (topic, queue_id) in [(SCHEDULE, 1), ("OrderTopic", 0)] {
        let bytes = stored(&world, topic, queue_id, 0);
        let text = record::decode(&bytes).unwrap().properties_text.into_owned();
        let names: Vec<&str> = text.split('\u{2}').filter_map(|pair| pair.split('\u{1}').next()).collect();
        let recorded = ["REAL_TOPIC", "KEYS", "UNIQ_KEY", "CLUSTER", "DELAY", "WAIT", "TAGS", "REAL_QID"];
        assert_eq!(names, recorded);
    }
}

/// Eighteen idle levels, and one message that is two hours away.
#[test]
fn what_is_far_away_costs_no_events() {
    let mut world = world();
    world.act(wait(72 * 3_600_000)).unwrap();
    assert!(deliveries(&rest(&mut world)).is_empty());
    let begin_us = world.now_us();
    let events = act(&mut world, delayed(18));
    assert_eq!(deliveries(&events).len(), 1);
    assert!(events.len() < 20, "{} events", events.len());
    assert!((7_200_000_000..7_200_200_000).contains(&(world.now_us() - begin_us)));
    assert_eq!(delivered(&world), 1);
}

/// A level is a queue: the head decides. Levels do not wait for one another.
#[test]
fn each_level_delivers_in_the_order_of_its_queue() {
    let mut world = world();
    for level in [3, 1, 2, 1] {
        sent(&mut world, level);
    }
    let events = rest(&mut world);
    let due = told(&events).into_iter().filter_map(|(_, step)| match step {
        DelayStep::DelayDue { level, queue_offset, .. } => Some((level, queue_offset)),
        _ => None,
    });
    assert_eq!(due.collect::<Vec<_>>(), [(1, 0), (1, 1), (2, 0), (3, 0)]);
    assert_eq!(delivered(&world), 4);
    let levels: Vec<_> = broker(&world).process().unwrap().delay_tasks().collect();
    assert_eq!(levels.len(), 18);
    assert_eq!(levels[0].queue_offset, 2);
    assert!(levels.iter().all(|task| task.due_us.is_none() && !task.stuck));
}

#[test]
fn a_paused_service_delivers_when_it_goes_on() {
    let mut world = world();
    act(&mut world, pause(BROKER, Some(Service::Schedule)));
    sent(&mut world, 1);
    assert!(deliveries(&pass(&mut world, 60_000)).is_empty());
    let resumed_us = world.now_us();
    let events = act(&mut world, resume(BROKER, Some(Service::Schedule)));
    assert_eq!(deliveries(&events).iter().map(|event| event.at_us).collect::<Vec<_>>(), [resumed_us]);
    assert_eq!(delivered(&world), 1);
}

/// B14: a message cannot be due later than its level asks for. With the clock set back by ten minutes it would be, so it
/// is delivered at once.
#[test]
fn a_clock_set_back_delivers_at_once() {
    let mut world = world();
    sent(&mut world, 5);
    pass(&mut world, 10_000);
    let set_us = world.now_us();
    let events = act(&mut world, jump(-600_000));
    let steps = told(&events);
    assert!(matches!(steps[0].1, DelayStep::DelayClockBack { level: 5, queue_offset: 0, .. }), "{steps:?}");
    assert!((set_us..set_us + 100_001).contains(&steps[0].0), "the next poll");
    assert_eq!(delivered(&world), 1);
}

/// Set back to a time after the put, the clock only puts the delivery off; set forward, it brings it on.
#[test]
fn the_brokers_clock_decides_when_a_message_is_due() {
    for (ms, from_ms, to_ms) in [(-5_000, 65_000, 65_200), (600_000, 10_000, 10_200)] {
        let mut world = world();
        let sent_us = world.now_us();
        sent(&mut world, 5);
        let left_ms = 10_000 - (world.now_us() - sent_us) / 1000;
        pass(&mut world, left_ms);
        let events = act(&mut world, jump(ms));
        let (at_us, step) = told(&events).remove(0);
        assert!(matches!(step, DelayStep::DelayDue { level: 5, .. }), "{step:?}");
        assert!((from_ms * 1000..to_ms * 1000).contains(&(at_us - sent_us)), "{ms}: {at_us}");
    }
}

/// Levels that are configured otherwise: two of them, one of no time at all.
#[test]
fn levels_follow_the_configuration() {
    let mut world = configured(&[("messageDelayLevel", "0s 2s")]);
    assert_eq!(broker(&world).process().unwrap().delay_tasks().count(), 2);
    sent(&mut world, 1);
    sent(&mut world, 9);
    let begin_us = world.now_us();
    let events = rest(&mut world);
    let times: Vec<_> = deliveries(&events).iter().map(|event| (event.at_us - begin_us) / 100_000).collect();
    assert!(times[0] <= 1, "at the next poll");
    assert!((20..=21).contains(&times[1]), "9 counts as 2, which is 2 s");
    assert_eq!((progress(&world, 1), progress(&world, 2)), (Some(1), Some(1)));
}
