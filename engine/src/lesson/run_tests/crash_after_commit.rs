//! Lesson 20: one event, one effect.

use super::*;

/// By hand from the order of the phases: a crash between the commit and the return repeats the message, and only what was
/// committed with the record is known again.
#[test]
fn only_a_record_in_the_same_transaction_is_right_wherever_it_crashes() {
    let mut run = lesson("20-crash-after-commit");
    run.solve().expect("the solution plays");
    let rows = |shop: &str| int(&run, &format!("policy-db.policies_{shop}.rows"));
    // Events E1, E2, E3, E4, E1 again, and once more when safe has forgotten it.
    assert_eq!(rows("safe"), Some(5));
    assert_eq!(rows("unique"), Some(4));
    assert_eq!(rows("by_order"), Some(3));
    assert_eq!(rows("naive"), Some(7));
}

#[test]
fn the_engine_answers_the_questions_of_crash_after_commit() {
    let mut run = lesson("20-crash-after-commit");
    run.solve().expect("the solution plays");
    let truths = [
        ("naive-rows", "2"),
        ("naive-times", "0"),
        ("cached-rows", "2"),
        ("safe-rows", "1"),
        ("by-order-rows", "1"),
        ("before-rows", "2"),
        ("after-rows", "4"),
        ("unique-rows", "4"),
        ("kept-rows", "4"),
        ("tidied-rows", "5"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
