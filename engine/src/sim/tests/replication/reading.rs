//! A slave as others see it: it serves reads, refuses writes, and copies what stands beside the log.

use super::*;

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
        world
            .act(Action::Pull {
                consumer,
                topic,
                queue,
                offset,
                max: 1,
                tags,
                sql: None,
                suspend_ms,
                commit,
                broker: None,
            })
            .unwrap();
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
    world
        .act(Action::Pull {
            consumer,
            topic,
            queue,
            offset,
            max,
            tags,
            sql: None,
            suspend_ms: Some(15_000),
            commit,
            broker: None,
        })
        .unwrap();
    rest(&mut world);
    assert_eq!(process(&world, SLAVE).held_pulls().count(), 1);
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    let from_us = world.now_us();
    wait_for(&mut world, 10_000, |world| world.client("consumer").unwrap().pulls().len() == 2);
    let took_us = world.now_us() - from_us;
    assert!((300_000..=5_002_000).contains(&took_us), "{took_us}");
    assert_eq!(world.client("consumer").unwrap().pulls().last().unwrap().status, "FOUND");
}

/// The end of a consumer's connection while the slave tries to reach its master is no end of that attempt.
#[test]
fn a_consumer_that_leaves_is_forgotten_while_the_slave_dials() {
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
    // A broken link, and then one that does not answer: the next attempt lasts 5 s.
    let (a, b) = ("broker-a".to_owned(), SLAVE.to_owned());
    world.act(Action::Cut { a: a.clone(), b: b.clone() }).unwrap();
    rest(&mut world);
    world.act(Action::Stall { a, b }).unwrap();
    let connecting = |event: &TraceEvent| {
        ha_steps(event).iter().any(|step| matches!(step, HaStep::HaConnecting { .. })) && event.node == SLAVE
    };
    while !connecting(&world.step().unwrap()) {}
    let Action::Pull { consumer, topic, queue, offset, max, tags, commit, .. } = consume(1, None) else {
        unreachable!("consume makes a pull")
    };
    world
        .act(Action::Pull {
            consumer,
            topic,
            queue,
            offset,
            max,
            tags,
            sql: None,
            suspend_ms: Some(15_000),
            commit,
            broker: None,
        })
        .unwrap();
    wait_for(&mut world, 1_000, |world| process(world, SLAVE).held_pulls().count() == 1);
    world.act(Action::Cut { a: "consumer".to_owned(), b: SLAVE.to_owned() }).unwrap();
    let gone = |event: &TraceEvent| event.node == SLAVE && matches!(event.what, EventKind::Disconnected { .. });
    let event = loop {
        let event = world.step().unwrap();
        if gone(&event) {
            break event;
        }
    };
    let (steps, of_replication) = (broker_steps(&event), ha_steps(&event));
    assert!(steps.iter().any(|step| matches!(step, BrokerStep::ClientRemoved { .. })), "{steps:?}");
    assert!(!of_replication.iter().any(|step| matches!(step, HaStep::HaConnectFailed { .. })), "{of_replication:?}");
    assert_eq!(process(&world, SLAVE).held_pulls().count(), 0);
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
        .act(Action::Pull {
            consumer,
            topic,
            queue,
            offset,
            max,
            tags: None,
            sql: None,
            suspend_ms: None,
            commit: Some(7),
            broker: None,
        })
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
    assert!(broker_steps(&event).iter().any(|step| matches!(step, BrokerStep::Refused { .. })));
    assert!(process(&world, SLAVE).topics().get("Made").is_none());
    world.act(set("broker-a")).unwrap();
    pass(&mut world, 11_000);
    assert!(process(&world, SLAVE).topics().get("Made").is_some());
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

/// Without the master nobody says where a queue ends (`MQAdminImpl.maxOffset`); what a group has committed any broker of the
/// name says (`RemoteBrokerOffsetStore.fetchConsumeOffsetFromBroker`). The route is asked for before either.
#[test]
fn questions_without_a_master_ask_for_the_route_first() {
    let mut world = started("ASYNC_MASTER");
    let about = |what| Action::Ask { client: "consumer".to_owned(), topic: "OrderTopic".to_owned(), queue: 0, what };
    let ask = |world: &mut World, what| {
        let mut events = vec![world.act(about(what)).unwrap()];
        events.extend(rest(world));
        let sent = events.iter().filter(|event| event.node == "consumer").flat_map(|event| &event.steps);
        let sent = sent.filter_map(|step| match &step.what {
            StepKind::Node(NodeStep::RequestSent { to, .. }) => Some(to.clone()),
            _ => None,
        });
        (sent.collect::<Vec<_>>(), world.client("consumer").unwrap().answers().last().unwrap().clone())
    };
    let (_, answer) = ask(&mut world, Question::MaxOffset);
    assert_eq!((answer.node.as_deref(), answer.value), (Some("broker-a"), Some(0)));
    world.act(kill("broker-a")).unwrap();
    pass(&mut world, 31_000);
    let (sent, answer) = ask(&mut world, Question::MaxOffset);
    assert_eq!(sent, ["namesrv"]);
    assert!(answer.error.is_some_and(|error| error.starts_with("The broker[broker-a] not exist")));
    let (sent, answer) = ask(&mut world, Question::ConsumerOffset);
    assert_eq!(sent, ["namesrv", SLAVE]);
    assert_eq!((answer.node.as_deref(), answer.value), (Some(SLAVE), Some(0)));
    // The master is back, and the route says so before it is polled.
    world.act(start("broker-a")).unwrap();
    rest(&mut world);
    let (sent, answer) = ask(&mut world, Question::MaxOffset);
    assert_eq!((sent, answer.value), (vec!["namesrv".to_owned(), "broker-a".to_owned()], Some(0)));
}
