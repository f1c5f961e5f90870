//! Planted faults, each caught at the event that it does its harm in; and the same without them, where nothing breaks.

use super::*;
use crate::{
    client::consumer::ListenerKind,
    lesson::{LESSONS, LessonRun},
    planted::PlantedFault,
};

/// Does these things to a cluster, each after the one before has come to rest or so many milliseconds have passed, and
/// looks at every event: the first thing that was broken, and the world then.
fn watched(cluster: &Cluster, actions: &[(Action, i64)]) -> (Option<Broken>, World) {
    let mut world = world(cluster);
    let mut watch = Watch::new();
    for (action, ms) in actions {
        let until_us = world.now_us() + ms * 1000;
        let mut event = Some(world.act(action.clone()).unwrap());
        while let Some(happened) = event.take() {
            let broken = watch.look(&world, &happened);
            if broken.is_some() {
                return (broken, world);
            }
            let goes_on = !world.at_rest() && world.next_us().is_some_and(|next_us| next_us <= until_us);
            event = goes_on.then(|| world.step()).flatten();
        }
    }
    (None, world)
}

/// What is broken with the fault; without it nothing is.
fn caught(cluster: &Cluster, fault: PlantedFault, actions: &[(Action, i64)]) -> Broken {
    assert!(cluster.can_show(fault), "{fault:?}");
    assert_eq!(watched(cluster, actions).0, None, "without {fault:?}");
    let planted = Cluster { planted: vec![fault], ..cluster.clone() };
    watched(&planted, actions).0.unwrap_or_else(|| panic!("{fault:?} is not caught"))
}

const LONG: i64 = 60_000;

const SLAVE: &str = "broker-a-s";

/// A broker of this role and a slave.
fn pair(role: &str) -> Cluster {
    let mut pair = cluster(&[]);
    let mut slave = pair.brokers[0].clone();
    slave.name = SLAVE.to_owned();
    slave.topics.clear();
    pair.brokers.push(slave);
    set(&mut pair, 0, &[("brokerRole", role)]);
    set(&mut pair, 1, &[("brokerName", BROKER), ("brokerId", "1"), ("brokerRole", "SLAVE")]);
    pair
}

/// Does it and goes on for so many milliseconds; what of this invariant was broken at the slave.
fn at_slave(world: &mut World, watch: &mut Watch, invariant: Invariant, action: Action, ms: i64) -> Vec<Broken> {
    let until_us = world.now_us() + ms * 1000;
    let mut broken = Vec::new();
    let mut event = Some(world.act(action).unwrap());
    while let Some(happened) = event.take() {
        broken.extend(watch.look(world, &happened));
        event = world.next_us().filter(|next_us| *next_us <= until_us).and_then(|_| world.step());
    }
    broken.retain(|one| one.invariant == invariant && one.node == SLAVE);
    broken
}

fn slave_store(world: &World) -> &crate::store::Store<crate::disk::MemoryDisk> {
    world.broker(SLAVE).unwrap().store().unwrap()
}

#[test]
fn an_answer_before_the_flush_is_caught_and_its_message_is_lost_by_that() {
    let mut flushing = cluster(&[]);
    set(&mut flushing, 0, &[("flushDiskType", "SYNC_FLUSH")]);
    let fault = PlantedFault::ReplyBeforeFlush;
    let broken = caught(&flushing, fault, &[(sent("M1", "k"), LONG)]);
    assert_eq!((broken.invariant, broken.node.as_str()), (Invariant::FlushedBeforeAnswer, BROKER));
    // Everything up to the record's end is promised, and nothing of it is flushed.
    assert!(broken.found > broken.bound && broken.bound == 0, "{broken:?}");
    let mut world = world(&Cluster { planted: vec![fault], ..flushing });
    act(&mut world, Action::Pause { node: BROKER.to_owned(), service: Some(Service::FlushCommitLog) });
    act(&mut world, sent("M1", "k"));
    power_loss(&mut world);
    assert_eq!(found(&world), [[(Verdict::Lost, Rule::AnsweredBeforeFlush)]]);
}

#[test]
fn an_answer_before_replication_is_caught() {
    let broken = caught(&pair("SYNC_MASTER"), PlantedFault::ReplyBeforeReplication, &[(sent("M1", "k"), LONG)]);
    assert_eq!((broken.invariant, broken.node.as_str()), (Invariant::ReplicatedBeforeAnswer, BROKER));
    assert!(broken.found > broken.bound, "{broken:?}");
}

#[test]
fn a_half_message_that_can_be_read_is_caught() {
    let send = Send { queue: None, ..message("M1", "k") };
    let what = SendInTransaction { send, local: ListenerResult::Unknown, ..SendInTransaction::default() };
    let actions = [(Action::SendInTransaction(Box::new(what)), 1_000)];
    let broken = caught(&cluster(&["c1"]), PlantedFault::HalfMessageVisible, &actions);
    assert_eq!((broken.invariant, broken.node.as_str()), (Invariant::HalfMessageHidden, BROKER));
    assert!(broken.queue.is_some_and(|queue| queue.starts_with("T/")));
}

#[test]
fn a_unit_of_another_record_is_caught() {
    let broken = caught(&cluster(&[]), PlantedFault::UnitOfNextRecord, &[(sent("M1", "k"), LONG)]);
    assert_eq!((broken.invariant, broken.queue.as_deref()), (Invariant::UnitPointsAtRecord, Some("T/0")));
    // No record is there yet.
    assert_eq!((broken.found, broken.bound), (-1, 0));
}

/// A slave whose log has the records of the master's second file at its head: the units are looked up there.
#[test]
fn units_of_a_slave_are_looked_up_where_its_records_lie() {
    let mut pair = pair("ASYNC_MASTER");
    for broker in 0..2 {
        set(&mut pair, broker, &[("mappedFileSizeCommitLog", "4096")]);
    }
    let run = |planted: Vec<PlantedFault>| {
        let mut world = world(&Cluster { planted, ..pair.clone() });
        let mut watch = Watch::new();
        let mut act =
            |world: &mut World, action, ms| at_slave(world, &mut watch, Invariant::UnitPointsAtRecord, action, ms);
        // The master's heartbeat makes the slave's first file.
        let mut broken = act(&mut world, Action::Wait { ms: LONG }, LONG);
        broken.extend(act(&mut world, kill(SLAVE), 1_000));
        // Records of more than 136 bytes.
        for _ in 0..30 {
            broken.extend(act(&mut world, sent("M", "k"), 1_000));
        }
        broken.extend(act(&mut world, start(SLAVE), LONG));
        (broken, world)
    };
    let (broken, world) = run(Vec::new());
    assert_eq!(broken, []);
    let store = slave_store(&world);
    let queue = store.queue("T", 0).unwrap();
    assert!((1..30).contains(&queue.min_offset_in_queue()), "{}", queue.min_offset_in_queue());
    assert_eq!((store.min_phy_offset(), queue.max_offset_in_queue()), (0, 30));
    let first = store.unit("T", 0, queue.min_offset_in_queue()).unwrap();
    assert!(first.physical_offset > 0 && first.physical_offset % 4096 == 0, "{first:?}");
    let (broken, _) = run(vec![PlantedFault::UnitOfNextRecord]);
    assert_eq!(broken.first().and_then(|one| one.queue.as_deref()), Some("T/0"));
}

/// A slave that has lost a queue's first unit keeps zeros in its place, and puts the record that comes again behind them.
#[test]
fn the_first_record_of_a_queue_may_be_behind_a_unit_of_zeros() {
    let mut world = world(&pair("ASYNC_MASTER"));
    let mut watch = Watch::new();
    let mut act =
        |world: &mut World, action, ms| at_slave(world, &mut watch, Invariant::UnitPointsAtRecord, action, ms);
    let pause = |service| Action::Pause { node: SLAVE.to_owned(), service: Some(service) };
    let other = Action::Send(Box::new(Send { queue: Some(1), ..message("M1", "k") }));
    let loss = Action::PowerLoss { node: SLAVE.to_owned(), survives: Survives::Flushed };
    let actions = [
        (Action::Wait { ms: LONG }, LONG),
        (other, 5_000),
        (pause(Service::FlushCommitLog), 0),
        (pause(Service::FlushConsumeQueue), 0),
        (sent("M2", "k"), 500),
        (loss, 1_000),
        (start(SLAVE), LONG),
    ];
    for (action, ms) in actions {
        assert_eq!(act(&mut world, action, ms), []);
    }
    let store = slave_store(&world);
    assert_eq!(store.queue("T", 0).unwrap().max_offset_in_queue(), 2);
    let units = [0, 1].map(|at| store.unit("T", 0, at).unwrap());
    assert_eq!((units[0].physical_offset, units[0].size), (0, 0));
    let bytes = store.select_one_message(units[1].physical_offset).unwrap();
    assert_eq!(crate::message::record::decode(&bytes).unwrap().queue_offset, 0);
}

#[test]
fn an_offset_saved_before_processing_is_caught_and_loses_what_the_consumer_dies_over() {
    let mut slow = cluster(&["c1"]);
    push(&mut slow).listener.takes_ms = 20_000;
    let fault = PlantedFault::OffsetBeforeProcessing;
    let broken = caught(&slow, fault, &[(sent("M1", "k"), LONG)]);
    assert_eq!((broken.invariant, broken.node.as_str()), (Invariant::OffsetBehindUnprocessed, "c1"));
    assert_eq!((broken.queue.as_deref(), broken.found, broken.bound), (Some("T/0"), 1, 0));
    let after = |planted: Vec<PlantedFault>| {
        let mut world = world(&Cluster { planted, ..slow.clone() });
        world.act(sent("M1", "k")).unwrap();
        // `persistConsumerOffsetInterval` is 5 s.
        let until_us = world.now_us() + 11_000_000;
        while world.next_us().is_some_and(|next_us| next_us <= until_us) {
            world.step().unwrap();
        }
        act(&mut world, kill("c1"));
        act(&mut world, start("c1"));
        found(&world)[0][0]
    };
    assert_eq!(after(vec![fault]), (Verdict::Lost, Rule::OffsetBeforeProcessing));
    assert_eq!(after(Vec::new()), (Verdict::Duplicated, Rule::DiedWhileConsuming));
}

#[test]
fn a_refused_message_that_is_let_go_is_caught() {
    let mut refusing = cluster(&["c1"]);
    push(&mut refusing).listener.result = ConsumeResult::Later;
    let fault = PlantedFault::RefusedCountsAsConsumed;
    let broken = caught(&refusing, fault, &[(sent("M1", "k"), 5_000)]);
    assert_eq!((broken.invariant, broken.queue.as_deref()), (Invariant::RefusedIsKept, Some("T/0")));
    assert_eq!(broken.found, 0);
    let mut world = world(&Cluster { planted: vec![fault], ..refusing });
    act(&mut world, sent("M1", "k"));
    assert_eq!(found(&world), [[(Verdict::Lost, Rule::RefusedAndNotKept)]]);
}

#[test]
fn two_orderly_listeners_of_one_queue_are_caught() {
    let mut orderly = cluster(&["c1", "c2"]);
    for consumer in &mut orderly.consumers {
        let listener = &mut consumer.push.as_mut().unwrap().listener;
        (listener.kind, listener.takes_ms) = (ListenerKind::Orderly, 15_000);
    }
    orderly.consumers[1].down = true;
    let other = Action::Send(Box::new(Send { queue: Some(1), ..message("M2", "l") }));
    let actions = [(sent("M1", "k"), 500), (other, 500), (start("c2"), 10_000)];
    let broken = caught(&orderly, PlantedFault::QueueLockIgnored, &actions);
    assert_eq!((broken.invariant, broken.node.as_str()), (Invariant::OneListenerPerQueue, "c2"));
    assert_eq!((broken.other.as_deref(), broken.found, broken.bound), (Some("c1"), 0, 0));
}

/// 4.9.8 keeps to them: through every lesson as it is solved, faults and all.
#[test]
fn no_lesson_breaks_an_invariant() {
    for source in LESSONS {
        let lesson = std::sync::Arc::new(source.load().unwrap());
        let mut run = LessonRun::new(std::sync::Arc::clone(&lesson)).unwrap();
        run.solve().unwrap();
        let history = run.history();
        let start = World::new(&lesson.cluster, lesson.seed).unwrap();
        let broken = audit(start, history.actions(), history.len()).unwrap();
        assert_eq!(broken, None, "{}", lesson.id);
    }
}
