//! Lesson 05: what the hash lets through, and what an expression makes of a property.

use super::*;

/// By hand: `"Aa"` and `"BB"` both hash to 2112. The counts of the expressions as a run of 4.9.8 has them for such
/// properties: a comparison with a missing property, or with a text that is no number, delivers nothing, under NOT too.
#[test]
fn tags_are_filtered_by_hash_and_properties_by_three_values() {
    let mut run = lesson("05-filters");
    run.solve().expect("the solution plays");
    let field = |consumer: &str, at: usize, field: &str| int(&run, &format!("{consumer}.pull.{at}.{field}"));
    let counts = |at: usize| (field("consumer", at, "received"), field("consumer", at, "droppedByTag"));
    assert_eq!([0, 1, 2].map(counts), [(Some(1), Some(2)), (Some(0), Some(2)), (Some(1), Some(0))]);
    let received = [0, 1, 2, 3, 4, 5].map(|at| field("analyst", at, "received"));
    assert_eq!(received, [Some(1), Some(2), Some(4), Some(2), Some(1), Some(1)]);
    let next = [0, 1, 2, 3, 4, 5].map(|at| field("analyst", at, "nextBeginOffset"));
    assert_eq!(next, [Some(5); 6]);
}

#[test]
fn the_engine_answers_the_questions_of_filters() {
    let mut run = lesson("05-filters");
    run.solve().expect("the solution plays");
    let truths = [
        ("dropped", "2"),
        ("found-nothing", "FOUND"),
        ("paid-next", "5"),
        ("after-change", "0"),
        ("not-equal-count", "2"),
        ("or-missing-count", "4"),
        ("larger-count", "2"),
        ("sql-tag-dropped", "0"),
        ("switched-off", "MQBrokerException"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
