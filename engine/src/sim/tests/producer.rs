//! What producers do with a cluster of two brokers: attempts, brokers they avoid, selectors, asynchronous sends.

use super::{crashes::act, *};
use crate::client::{ClientConfig, Selector, SendMode, SendOutcome};

const ADVICE: &str = "\nFor more information, please visit the url, http://rocketmq.apache.org/docs/faq/";

/// Two brokers with two queues of the topic T each, and a producer that is set as given.
fn pair(settings: &[(&str, &str)]) -> World {
    let mut cluster = cluster();
    let mut broker = cluster.brokers.remove(0);
    broker.topics = vec![TopicSpec { name: "T".to_owned(), read_queues: 2, write_queues: 2, ..TopicSpec::default() }];
    let other = BrokerSpec { name: "broker-b".to_owned(), ..broker.clone() };
    cluster.brokers = vec![broker, other];
    let set = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    cluster.producers[0].config.extend(set);
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, plain(SendMode::Sync));
    world
}

fn plain(mode: SendMode) -> Action {
    sent(Send { mode, ..Send::default() })
}

fn sent(send: Send) -> Action {
    let topic = if send.topic.is_empty() { "T".to_owned() } else { send.topic.clone() };
    Action::Send(Box::new(Send { producer: "producer".to_owned(), topic, ..send }))
}

fn told(world: &World) -> SendOutcome {
    world.client("producer").unwrap().sent().last().unwrap().clone()
}

fn kill(world: &mut World, node: &str) {
    act(world, Action::Kill { node: node.to_owned() });
}

fn brokers(outcome: &SendOutcome) -> Vec<&str> {
    outcome.tries.iter().map(|tried| tried.broker_name.as_str()).collect()
}

#[test]
fn a_failed_broker_is_avoided_for_ten_minutes() {
    let mut world = pair(&[("sendLatencyFaultEnable", "true")]);
    kill(&mut world, "broker-a");
    let mut failed = 0;
    for _ in 0..6 {
        act(&mut world, plain(SendMode::Sync));
        let told = told(&world);
        assert_eq!(told.status, "SEND_OK");
        assert_eq!(brokers(&told).last(), Some(&"broker-b"));
        failed += told.attempts - 1;
    }
    assert_eq!(failed, 1, "once it has failed, nobody tries it");
    let read = |world: &World, place: &str| {
        let probe = crate::lesson::Probe::parse(&format!("producer.fault.broker-{place}")).unwrap();
        crate::lesson::read(world, &probe).unwrap().to_string()
    };
    assert_eq!(read(&world, "a.available"), "false");
    assert_eq!(read(&world, "b.available"), "true");
    assert_eq!(read(&world, "c.available"), "true", "nothing is known of it");
    act(&mut world, Action::Wait { ms: 600_000 });
    assert_eq!(read(&world, "a.available"), "true");
    assert_eq!(read(&world, "a.latency"), "0");
}

#[test]
fn where_every_broker_is_avoided_the_better_half_takes_turns() {
    // Every attempt, however quick, makes its broker one to avoid: the one that was used longest ago is the better.
    let set = [("sendLatencyFaultEnable", "true"), ("latencyMax", "0"), ("notAvailableDuration", "600000")];
    let mut world = pair(&set);
    let mut last = told(&world).broker_name;
    for _ in 0..6 {
        act(&mut world, Action::Wait { ms: 10 });
        act(&mut world, plain(SendMode::Sync));
        let now = told(&world);
        assert_eq!((now.status.as_str(), now.attempts), ("SEND_OK", 1));
        assert_ne!(now.broker_name, last);
        last = now.broker_name;
    }
}

#[test]
fn an_asynchronous_send_goes_to_another_broker_with_the_same_queue() {
    let mut world = pair(&[]);
    kill(&mut world, "broker-a");
    let mut moved = 0;
    for _ in 0..4 {
        let events = act(&mut world, plain(SendMode::Async));
        let told = told(&world);
        assert_eq!((told.status.as_str(), told.mode), ("SEND_OK", SendMode::Async));
        if told.attempts == 1 {
            continue;
        }
        moved += 1;
        assert_eq!(brokers(&told), ["broker-a", "broker-b"]);
        assert_eq!(told.tries[0].queue_id, told.tries[1].queue_id);
        assert_eq!(told.queue_id, Some(told.tries[0].queue_id));
        let steps = events.iter().flat_map(|event| &event.steps);
        let again = steps.filter(|step| {
            matches!(step.what, StepKind::Producer(crate::node::ProducerStep::SentAgain { attempt: 2, .. }))
        });
        assert_eq!(again.count(), 1);
    }
    assert_eq!(moved, 2, "two of the four queues are those of broker-a");
}

#[test]
fn an_asynchronous_send_with_a_given_queue_stays_at_its_broker() {
    let mut world = pair(&[]);
    kill(&mut world, "broker-a");
    let broker = Some("broker-a".to_owned());
    act(&mut world, sent(Send { queue: Some(1), broker, mode: SendMode::Async, ..Send::default() }));
    let told = told(&world);
    assert_eq!((told.status.as_str(), told.attempts), ("RemotingConnectException", 3));
    assert_eq!(brokers(&told), ["broker-a"; 3]);
}

#[test]
fn a_broker_that_refuses_an_asynchronous_send_is_believed_at_once() {
    let mut world = pair(&[]);
    // It grows when it is compressed, and is too long for the broker then.
    let long = Send { body_length: Some(4_194_304), body_random: true, mode: SendMode::Async, ..Send::default() };
    act(&mut world, sent(long));
    let told = told(&world);
    assert_eq!((told.status.as_str(), told.response_code, told.attempts), ("MQBrokerException", Some(13), 1));
}

#[test]
fn nobody_wakes_up_when_the_time_of_an_asynchronous_send_is_over() {
    let mut world = World::new(&cluster(), 1).unwrap();
    act(&mut world, send("OrderTopic"));
    let end = world.broker("broker-a").unwrap().store().unwrap().max_phy_offset();
    // A heartbeat that is waited for would take the connection with it.
    act(&mut world, pause("producer", Some(Service::Heartbeat)));
    act(&mut world, Action::Stall { a: "producer".to_owned(), b: "broker-a".to_owned() });
    act(&mut world, sent(Send { topic: "OrderTopic".to_owned(), mode: SendMode::Async, ..Send::default() }));
    let told = told(&world);
    // The scan, once a second, drops what is late by a second; two further attempts have no time left.
    assert_eq!((told.status.as_str(), told.attempts), ("RemotingTooMuchRequestException", 3));
    let error = told.error.unwrap();
    assert!(error.starts_with("invokeAsync call the addr[") && error.ends_with("] timeout"), "{error}");
    assert_eq!(told.tries[0].error.as_deref(), Some(format!("wait response timeout 3000ms{ADVICE}").as_str()));
    assert!((4_000_000..5_001_000).contains(&(told.ended_us - told.began_us)), "{}", told.ended_us - told.began_us);
    // The connection stays, and with it the request.
    act(&mut world, Action::Mend { a: "producer".to_owned(), b: "broker-a".to_owned() });
    assert!(world.broker("broker-a").unwrap().store().unwrap().max_phy_offset() > end);
}

#[test]
fn another_broker_is_tried_for_a_better_status_only_if_the_producer_is_set_so() {
    for (set, attempts) in [("false", 1), ("true", 3)] {
        let mut cluster = cluster();
        cluster.brokers[0].config.insert("brokerRole".to_owned(), "SYNC_MASTER".to_owned());
        cluster.producers[0].config.insert("retryAnotherBrokerWhenNotStoreOK".to_owned(), set.to_owned());
        let mut world = World::new(&cluster, 1).unwrap();
        act(&mut world, send("OrderTopic"));
        let told = told(&world);
        assert_eq!((told.status.as_str(), told.attempts), ("SLAVE_NOT_AVAILABLE", attempts));
        let queues = world.broker("broker-a").unwrap().store().unwrap().queues();
        let stored: i64 =
            queues.filter(|(topic, ..)| *topic == "OrderTopic").map(|(_, _, queue)| queue.max_offset_in_queue()).sum();
        assert_eq!(stored, i64::from(attempts), "each attempt has stored it");
    }
}

#[test]
fn what_the_client_refuses_it_refuses_in_4_9_8s_words() {
    let long = "t".repeat(128);
    let illegal = "The specified topic[a b] contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$";
    let cases = [
        (" ", "The specified topic is blank"),
        (long.as_str(), "The specified topic is longer than topic max length 127."),
        ("a b", illegal),
        ("SCHEDULE_TOPIC_XXXX", "Sending message to topic[SCHEDULE_TOPIC_XXXX] is forbidden."),
        ("RMQ_SYS_TRANS_HALF_TOPIC", "Sending message to topic[RMQ_SYS_TRANS_HALF_TOPIC] is forbidden."),
    ];
    let mut world = world();
    for (topic, text) in cases {
        act(&mut world, send(topic));
        let told = told(&world);
        assert_eq!((told.status.as_str(), told.response_code, told.attempts), ("MQClientException", Some(-1), 0));
        assert_eq!(told.error, Some(format!("{text}{ADVICE}")));
    }
}

#[test]
fn a_selector_picks_from_the_publish_list() {
    let mut world = world();
    let selected = |world: &mut World, selector| {
        let selector = Some(selector);
        act(world, sent(Send { topic: "OrderTopic".to_owned(), selector, ..Send::default() }));
        told(world)
    };
    // Of "TagA" the hash is 2598919; of "polygenelubricants" the smallest int; of "customer-2" -1581185533, which leaves
    // -1 and so 1.
    for (arg, queue) in [("TagA", 1), ("polygenelubricants", 0), ("customer-2", 1)] {
        for _ in 0..2 {
            let told = selected(&mut world, Selector::Hash { arg: arg.to_owned() });
            assert_eq!((told.status.as_str(), told.queue_id), ("SEND_OK", Some(queue)), "{arg}");
        }
    }
    let drawn: Vec<Option<i32>> = (0..20).map(|_| selected(&mut world, Selector::Random).queue_id).collect();
    assert!(drawn.contains(&Some(0)) && drawn.contains(&Some(1)));
    let none = selected(&mut world, Selector::MachineRoom);
    assert_eq!((none.status.as_str(), none.attempts), ("MQClientException", 0));
    assert_eq!(none.error, Some(format!("select message queue return null.{ADVICE}")));
}

#[test]
fn a_given_queue_of_an_unknown_broker_fails_after_one_look_at_the_route() {
    let mut world = pair(&[]);
    let broker = Some("broker-x".to_owned());
    act(&mut world, sent(Send { queue: Some(0), broker, ..Send::default() }));
    let told = told(&world);
    assert_eq!((told.status.as_str(), told.attempts), ("MQClientException", 1));
    assert_eq!(told.error, Some(format!("The broker[broker-x] not exist{ADVICE}")));
}

#[test]
fn a_retry_topics_message_tells_in_its_header_how_often_it_was_consumed() {
    let topic = "%RETRY%CG".to_owned();
    let mut cluster = cluster();
    let spec = TopicSpec { name: topic.clone(), read_queues: 1, write_queues: 1, ..TopicSpec::default() };
    cluster.brokers[0].topics.push(spec);
    let mut world = World::new(&cluster, 1).unwrap();
    let times = |text: &str| [("RECONSUME_TIME".to_owned(), text.to_owned())].into();
    act(&mut world, sent(Send { topic: topic.clone(), properties: times("3"), ..Send::default() }));
    let offset = told(&world).physical_offset.unwrap();
    let bytes = world.broker("broker-a").unwrap().store().unwrap().look_message_by_offset(offset).unwrap();
    let record = crate::message::record::decode(&bytes).unwrap();
    assert_eq!(record.reconsume_times, 3);
    // The text of the properties is made before the number moves into the header.
    assert!(record.properties_text.contains("RECONSUME_TIME\u{1}3"));
    act(&mut world, sent(Send { topic, properties: times("x"), ..Send::default() }));
    assert_eq!(told(&world).status, "NumberFormatException");
}

#[test]
fn without_a_name_server_nothing_is_known_of_a_topic() {
    let mut world = world();
    act(&mut world, Action::Cut { a: "producer".to_owned(), b: "namesrv".to_owned() });
    act(&mut world, send("OrderTopic"));
    assert_eq!(told(&world).status, "IllegalStateException");
    let mut cluster = cluster();
    cluster.brokers[0].config.insert("autoCreateTopicEnable".to_owned(), "false".to_owned());
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, send("Nowhere"));
    assert_eq!((told(&world).status.as_str(), told(&world).response_code), ("MQClientException", Some(10_005)));
    let selector = Some(Selector::Random);
    act(&mut world, sent(Send { topic: "Nowhere".to_owned(), selector, ..Send::default() }));
    assert_eq!(told(&world).error, Some(format!("No route info for this topic, Nowhere{ADVICE}")));
}

#[test]
fn a_list_is_split_as_the_distributions_example_does() {
    let mut cluster = cluster();
    cluster.brokers[0].config.insert("mappedFileSizeCommitLog".to_owned(), "4194304".to_owned());
    let mut world = World::new(&cluster, 1).unwrap();
    // Counted for each: topic 10, WAIT=true 8, 20 more, and the body; 1,000,000 fit into a piece.
    let entry = BatchMessage { body_length: Some(499_962), ..BatchMessage::default() };
    let batch = SendBatch {
        producer: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        messages: vec![entry; 3],
        split: true,
        ..SendBatch::default()
    };
    let ids = |world: &World| {
        let sent = world.client("producer").unwrap().sent();
        let count = |outcome: &SendOutcome| outcome.msg_id.as_deref().map_or(0, |ids| ids.split(',').count());
        sent.iter().map(count).collect::<Vec<_>>()
    };
    act(&mut world, Action::SendBatch(Box::new(batch.clone())));
    assert_eq!(ids(&world), [2, 1]);
    // An exception ends the loop.
    act(&mut world, Action::Kill { node: "broker-a".to_owned() });
    act(&mut world, Action::SendBatch(Box::new(batch)));
    assert_eq!(ids(&world), [2, 1, 2]);
    assert_eq!(told(&world).status, "MQClientException");
}

#[test]
fn contradictions_in_a_send_are_refused() {
    let refused = |send: Send| match world().act(sent(Send { topic: "OrderTopic".to_owned(), ..send })) {
        Err(ActionError::BadValue { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    let selector = || Some(Selector::Random);
    assert_eq!(refused(Send { selector: selector(), queue: Some(0), ..Send::default() }), "selector");
    assert_eq!(refused(Send { broker: Some("broker-a".to_owned()), ..Send::default() }), "broker");
    let body = Some("x".to_owned());
    assert_eq!(refused(Send { body_length: Some(1), body, ..Send::default() }), "bodyLength");
    assert_eq!(refused(Send { body_length: Some(u32::MAX), ..Send::default() }), "bodyLength");
    assert_eq!(refused(Send { body_random: true, ..Send::default() }), "bodyRandom");
    assert_eq!(refused(Send { delay_level: Some(-1), ..Send::default() }), "delayLevel");
    let bare = Send { producer: "sender".to_owned(), topic: "T".to_owned(), selector: selector(), ..Send::default() };
    assert!(matches!(world().act(Action::Send(Box::new(bare))), Err(ActionError::BadValue { .. })));
    let batch = SendBatch {
        producer: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        messages: vec![BatchMessage { body: "x".to_owned(), body_length: Some(1), ..BatchMessage::default() }],
        ..SendBatch::default()
    };
    assert!(matches!(world().act(Action::SendBatch(Box::new(batch))), Err(ActionError::BadValue { .. })));
}

#[test]
fn what_a_producer_cannot_be_set_to() {
    let mut cluster = cluster();
    cluster.producers[0].config.insert("retryTimesWhenSendFailed".to_owned(), "1001".to_owned());
    assert_eq!(World::new(&cluster, 1).unwrap_err().place, "producer");
    let mut named = super::cluster();
    named.producers[0].group = "DEFAULT_PRODUCER".to_owned();
    assert_eq!(World::new(&named, 1).unwrap_err().place, "producer.group");
    let mut config = ClientConfig::default();
    config.set("latencyMax", "1, 20,300").unwrap();
    assert_eq!(config.latency_max, [1, 20, 300]);
    assert!(config.set("latencyMax", "1,x").is_err());
}

#[test]
fn the_request_has_the_short_header_unless_it_is_set_otherwise() {
    for (smart, code) in [("true", "SEND_MESSAGE_V2"), ("false", "SEND_MESSAGE")] {
        let mut world = pair(&[("sendSmartMsg", smart)]);
        world.act(plain(SendMode::Sync)).unwrap();
        assert_eq!(world.flights().map(|flight| flight.label.to_owned()).collect::<Vec<_>>(), [code]);
    }
}

#[test]
fn without_retries_an_asynchronous_send_is_told_the_first_failure() {
    let mut world = pair(&[("retryTimesWhenSendAsyncFailed", "0")]);
    kill(&mut world, "broker-a");
    let failed = (0..4).filter(|_| {
        act(&mut world, plain(SendMode::Async));
        let told = told(&world);
        assert_eq!(told.attempts, 1);
        told.status == "RemotingConnectException"
    });
    assert_eq!(failed.count(), 2, "two of the four queues are those of broker-a");
}

#[test]
fn the_second_port_leads_to_the_same_broker() {
    let mut world = pair(&[("vipChannelEnabled", "true")]);
    act(&mut world, plain(SendMode::Sync));
    assert_eq!(told(&world).status, "SEND_OK");
}
