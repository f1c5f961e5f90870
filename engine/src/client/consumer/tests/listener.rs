use bytes::Bytes;

use super::message;
use crate::client::{
    Received,
    consumer::{Calls, ConsumeResult, ListenerKind, MessageListener},
};

fn listener(text: &str) -> MessageListener {
    let listener: MessageListener = toml::from_str(text).unwrap();
    listener.check().unwrap();
    listener
}

#[test]
fn without_rules_every_call_is_the_same() {
    let listener = listener("takesMs = 25\nresult = \"later\"");
    let call = listener.call(&message(0), &mut Calls::default());
    assert_eq!((call.takes_us, call.result, call.rule), (Some(25_000), ConsumeResult::Later, None));
    // The context as 4.9.8 makes it.
    assert_eq!((call.ack_index, call.delay_level_when_next_consume), (i32::MAX, 0));
    assert_eq!((call.suspend_ms, call.auto_commit), (-1, true));
}

#[test]
fn the_first_rule_that_fits_decides() {
    let listener = listener(
        r#"
        result = "success"
        rules = [
            { when = { tag = "TagA", reconsumeTimes = { atLeast = 1, atMost = 2 } }, results = ["throw"], takesMs = 7 },
            { when = { tag = "TagA" }, results = ["later"], delayLevelWhenNextConsume = 5 },
            { when = { keys = "K2", body = "slow", queueId = 0, queueOffset = 4, topic = "TopicTest" }, hangs = true },
        ]
        "#,
    );
    let mut calls = Calls::default();
    let tagged = |reconsume_times| Received { tags: Some("TagA".to_owned()), reconsume_times, ..message(0) };
    let rules = [0, 1, 2, 3].map(|times| listener.call(&tagged(times), &mut calls).rule);
    assert_eq!(rules, [Some(1), Some(0), Some(0), Some(1)]);
    let again = listener.call(&tagged(0), &mut calls);
    assert_eq!(
        (again.result, again.delay_level_when_next_consume, again.takes_us),
        (ConsumeResult::Later, 5, Some(10_000))
    );
    assert_eq!(listener.call(&tagged(1), &mut calls).takes_us, Some(7_000));

    let slow = Received { keys: Some("K1 K2".to_owned()), body: Bytes::from_static(b"slow"), ..message(4) };
    assert_eq!(listener.call(&slow, &mut calls).takes_us, None);
    let other = Received { queue_offset: 5, ..slow };
    assert_eq!(listener.call(&other, &mut calls).rule, None);
}

#[test]
fn results_are_counted_by_message() {
    let listener = listener("rules = [{ results = [\"throw\", \"later\", \"success\"] }]");
    let mut calls = Calls::default();
    let mut result = |offset| listener.call(&message(offset), &mut calls).result;
    assert_eq!([result(0), result(0)], [ConsumeResult::Throw, ConsumeResult::Later]);
    assert_eq!(result(1), ConsumeResult::Throw);
    assert_eq!([result(0), result(0)], [ConsumeResult::Success, ConsumeResult::Success]);
}

#[test]
fn null_and_exceptions_are_what_the_client_makes_of_them() {
    use ConsumeResult::{Commit, Later, Null, Rollback, Success, Suspend, Throw};
    use ListenerKind::{Concurrently, Orderly};
    for result in [Null, Throw] {
        assert_eq!((result.status(Concurrently), result.status(Orderly)), (Later, Suspend));
    }
    for (result, kind, name) in [
        (Success, Concurrently, "CONSUME_SUCCESS"),
        (Success, Orderly, "SUCCESS"),
        (Later, Concurrently, "RECONSUME_LATER"),
        (Suspend, Orderly, "SUSPEND_CURRENT_QUEUE_A_MOMENT"),
        (Commit, Orderly, "COMMIT"),
        (Rollback, Orderly, "ROLLBACK"),
    ] {
        assert_eq!((result.name(kind), result.status(kind)), (name, result));
    }
}

#[test]
fn the_ack_index_parts_a_batch() {
    let batch = |rule: &str| listener(rule).call(&message(0), &mut Calls::default()).acknowledged(4);
    assert_eq!(batch(""), 4);
    assert_eq!(batch("rules = [{ ackIndex = 1 }]"), 2);
    assert_eq!(batch("rules = [{ ackIndex = 9 }]"), 4);
    assert_eq!(batch("rules = [{ ackIndex = -1 }]"), 0);
    assert_eq!(batch("rules = [{ ackIndex = 1, results = [\"later\"] }]"), 0);
    assert_eq!(batch("result = \"null\""), 0);
}

#[test]
fn an_orderly_context_is_set_by_its_rule() {
    let listener = listener(
        "kind = \"orderly\"\nresult = \"commit\"\nrules = [{ results = [\"rollback\"], suspendMs = 50, autoCommit = false }]",
    );
    let call = listener.call(&message(0), &mut Calls::default());
    assert_eq!((call.result, call.suspend_ms, call.auto_commit), (ConsumeResult::Rollback, 50, false));
}

#[test]
fn a_listener_cannot_do_what_the_other_kind_does() {
    let place = |text: &str| toml::from_str::<MessageListener>(text).unwrap().check().unwrap_err().place;
    assert_eq!(place("result = \"suspend\""), "result");
    assert_eq!(place("kind = \"orderly\"\nresult = \"later\""), "result");
    assert_eq!(place("rules = [{}, { results = [\"success\", \"rollback\"] }]"), "rules[1].results");
    assert_eq!(place("kind = \"orderly\"\nrules = [{ ackIndex = 0 }]"), "rules[0].ackIndex");
    assert_eq!(place("rules = [{ autoCommit = false }]"), "rules[0].suspendMs");
    assert_eq!(place("rules = [{ ackIndex = -2 }]"), "rules[0].ackIndex");
    assert!(toml::from_str::<MessageListener>("rules = [{ resultat = [] }]").is_err());
}
