//! Looking messages up by key, by unique key and by time, through a whole client (B04, B05, B28).

use super::{crashes::act, *};
use crate::{
    client::{AskOutcome, SendMode},
    node::ProducerStep,
};

const NOTHING: &str = "CODE: 208  DESC: query message by key finished, but no message.\n\
                       For more information, please visit the url, http://rocketmq.apache.org/docs/faq/";

/// Two brokers, each with the topics given.
fn pair(topics: &[&str]) -> World {
    let mut cluster = cluster();
    let mut broker = cluster.brokers.remove(0);
    let topic = |name: &&str| TopicSpec { name: (*name).to_owned(), read_queues: 2, write_queues: 2, perm: 6 };
    broker.topics = topics.iter().map(topic).collect();
    let other = BrokerSpec { name: "broker-b".to_owned(), ..broker.clone() };
    cluster.brokers = vec![broker, other];
    World::new(&cluster, 1).unwrap()
}

fn put(world: &mut World, broker: &str, topic: &str, keys: &str) {
    let message = Send {
        producer: "producer".to_owned(),
        topic: topic.to_owned(),
        queue: Some(0),
        broker: Some(broker.to_owned()),
        keys: Some(keys.to_owned()),
        mode: SendMode::Sync,
        ..Send::default()
    };
    act(world, Action::Send(Box::new(message)));
    let sent = world.client("producer").unwrap().sent().last().unwrap();
    assert_eq!(sent.status, "SEND_OK", "{sent:?}");
}

#[derive(Clone, Copy)]
struct Window {
    unique: bool,
    begin: Option<i64>,
}

const EVER: Window = Window { unique: false, begin: None };

fn query(world: &mut World, topic: &str, key: &str, window: Window) -> (AskOutcome, usize) {
    let events = act(
        world,
        Action::QueryKey {
            client: "producer".to_owned(),
            topic: topic.to_owned(),
            key: key.to_owned(),
            unique: window.unique,
            max: 32,
            begin: window.begin,
            end: i64::MAX,
        },
    );
    let steps = events.iter().flat_map(|event| &event.steps);
    let dropped =
        steps.filter(|step| matches!(step.what, StepKind::Producer(ProducerStep::CandidateDropped { .. }))).count();
    (world.client("producer").unwrap().answers().last().unwrap().clone(), dropped)
}

#[test]
fn b04_keys_of_one_hash_are_told_apart_by_the_client() {
    let mut world = pair(&["OrderTopic", "AaTopic", "BBTopic"]);
    put(&mut world, "broker-a", "AaTopic", "Aa");
    put(&mut world, "broker-a", "BBTopic", "BB");
    // AaTopic#Aa, AaTopic#BB, BBTopic#Aa and BBTopic#BB all hash to -10606476.
    let (found, dropped) = query(&mut world, "AaTopic", "BB", EVER);
    assert_eq!((found.candidates, found.messages.len(), dropped), (2, 0, 2));
    assert_eq!(found.error.as_deref(), Some(NOTHING));
    let (found, dropped) = query(&mut world, "AaTopic", "Aa", EVER);
    assert_eq!((found.candidates, found.messages.len(), dropped), (2, 1, 1));
    assert_eq!(found.messages[0].topic, "AaTopic");
}

#[test]
fn b05_a_window_misses_what_was_stored_in_its_first_second() {
    let mut world = pair(&["OrderTopic", "T"]);
    put(&mut world, "broker-a", "T", "k0");
    act(&mut world, Action::Wait { ms: 1_700 });
    put(&mut world, "broker-a", "T", "kk kk");
    let stored = query(&mut world, "T", "kk", EVER).0.messages[0].store_timestamp;
    for (begin, messages) in [(stored - 1000, 2), (stored - 1, 0), (stored, 0)] {
        let (found, _) = query(&mut world, "T", "kk", Window { begin: Some(begin), ..EVER });
        assert_eq!(found.messages.len(), messages, "from {begin}");
    }
}

#[test]
fn every_broker_of_the_route_is_asked() {
    let mut world = pair(&["OrderTopic", "T"]);
    put(&mut world, "broker-a", "T", "k1");
    put(&mut world, "broker-b", "T", "k1");
    assert_eq!(query(&mut world, "T", "k1", EVER).0.messages.len(), 2);
    act(&mut world, Action::Kill { node: "broker-b".to_owned() });
    assert_eq!(query(&mut world, "T", "k1", EVER).0.messages.len(), 1, "what a dead broker holds is not found");
}

#[test]
fn of_a_unique_key_the_oldest_message_counts() {
    let mut world = pair(&["OrderTopic", "T"]);
    put(&mut world, "broker-b", "T", "k1");
    let first = world.client("producer").unwrap().sent().last().unwrap().clone();
    let key = first.msg_id.clone().unwrap();
    act(&mut world, Action::Wait { ms: 100 });
    // The application sends the same message object again: it has its id already.
    let again = Send {
        producer: "producer".to_owned(),
        topic: "T".to_owned(),
        queue: Some(0),
        broker: Some("broker-a".to_owned()),
        properties: [("UNIQ_KEY".to_owned(), key.clone())].into(),
        ..Send::default()
    };
    act(&mut world, Action::Send(Box::new(again)));
    assert_eq!(world.client("producer").unwrap().sent().last().unwrap().msg_id, Some(key.clone()));
    let (found, _) = query(&mut world, "T", &key, Window { unique: true, ..EVER });
    assert_eq!((found.candidates, found.messages.len()), (2, 1));
    assert_eq!(found.messages[0].offset_msg_id, first.offset_msg_id.unwrap());
    // As a key among others nobody has it.
    assert_eq!(query(&mut world, "T", &key, EVER).0.error.as_deref(), Some(NOTHING));
}

/// MQAdminImpl.queryMessageByUniqKey begins a second before the id was made, by the clock of whoever made it.
#[test]
fn a_producer_whose_clock_is_ahead_hides_its_messages_from_the_search_by_id() {
    let mut found = Vec::new();
    for skew_ms in [0, 60_000] {
        let mut cluster = cluster();
        cluster.producers[0].skew_ms = skew_ms;
        let mut world = World::new(&cluster, 1).unwrap();
        act(&mut world, send("OrderTopic"));
        let key = world.client("producer").unwrap().sent().last().unwrap().msg_id.clone().unwrap();
        act(&mut world, Action::Wait { ms: 120_000 });
        let unique = Window { unique: true, ..EVER };
        let searched = query(&mut world, "OrderTopic", &key, unique).0.messages.len();
        let ever = query(&mut world, "OrderTopic", &key, Window { begin: Some(0), ..unique }).0.messages.len();
        found.push((searched, ever));
    }
    assert_eq!(found, [(1, 1), (0, 1)]);
}

#[test]
fn a_search_by_id_needs_an_id() {
    let mut world = world();
    let search = |begin| Action::QueryKey {
        client: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        key: "order-1".to_owned(),
        unique: true,
        max: 32,
        begin,
        end: i64::MAX,
    };
    assert!(matches!(world.act(search(None)), Err(ActionError::BadValue { field, .. }) if field == "key"));
    assert!(world.act(search(Some(0))).is_ok());
}

#[test]
fn b28_a_time_leads_to_the_nearest_message() {
    let mut world = pair(&["OrderTopic", "T", "Batched"]);
    for _ in 0..3 {
        put(&mut world, "broker-a", "T", "k");
        act(&mut world, Action::Wait { ms: 1_000 });
    }
    let mut times: Vec<i64> =
        query(&mut world, "T", "k", EVER).0.messages.iter().map(|message| message.store_timestamp).collect();
    times.sort_unstable();
    let mut at = |topic: &str, timestamp_ms: i64| {
        let (client, topic) = ("producer".to_owned(), topic.to_owned());
        act(&mut world, Action::Ask { client, topic, queue: 0, what: Question::OffsetAt { timestamp_ms } });
        world.client("producer").unwrap().answers().last().unwrap().value
    };
    assert_eq!(at("T", times[2] + 5_000), Some(2), "after the last");
    assert_eq!(at("T", times[0] - 5_000), Some(0), "before the first");
    assert_eq!(at("T", times[1]), Some(1), "exactly");
    assert_eq!(at("T", times[1] + 100), Some(1), "nearer to the earlier");
    let messages = vec![BatchMessage { body: "b".to_owned(), keys: Some("kb".to_owned()), ..Default::default() }; 10];
    let batch = SendBatch {
        producer: "producer".to_owned(),
        topic: "Batched".to_owned(),
        queue: Some(0),
        broker: Some("broker-a".to_owned()),
        messages,
        split: false,
    };
    act(&mut world, Action::SendBatch(Box::new(batch)));
    let stored = query(&mut world, "Batched", "kb", EVER).0.messages[0].store_timestamp;
    let (client, topic) = ("producer".to_owned(), "Batched".to_owned());
    act(&mut world, Action::Ask { client, topic, queue: 0, what: Question::OffsetAt { timestamp_ms: stored } });
    assert_eq!(world.client("producer").unwrap().answers().last().unwrap().value, Some(4), "of ten of one time");
}
