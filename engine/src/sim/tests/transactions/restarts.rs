//! What a restart makes of transactions.

use super::{
    super::crashes::{kill, start, stop},
    *,
};

fn check(world: &mut World) -> Vec<TransactionStep> {
    let events = run_until_event(world, |event| event.service == "transactionCheck");
    run_until(world, |world| store(world).dispatch_behind_bytes() == 0);
    told(&events[events.len() - 1..])
}

/// The service starts with the process: its first check comes 60 s after that, and nothing of the time before is known.
#[test]
fn a_half_message_outlives_its_broker() {
    let mut world = world();
    sent(&mut world, &[]);
    world.act(kill(BROKER)).unwrap();
    world.act(start(BROKER)).unwrap();
    let events = run_until_event(&mut world, |event| {
        broker_steps(event).iter().any(|step| matches!(step, BrokerStep::BrokerStarted))
    });
    let started_us = events.last().unwrap().at_us;
    assert!(!world.at_rest());
    let steps = check(&mut world);
    assert_eq!(steps[1].row(), Some(10), "{steps:?}");
    assert!((60_000_000..60_100_000).contains(&(world.now_us() - started_us)), "{}", world.now_us() - started_us);
    assert_eq!(broker(&world).process().unwrap().transactions().asked(), 1);
}

/// The progress of a check is in memory until consumerOffset.json is saved. Lost, everything is asked for again: the
/// message and its copy.
#[test]
fn lost_progress_is_gone_through_again() {
    let mut world = world();
    sent(&mut world, &[]);
    check(&mut world);
    world.act(kill(BROKER)).unwrap();
    world.act(start(BROKER)).unwrap();
    let steps = check(&mut world);
    assert_eq!(steps[0], TransactionStep::CheckBegins { half_from: 0, op_from: 0 });
    let again = |step: &&TransactionStep| matches!(step, TransactionStep::HalfPutBack { .. });
    assert_eq!(steps.iter().filter(again).count(), 2, "{steps:?}");
}

#[test]
fn saved_progress_is_gone_on_from() {
    let mut world = world();
    sent(&mut world, &[]);
    check(&mut world);
    world.act(stop(BROKER)).unwrap();
    run_until(&mut world, |world| world.node_state(BROKER) == Some(NodeState::Down));
    world.act(start(BROKER)).unwrap();
    assert_eq!(check(&mut world)[0], TransactionStep::CheckBegins { half_from: 1, op_from: 0 });
}

/// What was decided before the end of the process is known from the op queue, and keeps nobody from rest.
#[test]
fn what_was_decided_stays_decided() {
    let mut world = world();
    sent(&mut world, &[]);
    end(&mut world, 0, ROLLBACK);
    world.act(kill(BROKER)).unwrap();
    world.act(start(BROKER)).unwrap();
    rest(&mut world);
    assert!(world.now_us() < 30_000_000, "{}", world.now_us());
    assert_eq!(check(&mut world)[2], TransactionStep::HalfDecided { half_offset: 0, op_offset: 0 });
}

/// `selectTopicConfig`: a broker that has never run for a minute has no topic for half messages in its table.
#[test]
fn the_first_check_makes_the_topic() {
    let mut world = world();
    world.act(kill(BROKER)).unwrap();
    world.act(Action::DeleteFile { broker: BROKER.to_owned(), path: "config".to_owned() }).unwrap();
    world.act(start(BROKER)).unwrap();
    rest(&mut world);
    let table = |world: &World| broker(world).process().unwrap().topics().get(HALF_TOPIC).cloned();
    assert!(table(&world).is_none() && world.now_us() < 30_000_000);
    run_until(&mut world, |world| table(world).is_some());
    let topic = table(&world).unwrap();
    assert_eq!((topic.read_queue_nums, topic.write_queue_nums, topic.perm), (1, 1, 6));
    assert!((60_000_000..61_500_000).contains(&world.now_us()), "{}", world.now_us());
    // The NameServers are told at once.
    run_until(&mut world, |world| world.name_server("namesrv").unwrap().tables().route(HALF_TOPIC).is_some());
    assert!(world.now_us() < 61_600_000, "{}", world.now_us());
}
