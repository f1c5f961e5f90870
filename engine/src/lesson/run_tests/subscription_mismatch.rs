//! Lesson 26: one subscription for a group.

use super::*;

/// B20 of the cases: of one message of each tag in each of two queues one is delivered, and nothing is left over; a run of
/// 4.9.8 delivered 20 of 80.
#[test]
fn one_of_four_is_delivered_and_nothing_is_left_over() {
    let mut run = lesson("26-subscription-mismatch");
    run.solve().expect("the solution plays");
    assert_eq!(int(&run, "c1.consumed"), Some(1));
    assert_eq!(int(&run, "c2.consumed"), Some(1));
    let lags = ["OrderTopic/0", "OrderTopic/1"].map(|queue| int(&run, &format!("broker-a.lag.order_group.{queue}")));
    assert_eq!(lags, [Some(0), Some(0)]);
}

#[test]
fn the_engine_answers_the_questions_of_subscription_mismatch() {
    let mut run = lesson("26-subscription-mismatch");
    run.solve().expect("the solution plays");
    let truths = [("c1-gets", "0"), ("c2-gets", "1"), ("backlog", "0"), ("turned", "1"), ("payments", "1")];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
