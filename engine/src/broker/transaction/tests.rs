//! The table of a check, row by row, and the records that it makes. Expected values are worked out from the conditions of
//! `TransactionalMessageServiceImpl.check`, or are those of a recorded broker.

use bytes::Bytes;

use super::{
    check::Check,
    half::{self, Half},
    table::{Age, Look, Verdict, decide, judge},
};
use crate::message::{
    Host, Message, Properties, property,
    record::{self, Limits},
};

/// A producer's clock showed this when it made the half message; the broker stored it a second later.
const BORN_MS: i64 = 1_000_000;

const LOOK: Look = Look {
    start_ms: BORN_MS + 60_000,
    now_ms: BORN_MS + 60_000,
    timeout_ms: 6_000,
    check_max: 15,
    reserved_ms: 72 * 3_600_000,
    last_op_born_ms: None,
};

fn host() -> Host {
    "10.0.2.1:10911".parse().unwrap()
}

/// The record of a half message with these properties beside its own.
fn record_of(properties: &[(&str, &str)]) -> Bytes {
    let own = [("REAL_TOPIC", "TxT"), ("REAL_QID", "3"), ("TRAN_MSG", "true"), ("PGROUP", "TPG"), ("WAIT", "true")];
    let properties: Properties = own.iter().chain(properties).copied().collect();
    let message = Message {
        topic: "RMQ_SYS_TRANS_HALF_TOPIC".to_owned(),
        queue_id: 0,
        flag: 7,
        sys_flag: 0,
        born_timestamp: BORN_MS,
        born_host: "10.0.3.1:50000".parse().unwrap(),
        store_host: host(),
        reconsume_times: 2,
        prepared_transaction_offset: 0,
        body: Bytes::from_static(b"body"),
        properties_text: properties.to_text(),
        properties,
    };
    let mut bytes = Vec::new();
    record::encode(&message, &Limits::default(), &mut bytes).unwrap();
    record::patch(&mut bytes, 5, 1234, BORN_MS + 1_000);
    bytes.into()
}

fn half_of(properties: &[(&str, &str)]) -> Half {
    Half::read(&record_of(properties)).unwrap()
}

fn at(now_ms: i64) -> Look {
    Look { start_ms: now_ms, now_ms, ..LOOK }
}

fn verdict(properties: &[(&str, &str)], look: &Look) -> Verdict {
    judge(&mut half_of(properties), look).0
}

#[test]
fn row_6_is_for_what_was_asked_often_enough_or_is_too_old() {
    let asked = |times| verdict(&[(property::TRANSACTION_CHECK_TIMES, times)], &LOOK);
    assert_eq!((asked("14"), asked("15"), asked("16")), (Verdict::Ask, Verdict::AskedTooOften, Verdict::AskedTooOften));
    assert_eq!(asked("often"), Verdict::Ask, "no number is -1");
    let hours_ms = 72 * 3_600_000;
    assert_eq!(verdict(&[], &at(BORN_MS + hours_ms)), Verdict::Ask);
    assert_eq!(verdict(&[], &at(BORN_MS + hours_ms + 1)), Verdict::TooOld);
    // Both come before row 7.
    let fresh = Look { start_ms: BORN_MS, ..LOOK };
    assert_eq!(verdict(&[(property::TRANSACTION_CHECK_TIMES, "15")], &fresh), Verdict::AskedTooOften);
}

#[test]
fn row_7_is_for_what_was_stored_since_the_check_began() {
    let began = |start_ms| verdict(&[], &Look { start_ms, ..LOOK });
    assert_eq!((began(BORN_MS + 1_000), began(BORN_MS + 1_001)), (Verdict::Fresh, Verdict::Ask));
}

#[test]
fn row_8_is_for_what_asks_for_its_own_time() {
    let name = property::CHECK_IMMUNITY_TIME_IN_SECONDS;
    let judged = |value, look: &Look| judge(&mut half_of(&[(name, value)]), look);
    let age = |age_ms, immunity_ms| Age { age_ms, immunity_ms };
    assert_eq!(judged("90", &LOOK), (Verdict::Immune, age(60_000, 90_000)));
    assert_eq!(judged("60", &LOOK).0, Verdict::MoreOps, "60 s are reached, and not exceeded");
    assert_eq!(judged("60", &at(BORN_MS + 60_001)).0, Verdict::Ask);
    for default in ["-1", "soon"] {
        assert_eq!(judged(default, &at(BORN_MS + 5_999)), (Verdict::Immune, age(5_999, 6_000)));
    }
    // A producer whose clock is ahead: its message is immune for so much longer.
    assert_eq!(judged("1", &at(BORN_MS - 500)).0, Verdict::Fresh);
    let behind = Look { now_ms: BORN_MS - 500, ..LOOK };
    assert_eq!(judged("1", &behind), (Verdict::Immune, age(-500, 1_000)));
    assert_eq!(decide(age(-500, 1_000), &behind), Verdict::Ask, "if it cannot be put off");
}

#[test]
fn row_9_is_for_what_is_too_young() {
    assert_eq!(verdict(&[], &at(BORN_MS + 5_999)), Verdict::Young);
    assert_eq!(verdict(&[], &at(BORN_MS + 6_001)), Verdict::Ask);
    // Exactly six seconds are neither too young nor old enough.
    assert_eq!(verdict(&[], &at(BORN_MS + 6_000)), Verdict::MoreOps);
    // A producer whose clock is ahead is asked at once.
    assert_eq!(verdict(&[], &Look { now_ms: BORN_MS - 1, ..LOOK }), Verdict::Ask);
}

#[test]
fn rows_10_and_11_ask_once_the_op_queue_can_say_no_more() {
    let known_to = |ms| verdict(&[], &Look { last_op_born_ms: Some(LOOK.start_ms + ms), ..LOOK });
    assert_eq!(
        (known_to(-50_000), known_to(6_000), known_to(6_001)),
        (Verdict::MoreOps, Verdict::MoreOps, Verdict::Ask)
    );
    assert_eq!(verdict(&[], &LOOK), Verdict::Ask, "the latest pull found none");
}

#[test]
fn every_look_counts_as_a_check_that_only_a_copy_makes_last() {
    let mut half = half_of(&[]);
    judge(&mut half, &LOOK);
    assert_eq!(half.check_times(), 1);
    let mut half = half_of(&[(property::TRANSACTION_CHECK_TIMES, "8")]);
    judge(&mut half, &at(BORN_MS + 5_000));
    assert_eq!(half.check_times(), 9, "even where row 9 ends the check");
}

/// `CHECK_TIMES` raised, the stored `WAIT` as it was, flag and reconsume times lost; in memory it waits for nothing.
#[test]
fn what_is_put_back_is_the_half_message_anew() {
    let mut half = half_of(&[]);
    judge(&mut half, &LOOK);
    let message = half.renewed();
    assert_eq!((message.topic.as_str(), message.queue_id), ("RMQ_SYS_TRANS_HALF_TOPIC", 0));
    assert_eq!((message.flag, message.reconsume_times, message.sys_flag), (0, 0, 0));
    assert_eq!((message.born_timestamp, &message.body[..]), (BORN_MS, &b"body"[..]));
    let stored = Properties::parse(&message.properties_text);
    assert_eq!((stored.get("WAIT"), stored.get("TRANSACTION_CHECK_TIMES")), (Some("true"), Some("1")));
    assert!(!message.waits_for_store());
}

/// A copy for immunity remembers the first one's queue offset; its `WAIT=false` is stored.
#[test]
fn what_is_put_off_keeps_the_offset_under_which_it_is_ended() {
    let mut half = half_of(&[]);
    let stored = Properties::parse(&half.renewed_for_immunity().properties_text);
    assert_eq!((stored.get("TRAN_PREPARED_QUEUE_OFFSET"), stored.get("WAIT")), (Some("5"), Some("false")));
    let mut copy = half_of(&[(property::TRAN_PREPARED_QUEUE_OFFSET, "2")]);
    let stored = Properties::parse(&copy.renewed_for_immunity().properties_text);
    assert_eq!(stored.get("TRAN_PREPARED_QUEUE_OFFSET"), Some("2"));
}

#[test]
fn what_is_given_up_keeps_everything() {
    let message = half_of(&[]).discarded();
    assert_eq!((message.topic.as_str(), message.queue_id), ("TRANS_CHECK_MAX_TIME_TOPIC", 0));
    assert_eq!((message.flag, message.reconsume_times), (7, 2));
    assert_eq!(Properties::parse(&message.properties_text).get("REAL_TOPIC"), Some("TxT"));
    assert!(!message.waits_for_store());
}

#[test]
fn the_question_shows_the_message_where_it_belongs() {
    let mut half = half_of(&[]);
    judge(&mut half, &LOOK);
    half.renewed();
    (half.queue_offset, half.physical_offset) = (6, 2000);
    let bytes = half.question().unwrap();
    let record = record::decode(&bytes).unwrap();
    assert_eq!((&*record.topic, record.queue_id), ("TxT", 3));
    assert_eq!((record.queue_offset, record.physical_offset), (6, 2000));
    assert_eq!((record.flag, record.reconsume_times, record.store_timestamp), (7, 2, BORN_MS + 1_000));
    assert_eq!((record.property("WAIT"), record.property("TRANSACTION_CHECK_TIMES")), (Some("false"), Some("1")));
    assert!(half_of(&[("REAL_QID", "x")]).question().is_none());
}

/// The text that the recorded broker wrote.
#[test]
fn an_op_message_says_the_half_messages_queue_offset() {
    let op = half::op(12, 0, host(), 99);
    assert_eq!((op.topic.as_str(), op.queue_id, &op.body[..]), ("RMQ_SYS_TRANS_OP_HALF_TOPIC", 0, &b"12"[..]));
    assert_eq!(op.properties_text, "WAIT\u{1}true\u{2}TAGS\u{1}d");
    assert!(!op.waits_for_store());
}

/// Progress goes on over what is done without a gap.
#[test]
fn the_op_queues_progress_stops_at_the_first_gap() {
    let mut check = Check::new(0, 0, 0, 4);
    for (done, to) in [(vec![], 4), (vec![6, 4, 5, 8], 7), (vec![5], 4), (vec![4, 4, 5], 5)] {
        check.done = done;
        assert_eq!(check.op_to(), to);
    }
}
