//! What is kept of the progress, and what a restart delivers again.

use super::*;

/// So many messages of level 1, all answered.
fn many(world: &mut World, count: usize) {
    for _ in 0..count {
        sent(world, 1);
    }
}

/// B14 (a): a stop saves the progress.
#[test]
fn a_clean_stop_repeats_nothing() {
    let mut world = world();
    many(&mut world, 100);
    run_until(&mut world, |world| progress(world, 1) == Some(60));
    act(&mut world, stop(BROKER));
    assert_eq!(saved(&world).as_deref(), Some("{\n\t\"offsetTable\":{1:60\n\t}\n}"));
    act(&mut world, start(BROKER));
    assert_eq!((delivered(&world), progress(&world, 1)), (100, Some(100)));
}

/// B14 (b): what was delivered since the last save is delivered again.
#[test]
fn a_kill_repeats_what_was_delivered_since_the_last_save() {
    let mut world = world();
    many(&mut world, 40);
    let forty = Some("{\n\t\"offsetTable\":{1:40\n\t}\n}");
    run_until(&mut world, |world| saved(world).as_deref() == forty);
    many(&mut world, 60);
    run_until(&mut world, |world| progress(world, 1) == Some(60));
    act(&mut world, kill(BROKER));
    assert_eq!(saved(&world).as_deref(), forty);
    act(&mut world, start(BROKER));
    assert_eq!((delivered(&world), progress(&world, 1)), (120, Some(100)), "40 to 59 come twice");
}

/// The file is saved at 10 s and every 10 s from there on, if that changes it; the copy lags by one round.
#[test]
fn progress_is_saved_every_ten_seconds() {
    let mut world = world();
    act(&mut world, delayed(1));
    assert_eq!(saved(&world).as_deref(), Some("{\n\t\"offsetTable\":{}\n}"), "as an earlier stop left it");
    let events = pass(&mut world, 60_000);
    let saves: Vec<_> = events.iter().filter(|event| event.service == "persistOffset").collect();
    assert_eq!(saves.len(), 2, "the file's own, and its copy's");
    assert_eq!(saves[1].at_us - saves[0].at_us, 10_000_000);
    assert!((10_000_000..10_100_000).contains(&saves[0].at_us), "the broker started 60 s before time 0");
    let copy = config_file::read_text(broker(&world).disk(), "config/delayOffset.json.bak");
    assert_eq!((saved(&world), copy.clone()), (copy.clone(), copy));
}

/// While a broker stops, what becomes due is refused by its own store; it is delivered after the restart.
#[test]
fn a_stopping_broker_delivers_nothing() {
    let mut world = world();
    sent(&mut world, 1);
    pass(&mut world, 500);
    let mut events = act(&mut world, stop(BROKER));
    assert_eq!(broker(&world).store().map(|_| ()), None);
    let refused = told(&events).into_iter().map(|(_, step)| step).collect::<Vec<_>>();
    assert!(matches!(refused[1], DelayStep::DelayRetried { level: 1, queue_offset: 0, after_ms: 100 }), "{refused:?}");
    assert_eq!(deliveries(&events).len(), 1, "refused once; the polls after it would be as well");
    pass(&mut world, 5_000);
    events = act(&mut world, start(BROKER));
    assert_eq!((delivered(&world), deliveries(&events).len()), (1, 1));
}

/// A progress beyond the queue is moved to its end: what comes next is delivered.
#[test]
fn a_progress_beyond_the_queue_is_corrected() {
    let mut world = world();
    act(&mut world, delayed(1));
    act(&mut world, stop(BROKER));
    // The queue's file goes: it is built anew from the log by an unclean start only.
    let path = "consumequeue/SCHEDULE_TOPIC_XXXX/0/00000000000000000000".to_owned();
    act(&mut world, Action::DeleteFile { broker: BROKER.to_owned(), path });
    act(&mut world, start(BROKER));
    assert_eq!(progress(&world, 1), Some(0), "moved to the end of an empty queue");
    act(&mut world, delayed(1));
    assert_eq!(delivered(&world), 2);
}

/// A slave delivers nothing, and keeps a copy of its master's progress.
#[test]
fn a_slave_copies_the_progress() {
    let mut cluster = cluster();
    let mut slave = cluster.brokers[0].clone();
    slave.name = "broker-a-s".to_owned();
    for (key, value) in [("brokerRole", "SLAVE"), ("brokerId", "1"), ("brokerName", "broker-a")] {
        slave.config.insert(key.to_owned(), value.to_owned());
    }
    cluster.brokers.push(slave);
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, delayed(1));
    assert_eq!(delivered(&world), 1);
    let slave = |world: &World| world.broker("broker-a-s").unwrap().clone();
    let copy = |world: &World| config_file::read_text(slave(world).disk(), "config/delayOffset.json");
    assert!(!copy(&world).unwrap_or_default().contains("1:1"));
    let events = pass(&mut world, 15_000);
    assert_eq!(copy(&world).as_deref(), Some("{\"offsetTable\":{1:1}}"));
    assert!(events.iter().all(|event| event.node != "broker-a-s" || event.service != "schedule"));
    assert_eq!(slave(&world).process().unwrap().delay_tasks().count(), 0);
    assert_eq!(slave(&world).store().unwrap().max_phy_offset(), store(&world).max_phy_offset());
}
