//! Lesson 27: delayed messages: stored twice, delivered by the head of each level, repeated after a kill.

use super::*;

/// By hand: queue = level - 1; level 3 is 10 s; the delayed record is longer by the 9 letters that `SCHEDULE_TOPIC_XXXX`
/// has more than `OrderTopic`; polls every 100 ms; B14 of the cases for kill, stop and clock.
#[test]
fn a_delayed_message_is_stored_twice_and_delivered_at_its_time() {
    let mut run = lesson("27-delay-levels");
    take(&mut run, "d1");
    until(&mut run, "producer.results", 1);
    let stored_ms = int(&run, "broker-a.clock").expect("a clock");
    until(&mut run, "broker-a.delay.3.max", 1);
    let due_ms = int(&run, "broker-a.unit.SCHEDULE_TOPIC_XXXX/2.0.tagsCode").expect("a unit");
    // The record was stored when the request was handled, at most a millisecond before the answer came.
    assert!((stored_ms - 1 + 10_000..=stored_ms + 10_000).contains(&due_ms), "{due_ms} after {stored_ms}");
    take(&mut run, "pull-early");
    until_text(&mut run, "consumer.pull.status", "NO_NEW_MSG");
    take(&mut run, "ten-seconds");
    until(&mut run, "broker-a.queue.OrderTopic/0.max", 1);
    let now_ms = int(&run, "broker-a.clock").expect("a clock");
    assert!((due_ms..due_ms + 101).contains(&now_ms), "{now_ms} after {due_ms}");
    let sizes = ["broker-a.record.0.size", "broker-a.record.279.size"].map(|place| int(&run, place));
    assert_eq!(sizes, [Some(279), Some(270)]);

    run.solve().expect("the solution plays");
    assert_eq!(int(&run, "broker-a.queue.OrderTopic/0.max"), Some(12));
    // D3, E1 and E2 at level 1; one each at the levels 3, 5 and 18.
    let persisted = [1, 3, 5, 18].map(|level| int(&run, &format!("broker-a.delay.{level}.persisted")));
    assert_eq!(persisted, [Some(3), Some(1), Some(1), Some(1)]);
}

#[test]
fn the_engine_answers_the_questions_of_delay_levels() {
    let mut run = lesson("27-delay-levels");
    run.solve().expect("the solution plays");
    let truths = [
        ("which-topic", "SCHEDULE_TOPIC_XXXX"),
        ("which-queue", "2"),
        ("read-where", "279"),
        ("sent-later", "2"),
        ("clock-back", "1"),
        ("after-kill", "12"),
        ("after-stop", "12"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
