//! The presets: what their lessons say must come of the change.

use serde_json::json;

use super::*;
use crate::ledger::Verdict;

fn preset(id: &str) -> Comparison {
    let preset = presets().into_iter().find(|preset| preset.id == id).expect("it is there");
    compare(&solved(&preset.lesson), preset.change)
}

/// `handleDiskFlush`: a put of an asynchronous flush only wakes the service, one of a synchronous flush waits for it. So
/// A1 was told `SEND_OK` in both runs, and its 400 bytes outlive the power loss in the second alone.
#[test]
fn a_synchronous_flush_waits_where_an_asynchronous_one_answers() {
    let comparison = preset("flush");
    let difference = comparison.difference().expect("they differ");
    assert_eq!((difference.node.as_str(), difference.service.as_str()), ("broker-async", "put"));
    let asks = |wait: bool| json!({ "kind": "flushRequested", "nextOffset": 400, "wait": wait });
    assert_eq!(step(difference.first.as_ref()), asks(false));
    assert_eq!(step(difference.second.as_ref()), asks(true));
    assert_eq!(comparison.told(), None);
    assert!(comparison.refused().is_empty());
    let became = |name: &str| {
        let pair =
            comparison.ends().accounts.iter().find(|pair| pair.name.as_deref() == Some(name)).expect("it was sent");
        [&pair.first, &pair.second].map(|end| end.as_ref().map(|end| (end.verdict, end.copies, end.told.as_str())))
    };
    let (lost, right) = ((Verdict::Lost, 0, "SEND_OK"), (Verdict::ExactlyRight, 1, "SEND_OK"));
    assert_eq!(became("A1"), [Some(lost), Some(right)]);
    let differing: Vec<_> = comparison.ends().logs.iter().filter(|pair| pair.first != pair.second).collect();
    let [log] = differing.as_slice() else { panic!("{differing:?}") };
    let max = |end: &Option<super::super::LogEnd>| end.as_ref().and_then(|end| end.max);
    assert_eq!((log.broker.as_str(), max(&log.first), max(&log.second)), ("broker-async", Some(0), Some(400)));
}

/// The link to the first slave stands still, and the second one has M2 at once: `SEND_OK` instead of
/// `FLUSH_SLAVE_TIMEOUT` after `slaveTimeout`, 3000 ms.
#[test]
fn a_second_slave_answers_for_the_one_that_is_cut_off() {
    let comparison = preset("slaves");
    let difference = comparison.difference().expect("they differ");
    assert_eq!((difference.node.as_str(), difference.service.as_str()), ("broker-a", "groupTransfer"));
    let ended = |status: &str| json!({ "kind": "replicaWaitEnded", "nextOffset": 400, "status": status });
    assert_eq!(step(difference.first.as_ref()), ended("FLUSH_SLAVE_TIMEOUT"));
    assert_eq!(step(difference.second.as_ref()), ended("PUT_OK"));
    let told = comparison.told().expect("somebody is told otherwise");
    assert_eq!((told.client.as_str(), told.name.as_deref(), told.pull), ("producer", Some("M2"), false));
    let (first, second) = (told.first.as_ref().expect("told"), told.second.as_ref().expect("told"));
    assert_eq!((first.status.as_str(), second.status.as_str()), ("FLUSH_SLAVE_TIMEOUT", "SEND_OK"));
    assert!(first.at_us > 3_000_000 && second.at_us < 10_000, "{} and {}", first.at_us, second.at_us);
    let slave = comparison.ends().logs.last().expect("it is there");
    assert_eq!((slave.broker.as_str(), slave.first.is_some(), slave.second.is_some()), ("broker-a-s-2", false, true));
}

/// An order has several events: by the order's id the second event of an order counts as done, since its record is there
/// already, and the transaction that it belongs to is taken back. `by-order`, whose record always was so, has as many
/// policies as `safe` then has.
#[test]
fn a_record_by_the_orders_id_takes_its_second_event_for_done() {
    let comparison = preset("record-key");
    let difference = comparison.difference().expect("they differ");
    assert_eq!((difference.node.as_str(), difference.service.as_str()), ("policy-db", "sql"));
    let (first, second) = (step(difference.first.as_ref()), step(difference.second.as_ref()));
    assert_eq!((&first["kind"], &first["table"]), (&json!("dbInserted"), &json!("processed_safe")));
    assert_eq!((&second["kind"], &second["reason"]), (&json!("dbRolledBack"), &json!("refused")));
    let asks = |side: Option<&Side>| serde_json::to_value(&side.expect("a turn").event.what).expect("plain data");
    assert_eq!(asks(difference.second.as_ref())["from"], "safe");
    let rows = |table: &str| {
        let pair = comparison.ends().tables.iter().find(|pair| pair.table == table).expect("it is there");
        (pair.first, pair.second)
    };
    let (_, by_order) = rows("policies_by_order");
    let (before, after) = rows("policies_safe");
    assert!(after == by_order && before > after, "{before:?}, {after:?}, {by_order:?}");
}
