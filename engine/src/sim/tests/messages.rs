//! Producers, consumers and their broker, message by message.

use super::*;
use crate::{message::Properties, wire::ResponseCode};

fn named(name: &str, topic: &str) -> Send {
    Send { producer: name.to_owned(), topic: topic.to_owned(), ..Send::default() }
}

#[test]
fn a_whole_client_finds_its_route_and_adds_its_id() {
    let mut world = world();
    world.act(send("OrderTopic")).unwrap();
    rest(&mut world);
    let producer = world.client("producer").unwrap();
    let sent = producer.sent().last().unwrap().clone();
    assert_eq!((sent.status.as_str(), sent.attempts), ("SEND_OK", 1));
    assert_eq!(producer.routes().publish()["OrderTopic"].queues.len(), 2);

    let (queue, offset) = (sent.queue_id.unwrap(), sent.queue_offset.unwrap());
    world.act(pull("OrderTopic", queue, offset)).unwrap();
    rest(&mut world);
    let consumer = world.client("consumer").unwrap();
    let received = consumer.received().last().unwrap();
    assert_eq!(Some(&received.msg_id), sent.msg_id.as_ref());
    assert_eq!(Some(&received.offset_msg_id), sent.offset_msg_id.as_ref());
    // WAIT is not stored; UNIQ_KEY and CLUSTER share a bucket and keep the order in which they were put.
    let properties = Properties::parse(&received.properties_text);
    assert_eq!(properties.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["UNIQ_KEY", "CLUSTER"]);
    assert_eq!(received.body.as_ref(), b"OrderTopic 1");
}

#[test]
fn queues_are_taken_in_turn() {
    let mut world = world();
    let mut queues = Vec::new();
    for _ in 0..4 {
        world.act(send("OrderTopic")).unwrap();
        rest(&mut world);
        queues.push(world.client("producer").unwrap().sent().last().unwrap().queue_id.unwrap());
    }
    let first = queues[0];
    assert_eq!(queues, [first, 1 - first, first, 1 - first]);
}

#[test]
fn an_unknown_topic_comes_into_being_after_tbw102() {
    let mut world = world();
    world.act(send("NewTopic")).unwrap();
    let events = rest(&mut world);
    let created = events.iter().flat_map(broker_steps).any(|step| {
        let wanted = ("NewTopic", 4, 6, Some("TBW102"));
        matches!(step, BrokerStep::TopicCreated { topic, write_queue_nums, perm, from, .. }
            if (topic.as_str(), *write_queue_nums, *perm, from.as_deref()) == wanted)
    });
    assert!(created, "a client asks for 4 queues, TBW102 would give 8; its inherit bit is dropped");
    let broker = world.broker("broker-a").unwrap();
    assert!(broker.process().unwrap().topics().get("NewTopic").is_some());
    assert!(world.name_server("namesrv").unwrap().tables().route("NewTopic").is_some());
    let file = broker.disk();
    let text = crate::store::config_file::read_text(file, "config/topics.json").unwrap();
    assert!(text.contains("\t\t\"NewTopic\":{\n\t\t\t\"order\":false,\n\t\t\t\"perm\":6,"), "{text}");
}

#[test]
fn without_automatic_creation_an_unknown_topic_is_refused() {
    let mut cluster = cluster();
    cluster.brokers[0].config.insert("autoCreateTopicEnable".to_owned(), "false".to_owned());
    let mut world = World::new(&cluster, 1).unwrap();
    world.act(send("NewTopic")).unwrap();
    world.act(bare("NewTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    let producer = world.client("producer").unwrap().sent().last().unwrap();
    assert_eq!((producer.status.as_str(), producer.response_code), ("MQClientException", Some(10_005)));
    let sender = world.client("sender").unwrap().sent().last().unwrap();
    let not_exist = ResponseCode::TopicNotExist.value();
    assert_eq!((sender.status.as_str(), sender.response_code), ("MQBrokerException", Some(not_exist)));
}

#[test]
fn the_broker_checks_topics_and_queues() {
    let mut world = world();
    let cases = [
        ("SCHEDULE_TOPIC_XXXX", 0, ResponseCode::NoPermission, "is forbidden."),
        ("Order Topic", 0, ResponseCode::SystemError, "illegal characters"),
        (
            "OrderTopic",
            2,
            ResponseCode::SystemError,
            "request queueId[2] is illegal, TopicConfig [topicName=OrderTopic",
        ),
    ];
    for (topic, queue, code, words) in cases {
        world.act(bare(topic, queue, "TagA", 300)).unwrap();
        rest(&mut world);
        let sent = world.client("sender").unwrap().sent().last().unwrap().clone();
        assert_eq!(sent.response_code, Some(code.value()), "{topic}");
        assert!(sent.error.unwrap().contains(words), "{topic}");
    }
}

#[test]
fn long_bodies_are_compressed_by_a_whole_client() {
    let mut world = world();
    let long = Send { body: Some("x".repeat(4096)), ..named("producer", "OrderTopic") };
    let short = Send { body: Some("x".repeat(4095)), queue: Some(1), ..named("producer", "OrderTopic") };
    for action in [Send { queue: Some(0), ..long }, short] {
        world.act(Action::Send(Box::new(action))).unwrap();
        rest(&mut world);
    }
    for (queue, len) in [(0, 4096), (1, 4095)] {
        world.act(pull("OrderTopic", queue, 0)).unwrap();
        rest(&mut world);
        let received = world.client("consumer").unwrap().received().last().unwrap().clone();
        assert_eq!(received.body.len(), len, "the consumer gets what was sent");
        assert_eq!(received.size < 1000, len == 4096, "only 4096 bytes and more are compressed");
    }
}

#[test]
fn a_batch_becomes_records_with_consecutive_queue_offsets() {
    let mut world = world();
    let message = |body: &str| BatchMessage { body: body.to_owned(), ..BatchMessage::default() };
    world
        .act(Action::SendBatch(Box::new(SendBatch {
            producer: "producer".to_owned(),
            topic: "OrderTopic".to_owned(),
            queue: Some(1),
            messages: vec![message("a"), message("b"), message("c")],
            ..SendBatch::default()
        })))
        .unwrap();
    rest(&mut world);
    let sent = world.client("producer").unwrap().sent().last().unwrap().clone();
    assert_eq!((sent.status.as_str(), sent.queue_offset), ("SEND_OK", Some(0)));
    assert_eq!(sent.offset_msg_id.unwrap().split(',').count(), 3);
    world.act(pull("OrderTopic", 1, 0)).unwrap();
    rest(&mut world);
    let received = world.client("consumer").unwrap().received().clone();
    assert_eq!(received.iter().map(|message| message.queue_offset).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(
        received.iter().map(|message| message.msg_id.clone()).collect::<Vec<_>>().join(","),
        sent.msg_id.unwrap()
    );
}

#[test]
fn tags_are_checked_by_hash_at_the_broker_and_by_name_at_the_client() {
    let mut world = world();
    // "Aa" and "BB" both hash to 2112.
    for tag in ["Aa", "BB", "Cc"] {
        world.act(bare("OrderTopic", 0, tag, 200)).unwrap();
        rest(&mut world);
    }
    let Action::Pull { consumer, topic, queue, offset, max, suspend_ms, commit, broker, .. } = pull("OrderTopic", 0, 0)
    else {
        unreachable!("pull makes a pull")
    };
    let tags = Some("Aa".to_owned());
    world
        .act(Action::Pull { consumer, topic, queue, offset, max, tags, sql: None, suspend_ms, commit, broker })
        .unwrap();
    rest(&mut world);
    let consumer = world.client("consumer").unwrap();
    let pull = consumer.pulls().last().unwrap();
    assert_eq!((pull.status.as_str(), pull.received, pull.dropped_by_tag), ("FOUND", 1, 1));
    assert_eq!(pull.next_begin_offset, 3, "what was filtered counts as read");
    assert_eq!(consumer.received()[0].tags.as_deref(), Some("Aa"));
}

#[test]
fn pulls_end_as_4_9_8_says() {
    let mut world = world();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    // Queue offset 1 is the end: OFFSET_OVERFLOW_ONE; 2 is beyond it: OFFSET_OVERFLOW_BADLY, moved to the end.
    // An empty queue: NO_MESSAGE_IN_QUEUE, which is "moved" for any offset but 0.
    let cases =
        [(0, 1, "NO_NEW_MSG", 1), (0, 2, "OFFSET_ILLEGAL", 1), (1, 0, "NO_NEW_MSG", 0), (1, 5, "OFFSET_ILLEGAL", 0)];
    for (queue, offset, status, next) in cases {
        world.act(pull("OrderTopic", queue, offset)).unwrap();
        rest(&mut world);
        let pull = world.client("consumer").unwrap().pulls().last().unwrap().clone();
        assert_eq!((pull.status.as_str(), pull.next_begin_offset), (status, next), "queue {queue}, offset {offset}");
    }
    world.act(pull("OrderTopic", 2, 0)).unwrap();
    rest(&mut world);
    let pull = world.client("consumer").unwrap().pulls().last().unwrap().clone();
    assert!(pull.error.unwrap().contains("queueId[2] is illegal, topic:[OrderTopic] topicConfig.readQueueNums:[2]"));
}

#[test]
fn a_corrected_offset_is_noted_as_a_message() {
    let mut world = world();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    world.act(pull("OrderTopic", 0, 1000)).unwrap();
    rest(&mut world);
    let store = world.broker("broker-a").unwrap().store().unwrap();
    assert_eq!(store.queue("OFFSET_MOVED_EVENT", 0).unwrap().max_offset_in_queue(), 1);
    let bytes = store.look_message_by_offset(1200).unwrap();
    let record = crate::message::record::decode(&bytes).unwrap();
    // As in the golden `broker`, with this cluster's names.
    let body = r#"{"consumerGroup":"CG_consumer","messageQueue":{"brokerName":"broker-a","queueId":0,"topic":"OrderTopic"},"offsetNew":1,"offsetRequest":1000}"#;
    assert_eq!(std::str::from_utf8(record.body).unwrap(), body);
    assert_eq!(record.properties_text, "KEYS\u{1}CG_consumer\u{2}DELAY\u{1}0\u{2}TAGS\u{1}CG_consumer");
    assert_eq!(record.born_host, record.store_host);
}

fn waiting_pull(suspend_ms: i64) -> Action {
    Action::Pull {
        consumer: "consumer".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: 0,
        offset: 0,
        max: 32,
        tags: None,
        sql: None,
        suspend_ms: Some(suspend_ms),
        commit: None,
        broker: None,
    }
}

#[test]
fn a_held_pull_is_answered_when_reput_dispatches_its_message() {
    let mut world = world();
    world.act(waiting_pull(15_000)).unwrap();
    rest(&mut world);
    assert!(world.client("consumer").unwrap().pulls().is_empty());
    let held: Vec<_> = world.broker("broker-a").unwrap().process().unwrap().held_pulls().collect();
    assert_eq!(held, [("OrderTopic", 0, 0)]);
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(world.client("consumer").unwrap().pulls().last().unwrap().status, "FOUND");
    assert!(world.now_us() < 10_000, "long before the next look at held pulls");
}

#[test]
fn a_held_pull_is_given_up_at_the_first_look_after_its_time() {
    let mut world = world();
    world.act(waiting_pull(7_000)).unwrap();
    while world.client("consumer").unwrap().pulls().is_empty() && world.step().is_some() {}
    let pull = world.client("consumer").unwrap().pulls().last().unwrap().clone();
    assert_eq!(pull.status, "NO_NEW_MSG");
    // The service looks every 5 s from the broker's start, 60 s before time 0: at 10 s, not at 7 s.
    assert_eq!(pull.ended_us / 1_000_000, 10);
}

#[test]
fn consumer_offsets_are_saved_every_5_s_in_4_9_8s_form() {
    let mut world = world();
    let commit =
        Action::Commit { consumer: "consumer".to_owned(), topic: "OrderTopic".to_owned(), queue: 0, offset: 12 };
    world.act(commit).unwrap();
    let mut saved = Vec::new();
    while let Some(event) = world.step() {
        if event.service == "persistOffset" {
            saved.push(event.at_us);
        }
    }
    // Once for the offset, once more so that the copy is the same too; then there is nothing to save.
    assert_eq!(saved, [5_000_000, 10_000_000]);
    let disk = world.broker("broker-a").unwrap().disk();
    let text = |path: &str| crate::store::config_file::read_text(disk, path).unwrap();
    // store-format, section 10: integer keys bare, the closing brace on a line of its own.
    let wanted = "{\n\t\"offsetTable\":{\n\t\t\"OrderTopic@CG_consumer\":{0:12\n\t\t}\n\t}\n}";
    assert_eq!(text("config/consumerOffset.json"), wanted);
    assert_eq!(text("config/consumerOffset.json.bak"), wanted);
}

fn ask(world: &mut World, action: Action) -> crate::client::AskOutcome {
    world.act(action).unwrap();
    rest(world);
    world.client("consumer").unwrap().answers().last().unwrap().clone()
}

#[test]
fn questions_about_queues_and_messages_are_answered() {
    let mut world = world();
    for (tag, keys) in [("TagA", "k1"), ("TagB", "k1 k2")] {
        let message = Send {
            queue: Some(0),
            tag: Some(tag.to_owned()),
            keys: Some(keys.to_owned()),
            ..named("sender", "OrderTopic")
        };
        world.act(Action::Send(Box::new(message))).unwrap();
        rest(&mut world);
    }
    let about = |what| Action::Ask { client: "consumer".to_owned(), topic: "OrderTopic".to_owned(), queue: 0, what };
    assert_eq!(ask(&mut world, about(Question::MaxOffset)).value, Some(2));
    assert_eq!(ask(&mut world, about(Question::MinOffset)).value, Some(0));
    let late = Question::OffsetAt { timestamp_ms: i64::MAX };
    assert_eq!(ask(&mut world, about(late)).value, Some(1), "after the last: the last");
    assert_eq!(ask(&mut world, about(Question::ConsumerOffset)).value, Some(0), "a young queue begins at 0");

    let by_key = |key: &str| Action::QueryKey {
        client: "consumer".to_owned(),
        topic: "OrderTopic".to_owned(),
        key: key.to_owned(),
        unique: false,
        max: 32,
        begin: None,
        end: i64::MAX,
    };
    assert_eq!(ask(&mut world, by_key("k1")).messages.len(), 2);
    assert_eq!(ask(&mut world, by_key("k2")).messages.len(), 1);
    assert!(ask(&mut world, by_key("k3")).error.is_some());

    let id = world.client("sender").unwrap().sent()[1].offset_msg_id.clone().unwrap();
    let view = ask(&mut world, Action::ViewMessage { client: "consumer".to_owned(), id });
    assert_eq!(view.messages[0].tags.as_deref(), Some("TagB"));
}

#[test]
fn synchronous_flush_answers_after_the_flush() {
    let mut cluster = cluster();
    cluster.brokers[0].config.insert("flushDiskType".to_owned(), "SYNC_FLUSH".to_owned());
    let mut world = World::new(&cluster, 1).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(world.client("sender").unwrap().sent().last().unwrap().status, "SEND_OK");
    assert_eq!(world.broker("broker-a").unwrap().store().unwrap().flushed_where(), 1200);

    // With the flush standing still the answer comes after syncFlushTimeout, 5 s: too late for a producer that waits
    // 3 s. The message is stored all the same.
    world.act(pause("broker-a", Some(Service::FlushCommitLog))).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(world.client("sender").unwrap().sent().last().unwrap().status, "RemotingTimeoutException");
    assert_eq!(world.broker("broker-a").unwrap().store().unwrap().max_phy_offset(), 1400);
}

#[test]
fn without_a_slave_a_synchronous_master_says_so() {
    let mut cluster = cluster();
    cluster.brokers[0].config.insert("brokerRole".to_owned(), "SYNC_MASTER".to_owned());
    let mut world = World::new(&cluster, 1).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    let sent = world.client("sender").unwrap().sent().last().unwrap().clone();
    assert_eq!((sent.status.as_str(), sent.physical_offset), ("SLAVE_NOT_AVAILABLE", Some(1000)));
}
