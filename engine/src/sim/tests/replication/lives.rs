//! Links that break, processes that die and come back, and what the logs are then.

use super::*;

/// A slave that was killed finds its end by recovery, and goes on from there.
#[test]
fn a_killed_slave_goes_on_where_it_was() {
    let mut world = started("ASYNC_MASTER");
    world.act(bare("OrderTopic", 0, "TagA", 40_000)).unwrap();
    rest(&mut world);
    world.act(kill(SLAVE)).unwrap();
    rest(&mut world);
    assert_eq!(process(&world, "broker-a").ha_connections(), 0);
    for _ in 0..3 {
        world.act(bare("OrderTopic", 0, "TagA", 20_000)).unwrap();
        rest(&mut world);
    }
    world.act(start(SLAVE)).unwrap();
    wait_for(&mut world, 40_000, |world| world.broker(SLAVE).unwrap().is_running() && ends(world).0 == ends(world).1);
    assert_eq!(log_bytes(&world, "broker-a"), log_bytes(&world, SLAVE));
    rest(&mut world);
    assert_eq!(store(&world, SLAVE).queue("OrderTopic", 0).unwrap().max_offset_in_queue(), 4);
}

/// A slave whose machine loses what was not flushed asks for it again, although it had acknowledged it.
#[test]
fn a_slave_asks_again_for_what_a_power_loss_took() {
    let mut cluster = with_slave("SYNC_MASTER");
    cluster.begin = Begin::Cold;
    let mut world = World::new(&cluster, 1).unwrap();
    // The configuration files that it copies would not be flushed either, and it could not start again without them.
    wait_for(&mut world, 2_000, |world| world.broker(SLAVE).unwrap().is_running());
    world.act(pause(SLAVE, Some(Service::SlaveSync))).unwrap();
    wait_for(&mut world, 20_000, |world| {
        let mut slaves = world.broker("broker-a").unwrap().process().into_iter().flat_map(|it| it.ha().connections());
        slaves.any(|slave| slave.next().is_some())
    });
    world.act(bare("OrderTopic", 0, "TagA", 500)).unwrap();
    rest(&mut world);
    assert_eq!(last_sent(&world).status, "SEND_OK");
    assert_eq!(store(&world, SLAVE).flushed_where(), 1000);
    world.act(Action::PowerLoss { node: SLAVE.to_owned(), survives: Survives::Flushed }).unwrap();
    pass(&mut world, 30_000);
    assert_eq!(process(&world, "broker-a").ha_connections(), 0, "the master closed after 20 silent seconds");
    world.act(start(SLAVE)).unwrap();
    wait_for(&mut world, 20_000, |world| world.broker(SLAVE).unwrap().is_running());
    assert_eq!(ends(&world), (1500, 1000));
    wait_for(&mut world, 40_000, |world| ends(world) == (1500, 1500));
    assert_eq!(log_bytes(&world, "broker-a"), log_bytes(&world, SLAVE));
}

/// A dead master's slave serves reads, takes no writes, and does not take over.
#[test]
fn a_dead_masters_slave_serves_reads_only() {
    let mut world = started("ASYNC_MASTER");
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    world.act(consume(0, None)).unwrap();
    rest(&mut world);
    world.act(send("OrderTopic")).unwrap();
    rest(&mut world);
    world.act(kill("broker-a")).unwrap();
    pass(&mut world, 60_000);
    // The routes have the slave only; the queues stay, since the broker's name is still there.
    let route = world.name_server("namesrv").unwrap().tables().route("OrderTopic").unwrap();
    assert_eq!(route.broker_datas[0].broker_addrs.keys().copied().collect::<Vec<_>>(), [1]);
    assert_eq!(process(&world, SLAVE).master_addr(), None);
    world.act(consume(0, None)).unwrap();
    rest(&mut world);
    let pulled = world.client("consumer").unwrap().pulls().last().unwrap().clone();
    assert_eq!((pulled.status.as_str(), pulled.received >= 1), ("FOUND", true));
    world.act(send("OrderTopic")).unwrap();
    rest(&mut world);
    let sent = world.client("producer").unwrap().sent().last().unwrap().clone();
    assert_eq!(sent.status, "MQClientException", "nobody takes it: {:?}", sent.error);

    // The master comes back, and everything goes on.
    world.act(start("broker-a")).unwrap();
    pass(&mut world, 60_000);
    world.act(bare("OrderTopic", 0, "TagA", 300)).unwrap();
    rest(&mut world);
    assert_eq!(last_sent(&world).status, "SEND_OK");
    assert_eq!(ends(&world).0, ends(&world).1);
    assert_eq!(log_bytes(&world, "broker-a"), log_bytes(&world, SLAVE));
}

/// A master that lost what its slave has: the slave's first report is believed, and puts are told `SEND_OK` although no
/// slave has them; the second report gives the slave away, and the connection is closed, again and again. Once the
/// master's log has grown past the slave's end, it goes on there, and the two logs differ before it.
#[test]
fn a_master_that_lost_its_tail_and_its_slave_part() {
    let mut world = started("SYNC_MASTER");
    world.act(bare("OrderTopic", 0, "TagA", 500)).unwrap();
    rest(&mut world);
    assert_eq!(ends(&world), (1500, 1500));
    let before = log_bytes(&world, SLAVE);
    world.act(Action::PowerLoss { node: "broker-a".to_owned(), survives: Survives::Flushed }).unwrap();
    rest(&mut world);
    world.act(start("broker-a")).unwrap();
    wait_for(&mut world, 20_000, |world| world.broker("broker-a").unwrap().is_running());
    assert_eq!(ends(&world), (1000, 1500));
    wait_for(&mut world, 20_000, |world| store(world, "broker-a").replicated_offset() == Some(1500));
    // "Replicated" lies beyond the end of the log: the put is answered at once, and no slave has got it.
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    let from_us = world.now_us();
    rest(&mut world);
    assert_eq!(last_sent(&world).status, "SEND_OK");
    assert!(last_sent(&world).ended_us - from_us < 2_000);
    assert_eq!(ends(&world), (1200, 1500));
    let ahead = |event: &TraceEvent| {
        ha_steps(event).iter().any(|step| matches!(step, HaStep::HaSlaveAhead { offset: 1500, max: 1200, .. }))
    };
    let mut closed = 0;
    while closed < 2 {
        closed += u32::from(ahead(&world.step().unwrap()));
    }
    // 400 bytes more: the master's log ends at 1600, and the slave gets what lies behind its own end.
    world.act(bare("OrderTopic", 0, "TagA", 400)).unwrap();
    wait_for(&mut world, 30_000, |world| ends(world) == (1600, 1600));
    let (master, slave) = (log_bytes(&world, "broker-a"), log_bytes(&world, SLAVE));
    assert_eq!(slave[..1500], before[..]);
    assert_ne!(master[1000..1500], slave[1000..1500]);
    assert_eq!(master[1500..], slave[1500..]);
}

/// A slave that was cut off connects again at its next attempt, at most 5 s after the link is back; its first report
/// follows 5 s after the connection, and only then the master hands over.
#[test]
fn after_a_cut_the_slave_catches_up() {
    let mut world = started("ASYNC_MASTER");
    world.act(Action::Cut { a: "broker-a".to_owned(), b: SLAVE.to_owned() }).unwrap();
    rest(&mut world);
    assert_eq!(process(&world, "broker-a").ha_connections(), 0);
    for _ in 0..3 {
        world.act(bare("OrderTopic", 0, "TagA", 30_000)).unwrap();
        rest(&mut world);
    }
    assert_eq!(store(&world, SLAVE).max_phy_offset(), 1000);
    pass(&mut world, 60_000);
    world.act(Action::Mend { a: "broker-a".to_owned(), b: SLAVE.to_owned() }).unwrap();
    let from_us = world.now_us();
    wait_for(&mut world, 20_000, |world| process(world, SLAVE).ha_connections() == 1);
    let connected_us = world.now_us() - from_us;
    assert!(connected_us <= 5_001_000, "{connected_us}");
    wait_for(&mut world, 20_000, |world| ends(world).0 == ends(world).1);
    // The report leaves 5001 ms after the connection. The transfer looks for it every 10 ms since the master took the
    // slave in, one way of 250 us later: it sees it after 5010 ms, and hands over three pieces, since one of 32,768
    // bytes does not reach the end of the first file. 15 us for each, and one way for the last.
    assert_eq!(world.now_us() - from_us - connected_us, 250 + 5_010_000 + 3 * 15 + 250);
    assert_eq!(log_bytes(&world, "broker-a"), log_bytes(&world, SLAVE));
}

/// A stalled link: the master hears nothing for more than 20 s and closes; the slave learns of it when the link is back.
#[test]
fn a_master_closes_after_twenty_silent_seconds() {
    let mut world = started("ASYNC_MASTER");
    world.act(Action::Stall { a: "broker-a".to_owned(), b: SLAVE.to_owned() }).unwrap();
    let from_us = world.now_us();
    wait_for(&mut world, 60_000, |world| process(world, "broker-a").ha_connections() == 0);
    let took_us = world.now_us() - from_us;
    // Its last report was at most 5 s old.
    assert!((15_000_000..=20_002_000).contains(&took_us), "{took_us}");
    assert_eq!(process(&world, SLAVE).ha_connections(), 1);
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    pass(&mut world, 10_000);
    world.act(Action::Mend { a: "broker-a".to_owned(), b: SLAVE.to_owned() }).unwrap();
    wait_for(&mut world, 20_000, |world| ends(world) == (1200, 1200));
    assert_eq!(log_bytes(&world, "broker-a"), log_bytes(&world, SLAVE));
}

/// A master without power says nothing: its slave goes on reporting into the void until TCP gives up what nobody
/// acknowledges, 924.6 s after the first report that was lost, and then tries in vain to connect.
#[test]
fn a_slave_of_a_master_without_power_gives_up_after_a_quarter_of_an_hour() {
    let mut world = started("ASYNC_MASTER");
    world.act(Action::PowerLoss { node: "broker-a".to_owned(), survives: Survives::Everything }).unwrap();
    let from_us = world.now_us();
    let events = wait_for(&mut world, 940_000, |world| process(world, SLAVE).ha_connections() == 0);
    let reported = |event: &&TraceEvent| {
        ha_steps(event).iter().any(|step| matches!(step, HaStep::HaReported { .. })) && event.node == SLAVE
    };
    let first_us = events.iter().find(reported).unwrap().at_us;
    assert!(first_us - from_us <= 5_001_000, "{first_us}");
    assert_eq!(world.now_us() - first_us, 924_600_000);
    // A report every 5 s was all that happened, and then there are attempts that pass unseen.
    let events = pass(&mut world, 72 * 3_600_000);
    assert!(events.len() < 100, "{} events", events.len());
    world.act(start("broker-a")).unwrap();
    wait_for(&mut world, 60_000, |world| process(world, SLAVE).ha_connections() == 1);
    pass(&mut world, 10_000);
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(ends(&world), (1200, 1200));
    assert_eq!(log_bytes(&world, "broker-a"), log_bytes(&world, SLAVE));
}

/// The same on a link that carries nothing. What it holds is not delivered once the connection is gone.
#[test]
fn a_slave_on_a_stalled_link_gives_up_too() {
    let mut world = started("ASYNC_MASTER");
    world.act(Action::Stall { a: "broker-a".to_owned(), b: SLAVE.to_owned() }).unwrap();
    pass(&mut world, 924_000);
    assert_eq!(process(&world, SLAVE).ha_connections(), 1);
    pass(&mut world, 6_000);
    assert_eq!(process(&world, SLAVE).ha_connections(), 0);
    let events = pass(&mut world, 3_600_000);
    let dialled = events.iter().filter(|event| event.service == Service::HaClient.name()).count();
    assert!(dialled < 20, "attempts in vain pass unseen, but {dialled} events");
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    world.act(Action::Mend { a: "broker-a".to_owned(), b: SLAVE.to_owned() }).unwrap();
    wait_for(&mut world, 20_000, |world| ends(world) == (1200, 1200));
    assert_eq!(log_bytes(&world, "broker-a"), log_bytes(&world, SLAVE));
}

/// A slave that stood still itself for more than 20 s gives its connection up, and connects again.
#[test]
fn a_slave_that_stood_still_connects_again() {
    let mut world = started("ASYNC_MASTER");
    world.act(pause(SLAVE, None)).unwrap();
    let events = pass(&mut world, 30_000);
    assert_eq!(expired(&events), [("broker-a".to_owned(), 20_001)]);
    assert_eq!(process(&world, "broker-a").ha_connections(), 0, "the master has closed it");
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    world.act(resume(SLAVE, None)).unwrap();
    let events = wait_for(&mut world, 30_000, |world| ends(world) == (1200, 1200));
    let expired = expired(&events);
    assert!(matches!(&expired[..], [(node, 30_000..)] if node == SLAVE), "{expired:?}");
}

/// A slave whose own clock jumps more than 20 s ahead thinks that it has not reported for so long: it gives its
/// connection up at its next look, at most 1 s later, and connects again at once.
#[test]
fn a_slaves_clock_that_jumps_ahead_costs_the_connection() {
    let mut world = started("ASYNC_MASTER");
    world.act(Action::JumpClock { node: SLAVE.to_owned(), ms: 60_000 }).unwrap();
    let events = pass(&mut world, 1_001);
    let expired = expired(&events);
    assert!(matches!(&expired[..], [(node, 60_000..=65_001)] if node == SLAVE), "{expired:?}");
    assert_eq!((process(&world, "broker-a").ha_connections(), process(&world, SLAVE).ha_connections()), (1, 1));
    pass(&mut world, 10_000);
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(ends(&world), (1200, 1200));
}

/// A clock that jumps more than 20 s ahead makes a master think that its slave has been silent; the slave comes back.
#[test]
fn a_clock_that_jumps_ahead_costs_the_connection() {
    let mut world = started("ASYNC_MASTER");
    world.act(Action::JumpClock { node: "broker-a".to_owned(), ms: 60_000 }).unwrap();
    wait_for(&mut world, 10, |world| process(world, "broker-a").ha_connections() == 0);
    wait_for(&mut world, 1_000, |world| process(world, "broker-a").ha_connections() == 1);
    pass(&mut world, 10_000);
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(ends(&world), (1200, 1200));
}

/// A slave that is told where its master is needs no NameServer for its log; only the rest is not copied then.
#[test]
fn a_configured_master_needs_no_name_server() {
    let mut cluster = with_slave("ASYNC_MASTER");
    cluster.name_servers.clear();
    cluster.producers.remove(0);
    cluster.brokers[1].config.insert("haMasterAddress".to_owned(), "10.0.2.1:10912".to_owned());
    let mut world = World::new(&cluster, 1).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(ends(&world), (1200, 1200));
    assert_eq!(process(&world, SLAVE).master_addr(), None);

    // Attempts in vain pass unseen; once the master is there again the next one finds it.
    world.act(kill("broker-a")).unwrap();
    pass(&mut world, 30_000);
    world.act(start("broker-a")).unwrap();
    wait_for(&mut world, 20_000, |world| world.broker("broker-a").unwrap().is_running());
    wait_for(&mut world, 5_001, |world| process(world, SLAVE).ha_connections() == 1);
    pass(&mut world, 10_000);
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(ends(&world), (1400, 1400));
}

/// A stop in good order says goodbye: the slave knows at once, and is there again when its master is.
#[test]
fn a_master_that_stops_in_order_closes_its_connections() {
    let mut world = started("ASYNC_MASTER");
    world.act(Action::Stop { node: "broker-a".to_owned() }).unwrap();
    rest(&mut world);
    assert_eq!(process(&world, SLAVE).ha_connections(), 0);
    world.act(start("broker-a")).unwrap();
    wait_for(&mut world, 60_000, |world| process(world, SLAVE).ha_connections() == 1);
    pass(&mut world, 10_000);
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(ends(&world), (1200, 1200));
}
