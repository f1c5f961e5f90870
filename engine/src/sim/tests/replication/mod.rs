//! A master and its slave: what is replicated, when, and what a put is told.

mod lives;
mod reading;
mod waits;

use super::*;
use crate::{
    broker::Process,
    disk::{MemoryDisk, ReadAt},
    store::{BrokerRole, Store},
    wire::ResponseCode,
};

pub(super) const SLAVE: &str = "broker-a-s";

/// The usual cluster with a slave of `broker-a`, and a master of the role given.
pub(super) fn with_slave(role: &str) -> Cluster {
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

fn wait_for(world: &mut World, most_ms: i64, mut until: impl FnMut(&World) -> bool) -> Vec<TraceEvent> {
    let end_us = world.now_us() + most_ms * 1000;
    let mut events = Vec::new();
    while !until(world) {
        assert!(world.now_us() < end_us, "not within {most_ms} ms");
        events.push(world.step().expect("something is still to happen"));
    }
    events
}

/// Who found which silence too long, milliseconds.
fn expired(events: &[TraceEvent]) -> Vec<(String, i64)> {
    let steps = events.iter().flat_map(|event| ha_steps(event).into_iter().map(|step| (event.node.clone(), step)));
    steps
        .filter_map(|(node, step)| match step {
            HaStep::HaExpired { silent_ms, .. } => Some((node, *silent_ms)),
            _ => None,
        })
        .collect()
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

fn consume(offset: i64, commit: Option<i64>) -> Action {
    let Action::Pull { consumer, topic, queue, max, .. } = pull("OrderTopic", 0, offset) else {
        unreachable!("pull makes a pull")
    };
    Action::Pull { consumer, topic, queue, offset, max, tags: None, sql: None, suspend_ms: None, commit, broker: None }
}

fn kill(node: &str) -> Action {
    Action::Kill { node: node.to_owned() }
}

fn start(node: &str) -> Action {
    Action::Start { node: node.to_owned() }
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

/// With nothing to hand over a master looks every 100 ms whether more than 5 s have passed.
#[test]
fn heartbeats_come_at_the_looks_of_the_transfer() {
    let mut cluster = with_slave("ASYNC_MASTER");
    cluster.show_quiet_rounds = true;
    let mut world = World::new(&cluster, 1).unwrap();
    let events = pass(&mut world, 30_000);
    let beats = events
        .iter()
        .filter(|event| ha_steps(event).iter().any(|step| matches!(step, HaStep::HaHeartbeat { .. })))
        .map(|event| event.at_us);
    let beats: Vec<i64> = beats.collect();
    assert!(beats.len() >= 5, "{beats:?}");
    assert!(beats.windows(2).all(|two| two[1] - two[0] == 5_100_000), "{beats:?}");
}

/// An interval below 1 has a master beat at each of its looks, and a slave report whenever it looks: time goes on.
#[test]
fn heartbeats_without_an_interval_do_not_stop_time() {
    for interval in ["-5000", "0", "1"] {
        let mut cluster = with_slave("SYNC_MASTER");
        for broker in &mut cluster.brokers {
            broker.config.insert("haSendHeartbeatInterval".to_owned(), interval.to_owned());
        }
        let mut world = World::new(&cluster, 1).unwrap();
        world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
        rest(&mut world);
        assert_eq!((last_sent(&world).status.as_str(), ends(&world)), ("SEND_OK", (1200, 1200)), "{interval}");
        let events = pass(&mut world, 72 * 3_600_000);
        assert!(events.len() < 100, "{interval}: {} events", events.len());

        cluster.show_quiet_rounds = true;
        let mut world = World::new(&cluster, 1).unwrap();
        let events = pass(&mut world, 10_000);
        let beats = events.iter().flat_map(ha_steps).filter(|step| matches!(step, HaStep::HaHeartbeat { .. }));
        let beats = beats.count();
        assert!((99..=101).contains(&beats), "{interval}: {beats}");
    }
}

/// What a slave appends wakes nobody who flushes: `GroupCommitService` finds it within 10 ms, `FlushRealTimeService`
/// within 500 ms, whether or not it lets itself be woken.
#[test]
fn a_slave_flushes_when_its_service_next_looks() {
    for (flush, round_us) in [("SYNC_FLUSH", 10_000), ("ASYNC_FLUSH", 500_000)] {
        let mut cluster = with_slave("SYNC_MASTER");
        for (key, value) in
            [("flushDiskType", flush), ("flushCommitLogTimed", "false"), ("flushCommitLogLeastPages", "0")]
        {
            cluster.brokers[1].config.insert(key.to_owned(), value.to_owned());
        }
        let mut world = World::new(&cluster, 1).unwrap();
        world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
        wait_for(&mut world, 10, |world| store(world, SLAVE).max_phy_offset() == 1200);
        let from_us = world.now_us();
        rest(&mut world);
        assert_eq!(last_sent(&world).status, "SEND_OK");
        assert_eq!(store(&world, SLAVE).flushed_where(), 1000, "{flush}");
        wait_for(&mut world, 1_000, |world| store(world, SLAVE).flushed_where() == 1200);
        let took_us = world.now_us() - from_us;
        assert!(took_us <= round_us, "{flush}: {took_us}");
    }
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

/// What pictures and probes say of both.
#[test]
fn pictures_and_probes_show_both_sides() {
    let mut history = History::new(&with_slave("SYNC_MASTER"), 1).unwrap();
    history.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    history.run(1000, |world, _| world.flights().any(|flight| flight.kind == SentKind::Replica));
    let picture = crate::view::run_picture(&history);
    let flight = picture.stage.flights.iter().find(|flight| flight.kind == SentKind::Replica).unwrap();
    assert_eq!((flight.from.as_str(), flight.to.as_str()), ("broker-a", SLAVE));
    assert_eq!(flight.label, "HA_DATA 1000 +200");
    let edges = picture.stage.edges.iter().filter(|edge| edge.from == SLAVE && edge.to == "broker-a");
    assert_eq!(edges.count(), 1);

    history.run_to_rest(1000);
    let picture = crate::view::run_picture(&history);
    let replicated: Vec<_> = picture.rulers.iter().map(|ruler| (ruler.broker.as_str(), ruler.replicated)).collect();
    assert_eq!(replicated, [("broker-a", Some(1200)), (SLAVE, None)]);
    let facts = picture.stage.nodes.iter().filter_map(|node| match &node.facts {
        crate::view::world::NodeFacts::Broker { broker_id, role, ha_connections, .. } => {
            Some((*broker_id, *role, *ha_connections))
        }
        _ => None,
    });
    assert_eq!(facts.collect::<Vec<_>>(), [(0, BrokerRole::SyncMaster, 1), (1, BrokerRole::Slave, 1)]);

    let read = |probe: &str| {
        let probe = crate::lesson::Probe::parse(probe).unwrap();
        crate::lesson::read(history.world(), &probe).map(|value| value.to_string())
    };
    let wanted = [
        ("broker-a.log.replicated", Some("1200")),
        ("broker-a-s.log.replicated", None),
        ("broker-a.role", Some("SYNC_MASTER")),
        ("broker-a-s.role", Some("SLAVE")),
        ("broker-a.ha.connections", Some("1")),
        ("broker-a-s.ha.connections", Some("1")),
    ];
    for (probe, value) in wanted {
        assert_eq!(read(probe).as_deref(), value, "{probe}");
    }
    let services = |node: &str| history.world().services(node);
    assert!(
        services("broker-a").contains(&Service::GroupTransfer) && !services("broker-a").contains(&Service::HaClient)
    );
    assert!(services(SLAVE).contains(&Service::HaClient) && services(SLAVE).contains(&Service::SlaveSync));
}

/// Two slaves: what either has acknowledged counts, and heartbeats of both pass unseen.
#[test]
fn either_of_two_slaves_is_enough() {
    let mut cluster = with_slave("SYNC_MASTER");
    let mut second = cluster.brokers[1].clone();
    second.name = "broker-a-t".to_owned();
    second.config.insert("brokerId".to_owned(), "2".to_owned());
    cluster.brokers.push(second);
    let mut world = World::new(&cluster, 1).unwrap();
    assert_eq!(process(&world, "broker-a").ha_connections(), 2);
    world.act(pause(SLAVE, Some(Service::HaClient))).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(last_sent(&world).status, "SEND_OK");
    assert_eq!((ends(&world), store(&world, "broker-a-t").max_phy_offset()), ((1200, 1000), 1200));
    world.act(resume(SLAVE, Some(Service::HaClient))).unwrap();
    rest(&mut world);
    assert_eq!(ends(&world), (1200, 1200));
    let events = pass(&mut world, 24 * 3_600_000);
    assert!(events.len() < 100, "{} events", events.len());
    assert_eq!(process(&world, "broker-a").ha_connections(), 2);
}
