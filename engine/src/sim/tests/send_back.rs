//! Messages that a consumer gives back.

use super::{
    crashes::{act, kill},
    *,
};
use crate::{
    message::{Properties, record},
    node::ProducerStep,
};

fn back(change: impl FnOnce(&mut SendBack)) -> Action {
    let mut back = SendBack { consumer: "consumer".to_owned(), ..SendBack::default() };
    change(&mut back);
    Action::SendBack(Box::new(back))
}

/// A world whose consumer has received one message of `OrderTopic`, stored at 1000.
fn received() -> World {
    let mut world = world();
    world.act(bare("OrderTopic", 1, "TagA", 200)).unwrap();
    rest(&mut world);
    world.act(pull("OrderTopic", 1, 0)).unwrap();
    rest(&mut world);
    assert_eq!(world.client("consumer").unwrap().received().len(), 1);
    world
}

/// Topic, queue, retries so far and properties of the record at `offset`.
fn record_at(world: &World, offset: i64) -> (String, i32, i32, String) {
    let bytes = world.broker("broker-a").unwrap().store().unwrap().look_message_by_offset(offset).unwrap();
    let record = record::decode(&bytes).unwrap();
    let properties = record.properties_text.replace('\u{1}', "=").replace('\u{2}', " ");
    (record.topic.to_string(), record.queue_id, record.reconsume_times, properties)
}

fn last_answer(world: &World) -> crate::client::AskOutcome {
    world.client("consumer").unwrap().answers().last().unwrap().clone()
}

#[test]
fn a_message_that_came_back_waits_in_the_queue_of_its_delay_level() {
    let mut world = received();
    let id = world.client("consumer").unwrap().received()[0].offset_msg_id.clone();
    world.act(back(|_| {})).unwrap();
    rest(&mut world);
    assert_eq!(last_answer(&world).error, None);
    let (topic, queue, times, properties) = record_at(&world, 1200);
    // Level 3, whose queue is 2: 3 and no retry so far. The properties stand in the order of the golden `broker`.
    assert_eq!((topic.as_str(), queue, times), ("SCHEDULE_TOPIC_XXXX", 2, 1));
    let wanted = format!(
        "REAL_TOPIC=%RETRY%CG_consumer ORIGIN_MESSAGE_ID={id} RETRY_TOPIC=OrderTopic CLUSTER=DefaultCluster WAIT=false \
         DELAY=3 TAGS=TagA REAL_QID=0"
    );
    assert_eq!(properties, wanted);
    // The consumer's own group: its retry topic was made by its heartbeat, with one queue.
    let topics = world.broker("broker-a").unwrap().process().unwrap().topics();
    assert_eq!(topics.get("%RETRY%CG_consumer").map(|topic| (topic.read_queue_nums, topic.perm)), Some((1, 6)));
    assert!(topics.get("%DLQ%CG_consumer").is_none());
}

#[test]
fn a_message_goes_to_the_dead_letter_queue_when_it_is_given_up_or_has_come_back_too_often() {
    for given_up in [true, false] {
        let mut world = received();
        world
            .act(back(|back| {
                if given_up {
                    back.delay_level = -1;
                } else {
                    back.max_reconsume_times = Some(0);
                }
            }))
            .unwrap();
        let events = rest(&mut world);
        let (topic, queue, times, properties) = record_at(&world, 1200);
        assert_eq!((topic.as_str(), queue, times), ("%DLQ%CG_consumer", 0, 1));
        let properties = Properties::parse(&properties.replace('=', "\u{1}").replace(' ', "\u{2}"));
        assert_eq!(properties.get("DELAY"), Some("0"), "no delay, and the property says so");
        let lettered = events.iter().flat_map(|event| &event.steps).any(|step| {
            matches!(&step.what, StepKind::Intake(crate::node::IntakeStep::DeadLettered { topic, .. })
                if topic == "%DLQ%CG_consumer")
        });
        assert!(lettered);
    }
}

#[test]
fn a_level_may_be_asked_for_and_is_cut_to_the_highest() {
    let mut world = received();
    for (level, queue) in [(5, 4), (99, 17)] {
        world.act(back(|back| back.delay_level = level)).unwrap();
        rest(&mut world);
        let store = world.broker("broker-a").unwrap().store().unwrap();
        assert_eq!(store.queue("SCHEDULE_TOPIC_XXXX", queue).unwrap().max_offset_in_queue(), 1, "level {level}");
    }
}

#[test]
fn the_origin_and_its_topic_are_kept_when_a_message_comes_back_again() {
    let mut world = received();
    let id = world.client("consumer").unwrap().received()[0].offset_msg_id.clone();
    world.act(back(|back| back.delay_level = -1)).unwrap();
    rest(&mut world);
    world.act(pull("%DLQ%CG_consumer", 0, 0)).unwrap();
    rest(&mut world);
    world.act(back(|back| back.physical_offset = Some(1200))).unwrap();
    rest(&mut world);
    let dead = world.client("consumer").unwrap().received()[1].clone();
    let (topic, queue, times, properties) = record_at(&world, dead.physical_offset + i64::from(dead.size));
    // One retry so far: level 4.
    assert_eq!((topic.as_str(), queue, times), ("SCHEDULE_TOPIC_XXXX", 3, 2));
    assert!(properties.contains(&format!("ORIGIN_MESSAGE_ID={id} RETRY_TOPIC=OrderTopic")), "{properties}");
}

#[test]
fn only_what_a_running_consumer_has_received_can_be_given_back() {
    let mut fresh = world();
    let refused = |world: &mut World, action: Action| {
        let before = (world.events(), world.trace_hash());
        let error = world.act(action).unwrap_err();
        assert_eq!((world.events(), world.trace_hash()), before);
        error
    };
    let field = |error: ActionError| match error {
        ActionError::BadValue { field, .. } => field,
        other => panic!("{other}"),
    };
    assert_eq!(field(refused(&mut fresh, back(|_| {}))), "consumer");
    let mut world = received();
    assert_eq!(field(refused(&mut world, back(|back| back.index = Some(1)))), "index");
    assert_eq!(field(refused(&mut world, back(|back| back.physical_offset = Some(1200)))), "physicalOffset");
    let both = back(|back| (back.index, back.physical_offset) = (Some(0), Some(1000)));
    assert_eq!(field(refused(&mut world, both)), "index");
    let producer = refused(&mut world, back(|back| back.consumer = "producer".to_owned()));
    assert!(matches!(producer, ActionError::WrongNode { .. }));
}

/// DefaultMQPullConsumerImpl.sendMessageBack: the inner producer sends a new message where the broker cannot be asked.
#[test]
fn a_message_that_its_broker_cannot_take_back_goes_to_another_as_a_new_one() {
    let mut cluster = cluster();
    let other = BrokerSpec { name: "broker-b".to_owned(), ..cluster.brokers[0].clone() };
    cluster.brokers.push(other);
    let mut world = World::new(&cluster, 1).unwrap();
    let sent = Send {
        producer: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: Some(1),
        broker: Some("broker-a".to_owned()),
        tag: Some("TagA".to_owned()),
        flag: 7,
        body: Some("paid".to_owned()),
        ..Send::default()
    };
    act(&mut world, Action::Send(Box::new(sent)));
    act(&mut world, pull("OrderTopic", 1, 0));
    // The heartbeats make the retry topic at both brokers.
    act(&mut world, Action::Wait { ms: 31_000 });
    act(&mut world, kill("broker-a"));
    let id = world.client("consumer").unwrap().received()[0].msg_id.clone();
    let events = act(&mut world, back(|_| {}));
    assert_eq!(last_answer(&world).error, None);
    let steps = events.iter().flat_map(|event| &event.steps);
    let instead = steps.filter(|step| matches!(step.what, StepKind::Producer(ProducerStep::SentInstead { .. })));
    assert_eq!(instead.count(), 1);

    let store = world.broker("broker-b").unwrap().store().unwrap();
    // Level 3 is queue 2.
    let unit = store.unit("SCHEDULE_TOPIC_XXXX", 2, 0).unwrap();
    let bytes = store.look_message_by_offset(unit.physical_offset).unwrap();
    let record = record::decode(&bytes).unwrap();
    assert_eq!((record.flag, record.reconsume_times, record.body), (7, 1, &b"paid"[..]));
    let properties = Properties::parse(&record.properties_text);
    let wanted = [
        ("UNIQ_KEY", Some(id.as_str())),
        ("TAGS", Some("TagA")),
        ("REAL_TOPIC", Some("%RETRY%CG_consumer")),
        ("RETRY_TOPIC", Some("OrderTopic")),
        ("DELAY", Some("3")),
        ("RECONSUME_TIME", Some("1")),
        ("MAX_RECONSUME_TIMES", Some("16")),
        ("MIN_OFFSET", Some("0")),
        ("MAX_OFFSET", Some("1")),
        // It is set before the properties are, which replace it.
        ("ORIGIN_MESSAGE_ID", None),
    ];
    for (name, value) in wanted {
        assert_eq!(properties.get(name), value, "{name}");
    }
}

#[test]
fn what_neither_broker_nor_producer_can_take_is_told_to_the_application() {
    let mut world = received();
    act(&mut world, Action::Cut { a: "consumer".to_owned(), b: "broker-a".to_owned() });
    act(&mut world, back(|_| {}));
    let error = last_answer(&world).error.unwrap();
    assert!(error.starts_with("Send [3] times, still failed, cost ["), "{error}");
}
