//! The client's rules that need no network.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    MessageQueue, PublishInfo, Received, Routes,
    draft::{NewMessage, property_map},
    exception::Exception,
};
use crate::{
    message::Host,
    node::{Costs, Streams, Turn},
    wire::{BrokerData, QueueData, ResponseCode, TopicRouteData},
};

/// Runs something in a turn of its own.
fn in_turn<T>(run: impl FnOnce(&mut Turn<'_>) -> T) -> T {
    let (costs, names) = (Costs::default(), BTreeMap::<String, Arc<str>>::new());
    let mut streams = Streams::new(1, "client");
    run(&mut Turn::new(0, 0, 0, &costs, &mut streams, &names, 0))
}

fn queue_data(broker_name: &str, queues: i32, perm: i32) -> QueueData {
    QueueData {
        broker_name: broker_name.to_owned(),
        read_queue_nums: queues,
        write_queue_nums: queues,
        perm,
        topic_sys_flag: 0,
    }
}

fn broker_data(broker_name: &str, id: i64) -> BrokerData {
    BrokerData {
        cluster: "DefaultCluster".to_owned(),
        broker_name: broker_name.to_owned(),
        broker_addrs: BTreeMap::from([(id, format!("{broker_name}:{id}"))]),
    }
}

fn route() -> TopicRouteData {
    TopicRouteData {
        order_topic_conf: None,
        queue_datas: vec![
            queue_data("b", 2, 6),
            queue_data("a", 2, 6),
            queue_data("readOnly", 4, 4),
            queue_data("slaveOnly", 4, 6),
        ],
        broker_datas: vec![
            broker_data("a", 0),
            broker_data("b", 0),
            broker_data("readOnly", 0),
            broker_data("slaveOnly", 1),
        ],
    }
}

#[test]
fn an_order_configuration_alone_says_which_queues_there_are() {
    let mut routes = Routes::default();
    let ordered = |conf: &str| TopicRouteData { order_topic_conf: Some(conf.to_owned()), ..route() };
    let queues = |routes: &Routes| {
        let queues = &routes.publish()["T"].queues;
        queues.iter().map(|queue| format!("{}-{}", queue.broker_name, queue.queue_id)).collect::<Vec<_>>()
    };
    // In its own order, with its own numbers, and with a broker that is gone.
    assert!(routes.apply("T", ordered("gone:1;a:3"), None));
    assert_eq!(queues(&routes), ["gone-0", "a-0", "a-1", "a-2"]);
    assert!(routes.apply("T", ordered("a:1"), None), "another configuration is another route");
    assert_eq!(queues(&routes), ["a-0"]);
    assert!(routes.apply("T", ordered(""), None));
    assert_eq!(queues(&routes), ["a-0", "a-1", "b-0", "b-1"]);
}

#[test]
fn producers_use_writable_queues_of_brokers_that_have_a_master() {
    let mut routes = Routes::default();
    assert!(routes.apply("T", route(), None));
    assert!(!routes.apply("T", route(), None), "the same route changes nothing");
    let queues: Vec<_> =
        routes.publish()["T"].queues.iter().map(|queue| (queue.broker_name.as_str(), queue.queue_id)).collect();
    assert_eq!(queues, [("a", 0), ("a", 1), ("b", 0), ("b", 1)]);
    assert_eq!(routes.master("a"), Some("a:0"));
    assert_eq!(routes.master("slaveOnly"), None);
}

#[test]
fn a_default_topics_route_is_cut_to_the_producers_wish() {
    let mut routes = Routes::default();
    routes.apply("New", route(), Some(1));
    assert_eq!(routes.publish()["New"].queues.len(), 2);
}

#[test]
fn a_retry_goes_to_another_broker_if_there_is_one() {
    let queue = |broker_name: &str, queue_id| MessageQueue { broker_name: broker_name.to_owned(), queue_id };
    let two = vec![queue("a", 0), queue("a", 1), queue("b", 0), queue("b", 1)];
    in_turn(|turn| {
        let mut info = PublishInfo::new(two);
        for _ in 0..8 {
            assert_eq!(info.select(Some("a"), turn).unwrap().broker_name, "b");
        }
        let mut one = PublishInfo::new(vec![queue("a", 0), queue("a", 1)]);
        assert_eq!(one.select(Some("a"), turn).unwrap().broker_name, "a");
        assert_eq!(PublishInfo::default().select(None, turn), None);
    });
}

#[test]
fn the_overhead_of_a_record_is_what_the_broker_will_store() {
    let puts = vec![("TAGS".to_owned(), "TagA".to_owned()), ("WAIT".to_owned(), "true".to_owned())];
    let message = NewMessage { topic: "BTopic".to_owned(), properties: puts, ..NewMessage::default() };
    let v4: Host = "10.0.2.1:10911".parse().unwrap();
    // 91 + "BTopic" + "CLUSTER\u{1}DefaultCluster\u{2}TAGS\u{1}TagA", and "UNIQ_KEY\u{1}", 32 digits and a separator.
    assert_eq!(message.record_overhead("DefaultCluster", &v4, false), 91 + 6 + 32);
    assert_eq!(message.record_overhead("DefaultCluster", &v4, true), 91 + 6 + 32 + 42);
    let v6: Host = "[::1]:10911".parse().unwrap();
    assert_eq!(message.record_overhead("DefaultCluster", &v6, false), 91 + 6 + 32 + 12);
}

#[test]
fn properties_go_out_in_the_order_that_a_real_client_sends() {
    // The request of the golden `broker`: keys k1 k2, then UNIQ_KEY, WAIT, TAGS.
    let puts = [("TAGS", "TagA"), ("KEYS", "k1 k2"), ("WAIT", "true"), ("UNIQ_KEY", "0")];
    let puts: Vec<_> = puts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let text = property_map(&puts).to_text();
    assert_eq!(text, "KEYS\u{1}k1 k2\u{2}UNIQ_KEY\u{1}0\u{2}WAIT\u{1}true\u{2}TAGS\u{1}TagA");
}

#[test]
fn exceptions_say_what_4_9_8_says() {
    let plain = Exception::broker(ResponseCode::MessageIllegal, Some("too long"), None);
    assert_eq!(
        plain.message,
        "CODE: 13  DESC: too long\nFor more information, please visit the url, http://rocketmq.apache.org/docs/faq/"
    );
    let advised = Exception::broker(ResponseCode::TopicNotExist, Some("no\nSee http://x for further details."), None);
    assert_eq!(advised.message, "CODE: 17  DESC: no\nSee http://x for further details.");
}

#[test]
fn bytes_that_are_no_records_are_no_messages() {
    assert!(Received::read_all(&b"anything but records".as_slice().into()).is_empty());
    assert!(Received::read_all(&vec![0; 200].into()).is_empty());
}
