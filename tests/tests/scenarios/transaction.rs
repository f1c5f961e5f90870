//! B17: a transaction that nobody decides.

use rocketscope_engine::{
    client::{ListenerResult, LocalTransactionState},
    message::{property, record, transaction::DISCARD_TOPIC},
    sim::{Action, ListenerSpec, Send, SendInTransaction, World},
    store::ConsumeQueue,
};
use serde_json::Value;

use crate::rig::{self, LONGER_KEY, act};

fn slots(world: &World, topic: &str) -> Option<i64> {
    let store = world.broker("broker").and_then(|broker| broker.store())?;
    store.queue(topic, 0).map(ConsumeQueue::max_offset_in_queue)
}

#[test]
fn b17_an_undecided_transaction_is_asked_for_fifteen_times_and_given_up() {
    let recorded = rig::read(include_str!("../../scenarios/B17-transaction-check-max.json"));
    let mut cluster = rig::cluster(10911, "TxT", 1);
    let settings =
        [("transactionTimeOut", "1000"), ("transactionCheckInterval", "1000"), ("transactionCheckMax", "15")];
    cluster.brokers[0].config.extend(rig::config(&settings));
    cluster.producers[0].group = "TPG".to_owned();
    cluster.producers[0].listener = Some(ListenerSpec::default());
    let mut world = World::new(&cluster, 1).expect("the cluster can be built");
    let send = Send {
        producer: "producer".to_owned(),
        topic: "TxT".to_owned(),
        tag: Some("TagTx".to_owned()),
        keys: Some("tx1".to_owned()),
        body: Some("forever unknown".to_owned()),
        ..Send::default()
    };
    let local = ListenerResult::Unknown;
    act(&mut world, Action::SendInTransaction(Box::new(SendInTransaction { send, local, ..Default::default() })));

    let summary = &recorded["summary"];
    let checks = world.client("producer").expect("a producer").checks();
    assert_eq!(checks.len() as u64, summary["checksSentToClient"].as_u64().expect("a number"));
    assert!(checks.iter().all(|check| check.state == Some(LocalTransactionState::Unknown)));
    for (check, delivery) in checks.iter().zip(recorded["deliveries"].as_array().into_iter().flatten()) {
        assert_eq!(check.topic, "TxT");
        assert_eq!(Some(check.queue_offset), delivery["queueOffset"].as_i64());
        let times = &delivery["properties"][property::TRANSACTION_CHECK_TIMES];
        assert_eq!(check.times.map(|times| times.to_string()).as_deref(), times.as_str());
        // Each record before it is shorter by the same.
        let shorter = check.queue_offset * LONGER_KEY;
        assert_eq!(Some(check.commit_log_offset + shorter), delivery["commitLogOffset"].as_i64());
    }
    // One question a round; the first in the first round after the time-out.
    let half = world.client("producer").and_then(|client| client.transactions().last()).expect("it was sent");
    let asked: Vec<i64> = checks.iter().map(|check| check.asked_us / 1000).collect();
    assert!((1_000..2_010).contains(&(asked[0] - half.began_us / 1000)), "{asked:?}");
    assert!(asked.windows(2).all(|pair| (990..1_010).contains(&(pair[1] - pair[0]))), "{asked:?}");

    let queues = recorded["consumeQueueMaxOffsets"].as_object().expect("the queues");
    for (queue, max) in queues {
        let topic = queue.strip_suffix("/0").expect("queue 0");
        assert_eq!(slots(&world, topic), max.as_i64(), "{topic}");
    }
    assert_eq!(
        slots(&world, "RMQ_SYS_TRANS_OP_HALF_TOPIC").unwrap_or(0),
        summary["opQueueSlots"].as_i64().unwrap_or(-1)
    );
    assert_eq!(slots(&world, "TxT").unwrap_or(0), 0, "nothing reaches the topic");
    let broker = world.broker("broker").expect("the broker");
    let offsets = broker.process().expect("it runs").offsets();
    let progress = offsets.query("CID_RMQ_SYS_TRANS", "RMQ_SYS_TRANS_HALF_TOPIC", 0);
    assert_eq!(progress, summary["halfConsumerOffset"]["0"].as_i64());

    let store = broker.store().expect("it runs");
    let mut at = 0;
    let mut last_ms = 0;
    for (number, stored) in recorded["storedRecords"].as_array().into_iter().flatten().enumerate() {
        let bytes = store.look_message_by_offset(at).expect("a record");
        let found = record::decode(&bytes).expect("a sound record");
        let number_of = |name: &str| stored[name].as_i64();
        assert_eq!(Some(&*found.topic), stored["topic"].as_str());
        assert_eq!(Some(i64::from(found.queue_id)), number_of("queueId"));
        assert_eq!(Some(found.queue_offset), number_of("queueOffset"));
        assert_eq!(Some(i64::from(found.sys_flag)), number_of("sysFlag"));
        assert_eq!(Some(found.prepared_transaction_offset), number_of("preparedTransactionOffset"));
        assert_eq!(Some(&*String::from_utf8_lossy(found.body)), stored["bodyUtf8"].as_str());
        let text = stored["propertiesString"].as_str().expect("properties");
        assert_eq!(rig::without_key(&found.properties_text), rig::without_key(text), "record {number}");
        assert_eq!(Some(i64::from(found.total_size) + LONGER_KEY), number_of("totalSize"));
        // From the first check on a record a round, the discarded copy in the last of them.
        if number > 1 {
            assert!((990..1_010).contains(&(found.store_timestamp - last_ms)), "record {number}");
        }
        last_ms = found.store_timestamp;
        at += i64::from(found.total_size);
    }
    let topic = stored_topic(&recorded);
    assert_eq!(topic.as_deref(), Some(DISCARD_TOPIC));
}

/// The topic of the last record.
fn stored_topic(recorded: &Value) -> Option<String> {
    recorded["storedRecords"].as_array()?.last()?["topic"].as_str().map(str::to_owned)
}
