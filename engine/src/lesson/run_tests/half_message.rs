//! Lesson 28: what is stored for a half message, for its commit and for its rollback.

use super::*;

/// By hand: a record has 91 bytes beside body, topic and properties. H1's body has 15, the half topic 24 letters, its nine
/// properties 157 with their `=` and 8 separators; `OrderTopic` is shorter by 14, and the properties stay.
#[test]
fn a_commit_writes_anew_and_nothing_is_changed() {
    let mut run = lesson("28-half-message");
    run.solve().expect("the solution plays");
    let size = |at: i64| int(&run, &format!("broker-a.record.{at}.size"));
    let half = 91 + 15 + 24 + 157 + 8;
    assert_eq!([size(0), size(half)], [Some(half), Some(half - 14)]);
    let topic = |at: i64| value(&run, &format!("broker-a.record.{at}.topic"));
    let op = half + half - 14;
    assert_eq!(topic(op), Some(Value::Text("RMQ_SYS_TRANS_OP_HALF_TOPIC".to_owned())));
    // 27 letters of topic, `0`, and `WAIT=true`, `TAGS=d` with the separator between them.
    assert_eq!(size(op), Some(91 + 27 + 1 + 9 + 1 + 6));

    // H1 and H2 were ended twice each: an op message for each end, a message for each commit.
    let counts = ["half.max", "op.max", "queue.OrderTopic/0.max"].map(|place| int(&run, &format!("broker-a.{place}")));
    assert_eq!(counts, [Some(2), Some(4), Some(3)]);
    let received = run.history().world().client("consumer").expect("a consumer").received();
    let keys: Vec<&str> = received.iter().filter_map(|message| message.keys.as_deref()).collect();
    assert_eq!(keys, ["order-1", "order-1", "order-2"]);
}

#[test]
fn the_engine_answers_the_questions_of_half_message() {
    let mut run = lesson("28-half-message");
    run.solve().expect("the solution plays");
    let truths = [
        ("which-topic", "RMQ_SYS_TRANS_HALF_TOPIC"),
        ("half-units", "1"),
        ("read-where", "295"),
        ("half-left", "1"),
        ("after-rollback", "2"),
        ("twice", "2"),
        ("risen", "2"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
