//! Lesson 21: the number that a group keeps of a queue.

use super::*;

/// By hand from `ProcessQueue.removeMessage`: the smallest offset that is not done with. B23 of the cases for the hang of
/// 15 minutes.
#[test]
fn one_message_that_hangs_holds_the_offset_back() {
    let mut run = lesson("21-offset-commit");
    take(&mut run, "ten");
    until(&mut run, "broker-a.offset.slow_group.OrderTopic/0", 3);
    assert_eq!(int(&run, "c1.consumed"), Some(10));
    assert_eq!(int(&run, "c1.processQueue.OrderTopic/0.first"), Some(3));
    take(&mut run, "kill-c1");
    until(&mut run, "broker-a.offset.slow_group.OrderTopic/0", 10);
    assert_eq!(int(&run, "c2.consumed"), Some(7));
    assert_eq!(int(&run, "c2.delivery.0.queueOffset"), Some(3));

    run.solve().expect("the solution plays");
    assert_eq!(int(&run, "pay.consumed"), Some(30));
}

#[test]
fn the_engine_answers_the_questions_of_offset_commit() {
    let mut run = lesson("21-offset-commit");
    run.solve().expect("the solution plays");
    let truths = [
        ("lowest", "3"),
        ("taken-over", "7"),
        ("stuck-for-ever", "13"),
        ("stuck-again", "1"),
        ("after-crash", "20"),
        ("after-stop", "30"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
