//! B30: SQL92 expressions over messages with and without the property that they name.

use rocketscope_engine::sim::{Action, Send, World};
use serde_json::Value;

use crate::rig::{self, act, told};

/// The recorded messages, in their order.
fn send_all(world: &mut World, recorded: &Value) {
    for sent in recorded["sends"].as_array().into_iter().flatten() {
        // The properties are joined by one `=` more.
        let words: Vec<&str> = sent["userProperties"].as_str().into_iter().flat_map(|text| text.split('=')).collect();
        let properties = words.chunks_exact(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect();
        let text = |name: &str| sent[name].as_str().map(str::to_owned);
        let message = Send {
            producer: "producer".to_owned(),
            topic: "SqlT".to_owned(),
            tag: text("tags"),
            keys: text("keys"),
            body: text("body"),
            properties,
            ..Send::default()
        };
        act(world, Action::Send(Box::new(message)));
        assert_eq!(Some(told(world, "producer").status.as_str()), sent["sendStatus"].as_str());
    }
}

fn pull(sql: &str, offset: i64, suspend_ms: Option<i64>) -> Action {
    Action::Pull {
        consumer: "consumer".to_owned(),
        topic: "SqlT".to_owned(),
        queue: 0,
        offset,
        max: 32,
        tags: None,
        sql: Some(sql.to_owned()),
        suspend_ms,
        commit: None,
        broker: None,
    }
}

/// Pulls by an expression until the queue is read: how the pulls ended, and the bodies that came.
fn pull_all(world: &mut World, sql: &str) -> (Vec<String>, Vec<String>) {
    let (mut statuses, mut bodies) = (Vec::new(), Vec::new());
    let mut offset = 0;
    while offset < 7 {
        let before = world.client("consumer").map_or(0, |client| client.received().len());
        act(world, pull(sql, offset, None));
        let client = world.client("consumer").expect("the consumer");
        let pulled = client.pulls().last().expect("an outcome");
        statuses.push(pulled.status.clone());
        let came = client.received().iter().skip(before);
        bodies.extend(came.map(|message| String::from_utf8_lossy(&message.body).into_owned()));
        if pulled.error.is_some() {
            break;
        }
        offset = pulled.next_begin_offset;
    }
    (statuses, bodies)
}

fn world(property_filter: bool) -> World {
    let mut cluster = rig::cluster(21910, "SqlT", 1);
    for broker in &mut cluster.brokers {
        broker.config.insert("enablePropertyFilter".to_owned(), property_filter.to_string());
    }
    World::new(&cluster, 1).expect("the cluster can be built")
}

#[test]
fn b30_expressions_take_what_they_took() {
    let recorded = rig::read(include_str!("../../scenarios/B30-sql92-missing-property.json"));
    let mut world = world(true);
    send_all(&mut world, &recorded);
    let expressions = recorded["summary"]["deliveredPerExpression"].as_object().expect("expressions");
    let mut looked_at = 0;
    for (sql, delivered) in expressions {
        let Some(delivered) = delivered.as_array() else { continue };
        let (statuses, mut bodies) = pull_all(&mut world, sql);
        // The recorded consumer had 20 threads.
        let mut wanted: Vec<&str> = delivered.iter().filter_map(Value::as_str).collect();
        wanted.sort_unstable();
        bodies.sort_unstable();
        assert_eq!(bodies, wanted, "{sql}");
        let status = if wanted.is_empty() { "NO_MATCHED_MSG" } else { "FOUND" };
        assert_eq!(statuses.first().map(String::as_str), Some(status), "{sql}");
        looked_at += 1;
    }
    assert_eq!(looked_at, 30);
}

/// `DefaultMQPullConsumerImpl.getSubscriptionData`, `ConsumerFilterManager.build`: an empty expression does not leave the
/// client; one that cannot be read filters nothing, as nobody checks it before a pull.
#[test]
fn expressions_that_cannot_be_read() {
    let recorded = rig::read(include_str!("../../scenarios/B30-sql92-missing-property.json"));
    let mut world = world(true);
    send_all(&mut world, &recorded);
    assert_eq!(pull_all(&mut world, "a=").1.len(), 7);
    assert_eq!(pull_all(&mut world, ""), (vec!["MQClientException".to_owned()], Vec::new()));
}

/// The first fault of `PullMessageProcessor.processRequest` behind the subscription.
#[test]
fn a_broker_that_does_not_filter_by_properties_says_so() {
    let recorded = rig::read(include_str!("../../scenarios/B30-sql92-missing-property.json"));
    let mut world = world(false);
    send_all(&mut world, &recorded);
    assert_eq!(pull_all(&mut world, "a=5"), (vec!["MQBrokerException".to_owned()], Vec::new()));
    let client = world.client("consumer").expect("the consumer");
    let error = client.pulls().last().and_then(|pull| pull.error.clone()).unwrap_or_default();
    assert!(error.contains("The broker does not support consumer to filter message by SQL92"), "{error}");
}

/// `PullRequestHoldService.notifyMessageArriving`: the properties of what arrives decide whether a pull is tried again.
#[test]
fn a_held_pull_waits_for_a_message_that_it_takes() {
    let mut world = world(true);
    let send = |world: &mut World, a: &str| {
        let message = Send {
            producer: "producer".to_owned(),
            topic: "SqlT".to_owned(),
            properties: [("a".to_owned(), a.to_owned())].into(),
            ..Send::default()
        };
        act(world, Action::Send(Box::new(message)));
    };
    act(&mut world, pull("a=5", 0, Some(15_000)));
    send(&mut world, "7");
    assert!(world.client("consumer").expect("the consumer").pulls().is_empty(), "it is held on");
    send(&mut world, "5");
    let client = world.client("consumer").expect("the consumer");
    let pulled = client.pulls().last().expect("an outcome");
    assert_eq!((pulled.status.as_str(), pulled.received, pulled.next_begin_offset), ("FOUND", 1, 2));
}
