//! Lesson 25: broadcasting, and where a group begins.

use super::*;

/// B21 of the cases, run with 4.9.8: on a young queue `CONSUME_FROM_LAST_OFFSET` reads everything, and in broadcasting it
/// begins at the end. Where the queue begins at 100 the setting counts.
#[test]
fn a_new_group_begins_where_the_broker_says_first() {
    let mut run = lesson("25-broadcast-and-start");
    run.solve().expect("the solution plays");
    let consumed = |consumer: &str| int(&run, &format!("{consumer}.consumed"));
    assert_eq!(["b1", "b2", "b3"].map(consumed), [Some(2), Some(2), Some(0)]);
    assert_eq!(
        ["last-young", "last-old", "first-old", "time-old"].map(consumed),
        [Some(10), Some(0), Some(10), Some(5)]
    );
    assert_eq!(int(&run, "time-old.delivery.0.queueOffset"), Some(105));
    assert_eq!(consumed("first-again"), Some(0));
}

#[test]
fn the_engine_answers_the_questions_of_broadcast_and_start() {
    let mut run = lesson("25-broadcast-and-start");
    run.solve().expect("the solution plays");
    let truths = [
        ("no-retry", "1"),
        ("missed", "2"),
        ("newcomer", "0"),
        ("last-young", "10"),
        ("last-old", "0"),
        ("time-old", "5"),
        ("first-again", "0"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
