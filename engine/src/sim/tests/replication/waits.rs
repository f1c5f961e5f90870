//! What a put of a synchronous master waits for, what it is told, and when to the microsecond.

use super::*;

/// Latency 250 us a way: the put, the piece, the acknowledgement and the answer make four ways.
#[test]
fn a_synchronous_put_waits_for_the_acknowledgement() {
    let mut world = started("SYNC_MASTER");
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    let from_us = world.now_us();
    let events = rest(&mut world);
    let sent = last_sent(&world);
    assert_eq!(sent.status, "SEND_OK");
    let took_us = sent.ended_us - from_us;
    assert!((1_500..2_500).contains(&took_us), "with the handshake six ways: {took_us}");
    let acked = events.iter().position(|event| {
        ha_steps(event).iter().any(|step| matches!(step, HaStep::HaAcknowledged { offset: 1200, replicated: 1200, .. }))
    });
    let ended = events.iter().position(|event| {
        ha_steps(event)
            .iter()
            .any(|step| matches!(step, HaStep::ReplicaWaitEnded { next_offset: 1200, status } if status == "PUT_OK"))
    });
    assert!(acked.unwrap() < ended.unwrap());
    assert!(events.iter().any(|event| event.service == "groupTransfer"));
}

/// B11 (d): no slave, told at once.
#[test]
fn without_a_slave_a_synchronous_master_says_so_at_once() {
    let mut cluster = with_slave("SYNC_MASTER");
    cluster.brokers.truncate(1);
    let mut world = World::new(&cluster, 1).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    let sent = last_sent(&world);
    assert_eq!((sent.status.as_str(), sent.physical_offset), ("SLAVE_NOT_AVAILABLE", Some(1000)));
    // Four ways of 250 us, 20 us to take the request in, 15 us to append.
    assert_eq!(sent.ended_us, 1_035);
    assert_eq!(store(&world, "broker-a").replicated_offset(), None);
    // It is stored, and resending makes two.
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(units(&world), 2);
}

/// B11 (c): a slave is connected and does not acknowledge: 3 s after the put.
#[test]
fn a_slave_that_stands_still_costs_three_seconds() {
    let mut world = started("SYNC_MASTER");
    world.act(pause(SLAVE, Some(Service::HaClient))).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    let from_us = world.now_us();
    rest(&mut world);
    let sent = last_sent(&world);
    assert_eq!((sent.status.as_str(), sent.physical_offset), ("FLUSH_SLAVE_TIMEOUT", Some(1000)));
    // 3 s from the end of the append; four ways of 250 us, 20 us to take the request in, 15 us to append.
    assert_eq!(sent.ended_us - from_us, 3_000_000 + 1_035);
    assert_eq!(units(&world), 1, "it can be consumed");

    // The piece has waited in front of the slave.
    world.act(resume(SLAVE, Some(Service::HaClient))).unwrap();
    rest(&mut world);
    assert_eq!(ends(&world), (1200, 1200));
}

/// A wait behind another begins when that one is over, and lasts whole seconds.
#[test]
fn waits_for_a_slave_end_one_after_the_other() {
    let mut world = started("SYNC_MASTER");
    world.act(pause(SLAVE, Some(Service::HaClient))).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    let from_us = world.now_us();
    wait_for(&mut world, 1000, |world| {
        world.now_us() > from_us + 20_000 || store(world, "broker-a").max_phy_offset() == 1200
    });
    world.act(Action::Wait { ms: 500 }).unwrap();
    wait_for(&mut world, 1000, |world| world.now_us() >= from_us + 500_000);
    world.act(bare("OrderTopic", 0, "TagA", 300)).unwrap();
    rest(&mut world);
    let ended: Vec<i64> =
        world.client("sender").unwrap().sent().iter().map(|sent| (sent.ended_us - from_us) / 1000).collect();
    // The second put's deadline is 3.5 s; its first slice began at 3.0 s and lasts until 4.0 s.
    assert_eq!(ended, [3001, 4001]);
}

/// Of two bad ends the replica's counts; and the answer waits for both.
#[test]
fn the_replicas_status_overrides_the_flushs() {
    for (pause_flush, pause_slave, status, at_ms) in [
        (true, true, "FLUSH_SLAVE_TIMEOUT", 5001),
        (true, false, "FLUSH_DISK_TIMEOUT", 5001),
        (false, true, "FLUSH_SLAVE_TIMEOUT", 3001),
        (false, false, "SEND_OK", 1),
    ] {
        let mut cluster = with_slave("SYNC_MASTER");
        cluster.brokers[0].config.insert("flushDiskType".to_owned(), "SYNC_FLUSH".to_owned());
        let mut world = World::new(&cluster, 1).unwrap();
        if pause_flush {
            world.act(pause("broker-a", Some(Service::FlushCommitLog))).unwrap();
        }
        if pause_slave {
            world.act(pause(SLAVE, Some(Service::HaClient))).unwrap();
        }
        world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
        let from_us = world.now_us();
        rest(&mut world);
        let sent = last_sent(&world);
        assert_eq!((sent.status.as_str(), (sent.ended_us - from_us) / 1000), (status, at_ms));
    }
}

#[test]
fn a_producer_that_does_not_wait_is_not_told() {
    let mut world = started("SYNC_MASTER");
    world.act(pause(SLAVE, Some(Service::HaClient))).unwrap();
    let mut action = bare("OrderTopic", 0, "TagA", 300);
    if let Action::Send(send) = &mut action {
        send.wait_store = Some(false);
    }
    world.act(action).unwrap();
    rest(&mut world);
    let sent = last_sent(&world);
    assert_eq!(sent.status, "SEND_OK");
    assert!(sent.ended_us < 2_000, "{}", sent.ended_us);
}

/// In those 5 s the slave counts as connected, and a synchronous put waits in vain.
#[test]
fn a_slave_that_has_not_reported_yet_is_waited_for_in_vain() {
    let mut world = started("SYNC_MASTER");
    world.act(Action::Cut { a: "broker-a".to_owned(), b: SLAVE.to_owned() }).unwrap();
    rest(&mut world);
    world.act(Action::Mend { a: "broker-a".to_owned(), b: SLAVE.to_owned() }).unwrap();
    wait_for(&mut world, 6_000, |world| process(world, "broker-a").ha_connections() == 1);
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(last_sent(&world).status, "FLUSH_SLAVE_TIMEOUT");
}

#[test]
fn the_masters_services_can_be_paused_one_by_one() {
    let mut world = started("SYNC_MASTER");
    for (service, handed_over) in
        [(Service::HaTransfer, false), (Service::HaRead, true), (Service::GroupTransfer, true)]
    {
        world.act(pause("broker-a", Some(service))).unwrap();
        let before = ends(&world).1;
        world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
        let until_us = world.now_us() + 4_500_000;
        world.act(Action::Wait { ms: 4_500 }).unwrap();
        wait_for(&mut world, 5_000, |world| world.now_us() >= until_us);
        assert_eq!(ends(&world).1 > before, handed_over, "{service}");
        if service != Service::GroupTransfer {
            assert_eq!(last_sent(&world).status, "FLUSH_SLAVE_TIMEOUT", "{service}");
        }
        world.act(resume("broker-a", Some(service))).unwrap();
        rest(&mut world);
        assert_eq!(ends(&world).0, ends(&world).1);
    }
    assert_eq!(last_sent(&world).status, "SEND_OK", "the acknowledgement was there");
}

/// With a transient pool only committed bytes are handed over: the put waits for the commit too, at most 200 ms.
#[test]
fn bytes_in_a_transient_buffer_are_not_handed_over() {
    let mut cluster = with_slave("SYNC_MASTER");
    cluster.brokers[0].config.insert("transientStorePoolEnable".to_owned(), "true".to_owned());
    let mut world = World::new(&cluster, 1).unwrap();
    world.act(pause("broker-a", Some(Service::CommitCommitLog))).unwrap();
    // The prefix has no buffer; the file that it is in has none either, so that a new one is begun.
    world.act(bare("OrderTopic", 0, "TagA", 65_000)).unwrap();
    rest(&mut world);
    assert_eq!(last_sent(&world).status, "FLUSH_SLAVE_TIMEOUT");
    assert_eq!(ends(&world).1, 65_536, "the blank tail of the first file, no more");
    world.act(resume("broker-a", Some(Service::CommitCommitLog))).unwrap();
    wait_for(&mut world, 1_000, |world| ends(world) == (130_536, 130_536));
    world.act(bare("OrderTopic", 0, "TagA", 300)).unwrap();
    rest(&mut world);
    assert_eq!((last_sent(&world).status.as_str(), ends(&world)), ("SEND_OK", (130_836, 130_836)));
}

/// `HAService.shutdown` waits for the waits under way: the log is flushed for the last time only when they are over.
#[test]
fn a_stop_waits_for_the_waits_under_way() {
    let mut world = started("SYNC_MASTER");
    world.act(pause(SLAVE, Some(Service::HaClient))).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    let from_us = world.now_us();
    world.act(Action::Wait { ms: 500 }).unwrap();
    wait_for(&mut world, 1000, |world| world.now_us() >= from_us + 500_000);
    world.act(Action::Stop { node: "broker-a".to_owned() }).unwrap();
    let events = rest(&mut world);
    let steps = events.iter().flat_map(|event| &event.steps);
    let at_us = |wanted: fn(&StepKind) -> bool| {
        steps.clone().find(|step| wanted(&step.what)).map(|step| step.at_us - from_us).unwrap()
    };
    // Three ways of 250 us, two of them for the connection, 20 us to take the put in, 15 us to append, and 3 s from there.
    let waited = at_us(
        |step| matches!(step, StepKind::Ha(HaStep::ReplicaWaitEnded { status, .. }) if status == "FLUSH_SLAVE_TIMEOUT"),
    );
    assert_eq!(waited, 3_000_785);
    let closed = at_us(|step| matches!(step, StepKind::Store(Step::AbortDeleted)));
    assert!((waited..waited + 1_000).contains(&closed), "{closed}");
}
