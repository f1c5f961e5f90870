//! Lesson 22: who has which queues.

use super::*;

/// AVG and the circle by hand. Consistent hashing: the queues' owners were worked out with the JDK's MD5 for these ids, the
/// topic `TopicTest` and the broker `broker-a`: 3, 1, 1, 3, 1, 1, 3, 1.
#[test]
fn each_strategy_shares_out_in_its_own_way() {
    let mut run = lesson("22-rebalance");
    run.solve().expect("the solution plays");
    let owned = |consumer: &str| -> Vec<i64> {
        let owns = |queue: &i64| value(&run, &format!("{consumer}.owns.TopicTest/{queue}")) == Some(Value::Bool(true));
        (0..8).filter(owns).collect()
    };
    assert_eq!(["a1", "a2", "a3"].map(owned), [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7]]);
    assert_eq!(["k1", "k2", "k3"].map(owned), [vec![0, 3, 6], vec![1, 4, 7], vec![2, 5]]);
    assert_eq!(["h1", "h2", "h3"].map(owned), [vec![1, 2, 4, 5, 7], vec![], vec![0, 3, 6]]);
    let small = ["a1", "a2", "a3"].map(|consumer| int(&run, &format!("{consumer}.queues.SmallTopic")));
    assert_eq!(small, [Some(1), Some(1), Some(0)]);
}

#[test]
fn the_engine_answers_the_questions_of_rebalance() {
    let mut run = lesson("22-rebalance");
    run.solve().expect("the solution plays");
    let truths = [
        ("third-part", "2"),
        ("one-too-many", "0"),
        ("circle-three", "true"),
        ("ring", "0"),
        ("room", "1"),
        ("nobody-near", "4"),
        ("handed-twice", "10"),
        ("unused", "unused"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
