//! B26: queues taken from a topic while messages are in them.

use rocketscope_engine::{
    client::{AskOutcome, PullOutcome},
    sim::{Action, Administer, AdministratorSpec, Command, Question, Send, World},
    store::ConsumeQueue,
};
use serde_json::Value;

use crate::rig::{self, act, list, told};

const TOPIC: &str = "ShrT";

/// The recorded administrator sent `UPDATE_AND_CREATE_TOPIC` to the broker.
fn set_queues(world: &mut World, read_queues: i32, write_queues: i32) {
    let command = Command::UpdateTopic {
        topic: TOPIC.to_owned(),
        cluster: None,
        broker: Some("broker".to_owned()),
        read_queues,
        write_queues,
        perm: 6,
        order: false,
    };
    act(world, Action::Administer(Box::new(Administer { administrator: "admin".to_owned(), command })));
}

fn send(queue: i32, body: &str) -> Action {
    Action::Send(Box::new(Send {
        producer: "producer".to_owned(),
        topic: TOPIC.to_owned(),
        queue: Some(queue),
        body: Some(body.to_owned()),
        ..Send::default()
    }))
}

/// Pulls a queue from its beginning: how that ended, and the bodies that came.
fn pull(world: &mut World, queue: i32) -> (PullOutcome, Vec<String>) {
    let received = |world: &World| world.client("consumer").map_or(0, |client| client.received().len());
    let before = received(world);
    act(
        world,
        Action::Pull {
            consumer: "consumer".to_owned(),
            topic: TOPIC.to_owned(),
            queue,
            offset: 0,
            max: 32,
            tags: None,
            sql: None,
            suspend_ms: None,
            commit: None,
            broker: Some("oracle-broker".to_owned()),
        },
    );
    let client = world.client("consumer").expect("the consumer");
    let bodies =
        client.received().iter().skip(before).map(|message| String::from_utf8_lossy(&message.body).into_owned());
    (client.pulls().last().expect("an outcome").clone(), bodies.collect())
}

/// Asserts that a pull ends as it was recorded.
fn assert_pull(world: &mut World, recorded: &Value) {
    let queue = recorded["queueId"].as_i64().and_then(|queue| i32::try_from(queue).ok()).expect("a queue");
    let (outcome, bodies) = pull(world, queue);
    if let Some(message) = recorded["error"]["message"].as_str() {
        assert_eq!(outcome.status, "MQBrokerException");
        let ours = outcome.error.as_deref().unwrap_or_default();
        assert_eq!(without_client(ours, "consumer:["), without_client(message, "consumer:["));
        return;
    }
    assert_eq!(Some(outcome.status.as_str()), recorded["status"].as_str(), "queue {queue}");
    assert_eq!(Some(outcome.next_begin_offset), recorded["next"].as_i64());
    assert_eq!(Some(outcome.max_offset), recorded["max"].as_i64());
    let recorded: Vec<&str> = recorded["bodies"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert_eq!(bodies, recorded);
}

/// A message without the address of the client in it: every client has its own.
fn without_client(message: &str, before: &str) -> String {
    let (head, tail) = message.split_once(before).expect("the message names the client");
    let end =
        tail.find(|digit: char| !(digit.is_ascii_digit() || matches!(digit, '.' | ':' | '/'))).unwrap_or(tail.len());
    let slash = if tail.starts_with('/') { "/" } else { "" };
    format!("{head}{before}{slash}{}", tail.get(end..).unwrap_or_default())
}

fn ask(world: &mut World, queue: i32, what: Question) -> AskOutcome {
    let (client, topic) = ("consumer".to_owned(), TOPIC.to_owned());
    act(world, Action::Ask { client, topic, queue, what });
    world.client("consumer").and_then(|client| client.answers().last()).expect("an answer").clone()
}

/// Queues to read of the topic as the NameServer has it, and as the consumer has it.
fn read_queues(world: &World) -> (i32, i32) {
    let queues = |route: &rocketscope_engine::wire::TopicRouteData| route.queue_datas[0].read_queue_nums;
    let table = world.name_server("namesrv").and_then(|server| server.tables().route(TOPIC)).expect("a route");
    let cached = world.client("consumer").and_then(|client| client.routes().table().get(TOPIC)).expect("a route");
    (queues(&table), queues(cached))
}

#[test]
fn b26_queues_beyond_the_number_to_read_are_only_out_of_reach() {
    let recorded = rig::read(include_str!("../../scenarios/B26-shrink-queues.json"));
    let summary = &recorded["summary"];
    let mut cluster = rig::cluster(21050, TOPIC, 4);
    cluster.administrators.push(AdministratorSpec { name: "admin".to_owned(), ..AdministratorSpec::default() });
    let mut world = World::new(&cluster, 1).expect("the cluster can be built");
    for message in list(&recorded, "sends") {
        let queue = message["queueId"].as_i64().and_then(|queue| i32::try_from(queue).ok()).expect("a queue");
        act(&mut world, send(queue, message["body"].as_str().unwrap_or_default()));
        let outcome = told(&world, "producer");
        assert_eq!(Some(outcome.status.as_str()), message["sendStatus"].as_str());
        assert_eq!(outcome.queue_offset, message["queueOffset"].as_i64());
    }
    for pull in list(&recorded["observations"][1], "pullBeforeShrink") {
        assert_pull(&mut world, pull);
    }
    for queue in 0..4 {
        let (consumer, topic) = ("consumer".to_owned(), TOPIC.to_owned());
        act(&mut world, Action::Commit { consumer, topic, queue, offset: 3 });
    }

    set_queues(&mut world, 2, 2);
    // queuesFetchedByPullConsumerWithCachedRoute: all four.
    assert_eq!(read_queues(&world), (2, 4));
    for pull in list(summary, "pullAfterShrink") {
        assert_pull(&mut world, pull);
    }
    act(&mut world, send(3, "m12-q3"));
    let refused = told(&world, "producer");
    let recorded_refusal = &summary["sendToQ3AfterShrink"];
    assert_eq!((refused.status.as_str(), refused.response_code), ("MQBrokerException", Some(1)));
    assert_eq!(
        without_client(refused.error.as_deref().unwrap_or_default(), "Producer: "),
        without_client(recorded_refusal["message"].as_str().unwrap_or_default(), "Producer: ")
    );
    assert_eq!(ask(&mut world, 2, Question::MaxOffset).value, summary["maxOffset_q2"].as_i64());
    act(&mut world, Action::Wait { ms: 31_000 });
    assert_eq!(read_queues(&world), (2, 2), "the poll has come");

    set_queues(&mut world, 4, 2);
    act(&mut world, Action::Wait { ms: 31_000 });
    for pull in list(summary, "pullAfterReadQueuesBackTo4") {
        assert_pull(&mut world, pull);
    }
    let process = world.broker("broker").and_then(|broker| broker.process()).expect("the broker runs");
    let topic = process.topics().get(TOPIC).expect("the topic");
    let recorded_topic = &recorded["topics"][TOPIC];
    assert_eq!(Some(i64::from(topic.read_queue_nums)), recorded_topic["readQueueNums"].as_i64());
    assert_eq!(Some(i64::from(topic.write_queue_nums)), recorded_topic["writeQueueNums"].as_i64());
    for queue in 0..4 {
        let end = process.store().queue(TOPIC, queue).map(ConsumeQueue::max_offset_in_queue);
        assert_eq!(end, recorded["consumeQueueMaxOffsets"][format!("{TOPIC}/{queue}")].as_i64());
        // Offsets of queues that nobody may read are kept.
        let offset = recorded["consumerOffsetsInBroker"]["ShrT@CG26"][queue.to_string()].as_i64();
        assert_eq!(process.offsets().query("CG_consumer", TOPIC, queue), offset);
    }
}
