//! Actions that cannot be done leave the world as it was.

use super::*;

fn refused(action: Action) -> ActionError {
    let mut world = world();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    let before = (world.state_hash(), world.events(), world.now_us(), world.at_rest());
    let mut other = world.clone();
    let error = world.act(action).unwrap_err();
    assert_eq!((world.state_hash(), world.events(), world.now_us(), world.at_rest()), before);
    // And it goes on as if nothing had been asked.
    while let (Some(one), Some(two)) = (world.step(), other.step()) {
        assert_eq!(one, two);
    }
    assert_eq!(world.state_hash(), other.state_hash());
    error
}

#[test]
fn nodes_must_exist_and_be_of_the_right_kind() {
    let nobody = Send { producer: "nobody".to_owned(), topic: "T".to_owned(), ..Send::default() };
    assert_eq!(refused(Action::Send(Box::new(nobody))), ActionError::NoSuchNode { node: "nobody".to_owned() });
    let broker = Send { producer: "broker-a".to_owned(), topic: "T".to_owned(), ..Send::default() };
    assert!(matches!(refused(Action::Send(Box::new(broker))), ActionError::WrongNode { .. }));
    assert!(matches!(
        refused(Action::ReputFrom { broker: "consumer".to_owned(), offset: 0 }),
        ActionError::WrongNode { .. }
    ));
    let service = Some(Service::Put);
    assert!(matches!(refused(pause("namesrv", service)), ActionError::NoSuchService { .. }));
}

#[test]
fn pausing_twice_and_resuming_what_runs_are_refused() {
    let service = Some(Service::Reput);
    assert_eq!(refused(resume("broker-a", service)), ActionError::NotPaused { what: "broker-a.reput".to_owned() });
    let mut world = world();
    world.act(pause("broker-a", service)).unwrap();
    let twice = world.act(pause("broker-a", service)).unwrap_err();
    assert_eq!(twice, ActionError::AlreadyPaused { what: "broker-a.reput".to_owned() });
    world.act(pause("producer", None)).unwrap();
    assert_eq!(world.act(send("T")).unwrap_err(), ActionError::Paused { what: "producer".to_owned() });
}

#[test]
fn record_sizes_must_be_possible() {
    // 91 + "OrderTopic" 10 + "CLUSTER\u{1}DefaultCluster\u{2}TAGS\u{1}TagA" 32 = 133.
    let ActionError::RecordSize { record_size: 132, least: 133, most } = refused(bare("OrderTopic", 0, "TagA", 132))
    else {
        panic!("133 is the least")
    };
    assert_eq!(most, 133 + 4_194_304);
    let mut world = world();
    world.act(bare("OrderTopic", 0, "TagA", 133)).unwrap();
    rest(&mut world);
    assert_eq!(world.broker("broker-a").unwrap().store().unwrap().max_phy_offset(), 1133);

    // A whole client: UNIQ_KEY and its separators 42 more (8 + 1 + 32 + 1), and a body of at least one byte.
    let whole = Send {
        producer: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        tag: Some("TagA".to_owned()),
        record_size: Some(175),
        ..Send::default()
    };
    assert!(matches!(
        refused(Action::Send(Box::new(whole.clone()))),
        ActionError::RecordSize { least: 176, most: 4270, .. }
    ));
    let fits = Send { record_size: Some(176), ..whole };
    world.act(Action::Send(Box::new(fits))).unwrap();
    rest(&mut world);
    assert_eq!(world.broker("broker-a").unwrap().store().unwrap().max_phy_offset(), 1133 + 176);
}

#[test]
fn positions_and_values_must_be_in_range() {
    assert_eq!(
        refused(Action::ReputFrom { broker: "broker-a".to_owned(), offset: 1201 }),
        ActionError::OutsideLog { offset: 1201, min: 0, max: 1200 }
    );
    for action in
        [pull("OrderTopic", -1, 0), pull("OrderTopic", 0, -1), Action::Wait { ms: 0 }, Action::Wait { ms: i64::MAX }]
    {
        assert!(matches!(refused(action), ActionError::BadValue { .. }));
    }
    let (a, b) = ("broker-a".to_owned(), "namesrv".to_owned());
    assert!(matches!(refused(Action::Mend { a, b }), ActionError::LinkAlready { .. }));
    let view = Action::ViewMessage { client: "consumer".to_owned(), id: "xyz".to_owned() };
    assert!(matches!(refused(view), ActionError::BadValue { .. }));
    let nameless = Send { producer: "sender".to_owned(), topic: "OrderTopic".to_owned(), ..Send::default() };
    assert!(matches!(refused(Action::Send(Box::new(nameless))), ActionError::BadValue { .. }));
}

#[test]
fn clusters_that_cannot_be_are_refused_with_their_place() {
    let error = |change: fn(&mut Cluster)| {
        let mut cluster = cluster();
        change(&mut cluster);
        World::new(&cluster, 0).unwrap_err()
    };
    let same = error(|cluster| cluster.producers[0].name = "namesrv".to_owned());
    assert_eq!((same.place.as_str(), same.cause.as_str()), ("namesrv", "two nodes of this name"));
    let key = error(|cluster| {
        cluster.brokers[0].config.insert("noSuchKey".to_owned(), "1".to_owned());
    });
    assert_eq!(key.to_string(), "broker-a: `noSuchKey` is not a key of this node");
    let prefix = error(|cluster| cluster.brokers[0].store.prefix_bytes = 50);
    assert_eq!(prefix.place, "broker-a.store");
    let long = error(|cluster| cluster.brokers[0].store.prefix_bytes = i32::MAX);
    assert!(long.cause.contains("a body of at most 4194304"), "{long}");
    let inside = error(|cluster| cluster.brokers[0].store.begin_offset = 1000);
    assert!(inside.cause.starts_with("beginOffset 1000: a log of files of"), "{inside}");
    let before = error(|cluster| cluster.brokers[0].store.begin_offset = -1);
    assert_eq!(before.place, "broker-a.store.beginOffset");
    let records = |records: RecordSpec| {
        let mut cluster = cluster();
        cluster.brokers[0].store.records = vec![records];
        World::new(&cluster, 0).unwrap_err()
    };
    let queue = records(RecordSpec { topic: "OrderTopic".to_owned(), queue: 9, size: 200, ..Default::default() });
    assert_eq!((queue.place.as_str(), queue.cause.as_str()), ("broker-a.store", "`OrderTopic` has no queue 9"));
    let topic = records(RecordSpec { topic: "Nobodys".to_owned(), size: 200, ..Default::default() });
    assert_eq!(topic.cause, "the broker has no topic `Nobodys`");
    let many = records(RecordSpec { count: u32::MAX, ..Default::default() });
    assert_eq!(many.place, "broker-a.store.records.count");
    let far = records(RecordSpec { queue_offset: Some(i64::MAX), ..Default::default() });
    assert_eq!(far.place, "broker-a.store.records.queueOffset");
    let skew = error(|cluster| cluster.brokers[0].skew_ms = i64::MIN);
    assert_eq!(skew.place, "broker-a.skewMs");
    let wide = error(|cluster| cluster.brokers[0].topics[0].read_queues = i32::MAX);
    assert_eq!(wide.place, "broker-a.topics.OrderTopic");
    let homeless = error(|cluster| cluster.brokers.clear());
    assert_eq!(homeless.place, "sender");
}

#[test]
fn an_action_keeps_its_form_in_scripts() {
    let text = r#"{"kind":"send","producer":"p","topic":"T","queue":0,"tag":"TagA","recordSize":200}"#;
    let action: Action = serde_json::from_str(text).unwrap();
    let Action::Send(send) = &action else { panic!("a send") };
    assert_eq!((send.queue, send.record_size), (Some(0), Some(200)));
    let again: Action = serde_json::from_str(&serde_json::to_string(&action).unwrap()).unwrap();
    assert_eq!(again, action);
    assert!(serde_json::from_str::<Action>(r#"{"kind":"pause","node":"n","servise":"reput"}"#).is_err());
}

#[test]
fn a_store_may_begin_where_its_head_was_deleted() {
    let mut cluster = cluster();
    let broker = &mut cluster.brokers[0];
    let file: i64 = broker.config["mappedFileSizeCommitLog"].parse().unwrap();
    broker.store = StoreSpec {
        begin_offset: 2 * file,
        records: vec![
            RecordSpec { topic: "OrderTopic".to_owned(), queue: 1, size: 200, count: 2, ..Default::default() },
            RecordSpec {
                topic: "PaymentTopic".to_owned(),
                size: 150,
                tag: Some("TagC".to_owned()),
                queue_offset: Some(7),
                ..Default::default()
            },
        ],
        ..Default::default()
    };
    let world = World::new(&cluster, 0).unwrap();
    let store = world.broker("broker-a").unwrap().store().unwrap();
    assert_eq!((store.min_phy_offset(), store.max_phy_offset()), (2 * file, 2 * file + 550));
    assert_eq!(store.reput_from_offset(), 2 * file + 550);
    let order = store.queue("OrderTopic", 1).unwrap();
    assert_eq!((order.min_offset_in_queue(), order.max_offset_in_queue()), (0, 2));
    let payment = store.queue("PaymentTopic", 0).unwrap();
    assert_eq!((payment.min_offset_in_queue(), payment.max_offset_in_queue()), (7, 8));
    let unit = store.unit("PaymentTopic", 0, 7).unwrap();
    // "TagC".hashCode() = 2598921.
    assert_eq!((unit.physical_offset, unit.size, unit.tags_code), (2 * file + 400, 150, 2_598_921));
}

/// Two hours and one hour before the world, with the keys of their places, each stored, dispatched and flushed then.
#[test]
fn records_of_a_starting_store_have_their_own_age_and_keys() {
    let mut cluster = cluster();
    let record = |ago_ms: i64, count: u32| RecordSpec {
        topic: "OrderTopic".to_owned(),
        keys: Some("K{n}".to_owned()),
        size: 200,
        count,
        ago_ms,
        ..Default::default()
    };
    let records = vec![record(7_200_000, 2), record(3_600_000, 1)];
    cluster.brokers[0].store = StoreSpec { records, ..Default::default() };
    let world = World::new(&cluster, 0).unwrap();
    let store = world.broker("broker-a").unwrap().store().unwrap();
    for (at, key, ago_ms) in [(0, "K0", 7_200_000), (200, "K1", 7_200_000), (400, "K2", 3_600_000)] {
        let bytes = store.look_message_by_offset(at).unwrap();
        let record = crate::message::record::decode(&bytes).unwrap();
        assert_eq!((record.keys(), record.store_timestamp), (Some(key), cluster.start_ms - ago_ms), "at {at}");
    }
    let checkpoint = store.checkpoint();
    assert_eq!(checkpoint.physic_msg_timestamp, cluster.start_ms - 3_600_000);
    assert_eq!(checkpoint.logics_msg_timestamp, cluster.start_ms - 3_600_000);
    cluster.brokers[0].store.records = vec![record(3_599_999, 1)];
    assert_eq!(World::new(&cluster, 0).unwrap_err().place, "broker-a.store.records.agoMs");
}
