//! Topics: created, changed, ordered, deleted; permissions wiped and added; routes asked for.

use super::*;
use crate::disk::ReadAt;

#[test]
fn a_topic_of_a_cluster_is_made_at_each_master_and_told_to_each_name_server() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    let outcome = told(&mut world, update_topic("T", At::Cluster, 2, 3));
    assert_eq!((outcome.error, outcome.about.as_str()), (None, "T"));
    // As UpdateTopicSubCommand prints it, the brokers in order of their names.
    assert_eq!(
        outcome.lines,
        [
            "create topic to 10.0.2.1:10911 success.",
            "create topic to 10.0.2.2:10911 success.",
            "TopicConfig [topicName=T, readQueueNums=2, writeQueueNums=3, perm=RW-, topicFilterType=SINGLE_TAG, \
             topicSysFlag=0, order=false]",
        ]
    );
    for broker in ["broker-a", "broker-b"] {
        assert_eq!(topic(&world, broker, "T"), Some((2, 3, 6)));
    }
    for name_server in ["namesrv", "namesrv-2"] {
        let both = [("broker-a".to_owned(), 2, 3, 6), ("broker-b".to_owned(), 2, 3, 6)];
        assert_eq!(route(&world, name_server, "T"), both);
    }
}

#[test]
fn the_broker_answers_once_the_name_servers_have() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    world.act(Action::Stall { a: "broker-a".to_owned(), b: "namesrv-2".to_owned() }).unwrap();
    let began_us = world.now_us();
    let outcome = told(&mut world, update_topic("T", At::Broker("broker-a"), 1, 1));
    // mqadmin waits for 5 s (DefaultMQAdminExt.timeoutMillis), the broker for 6 s (registerBrokerTimeoutMills).
    assert_eq!(outcome.ended_us - began_us, 5_000_000);
    assert_eq!(outcome.error.as_deref(), Some("wait response on the channel <10.0.2.1:10911> timeout, 5000(ms)"));
    assert_eq!(topic(&world, "broker-a", "T"), Some((1, 1, 6)), "it is there all the same");
    assert_eq!(route(&world, "namesrv", "T").len(), 1);
}

#[test]
fn a_slave_refuses() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    let remark = "CODE: 1  DESC: Can't modify topic or subscription group from slave broker, please execute it from \
                  master broker.\nFor more information, please visit the url, http://rocketmq.apache.org/docs/faq/";
    let at = At::Broker("slave-a");
    let (cluster, broker) = at.fields();
    for command in [
        update_topic("T", at, 1, 1),
        Command::DeleteTopic { topic: "T".to_owned(), cluster: cluster.clone(), broker: broker.clone() },
        Command::DeleteGroup { group: "G".to_owned(), cluster, broker, remove_offset: false },
    ] {
        assert_eq!(told(&mut world, command).error.as_deref(), Some(remark));
    }
    assert_eq!(topic(&world, "slave-a", "T"), None);
}

#[test]
fn names_that_a_topic_may_not_have_are_refused_by_the_broker() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    // TopicValidator's words.
    for (name, words) in [
        ("TBW102", "The topic[TBW102] is conflict with system topic."),
        ("rmq_sys_x", "The topic[rmq_sys_x] is conflict with system topic."),
        ("a b", "The specified topic contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$"),
        (" ", "The specified topic is blank."),
    ] {
        let error = told(&mut world, update_topic(name, At::Broker("broker-a"), 1, 1)).error.unwrap();
        assert!(error.starts_with(&format!("CODE: 1  DESC: {words}\n")), "{error}");
    }
}

#[test]
fn a_cluster_that_nobody_knows_is_only_printed() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    let command = Command::UpdateTopic {
        topic: "T".to_owned(),
        cluster: Some("Elsewhere".to_owned()),
        broker: None,
        read_queues: 1,
        write_queues: 1,
        perm: 6,
        order: false,
    };
    let outcome = told(&mut world, command);
    assert_eq!(outcome.error, None);
    assert_eq!(
        outcome.lines[0],
        "[error] Make sure the specified clusterName exists or the name server connected to is correct."
    );
    assert_eq!(topic(&world, "broker-a", "T"), None);
}

#[test]
fn actions_that_make_no_sense_are_refused_before_anything_is_sent() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    let before = world.state_hash();
    let both = Command::DeleteTopic {
        topic: "T".to_owned(),
        cluster: Some("DefaultCluster".to_owned()),
        broker: Some("broker-a".to_owned()),
    };
    let wrong = ActionError::BadValue {
        field: "cluster".to_owned(),
        cause: "a cluster or a broker, one of the two".to_owned(),
    };
    assert_eq!(world.act(administer(both)), Err(wrong));
    let far = update_topic("T", At::Cluster, 5000, 1);
    assert!(matches!(world.act(administer(far)), Err(ActionError::BadValue { field, .. }) if field == "readQueues"));
    let nobody = update_topic("T", At::Broker("nobody"), 1, 1);
    assert_eq!(world.act(administer(nobody)), Err(ActionError::NoSuchNode { node: "nobody".to_owned() }));
    let client = Action::Administer(Box::new(Administer {
        administrator: "producer".to_owned(),
        command: Command::TopicRoute { topic: "T".to_owned() },
    }));
    let wanted = ActionError::WrongNode { node: "producer".to_owned(), wanted: "administrator".to_owned() };
    assert_eq!(world.act(client), Err(wanted));
    assert_eq!(world.state_hash(), before);
}

#[test]
fn a_deleted_topic_loses_its_queues_and_its_route_but_not_its_records() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    let queue = |world: &World| world.broker("broker-a").unwrap().store().unwrap().queue("OrderTopic", 0).is_some();
    assert!(queue(&world));
    let (cluster, broker) = At::Cluster.fields();
    let outcome = told(&mut world, Command::DeleteTopic { topic: "OrderTopic".to_owned(), cluster, broker });
    assert_eq!(
        outcome.lines,
        [
            "delete topic [OrderTopic] from cluster [DefaultCluster] success.",
            "delete topic [OrderTopic] from NameServer success.",
        ]
    );
    assert_eq!(topic(&world, "broker-a", "OrderTopic"), None);
    assert!(!queue(&world));
    assert!(route(&world, "namesrv", "OrderTopic").is_empty() && route(&world, "namesrv-2", "OrderTopic").is_empty());
    let store = world.broker("broker-a").unwrap().store().unwrap();
    assert!(store.look_message_by_offset(1000).is_some(), "the CommitLog knows no topics");
    // consumequeue/OrderTopic/0 is gone with its file.
    assert!(
        !world
            .broker("broker-a")
            .unwrap()
            .disk()
            .files()
            .iter()
            .any(|(path, _)| path.starts_with("consumequeue/OrderTopic"))
    );
}

#[test]
fn a_topic_deleted_at_one_broker_stays_in_the_route_tables() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    let (cluster, broker) = At::Broker("broker-a").fields();
    told(&mut world, Command::DeleteTopic { topic: "OrderTopic".to_owned(), cluster, broker });
    world.act(Action::Wait { ms: 60_000 }).unwrap();
    rest(&mut world);
    assert_eq!(topic(&world, "broker-a", "OrderTopic"), None);
    // A registration never takes away what it does not name.
    assert_eq!(route(&world, "namesrv", "OrderTopic"), [("broker-a".to_owned(), 2, 2, 6)]);
}

#[test]
fn a_wiped_permission_is_back_with_the_next_topic_that_changes() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    let broker = "broker-a".to_owned();
    let wiped = told(&mut world, Command::WipeWritePerm { broker: broker.clone() });
    let topics = i32::try_from(world.broker("broker-a").unwrap().process().unwrap().topics().table().len()).unwrap();
    assert_eq!(wiped.value, Some(i64::from(topics)));
    // Each NameServer is asked, in the order of the client's own list.
    let line = |addr: &str| format!("wipe write perm of broker[broker-a] in name server[{addr}:9876] OK, {topics}");
    let mut lines = wiped.lines;
    lines.sort();
    assert_eq!(lines, [line("10.0.1.1"), line("10.0.1.2")]);
    for name_server in ["namesrv", "namesrv-2"] {
        assert_eq!(route(&world, name_server, "OrderTopic"), [("broker-a".to_owned(), 2, 2, 4)]);
        // TBW102 has 7: read and inherit are left.
        assert_eq!(route(&world, name_server, "TBW102")[0], ("broker-a".to_owned(), 8, 8, 5));
    }
    told(&mut world, Command::AddWritePerm { broker });
    assert_eq!(route(&world, "namesrv", "OrderTopic")[0].3, 6);
    assert_eq!(route(&world, "namesrv", "TBW102")[0].3, 6, "added is 6 for every topic");

    told(&mut world, Command::WipeWritePerm { broker: "broker-a".to_owned() });
    world.act(Action::Wait { ms: 60_000 }).unwrap();
    rest(&mut world);
    assert_eq!(route(&world, "namesrv", "OrderTopic")[0].3, 4, "registrations of the same version do not touch it");
    world
        .act(Action::SetTopic {
            broker: "broker-a".to_owned(),
            topic: "New".to_owned(),
            read_queues: 1,
            write_queues: 1,
            perm: 6,
        })
        .unwrap();
    rest(&mut world);
    assert_eq!(route(&world, "namesrv", "OrderTopic")[0].3, 6);
}

#[test]
fn a_route_is_printed_as_json() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    let outcome = told(&mut world, Command::TopicRoute { topic: "PaymentTopic".to_owned() });
    assert_eq!(outcome.value, Some(1));
    assert_eq!(outcome.lines.first().map(String::as_str), Some("{"));
    assert!(outcome.lines.iter().any(|line| line.trim() == "\"brokerName\":\"broker-a\","), "{:?}", outcome.lines);
    let none = told(&mut world, Command::TopicRoute { topic: "Nowhere".to_owned() });
    assert_eq!(
        none.error.as_deref(),
        Some(
            "CODE: 17  DESC: No topic route info in name server for the topic: Nowhere\nSee \
             http://rocketmq.apache.org/docs/faq/ for further details."
        )
    );
}

#[test]
fn an_ordered_topic_is_known_by_its_order_configuration_alone() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    let ordered = |at: At<'_>, write_queues: i32| {
        let Command::UpdateTopic { topic, cluster, broker, .. } = update_topic("Ordered", at, 4, write_queues) else {
            unreachable!("an update")
        };
        Command::UpdateTopic { topic, cluster, broker, read_queues: 4, write_queues, perm: 6, order: true }
    };
    let conf = |world: &World| {
        let kv = world.name_server("namesrv-2").unwrap().kv();
        kv.get("ORDER_TOPIC_CONFIG", "Ordered").map(str::to_owned)
    };
    told(&mut world, ordered(At::Cluster, 4));
    assert_eq!(conf(&world).as_deref(), Some("broker-a:4;broker-b:4"));
    let order = |world: &World, broker: &str| {
        world.broker(broker).unwrap().process().unwrap().topics().get("Ordered").unwrap().order
    };
    assert!(!order(&world, "broker-a"), "the request's own flag is not looked at");
    world.act(Action::Wait { ms: 31_000 }).unwrap();
    rest(&mut world);
    assert!(order(&world, "broker-a") && order(&world, "broker-b"), "the next registration was answered with it");

    let outcome = told(&mut world, ordered(At::Broker("broker-b"), 2));
    assert_eq!(conf(&world).as_deref(), Some("broker-a:4;broker-b:2"));
    assert_eq!(
        outcome.lines[..2],
        [
            "set broker orderConf. isOrder=true, orderConf=[broker-a:4;broker-b:2]",
            "create topic to 10.0.2.2:10911 success.",
        ]
    );
    // The table is in a file: a NameServer that starts anew has it.
    for action in [Action::Kill { node: "namesrv-2".to_owned() }, Action::Start { node: "namesrv-2".to_owned() }] {
        world.act(action).unwrap();
        rest(&mut world);
    }
    assert_eq!(conf(&world).as_deref(), Some("broker-a:4;broker-b:2"));
}
