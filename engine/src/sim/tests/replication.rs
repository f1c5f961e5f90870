//! A master and its slave: what is replicated, when, and what a put is told.

use super::*;
use crate::{
    broker::Process,
    disk::{MemoryDisk, ReadAt},
    store::{BrokerRole, Store},
    wire::ResponseCode,
};

const SLAVE: &str = "broker-a-s";

/// The usual cluster with a slave of `broker-a`, and a master of the role given.
fn with_slave(role: &str) -> Cluster {
    let mut cluster = cluster();
    let master = &mut cluster.brokers[0];
    master.config.insert("brokerRole".to_owned(), role.to_owned());
    let mut slave = master.clone();
    slave.name = SLAVE.to_owned();
    for (key, value) in [("brokerRole", "SLAVE"), ("brokerId", "1"), ("brokerName", "broker-a")] {
        slave.config.insert(key.to_owned(), value.to_owned());
    }
    cluster.brokers.push(slave);
    // Producers that wait longer than any broker does.
    for producer in &mut cluster.producers {
        producer.config.insert("sendMsgTimeout".to_owned(), "30000".to_owned());
    }
    cluster
}

fn started(role: &str) -> World {
    World::new(&with_slave(role), 1).unwrap()
}

fn process<'w>(world: &'w World, node: &str) -> &'w Process {
    world.broker(node).unwrap().process().unwrap()
}

fn store<'w>(world: &'w World, node: &str) -> &'w Store<MemoryDisk> {
    process(world, node).store()
}

fn ends(world: &World) -> (i64, i64) {
    (store(world, "broker-a").max_phy_offset(), store(world, SLAVE).max_phy_offset())
}

/// Runs on for so long, and through whatever is no housekeeping then.
fn pass(world: &mut World, ms: i64) -> Vec<TraceEvent> {
    world.act(Action::Wait { ms }).unwrap();
    rest(world)
}

fn wait_for(world: &mut World, most_ms: i64, mut until: impl FnMut(&World) -> bool) {
    let end_us = world.now_us() + most_ms * 1000;
    while !until(world) {
        assert!(world.now_us() < end_us && world.step().is_some(), "not within {most_ms} ms");
    }
}

fn last_sent(world: &World) -> crate::client::SendOutcome {
    world.client("sender").unwrap().sent().last().unwrap().clone()
}

/// Units in the master's queue 0.
fn units(world: &World) -> i64 {
    store(world, "broker-a").queue("OrderTopic", 0).unwrap().max_offset_in_queue()
}

/// Everything below `commitlog/` that the store counts as written.
fn log_bytes(world: &World, node: &str) -> Vec<u8> {
    let store = store(world, node);
    let disk = store.disk();
    let mut bytes = Vec::new();
    for (from, wrote) in store.commit_log_files() {
        let file = disk.find(&format!("commitlog/{from:020}")).unwrap();
        bytes.extend_from_slice(&disk.slice(file, 0, usize::try_from(wrote).unwrap()).unwrap());
    }
    bytes
}

#[test]
fn a_slave_finds_its_master_and_copies_its_log() {
    let mut world = started("ASYNC_MASTER");
    assert_eq!((process(&world, "broker-a").ha_connections(), process(&world, SLAVE).ha_connections()), (1, 1));
    assert_eq!(process(&world, SLAVE).master_addr(), Some("10.0.2.1:10911"));
    assert_eq!(process(&world, SLAVE).ha().client().master(), Some("10.0.2.1:10912"));
    // Both begin with the same record of 1000 bytes.
    assert_eq!(ends(&world), (1000, 1000));
    assert_eq!(log_bytes(&world, "broker-a"), log_bytes(&world, SLAVE));

    for size in [200, 300, 400] {
        world.act(bare("OrderTopic", 0, "TagA", size)).unwrap();
        rest(&mut world);
        assert_eq!(last_sent(&world).status, "SEND_OK");
    }
    assert_eq!(ends(&world), (1900, 1900), "at rest only once everything is replicated");
    assert_eq!(log_bytes(&world, "broker-a"), log_bytes(&world, SLAVE));
    assert_eq!(store(&world, "broker-a").replicated_offset(), Some(1900));
    assert_eq!(store(&world, SLAVE).queue("OrderTopic", 0).unwrap().max_offset_in_queue(), 3);
    assert_eq!(store(&world, SLAVE).reput_from_offset(), 1900);
    assert_eq!(store(&world, SLAVE).flushed_where(), 1000, "acknowledged is not flushed");
}

/// An asynchronous master's idle transfer looks every 100 ms; a put of a synchronous one wakes it.
#[test]
fn an_asynchronous_master_hands_over_within_100_ms() {
    for (role, most_us) in [("ASYNC_MASTER", 102_000), ("SYNC_MASTER", 2_000)] {
        let mut world = started(role);
        world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
        rest(&mut world);
        world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
        let from_us = world.now_us();
        wait_for(&mut world, 1000, |world| store(world, SLAVE).max_phy_offset() == 1400);
        let took_us = world.now_us() - from_us;
        assert!(took_us <= most_us && (role == "SYNC_MASTER" || took_us > 2_000), "{role}: {took_us}");
    }
}

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
        node_steps(event)
            .iter()
            .any(|step| matches!(step, NodeStep::HaAcknowledged { offset: 1200, replicated: 1200, .. }))
    });
    let ended = events.iter().position(|event| {
        node_steps(event)
            .iter()
            .any(|step| matches!(step, NodeStep::ReplicaWaitEnded { next_offset: 1200, status } if status == "PUT_OK"))
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

/// A slave that was cut off connects again at once when the link is back, or at its next attempt 5 s later; its first
/// report follows 5 s after the connection, and only then the master hands over.
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
    let took_us = world.now_us() - from_us - connected_us;
    assert!((5_001_000..5_100_000).contains(&took_us), "{took_us}");
    assert_eq!(log_bytes(&world, "broker-a"), log_bytes(&world, SLAVE));
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

/// A slave that stood still itself for more than 20 s gives its connection up, and connects again.
#[test]
fn a_slave_that_stood_still_connects_again() {
    let mut world = started("ASYNC_MASTER");
    world.act(pause(SLAVE, None)).unwrap();
    pass(&mut world, 30_000);
    assert_eq!(process(&world, "broker-a").ha_connections(), 0, "the master has closed it");
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    world.act(resume(SLAVE, None)).unwrap();
    wait_for(&mut world, 30_000, |world| ends(world) == (1200, 1200));
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

#[test]
fn a_slave_refuses_messages() {
    let mut cluster = with_slave("ASYNC_MASTER");
    cluster.producers[1].broker = SLAVE.to_owned();
    let mut world = World::new(&cluster, 1).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    let sent = last_sent(&world);
    assert_eq!(sent.response_code, Some(ResponseCode::ServiceNotAvailable.value()));
    assert!(sent.error.unwrap().contains("messages are put to the slave"));
    assert_eq!(ends(&world), (1000, 1000));
}

#[test]
fn a_name_server_knows_both_and_producers_use_the_master() {
    let mut world = started("ASYNC_MASTER");
    let route = world.name_server("namesrv").unwrap().tables().route("OrderTopic").unwrap();
    let addrs: Vec<_> = route.broker_datas[0].broker_addrs.clone().into_iter().collect();
    assert_eq!(addrs, [(0, "10.0.2.1:10911".to_owned()), (1, "10.0.2.2:10911".to_owned())]);
    world.act(send("OrderTopic")).unwrap();
    rest(&mut world);
    let sent = world.client("producer").unwrap().sent().last().unwrap().clone();
    assert_eq!(sent.status, "SEND_OK");
    assert_eq!(ends(&world).0, ends(&world).1);
}

/// Topics, offsets and groups follow within 10 s, and rounds that change nothing pass unseen.
#[test]
fn a_slave_copies_what_stands_beside_the_log() {
    let mut world = started("ASYNC_MASTER");
    world.act(send("NewTopic")).unwrap();
    rest(&mut world);
    let Action::Pull { consumer, topic, queue, offset, max, .. } = pull("OrderTopic", 0, 0) else {
        unreachable!("pull makes a pull")
    };
    world
        .act(Action::Pull { consumer, topic, queue, offset, max, tags: None, suspend_ms: None, commit: Some(7) })
        .unwrap();
    rest(&mut world);
    assert_eq!(process(&world, "broker-a").offsets().query("CG_consumer", "OrderTopic", 0), Some(7));
    pass(&mut world, 11_000);
    let (master, slave) = (process(&world, "broker-a"), process(&world, SLAVE));
    assert!(slave.topics().get("NewTopic").is_some());
    assert_eq!(master.topics(), slave.topics());
    assert_eq!(master.groups(), slave.groups());
    assert_eq!(slave.offsets().query("CG_consumer", "OrderTopic", 0), Some(7));
    let file = |node: &str, path: &str| crate::store::config_file::read_text(world.broker(node).unwrap().disk(), path);
    for path in ["config/topics.json", "config/subscriptionGroup.json"] {
        assert_eq!(file("broker-a", path), file(SLAVE, path), "{path}");
    }
    assert_eq!(file(SLAVE, "config/delayOffset.json").as_deref(), Some("{\"offsetTable\":{}}"));
    let groups = file(SLAVE, "config/consumerOffset.json").unwrap();
    assert!(groups.contains("OrderTopic@CG_consumer"), "{groups}");
}

#[test]
fn idle_hours_with_a_slave_cost_a_handful_of_events() {
    let mut world = started("SYNC_MASTER");
    let events = pass(&mut world, 72 * 3_600_000);
    assert!(events.len() < 40, "{} events", events.len());
    assert_eq!((process(&world, "broker-a").ha_connections(), process(&world, SLAVE).ha_connections()), (1, 1));
    // A put after them is replicated as always.
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!((last_sent(&world).status.as_str(), ends(&world)), ("SEND_OK", (1200, 1200)));
    let events = pass(&mut world, 72 * 3_600_000);
    assert!(events.len() < 80, "{} events", events.len());
}

/// Heartbeats that pass unseen leave what those leave that are seen.
#[test]
fn unseen_heartbeats_leave_the_same() {
    let mut shown = with_slave("ASYNC_MASTER");
    shown.show_quiet_rounds = true;
    let mut worlds = [started("ASYNC_MASTER"), World::new(&shown, 1).unwrap()];
    let mut left = Vec::new();
    for world in &mut worlds {
        pass(world, 600_000);
        world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
        let from_us = world.now_us();
        wait_for(world, 1000, |world| store(world, SLAVE).max_phy_offset() == 1200);
        left.push((world.now_us() - from_us, log_bytes(world, SLAVE)));
        // A stall is found out at the same moment.
        pass(world, 60_000);
        world.act(Action::Stall { a: "broker-a".to_owned(), b: SLAVE.to_owned() }).unwrap();
        let from_us = world.now_us();
        wait_for(world, 60_000, |world| process(world, "broker-a").ha_connections() == 0);
        left.push((world.now_us() - from_us, Vec::new()));
    }
    assert_eq!(left[..2], left[2..]);
}

#[test]
fn a_slave_needs_an_id_and_a_master_has_none() {
    let mut cluster = with_slave("ASYNC_MASTER");
    cluster.brokers[1].config.remove("brokerId");
    assert_eq!(World::new(&cluster, 1).unwrap_err().to_string(), "broker-a-s: Slave's brokerId must be > 0");
    let mut cluster = with_slave("ASYNC_MASTER");
    cluster.brokers[0].config.insert("brokerId".to_owned(), "7".to_owned());
    let world = World::new(&cluster, 1).unwrap();
    assert_eq!(world.broker("broker-a").unwrap().config().broker_id, 0);
    assert_eq!(world.broker(SLAVE).unwrap().store_config().broker_role, BrokerRole::Slave);
}

fn consume(offset: i64, commit: Option<i64>) -> Action {
    let Action::Pull { consumer, topic, queue, max, .. } = pull("OrderTopic", 0, offset) else {
        unreachable!("pull makes a pull")
    };
    Action::Pull { consumer, topic, queue, offset, max, tags: None, suspend_ms: None, commit }
}

/// Messages that lie further behind than the memory reaches are to be read from the slave, if masters may say so; with
/// 2000 bytes of memory, of which 40 % count, that is more than 800 bytes behind.
#[test]
fn a_consumer_follows_the_masters_suggestion() {
    for (enabled, asked) in [("true", SLAVE), ("false", "broker-a")] {
        let mut cluster = with_slave("ASYNC_MASTER");
        for broker in &mut cluster.brokers {
            broker.config.insert("slaveReadEnable".to_owned(), enabled.to_owned());
            broker.config.insert("rocketscope.totalPhysicalMemory".to_owned(), "2000".to_owned());
        }
        let mut world = World::new(&cluster, 1).unwrap();
        for _ in 0..10 {
            world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
            rest(&mut world);
        }
        // 8 messages at most from the disk: the last of them ends 400 bytes before the end, which is within memory; so
        // the pull is cut to one.
        let Action::Pull { consumer, topic, queue, offset, tags, suspend_ms, commit, .. } = consume(0, None) else {
            unreachable!("consume makes a pull")
        };
        world.act(Action::Pull { consumer, topic, queue, offset, max: 1, tags, suspend_ms, commit }).unwrap();
        rest(&mut world);
        let suggested: Vec<i64> = world.client("consumer").unwrap().pull_from().values().copied().collect();
        assert_eq!(suggested, [i64::from(enabled == "true")]);

        world.act(consume(1, Some(1))).unwrap();
        let events = rest(&mut world);
        let pulled = events.iter().find(|event| {
            matches!(&event.what, EventKind::Request { code: crate::wire::RequestCode::PullMessage, .. })
        });
        assert_eq!(pulled.unwrap().node, asked, "slaveReadEnable={enabled}");
        let outcome = world.client("consumer").unwrap().pulls().last().unwrap().clone();
        assert_eq!(outcome.status, "FOUND");
        // A slave is not told to keep an offset.
        let kept = process(&world, asked).offsets().query("CG_consumer", "OrderTopic", 0);
        assert_eq!(kept, (asked == "broker-a").then_some(1));
    }
}

/// A slave does not judge offsets: it may lag behind.
#[test]
fn a_slave_sends_wrong_offsets_back_to_the_master() {
    let mut cluster = with_slave("ASYNC_MASTER");
    for broker in &mut cluster.brokers {
        broker.config.insert("slaveReadEnable".to_owned(), "true".to_owned());
        broker.config.insert("rocketscope.totalPhysicalMemory".to_owned(), "0".to_owned());
    }
    let mut world = World::new(&cluster, 1).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    world.act(consume(0, None)).unwrap();
    rest(&mut world);
    assert_eq!(world.client("consumer").unwrap().pull_from().values().copied().collect::<Vec<_>>(), [1]);
    // Beyond the end: the slave answers PULL_RETRY_IMMEDIATELY, leaves the offset and names the master, which corrects it.
    for (status, next, suggested) in [("NO_MATCHED_MSG", 50, 0), ("OFFSET_ILLEGAL", 1, 0)] {
        world.act(consume(50, None)).unwrap();
        rest(&mut world);
        let consumer = world.client("consumer").unwrap();
        let outcome = consumer.pulls().last().unwrap().clone();
        assert_eq!((outcome.status.as_str(), outcome.next_begin_offset), (status, next));
        assert_eq!(consumer.pull_from().values().copied().collect::<Vec<_>>(), [suggested]);
    }
    // Only the master has written the event of the correction; the slave has its copy.
    assert_eq!(store(&world, "broker-a").queue("OFFSET_MOVED_EVENT", 0).unwrap().max_offset_in_queue(), 1);
    assert_eq!(log_bytes(&world, "broker-a"), log_bytes(&world, SLAVE));
}

/// Pulls that a slave holds are not woken by its reput, but found by the look every 5 s.
#[test]
fn a_slave_finds_held_pulls_at_its_next_look() {
    let mut cluster = with_slave("ASYNC_MASTER");
    cluster.brokers[0].config.insert("slaveReadEnable".to_owned(), "true".to_owned());
    cluster.brokers[0].config.insert("rocketscope.totalPhysicalMemory".to_owned(), "0".to_owned());
    cluster.brokers[1].config.insert("slaveReadEnable".to_owned(), "true".to_owned());
    let mut world = World::new(&cluster, 1).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    world.act(consume(0, None)).unwrap();
    rest(&mut world);
    let Action::Pull { consumer, topic, queue, offset, max, tags, commit, .. } = consume(1, None) else {
        unreachable!("consume makes a pull")
    };
    world.act(Action::Pull { consumer, topic, queue, offset, max, tags, suspend_ms: Some(15_000), commit }).unwrap();
    rest(&mut world);
    assert_eq!(process(&world, SLAVE).held_pulls().count(), 1);
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    let from_us = world.now_us();
    wait_for(&mut world, 10_000, |world| world.client("consumer").unwrap().pulls().len() == 2);
    let took_us = world.now_us() - from_us;
    assert!((300_000..=5_002_000).contains(&took_us), "{took_us}");
    assert_eq!(world.client("consumer").unwrap().pulls().last().unwrap().status, "FOUND");
}

#[test]
fn topics_are_changed_at_the_master_only() {
    let mut world = started("ASYNC_MASTER");
    let set = |broker: &str| Action::SetTopic {
        broker: broker.to_owned(),
        topic: "Made".to_owned(),
        read_queues: 1,
        write_queues: 1,
        perm: 6,
    };
    let event = world.act(set(SLAVE)).unwrap();
    assert!(node_steps(&event).iter().any(|step| matches!(step, NodeStep::Refused { .. })));
    assert!(process(&world, SLAVE).topics().get("Made").is_none());
    world.act(set("broker-a")).unwrap();
    pass(&mut world, 11_000);
    assert!(process(&world, SLAVE).topics().get("Made").is_some());
}

/// What is on the wire says what it is.
#[test]
fn bytes_of_replication_fly_like_requests() {
    let mut world = started("SYNC_MASTER");
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    let events = rest(&mut world);
    let sent: Vec<_> =
        events.iter().flat_map(|event| &event.sent).filter(|sent| sent.kind == SentKind::Replica).collect();
    let labels: Vec<&str> = sent.iter().map(|sent| sent.label.as_str()).collect();
    assert_eq!(labels, ["HA_DATA 1000 +200", "HA_ACK 1200"]);
    assert_eq!((sent[0].to.as_str(), sent[1].to.as_str()), (SLAVE, "broker-a"));
}

/// The same seed and the same actions go the same way.
#[test]
fn replication_is_deterministic() {
    let run = || {
        let mut world = started("SYNC_MASTER");
        for size in [200, 20_000, 300] {
            world.act(bare("OrderTopic", 0, "TagA", size)).unwrap();
            rest(&mut world);
        }
        world.act(Action::Cut { a: "broker-a".to_owned(), b: SLAVE.to_owned() }).unwrap();
        pass(&mut world, 7_000);
        world.act(Action::Mend { a: "broker-a".to_owned(), b: SLAVE.to_owned() }).unwrap();
        pass(&mut world, 20_000);
        (world.trace_hash(), world.state_hash())
    };
    assert_eq!(run(), run());
}

fn kill(node: &str) -> Action {
    Action::Kill { node: node.to_owned() }
}

fn start(node: &str) -> Action {
    Action::Start { node: node.to_owned() }
}

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

/// A master that lost what its slave has: the slave's first report is believed, and puts are told SEND_OK although no
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
        node_steps(event).iter().any(|step| matches!(step, NodeStep::HaSlaveAhead { offset: 1500, max: 1200, .. }))
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
