//! Processes that end and start: what is lost with them, and what the others see.

use super::*;
use crate::{
    broker::Broker,
    disk::{MemoryDisk, ReadAt},
    store::{ConsumeQueue, Store, step::RecoveryEnd},
};

const BROKER: &str = "broker-a";

pub(super) fn kill(node: &str) -> Action {
    Action::Kill { node: node.to_owned() }
}

pub(super) fn power_loss(node: &str, survives: Survives) -> Action {
    Action::PowerLoss { node: node.to_owned(), survives }
}

pub(super) fn start(node: &str) -> Action {
    Action::Start { node: node.to_owned() }
}

pub(super) fn stop(node: &str) -> Action {
    Action::Stop { node: node.to_owned() }
}

/// Does it, and lets the world come to rest.
pub(super) fn act(world: &mut World, action: Action) -> Vec<TraceEvent> {
    let first = world.act(action).unwrap();
    let mut events = vec![first];
    events.extend(rest(world));
    events
}

pub(super) fn broker(world: &World) -> &Broker {
    world.broker(BROKER).unwrap()
}

pub(super) fn store(world: &World) -> &Store<MemoryDisk> {
    broker(world).store().unwrap()
}

fn state(world: &World) -> NodeState {
    world.node_state(BROKER).unwrap()
}

fn abort(world: &World) -> bool {
    broker(world).disk().find("abort").is_some()
}

/// The same world with these keys of the broker set.
pub(super) fn configured(pairs: &[(&str, &str)]) -> World {
    let mut cluster = cluster();
    let config = &mut cluster.brokers[0].config;
    config.extend(pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
    World::new(&cluster, 1).unwrap()
}

/// The end of the log and of OrderTopic/0 after a record of 200 bytes was answered, the broker's end and its start.
fn after(mut world: World, end: Action) -> (i64, i64) {
    act(&mut world, bare("OrderTopic", 0, "TagA", 200));
    assert_eq!(world.client("sender").unwrap().sent().last().unwrap().status, "SEND_OK");
    act(&mut world, end);
    assert_eq!(state(&world), NodeState::Down);
    act(&mut world, start(BROKER));
    assert_eq!(state(&world), NodeState::Up);
    let store = store(&world);
    (store.max_phy_offset(), store.queue("OrderTopic", 0).map_or(0, ConsumeQueue::max_offset_in_queue))
}

#[test]
fn a_killed_process_loses_nothing_that_it_wrote() {
    assert_eq!(after(world(), kill(BROKER)), (1200, 1));
}

#[test]
fn a_power_loss_takes_what_was_not_flushed() {
    // The queue's file is there and holds zeros. Another queue ends where the log does, so every queue is truncated
    // (`maxPhyOffsetOfConsumeQueue >= processOffset`), and that takes a first unit without testing whether it is one.
    assert_eq!(after(world(), power_loss(BROKER, Survives::Flushed)), (1000, 1));
    let mut empty = cluster();
    empty.brokers[0].store = StoreSpec::default();
    assert_eq!(after(World::new(&empty, 1).unwrap(), power_loss(BROKER, Survives::Flushed)), (0, 0));
    assert_eq!(after(world(), power_loss(BROKER, Survives::Everything)), (1200, 1));
}

#[test]
fn a_power_loss_spares_what_a_synchronous_flush_has_answered() {
    let sync = || configured(&[("flushDiskType", "SYNC_FLUSH")]);
    // The unit was not flushed; recovery dispatches the record again.
    assert_eq!(after(sync(), power_loss(BROKER, Survives::Flushed)), (1200, 1));
    assert_eq!(after(sync(), kill(BROKER)), (1200, 1));
}

#[test]
fn without_waiting_a_synchronous_flush_promises_nothing() {
    let mut world = configured(&[("flushDiskType", "SYNC_FLUSH")]);
    let message = Send {
        producer: "sender".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: Some(0),
        wait_store: Some(false),
        record_size: Some(200),
        ..Send::default()
    };
    world.act(Action::Send(Box::new(message))).unwrap();
    // Until the answer is there; the flush that the put woke has its turn after it.
    while world.client("sender").unwrap().sent().is_empty() {
        let event = world.step().unwrap();
        if event.service == "put" {
            world.act(pause(BROKER, Some(Service::FlushCommitLog))).unwrap();
        }
    }
    assert_eq!(world.client("sender").unwrap().sent()[0].status, "SEND_OK");
    act(&mut world, power_loss(BROKER, Survives::Flushed));
    act(&mut world, start(BROKER));
    assert_eq!(store(&world).max_phy_offset(), 1000);
}

#[test]
fn the_pages_of_a_power_loss_are_taken_in_order_of_path_and_offset() {
    let mut world = world();
    // Two pages of the log (bytes 1000 to 5000), and one of the queue.
    act(&mut world, bare("OrderTopic", 0, "TagA", 4000));
    let lost = |survives| {
        let event = world.clone().act(power_loss(BROKER, survives)).unwrap();
        node_steps(&event)
            .into_iter()
            .filter_map(|step| match step {
                NodeStep::PagesLost { file, survived, torn, lost } => Some((file.clone(), [*survived, *torn, *lost])),
                _ => None,
            })
            .filter(|(file, _)| file.starts_with("commitlog") || file.starts_with("consumequeue/OrderTopic"))
            .collect::<Vec<_>>()
    };
    let log = "commitlog/00000000000000000000".to_owned();
    let queue = "consumequeue/OrderTopic/0/00000000000000000000".to_owned();
    let both = |a, b| vec![(log.clone(), a), (queue.clone(), b)];
    assert_eq!(lost(Survives::Flushed), both([0, 0, 2], [0, 0, 1]));
    assert_eq!(lost(Survives::Everything), both([2, 0, 0], [1, 0, 0]));
    assert_eq!(lost(Survives::Prefix { pages: 1 }), both([1, 0, 1], [0, 0, 1]));
    assert_eq!(lost(Survives::Torn { pages: 1, sectors: 1 }), both([1, 1, 0], [0, 0, 1]));
    assert_eq!(lost(Survives::Torn { pages: 2, sectors: 1 }), both([2, 0, 0], [0, 1, 0]));
    // Each page has its own chance.
    let drawn: std::collections::BTreeSet<_> = (0..64).map(|seed| lost(Survives::Random { seed })).collect();
    assert_eq!(drawn.len(), 6, "two pages of one file, one of another: three counts of survivors times two");
}

#[test]
fn a_torn_record_ends_the_log_before_it() {
    let mut world = world();
    act(&mut world, bare("OrderTopic", 0, "TagA", 4000));
    // 4096 whole, and 512 of the next page: the record from 1000 to 5000 lacks its end.
    act(&mut world, power_loss(BROKER, Survives::Torn { pages: 1, sectors: 1 }));
    act(&mut world, start(BROKER));
    assert_eq!(store(&world).max_phy_offset(), 1000);
    let last = broker(&world).last_start().unwrap();
    assert_eq!((last.clean, last.end, last.records), (Some(false), Some(1000), 1));
    assert_eq!(last.why, Some(RecoveryEnd::NoRecord));
    // The file is as long as before, and the head of the record still stands in it.
    let disk = broker(&world).disk();
    let file = disk.find("commitlog/00000000000000000000").unwrap();
    assert_eq!(disk.meta(file).unwrap().len, 65536);
    let mut size = [0; 4];
    disk.read_at(file, 1000, &mut size).unwrap();
    assert_eq!(i32::from_be_bytes(size), 4000);
}

#[test]
fn the_abort_file_tells_a_kill_from_a_stop() {
    let mut world = world();
    assert!(abort(&world));
    act(&mut world, stop(BROKER));
    assert_eq!((state(&world), abort(&world)), (NodeState::Down, false));
    act(&mut world, start(BROKER));
    assert_eq!((broker(&world).last_start().unwrap().clean, abort(&world)), (Some(true), true));
    act(&mut world, kill(BROKER));
    assert!(abort(&world));
    act(&mut world, start(BROKER));
    assert_eq!(broker(&world).last_start().unwrap().clean, Some(false));
}

#[test]
fn a_stop_with_records_left_to_dispatch_keeps_the_abort_file() {
    let mut world = world();
    world.act(pause(BROKER, Some(Service::Reput))).unwrap();
    act(&mut world, bare("OrderTopic", 0, "TagA", 200));
    let from_us = world.now_us();
    let events = act(&mut world, stop(BROKER));
    // One second of settling, and up to five of waiting for reput.
    assert!((6_000_000..6_100_000).contains(&(world.now_us() - from_us)), "{}", world.now_us() - from_us);
    assert!(events.iter().flat_map(store_steps).any(|step| *step == Step::AbortKept { behind: 200 }));
    assert_eq!((state(&world), abort(&world)), (NodeState::Down, true));
    act(&mut world, start(BROKER));
    let last = broker(&world).last_start().unwrap();
    assert_eq!((last.clean, last.dispatched), (Some(false), 2));
    assert_eq!(store(&world).queue("OrderTopic", 0).unwrap().max_offset_in_queue(), 1);
}

#[test]
fn a_stop_goes_in_the_order_of_4_9_8() {
    let mut world = world();
    act(&mut world, bare("OrderTopic", 0, "TagA", 200));
    let events = act(&mut world, stop(BROKER));
    let at = |wanted: &dyn Fn(&StepKind) -> bool| {
        let mut steps = events.iter().filter(|event| event.node == BROKER).flat_map(|event| &event.steps);
        steps.position(|step| wanted(&step.what)).unwrap_or_else(|| panic!("{events:#?}"))
    };
    let order = [
        at(&|step| matches!(step, StepKind::Node(NodeStep::StopBegan))),
        at(&|step| matches!(step, StepKind::Store(Step::Flushed { file, .. }) if file.starts_with("commitlog"))),
        at(&|step| matches!(step, StepKind::Store(Step::Flushed { file, .. }) if file.starts_with("consumequeue"))),
        at(&|step| matches!(step, StepKind::Store(Step::CheckpointWritten { .. }))),
        at(&|step| matches!(step, StepKind::Store(Step::AbortDeleted))),
        at(&|step| matches!(step, StepKind::Store(Step::StoreUnlocked))),
        at(&|step| matches!(step, StepKind::Node(NodeStep::RequestSent { .. }))),
        at(
            &|step| matches!(step, StepKind::Node(NodeStep::ConfigWritten { path, .. }) if path.ends_with("Offset.json")),
        ),
        at(&|step| matches!(step, StepKind::Node(NodeStep::ProcessEnded))),
    ];
    assert!(order.is_sorted(), "{order:?}");
    // Of the store, nothing is left to lose but the index, which is flushed when a file is full; and nobody asks for it
    // any more.
    let disk = broker(&world).disk();
    let dirty = disk.dirty_pages().into_iter().map(|page| disk.path(page.file).unwrap());
    assert_eq!(dirty.filter(|path| !path.starts_with("config/") && !path.starts_with("index/")).count(), 0);
    assert!(world.name_server("namesrv").unwrap().tables().live().is_empty());
    assert_eq!(world.connections().filter(|(from, to)| *from == BROKER || *to == BROKER).count(), 0);
}

#[test]
fn a_start_takes_requests_only_once_everything_is_dispatched() {
    let mut world = world();
    world.act(pause(BROKER, Some(Service::Reput))).unwrap();
    for _ in 0..3 {
        act(&mut world, bare("OrderTopic", 0, "TagA", 200));
    }
    act(&mut world, kill(BROKER));
    // Lets recovery dispatch nothing: it looks clean.
    let abort = broker(&world).disk().find("abort").unwrap();
    let id = world.node_id(BROKER).unwrap();
    let node = world.nodes[id].actor.broker_mut().expect("a broker");
    crate::disk::Disk::delete(node.disk_mut(), abort).unwrap();

    let launched = world.act(start(BROKER)).unwrap();
    assert_eq!(state(&world), NodeState::Starting);
    let loaded = world.step().unwrap();
    assert_eq!((loaded.what.clone(), loaded.cause), (EventKind::Started, Some(launched.seq)));
    assert_eq!(broker(&world).last_start().unwrap().seq, Some(loaded.seq));
    assert_eq!((store(&world).reput_from_offset(), store(&world).max_phy_offset()), (1000, 1600));
    // Nobody can connect yet.
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    let mut reputs = 0;
    let from_us = world.now_us();
    while state(&world) != NodeState::Up {
        reputs += u32::from(world.step().unwrap().service == "reput");
    }
    assert_eq!(reputs, 3);
    // It looks every second, and the first look found something.
    assert_eq!(world.now_us() - from_us, 1_000_000);
    assert_eq!(world.client("sender").unwrap().sent().last().unwrap().status, "RemotingConnectException");
    assert_eq!(store(&world).queue("OrderTopic", 0).unwrap().max_offset_in_queue(), 3);
    // Queue offsets go on where they were.
    rest(&mut world);
    act(&mut world, bare("OrderTopic", 0, "TagA", 200));
    let sent = world.client("sender").unwrap().sent().last().unwrap().clone();
    assert_eq!((sent.queue_offset, sent.physical_offset), (Some(3), Some(1600)));
}

#[test]
fn the_others_learn_of_a_kill_at_once_and_of_a_power_loss_by_their_timeouts() {
    let mut world = world();
    act(&mut world, send("OrderTopic"));
    let mut dark = world.clone();
    act(&mut world, kill(BROKER));
    assert!(world.name_server("namesrv").unwrap().tables().live().is_empty(), "its connection was reset");
    act(&mut world, send("OrderTopic"));
    let sent = world.client("producer").unwrap().sent().last().unwrap().clone();
    assert_eq!((sent.status.as_str(), sent.attempts), ("MQClientException", 3));
    assert!(sent.ended_us - sent.began_us < 10_000, "refused three times");

    act(&mut dark, power_loss(BROKER, Survives::Flushed));
    assert!(!dark.name_server("namesrv").unwrap().tables().live().is_empty(), "nobody has said anything");
    act(&mut dark, send("OrderTopic"));
    let sent = dark.client("producer").unwrap().sent().last().unwrap().clone();
    assert_eq!((sent.attempts, sent.ended_us - sent.began_us), (1, 3_000_000), "no answer within its budget");
    while !dark.name_server("namesrv").unwrap().tables().live().is_empty() {
        dark.step().unwrap();
    }
    assert!((90_000_000..=131_000_000).contains(&dark.now_us()), "{}", dark.now_us());
    // And when it is back, everything goes on.
    act(&mut dark, start(BROKER));
    act(&mut dark, send("OrderTopic"));
    assert_eq!(dark.client("producer").unwrap().sent().last().unwrap().status, "SEND_OK");
}

#[test]
fn what_was_under_way_from_a_killed_process_is_lost() {
    let mut world = world();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    while world.step().unwrap().service != "put" {}
    assert_eq!(world.flights().count(), 1, "the answer");
    act(&mut world, kill(BROKER));
    let sent = world.client("sender").unwrap().sent().last().unwrap().clone();
    assert_eq!(sent.status, "RemotingSendRequestException");
    act(&mut world, start(BROKER));
    assert_eq!(store(&world).max_phy_offset(), 1200, "stored all the same");
}

#[test]
fn clients_and_name_servers_lose_their_memory_and_come_back() {
    let mut world = world();
    act(&mut world, send("OrderTopic"));
    act(&mut world, kill("namesrv"));
    act(&mut world, start("namesrv"));
    assert!(world.name_server("namesrv").unwrap().tables().live().is_empty());
    // The route that the producer knows is enough.
    act(&mut world, send("OrderTopic"));
    assert_eq!(world.client("producer").unwrap().sent().last().unwrap().status, "SEND_OK");
    while world.name_server("namesrv").unwrap().tables().live().is_empty() {
        world.step().unwrap();
    }
    assert!(world.now_us() <= 31_000_000, "the next registration");

    let id = world.client("producer").unwrap().client_id().to_owned();
    act(&mut world, kill("producer"));
    let producer = world.client("producer").unwrap();
    assert_eq!((producer.sent().len(), producer.routes().table().len()), (2, 0), "its record stays, its routes do not");
    assert_eq!(world.act(send("OrderTopic")).unwrap_err(), ActionError::NotRunning { node: "producer".to_owned() });
    act(&mut world, start("producer"));
    act(&mut world, send("OrderTopic"));
    let producer = world.client("producer").unwrap();
    assert_eq!((producer.sent().len(), producer.client_id() == id), (3, false));
    act(&mut world, stop("producer"));
    assert_eq!(world.node_state("producer"), Some(NodeState::Down));
}

#[test]
fn actions_that_do_not_fit_the_state_are_refused() {
    let mut world = world();
    let node = || BROKER.to_owned();
    let mut refused = |action| world.act(action).unwrap_err();
    assert_eq!(refused(start(BROKER)), ActionError::Running { node: node() });
    assert_eq!(refused(kill("nobody")), ActionError::NoSuchNode { node: "nobody".to_owned() });
    let torn = Survives::Torn { pages: 0, sectors: 8 };
    assert!(matches!(refused(power_loss(BROKER, torn)), ActionError::BadValue { .. }));
    let trap = |node: &str, service| Action::CrashAt {
        node: node.to_owned(),
        service,
        write: 0,
        bytes: None,
        survives: None,
        unsent: false,
    };
    assert!(matches!(refused(trap("producer", None)), ActionError::WrongNode { .. }));
    assert!(matches!(refused(trap(BROKER, Some(Service::Scan))), ActionError::NoSuchService { .. }));
    assert!(matches!(refused(pause(BROKER, Some(Service::Process))), ActionError::NoSuchService { .. }));
    world.act(stop(BROKER)).unwrap();
    assert_eq!(world.act(stop(BROKER)).unwrap_err(), ActionError::Stopping { node: node() });
    rest(&mut world);
    let mut refused = |action| world.act(action).unwrap_err();
    assert_eq!(refused(stop(BROKER)), ActionError::NotRunning { node: node() });
    assert_eq!(refused(kill(BROKER)), ActionError::NotRunning { node: node() });
    assert_eq!(refused(pause(BROKER, None)), ActionError::NotRunning { node: node() });
    assert_eq!(refused(Action::SecondProcess { broker: node() }), ActionError::NotRunning { node: node() });
    // A machine without a process can lose its power once.
    act(&mut world, power_loss(BROKER, Survives::Flushed));
    assert_eq!(world.act(power_loss(BROKER, Survives::Flushed)).unwrap_err(), ActionError::NotRunning { node: node() });
}

#[test]
fn a_step_back_across_a_crash_is_the_same_as_going_there() {
    let mut history = History::new(&cluster(), 3).unwrap();
    let mut hashes = vec![history.world().state_hash()];
    let actions = [bare("OrderTopic", 0, "TagA", 200), power_loss(BROKER, Survives::Random { seed: 5 }), start(BROKER)];
    for action in actions {
        history.act(action).unwrap();
        hashes.push(history.world().state_hash());
        while !history.world().at_rest() {
            history.step().unwrap();
            hashes.push(history.world().state_hash());
        }
    }
    for position in (0..history.len()).rev() {
        assert!(history.step_back());
        assert_eq!(history.world().state_hash(), hashes[position as usize], "at {position}");
    }
    let length = history.len();
    history.seek(length);
    let again = History::replay(&cluster(), 3, history.actions(), length).unwrap();
    assert_eq!(again.world().state_hash(), *hashes.last().unwrap());
}

#[test]
fn a_power_loss_keeps_the_configuration_that_was_saved() {
    let mut world = world();
    let made = Action::SetTopic {
        broker: BROKER.to_owned(),
        topic: "NewTopic".to_owned(),
        read_queues: 1,
        write_queues: 1,
        perm: 6,
    };
    act(&mut world, made);
    act(&mut world, power_loss(BROKER, Survives::Flushed));
    act(&mut world, start(BROKER));
    assert_eq!(state(&world), NodeState::Up);
    assert!(broker(&world).process().unwrap().topics().get("NewTopic").is_some());
}

#[test]
fn a_world_of_dead_machines_comes_to_its_end() {
    let mut world = world();
    act(&mut world, send("OrderTopic"));
    for node in [BROKER, "producer", "namesrv", "consumer", "sender"] {
        world.act(power_loss(node, Survives::Flushed)).unwrap();
    }
    while world.step().is_some() {}
    assert!(world.now_us() < 300_000_000, "{}", world.now_us());
    // Two processes that stand still do not look at the connection between them either.
    let mut still = World::new(&cluster(), 1).unwrap();
    act(&mut still, send("OrderTopic"));
    for node in [BROKER, "producer", "namesrv", "consumer", "sender"] {
        still.act(pause(node, None)).unwrap();
    }
    while still.step().is_some() {}
    for node in [BROKER, "producer"] {
        still.act(resume(node, None)).unwrap();
    }
    act(&mut still, send("OrderTopic"));
    assert_eq!(still.client("producer").unwrap().sent().last().unwrap().status, "SEND_OK");
}
