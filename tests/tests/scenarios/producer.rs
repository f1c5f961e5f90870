//! P1, P2 and P3: what producers are told.

use rocketscope_engine::{
    client::{Selector, SendMode},
    message::{body, record},
    node::{ClientStep, StepKind},
    sim::{Action, BatchMessage, Send, SendBatch, TraceEvent, World},
    store::ConsumeQueue,
};
use serde_json::Value;

use crate::rig::{self, LONGER_KEY, act, assert_exception, told};

fn send(send: Send) -> Action {
    let producer = if send.producer.is_empty() { "producer".to_owned() } else { send.producer };
    Action::Send(Box::new(Send { producer, ..send }))
}

/// How often a queue was chosen: 4.9.8 calls its hooks as often.
fn chosen(events: &[TraceEvent]) -> i64 {
    let steps = events.iter().flat_map(|event| &event.steps);
    let chosen = steps.filter(|step| matches!(step.what, StepKind::Client(ClientStep::QueueSelected { .. })));
    i64::try_from(chosen.count()).unwrap_or(i64::MAX)
}

#[test]
fn p1_calls_after_the_broker_has_been_stopped() {
    let recorded = rig::read(include_str!("../../scenarios/P1-broker-stopped.json"));
    let mut world = rig::world(21850, "StopT", 4);
    let stop_t = |mode| Send { topic: "StopT".to_owned(), mode, ..Send::default() };
    let pg2 = Send { producer: "PG2".to_owned(), ..stop_t(SendMode::Sync) };
    for warm in [stop_t(SendMode::Sync), pg2.clone()] {
        act(&mut world, send(warm));
    }
    act(&mut world, Action::Stop { node: "broker".to_owned() });

    let calls = [
        ("sync send, broker not chosen by caller", stop_t(SendMode::Sync)),
        (
            "sync send to a given MessageQueue (no retry)",
            Send { queue: Some(0), broker: Some("oracle-broker".to_owned()), ..stop_t(SendMode::Sync) },
        ),
        ("oneway", stop_t(SendMode::Oneway)),
        ("async send", stop_t(SendMode::Async)),
        ("sync send, retryTimesWhenSendFailed=0", pg2),
        ("sync send of a topic without route", Send { topic: "NoSuchTopicAtAll".to_owned(), ..Send::default() }),
        (
            "sync send with a MessageQueueSelector",
            Send { selector: Some(Selector::Hash { arg: "order-1".to_owned() }), ..stop_t(SendMode::Sync) },
        ),
    ];
    let observations: Vec<&Value> =
        recorded["observations"].as_array().into_iter().flatten().filter(|seen| seen["call"].is_string()).collect();
    assert_eq!(observations.len(), calls.len());
    for (observation, (name, call)) in observations.into_iter().zip(calls) {
        assert_eq!(observation["call"], name);
        let producer = if call.producer.is_empty() { "producer" } else { "PG2" };
        let before = world.client(producer).map_or(0, |client| client.sent().len());
        let events = act(&mut world, send(call));
        // One call back, one outcome.
        assert_eq!(world.client(producer).map_or(0, |client| client.sent().len()), before + 1);
        let outcome = told(&world, producer);
        let asynchronous = &observation["onException"];
        assert_exception(&outcome, if asynchronous.is_null() { &observation["exception"] } else { asynchronous });
        // PG2 had no hook.
        if producer == "producer" {
            assert_eq!(Some(chosen(&events)), observation["sendMessageHook_before_calls"].as_i64(), "{name}");
        }
        assert!(outcome.ended_us - outcome.began_us < 50_000, "at once: {outcome:?}");
    }
}

/// The record that the last send stored: its size, sysFlag, body as stored and body inflated.
fn stored(world: &World) -> (i64, i32, Vec<u8>, Vec<u8>) {
    let offset = told(world, "producer").physical_offset.expect("it is stored");
    let store = world.broker("broker").and_then(|broker| broker.store()).expect("the broker runs");
    let bytes = store.look_message_by_offset(offset).expect("a record");
    let record = record::decode(&bytes).expect("a sound record");
    let inflated = body::inflate(record.sys_flag, record.body).expect("a sound body");
    (i64::from(record.total_size), record.sys_flag, record.body.to_vec(), inflated)
}

#[test]
fn p2_sizes_and_compression() {
    let recorded = rig::read(include_str!("../../scenarios/P2-size-and-compress.json"));
    let mut world = rig::world(21890, "SizeT", 1);
    let mut pulled = 0;
    for row in recorded["summary"]["rows"].as_array().into_iter().flatten() {
        let len = row["bodyLen"].as_u64().and_then(|len| u32::try_from(len).ok()).expect("a length");
        let random = row["body"].as_str().is_some_and(|body| body.starts_with("random"));
        let message = Send {
            topic: "SizeT".to_owned(),
            // The recorded messages had one more property of 14 bytes.
            keys: Some("key-00001".to_owned()),
            body_length: Some(len),
            body_random: random,
            ..Send::default()
        };
        act(&mut world, send(message));
        let outcome = told(&world, "producer");
        if row["exception"].is_object() {
            assert_exception(&outcome, &row["exception"]);
            continue;
        }
        assert_eq!(Some(outcome.status.as_str()), row["sendStatus"].as_str());
        let (size, sys_flag, body, inflated) = stored(&world);
        assert_eq!(Some(i64::from(sys_flag)), row["sysFlag"].as_i64(), "{row}");
        assert_eq!(inflated.len(), len as usize);
        let compressed = sys_flag != 0;
        if compressed {
            assert_eq!(body.get(..2), Some(&[0x78, 0x5e][..]), "{row}");
        }
        if !compressed || len == 4096 && random {
            assert_eq!(i64::try_from(body.len()).ok(), row["storedBodyLen"].as_i64(), "{row}");
            assert_eq!(Some(size + LONGER_KEY), row["storedRecordSize"].as_i64(), "{row}");
        } else {
            // Another deflater than Java's: streams of the same bytes, not the same streams.
            assert_eq!(body.len() < len as usize, !random, "{row}");
        }
        act(&mut world, pull("SizeT", pulled));
        pulled += 1;
        let received = world.client("consumer").and_then(|client| client.received().last()).expect("it is pulled");
        assert_eq!((&received.body[..], Some(true)), (&inflated[..], row["pulledBodyEqual"].as_bool()));
    }
    assert_eq!(Some(pulled), recorded["consumeQueueMaxOffsets"]["SizeT/0"].as_i64());
}

fn pull(topic: &str, offset: i64) -> Action {
    Action::Pull {
        consumer: "consumer".to_owned(),
        topic: topic.to_owned(),
        queue: 0,
        offset,
        max: 1,
        tags: None,
        sql: None,
        suspend_ms: None,
        commit: None,
        broker: None,
    }
}

#[test]
fn p3_limits_of_a_batch() {
    let recorded = rig::read(include_str!("../../scenarios/P3-batch-limits.json"));
    let mut world = rig::world(10911, "BatT", 1);
    let sized = |len: u32| BatchMessage {
        keys: Some("key-00001".to_owned()),
        body_length: Some(len),
        ..BatchMessage::default()
    };
    let batches: [(&str, Vec<BatchMessage>); 9] = [
        ("batch of 5 x 1 MiB (over 4 MiB)", vec![sized(1 << 20); 5]),
        ("batch of 4 x 1048000 bytes (body 4192000 + headers)", vec![sized(1_048_000); 4]),
        ("batch of 4 x 1048560 bytes (bodies below, encoded above 4 MiB)", vec![sized(1_048_560); 4]),
        ("batch of 2 x 5000 bytes (over compress threshold)", vec![sized(5_000); 2]),
        ("batch with delay level", vec![BatchMessage { delay_level: Some(1), ..sized(10) }; 2]),
        ("batch with two topics", vec![sized(10), BatchMessage { topic: Some("BatX".to_owned()), ..sized(10) }]),
        ("batch of retry topic", vec![BatchMessage { topic: Some("%RETRY%CG".to_owned()), ..sized(10) }; 2]),
        ("batch with different waitStoreMsgOK", vec![sized(10), BatchMessage { wait_store: Some(false), ..sized(10) }]),
        ("empty batch", Vec::new()),
    ];
    let rows: Vec<&Value> = recorded["summary"]["rows"].as_array().into_iter().flatten().collect();
    assert_eq!(rows.len(), batches.len());
    for (row, (name, messages)) in rows.into_iter().zip(batches) {
        assert_eq!(row["batch"], name);
        let (producer, topic) = ("producer".to_owned(), "BatT".to_owned());
        act(&mut world, Action::SendBatch(Box::new(SendBatch { producer, topic, messages, ..SendBatch::default() })));
        let outcome = told(&world, "producer");
        if row["exception"].is_object() {
            assert_exception(&outcome, &row["exception"]);
        } else {
            assert_eq!(Some(outcome.status.as_str()), row["sendStatus"].as_str());
            assert_eq!(outcome.queue_offset, row["queueOffset"].as_i64());
            let ids = outcome.msg_id.as_deref().map_or(0, |ids| ids.split(',').count());
            assert_eq!(Some(ids as u64), row["msgIdCount"].as_u64());
        }
    }
    let store = world.broker("broker").and_then(|broker| broker.store()).expect("the broker runs");
    assert_eq!(
        store.queue("BatT", 0).map(ConsumeQueue::max_offset_in_queue),
        recorded["consumeQueueMaxOffsets"]["BatT/0"].as_i64()
    );
    for row in recorded["summary"]["stored"].as_array().into_iter().flatten() {
        let unit = store.unit("BatT", 0, row["queueOffset"].as_i64().unwrap_or(-1)).expect("a unit");
        let bytes = store.look_message_by_offset(unit.physical_offset).expect("a record");
        let record = record::decode(&bytes).expect("a sound record");
        assert_eq!(Some(record.body.len() as u64), row["bodyLen"].as_u64());
        assert_eq!(Some(i64::from(record.sys_flag)), row["sysFlag"].as_i64());
        assert_eq!(Some(i64::from(record.total_size) + LONGER_KEY), row["totalSize"].as_i64());
    }
}
