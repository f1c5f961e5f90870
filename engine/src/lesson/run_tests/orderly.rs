//! Lesson 24: a key to a queue, a lock, and what stands behind a message that cannot be consumed.

use super::*;

/// By hand: `"order-1".hashCode()` is -1207111310, so queue 0 of 2 and queue 2 of 3; the broker's lock runs out after 60 s;
/// with `maxReconsumeTimes` = 3 the fourth failure is the last.
#[test]
fn order_holds_within_a_queue_and_costs_availability() {
    let mut run = lesson("24-orderly");
    run.solve().expect("the solution plays");
    let queue = |at: usize| int(&run, &format!("producer.result.{at}.queueId"));
    assert_eq!([queue(0), queue(1)], [Some(0), Some(0)]);
    assert_eq!(int(&run, "broker-a.queue.OrderTopic/2.max"), Some(1));
    assert_eq!(int(&run, "limited.consumed"), Some(6));
    assert_eq!(int(&run, "limited.delivery.3.reconsumeTimes"), Some(3));
    let began_ms = |at: usize| int(&run, &format!("stubborn.delivery.{at}.beganMs")).expect("a call");
    assert!((1000..1100).contains(&(began_ms(1) - began_ms(0))), "{} and {}", began_ms(0), began_ms(1));
}

#[test]
fn the_engine_answers_the_questions_of_orderly() {
    let mut run = lesson("24-orderly");
    run.solve().expect("the solution plays");
    let truths = [
        ("same-queue", "0"),
        ("fast-created", "running"),
        ("strict-calls", "1"),
        ("after-kill", "0"),
        ("version", "2"),
        ("new-queue", "2"),
        ("behind-poison", "bad"),
        ("limited-calls", "6"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
