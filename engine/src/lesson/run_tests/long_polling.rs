//! Lesson 12: what is held, who wakes it, and the two offsets.

use super::*;

/// By hand from `PullRequestHoldService`: one pull held for each queue, the retry topic's among them; the periodic look
/// knows no tags, and answers after the 15 s that a pull may be held.
#[test]
fn pulls_are_held_until_reput_or_the_periodic_look_wakes_them() {
    let mut run = lesson("12-long-polling");
    take(&mut run, "start-pusher");
    until(&mut run, "broker-a.held", 2);
    take(&mut run, "p0");
    until(&mut run, "producer.results", 1);
    assert_eq!(int(&run, "broker-a.held"), Some(2));
    take(&mut run, "resume");
    until(&mut run, "pusher.consumed", 1);
    let asked_ms = int(&run, "consumer.clock").expect("a clock");
    take(&mut run, "by-hand");
    until(&mut run, "consumer.pulls", 1);
    let waited_ms = int(&run, "consumer.clock").expect("a clock") - asked_ms;
    assert!((15_000..=20_001).contains(&waited_ms), "{waited_ms}");

    run.solve().expect("the solution plays");
    assert_eq!(int(&run, "picky.consumed"), Some(0));
    assert_eq!(int(&run, "worker.processQueue.BatchTopic/0.first"), Some(102));
    assert_eq!(int(&run, "worker.processQueue.BatchTopic/0.nextOffset"), Some(103));
}

#[test]
fn the_engine_answers_the_questions_of_long_polling() {
    let mut run = lesson("12-long-polling");
    run.solve().expect("the solution plays");
    let truths = [
        ("push-held", "2"),
        ("stored-handed", "0"),
        ("nothing-told", "NO_NEW_MSG"),
        ("tag-woken", "4"),
        ("tag-offset", "1"),
        ("next", "103"),
        ("committed", "102"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
