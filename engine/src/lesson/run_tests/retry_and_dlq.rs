//! Lesson 23: up the ladder of delays and into the dead-letter queue.

use super::*;

/// The numbers of the curriculum: 17 deliveries, and 17,140 s from the first failure to the last delivery: 10 s, 30 s, 1 to
/// 10 min, 20 min, 30 min, 1 h and 2 h, the levels 3 to 18. What comes on top is at most one poll of 100 ms and some network
/// for each.
#[test]
fn seventeen_deliveries_take_17140_seconds() {
    let mut run = lesson("23-retry-and-dlq");
    run.solve().expect("the solution plays");
    assert_eq!(int(&run, "c1.consumed"), Some(17));
    let at = |number: usize, field: &str| int(&run, &format!("c1.delivery.{number}.{field}")).expect("a delivery");
    let times: Vec<i64> = (0..17).map(|number| at(number, "reconsumeTimes")).collect();
    assert_eq!(times, (0..17).collect::<Vec<i64>>());
    let took_ms = at(16, "beganMs") - at(0, "endedMs");
    assert!((17_140_000..17_143_000).contains(&took_ms), "{took_ms}");
    assert_eq!(int(&run, "broker-a.queue.%RETRY%policy_group/0.max"), Some(16));
    // Each retry waited in the queue of its level: level 3 is queue 2, in which the batches' six waited as well.
    let waited = |queue: i32| int(&run, &format!("broker-a.queue.SCHEDULE_TOPIC_XXXX/{queue}.max"));
    assert_eq!(waited(2), Some(7));
    assert_eq!((3..18).map(waited).collect::<Vec<_>>(), vec![Some(1); 15]);
}

#[test]
fn the_engine_answers_the_questions_of_retry_and_dlq() {
    let mut run = lesson("23-retry-and-dlq");
    run.solve().expect("the solution plays");
    let truths = [
        ("progress", "1"),
        ("second-from", "%RETRY%policy_group"),
        ("deliveries", "17"),
        ("last-times", "16"),
        ("dead-readable", "FOUND"),
        ("audit-again", "2"),
        ("whole-batch", "4"),
        ("part-batch", "2"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
