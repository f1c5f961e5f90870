//! Reading from slaves: where the master suggests it, and where the master is gone.

use super::{
    super::replication::{SLAVE, with_slave},
    orderly::orderly,
    *,
};
use crate::{
    client::consumer::ConsumeFromWhere,
    node::{BrokerStep, NodeStep, Service, TraceStep},
    wire::RequestCode,
};

/// A master, its slave and members of group `g`.
fn pair(names: &[&str]) -> Cluster {
    let mut cluster = with_slave("ASYNC_MASTER");
    cluster.consumers = names.iter().map(|name| consumer(name)).collect();
    cluster
}

/// Ten messages of 200 bytes stand in `OrderTopic/0`. A consumer that pulls one at a time starts; who found what.
fn finds(mut cluster: Cluster, slave_reads: bool, change: impl FnOnce(&mut World)) -> Vec<(String, i64)> {
    for broker in &mut cluster.brokers {
        broker.config.insert("slaveReadEnable".to_owned(), slave_reads.to_string());
        broker.config.insert("rocketscope.totalPhysicalMemory".to_owned(), "2000".to_owned());
    }
    set(&mut cluster.consumers[0], "pullBatchSize", "1");
    cluster.before = vec![stop("c1")];
    let mut world = World::new(&cluster, 1).unwrap();
    for _ in 0..10 {
        act(&mut world, bare("OrderTopic", 0, "TagA", 200));
    }
    change(&mut world);
    let events = act(&mut world, start("c1"));
    assert_eq!(deliveries(&world, "c1").len(), 10);
    found(&events)
}

/// Which broker a pull found something at, and the offset behind it.
fn found(events: &[TraceEvent]) -> Vec<(String, i64)> {
    let steps = events.iter().flat_map(|event| event.steps.iter().map(|step| (&event.node, &step.what)));
    let found = steps.filter_map(|(node, step)| match step {
        StepKind::Broker(BrokerStep::GetEnded { status, next_begin_offset, .. }) if status == "FOUND" => {
            Some((node.clone(), *next_begin_offset))
        }
        _ => None,
    });
    found.collect()
}

/// Of 2000 bytes 40 per cent count, 800. What counts is the message that was looked at last, which is the one behind the
/// message that the pull has room for: the log ends 1800 bytes behind the second, and 200 less behind each of the next. Up to
/// the sixth that is more than 800, and the next pull is to go to the slave; the pull of the sixth, which goes there, looks at
/// the seventh, 800 bytes behind, and the group is back with the master.
#[test]
fn what_is_no_longer_in_memory_is_pulled_from_the_slave_that_the_group_names() {
    let from_slave = |slave: &str| {
        (1..=10)
            .map(|next| (if (2..=6).contains(&next) { slave } else { "broker-a" }.to_owned(), next))
            .collect::<Vec<_>>()
    };
    assert_eq!(finds(pair(&["c1"]), true, |_| {}), from_slave(SLAVE));
    assert_eq!(finds(pair(&["c1"]), false, |_| {}), from_slave("broker-a"));

    // Of two slaves the one that `whichBrokerWhenConsumeSlowly` names, which the slaves copy within 10 s.
    let mut cluster = pair(&["c1"]);
    let mut second = cluster.brokers[1].clone();
    "broker-a-t".clone_into(&mut second.name);
    second.config.insert("brokerId".to_owned(), "2".to_owned());
    cluster.brokers.push(second);
    cluster.administrators = vec![AdministratorSpec { name: "admin".to_owned(), skew_ms: 0 }];
    let second = finds(cluster, true, |world| {
        let command = Command::UpdateGroup {
            group: "g".to_owned(),
            cluster: None,
            broker: Some("broker-a".to_owned()),
            consume_enable: None,
            consume_from_min_enable: None,
            consume_broadcast_enable: None,
            retry_queue_nums: None,
            retry_max_times: None,
            broker_id: None,
            which_broker_when_consume_slowly: Some(2),
            notify_consumer_ids_changed_enable: None,
        };
        let administrator = "admin".to_owned();
        act(world, Action::Administer(Box::new(Administer { administrator, command })));
        act(world, wait(11_000));
    });
    assert_eq!(second, from_slave("broker-a-t"));
}

/// A consumer that runs on pulls from the slave once the route has none but it, at the offset where it is: nothing comes again.
/// One that only starts then begins where the slave has copied the group's offset last.
#[test]
fn after_the_masters_death_the_slave_is_read_and_only_a_new_process_repeats() {
    let mut world = World::new(&pair(&["c1"]), 1).unwrap();
    for n in 0..3 {
        act(&mut world, order(0, &format!("m{n}")));
    }
    // Saved within 5 s, and copied within 10 s.
    act(&mut world, wait(16_000));
    let at_slave =
        |world: &World| world.broker(SLAVE).unwrap().process().unwrap().offsets().query("g", "OrderTopic", 0);
    assert_eq!(at_slave(&world), Some(3));
    act(&mut world, Action::SuspendConsumer { consumer: "c1".to_owned() });
    for n in 3..6 {
        act(&mut world, order(0, &format!("m{n}")));
    }
    // The pull that was held has brought one more.
    assert_eq!(deliveries(&world, "c1").len(), 4);
    let mut other = world.clone();
    act(&mut world, kill("broker-a"));
    act(&mut world, Action::ResumeConsumer { consumer: "c1".to_owned() });
    let events = act(&mut world, wait(40_000));
    assert_eq!(bodies(&deliveries(&world, "c1")), ["m0", "m1", "m2", "m3", "m4", "m5"]);
    assert_eq!(found(&events), [(SLAVE.to_owned(), 6)]);
    // Its offsets go to the slave now.
    assert_eq!(at_slave(&world), Some(6));

    assert_eq!(at_slave(&other), Some(3));
    act(&mut other, kill("broker-a"));
    act(&mut other, kill("c1"));
    act(&mut other, start("c1"));
    assert_eq!(bodies(&deliveries(&other, "c1"))[4..], ["m3", "m4", "m5"]);
}

/// Locks are had from masters alone, and the last one counts for 30 s.
#[test]
fn orderly_listeners_wait_for_the_master() {
    let mut cluster = pair(&["c1"]);
    orderly(&mut cluster.consumers[0]);
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, Action::SuspendConsumer { consumer: "c1".to_owned() });
    for n in 0..3 {
        act(&mut world, order(0, &format!("m{n}")));
    }
    act(&mut world, kill("broker-a"));
    act(&mut world, wait(35_000));
    act(&mut world, Action::ResumeConsumer { consumer: "c1".to_owned() });
    act(&mut world, wait(60_000));
    assert_eq!(bodies(&deliveries(&world, "c1")), ["m0"], "the one that the held pull has brought");
    let own = &push(&world, "c1").queues()[&queue("OrderTopic", 0)];
    assert_eq!(own.process_queue().count(), 2, "the slave has given them");
    act(&mut world, start("broker-a"));
    act(&mut world, wait(60_000));
    assert_eq!(bodies(&deliveries(&world, "c1")), ["m0", "m1", "m2"]);
}

/// The requests that a service of a client sends: what, and to whom.
fn asks(events: &[TraceEvent], name: &str, service: Service) -> Vec<(RequestCode, String)> {
    let of = events.iter().filter(|event| event.node == name && event.service == service.name());
    let sent = of.flat_map(|event| &event.steps).filter_map(|step| match &step.what {
        StepKind::Node(NodeStep::RequestSent { code, to, .. }) => Some((*code, to.clone())),
        _ => None,
    });
    sent.collect()
}

/// Where a consumer knows no master, it asks for the route before it asks for an offset, and whoever there is then.
#[test]
fn the_route_is_asked_for_before_the_offset_when_the_master_is_not_known() {
    let offset = |to: &str| (RequestCode::QueryConsumerOffset, to.to_owned());
    let route = (RequestCode::GetRouteinfoByTopic, "namesrv".to_owned());
    for (back, asked) in [(false, SLAVE), (true, "broker-a")] {
        let mut world = World::new(&pair(&["c1", "c2"]), 1).unwrap();
        assert_eq!(queues(&world, "c2"), ["OrderTopic/1"]);
        act(&mut world, kill("broker-a"));
        // Routes are polled every 30 s.
        act(&mut world, wait(31_000));
        assert!(!client(&world, "c1").routes().brokers()["broker-a"].contains_key(&0));
        if back {
            act(&mut world, start("broker-a"));
            assert!(!client(&world, "c1").routes().brokers()["broker-a"].contains_key(&0), "not yet");
        }
        let events = act(&mut world, stop("c2"));
        assert_eq!(queues(&world, "c1"), ["%RETRY%g/0", "OrderTopic/0", "OrderTopic/1"]);
        let asks = asks(&events, "c1", Service::Rebalance);
        let place = asks.iter().position(|ask| ask.0 == RequestCode::QueryConsumerOffset).unwrap();
        assert_eq!(asks[place - 1..=place], [route.clone(), offset(asked)]);
    }
}

/// A consumer whose master is gone asks for the route before each offset that it sends, and sends it to whom there is then:
/// the slave, or the master that is back. Routes are polled every 30 s, offsets are sent every 5 s.
#[test]
fn the_route_is_asked_for_before_an_offset_is_sent_when_the_master_is_not_known() {
    let mut world = World::new(&pair(&["c1"]), 1).unwrap();
    act(&mut world, order(0, "m0"));
    let route = (RequestCode::GetRouteinfoByTopic, "namesrv".to_owned());
    let update = |to: &str| (RequestCode::UpdateConsumerOffset, to.to_owned());
    act(&mut world, kill("broker-a"));
    let events = act(&mut world, wait(37_000));
    let knows = |world: &World| client(world, "c1").routes().brokers()["broker-a"].contains_key(&0);
    assert!(!knows(&world));
    let offsets = push(&world, "c1").offsets().iter().count();
    let alone: Vec<_> = (0..offsets).flat_map(|_| [route.clone(), update(SLAVE)]).collect();
    let asked = asks(&events, "c1", Service::PersistConsumerOffset);
    let first = asked.iter().position(|ask| *ask == route).unwrap();
    assert_eq!(asked[first..first + 2 * offsets], alone);
    let mut unreachable = world.clone();

    let mut events = act(&mut world, start("broker-a"));
    events.extend(act(&mut world, wait(6_000)));
    let mut back = vec![route.clone()];
    back.extend((0..offsets).map(|_| update("broker-a")));
    assert_eq!(asks(&events, "c1", Service::PersistConsumerOffset)[..=offsets], back);
    assert!(knows(&world));

    // Where no NameServer can be asked, the offset stays where it is.
    act(&mut unreachable, kill("namesrv"));
    let events = act(&mut unreachable, wait(30_000));
    let asks = asks(&events, "c1", Service::PersistConsumerOffset);
    assert!(!asks.contains(&update(SLAVE)), "{asks:?}");
}

/// A queue that is given up sends its offset first, and the route is asked for before that; the round goes on with the answer.
#[test]
fn a_queue_that_is_given_up_without_a_master_waits_for_the_route() {
    let mut cluster = pair(&["c1", "c2"]);
    cluster.before = vec![stop("c2")];
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, kill("broker-a"));
    act(&mut world, wait(31_000));
    let events = act(&mut world, start("c2"));
    assert_eq!(queues(&world, "c1"), ["%RETRY%g/0", "OrderTopic/0"]);
    assert_eq!(queues(&world, "c2"), ["OrderTopic/1"]);
    let rebalances = asks(&events, "c1", Service::Rebalance);
    assert!(rebalances.contains(&(RequestCode::GetRouteinfoByTopic, "namesrv".to_owned())), "{rebalances:?}");
    assert!(push(&world, "c1").offsets().get(&queue("OrderTopic", 1)).is_none());
}

/// The same as a consumer stops: it leaves once its offsets are on their way.
#[test]
fn a_consumer_that_stops_without_a_master_waits_for_the_route() {
    let mut world = World::new(&pair(&["c1"]), 1).unwrap();
    act(&mut world, kill("broker-a"));
    act(&mut world, wait(31_000));
    let offsets = push(&world, "c1").offsets().iter().count();
    let events = act(&mut world, stop("c1"));
    assert_eq!(world.node_state("c1"), Some(NodeState::Down));
    let sent = events.iter().filter(|event| event.node == "c1").flat_map(|event| &event.steps);
    let sent = sent.filter_map(|step| match &step.what {
        StepKind::Node(NodeStep::RequestSent { code, to, .. }) => Some((*code, to.clone())),
        _ => None,
    });
    let sent: Vec<_> = sent.collect();
    let route = (RequestCode::GetRouteinfoByTopic, "namesrv".to_owned());
    let update = (RequestCode::UpdateConsumerOffset, SLAVE.to_owned());
    let first: Vec<_> = (0..offsets).flat_map(|_| [route.clone(), update.clone()]).collect();
    assert_eq!(sent[..2 * offsets], first);
    assert_eq!(sent[2 * offsets].0, RequestCode::UnregisterClient);
}

/// `OrderTopic/0` begins at 10, with one message, at the master and at the slave: a new group has no offset in a queue that does
/// not begin at 0.
fn begins_at_10(cluster: &mut Cluster) {
    for broker in &mut cluster.brokers {
        let record = RecordSpec {
            topic: "OrderTopic".to_owned(),
            size: 200,
            count: 1,
            queue_offset: Some(10),
            ..RecordSpec::default()
        };
        (broker.store.begin_offset, broker.store.records) = (65_536, vec![record]);
    }
}

/// A queue's end is asked of the master alone; where it is not known, of nobody, once the route has been asked for.
#[test]
fn the_route_is_asked_for_before_the_end_of_a_queue() {
    let mut cluster = pair(&["c1"]);
    cluster.consumers[0].push.as_mut().unwrap().consume_from_where = ConsumeFromWhere::ConsumeFromLastOffset;
    cluster.consumers[0].down = true;
    begins_at_10(&mut cluster);
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, kill("broker-a"));
    let events = act(&mut world, start("c1"));
    let asks = asks(&events, "c1", Service::Rebalance);
    let route = (RequestCode::GetRouteinfoByTopic, "namesrv".to_owned());
    let offset = (RequestCode::QueryConsumerOffset, SLAVE.to_owned());
    // The second time for the next queue's offset.
    let wanted = [offset, route.clone(), route];
    assert!(asks.windows(3).any(|asks| *asks == wanted), "{asks:?}");
    assert!(asks.iter().all(|ask| ask.0 != RequestCode::GetMaxOffset));
    let not_taken = consumer_steps(&events).into_iter().find_map(|(_, step)| match step {
        ConsumerStep::QueueNotTaken { topic, queue_id: 0, cause, .. } if topic == "OrderTopic" => Some(cause),
        _ => None,
    });
    assert_eq!(not_taken.as_deref(), Some("The broker[broker-a] not exist"));
}

/// Offsets that a broker tells anew are sent like all others. The reset begins 5 s before the poll that takes the master out of
/// the routes, which are polled every 30 s, and goes on 10 s after it began.
#[test]
fn a_reset_without_a_master_asks_for_the_route_before_each_offset() {
    let mut cluster = pair(&["c1"]);
    cluster.administrators = vec![AdministratorSpec { name: "admin".to_owned(), skew_ms: 0 }];
    let mut world = World::new(&cluster, 1).unwrap();
    for queue in [0, 1] {
        act(&mut world, order(queue, &format!("m{queue}")));
    }
    // The slave has the messages, and the offsets behind them.
    before_poll(&mut world);
    let at_slave =
        |world: &World, id| world.broker(SLAVE).unwrap().process().unwrap().offsets().query("g", "OrderTopic", id);
    assert_eq!((at_slave(&world, 0), at_slave(&world, 1)), (Some(1), Some(1)));
    let command =
        Command::ResetOffset { group: "g".to_owned(), topic: "OrderTopic".to_owned(), timestamp_ms: 0, force: true };
    world.act(Action::Administer(Box::new(Administer { administrator: "admin".to_owned(), command }))).unwrap();
    run_until(&mut world, |step| matches!(step, ConsumerStep::ResetBegan { .. }));
    world.act(kill("broker-a")).unwrap();
    let events = act(&mut world, wait(12_000));
    assert!(!client(&world, "c1").routes().brokers()["broker-a"].contains_key(&0), "the poll was not in time");
    assert_eq!(asks(&events, "c1", Service::Remoting)[..4], two_offsets_to_the_slave());
    // Both offsets are the slave's now, and what it has is handed out again.
    let mut again = bodies(&deliveries(&world, "c1"));
    again.sort();
    assert_eq!(again, ["m0", "m0", "m1", "m1"]);
}

/// Waits until `c1` polls routes in 5 s, the next time but one: a copy of the world in which the master dies tells when.
fn before_poll(world: &mut World) {
    let mut other = world.clone();
    act(&mut other, kill("broker-a"));
    while client(&other, "c1").routes().brokers()["broker-a"].contains_key(&0) {
        act(&mut other, wait(100));
    }
    act(world, wait((other.now_us() - world.now_us()) / 1000 + 25_000));
}

/// Two offsets that are sent without a master: the route is asked for before each.
fn two_offsets_to_the_slave() -> [(RequestCode, String); 4] {
    let route = (RequestCode::GetRouteinfoByTopic, "namesrv".to_owned());
    let update = (RequestCode::UpdateConsumerOffset, SLAVE.to_owned());
    [route.clone(), update.clone(), route, update]
}

/// Runs until a consumer takes a step.
fn run_until(world: &mut World, wanted: impl Fn(&ConsumerStep) -> bool) {
    let is_wanted = |step: &TraceStep| matches!(&step.what, StepKind::Consumer(step) if wanted(step));
    while !world.step().unwrap().steps.iter().any(is_wanted) {}
}

/// The same of an offset that is set right: it is sent twice, once as the group's, and once as the queue is given up.
#[test]
fn an_offset_is_set_right_without_a_master_at_the_slave() {
    let mut cluster = pair(&["c1"]);
    cluster.consumers[0].down = true;
    cluster.consumers[0].push.as_mut().unwrap().consume_from_where = ConsumeFromWhere::ConsumeFromFirstOffset;
    begins_at_10(&mut cluster);
    let mut world = World::new(&cluster, 1).unwrap();
    world.act(start("c1")).unwrap();
    while world.node_state("c1") != Some(NodeState::Up) {
        world.step().unwrap();
    }
    act(&mut world, Action::SuspendConsumer { consumer: "c1".to_owned() });
    before_poll(&mut world);
    world.act(Action::ResumeConsumer { consumer: "c1".to_owned() }).unwrap();
    run_until(&mut world, |step| matches!(step, ConsumerStep::OffsetIllegal { queue_id: 0, next_offset: 10, .. }));
    world.act(kill("broker-a")).unwrap();
    let events = act(&mut world, wait(12_000));
    assert!(!client(&world, "c1").routes().brokers()["broker-a"].contains_key(&0), "the poll was not in time");
    let asks = asks(&events, "c1", Service::PullMessage);
    assert!(asks.windows(4).any(|asks| *asks == two_offsets_to_the_slave()), "{asks:?}");
    let at_slave = world.broker(SLAVE).unwrap().process().unwrap().offsets().query("g", "OrderTopic", 0);
    assert_eq!(at_slave, Some(10));
}
