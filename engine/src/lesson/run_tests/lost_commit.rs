//! Lesson 29: what a broker does about half messages that nobody ends.

use super::*;

/// B17 of the cases: the first check of the first round in which the half message is 6 s old, one a minute, 15 of them, and
/// 16 records in the half queue. By hand: what each transfer leaves in A's account, in the half queue and in the topic.
#[test]
fn checks_find_out_what_the_listener_can_tell() {
    let mut run = lesson("29-lost-commit");
    run.solve().expect("the solution plays");
    let client = |node: &str| run.history().world().client(node).unwrap_or_else(|| panic!("no client {node}"));
    let asked = |node: &str| client(node).checks().len();
    assert_eq!(["icbc", "icbc-2", "icbc-old", "icbc-hasty"].map(asked), [0, 1, 15, 1]);
    let rounds: Vec<i64> = client("icbc-old").checks().iter().map(|check| check.asked_us / 1_000_000).collect();
    assert!(rounds.windows(2).all(|pair| pair[1] - pair[0] == 60), "{rounds:?}");

    // T1 and T5 have one record each, T2 and T4 two, T3 sixteen.
    assert_eq!(int(&run, "broker-a.half.max"), Some(1 + 2 + 16 + 2 + 1));
    // Each commit and rollback has one; nobody ended T3.
    assert_eq!(int(&run, "broker-a.op.max"), Some(5));
    assert_eq!(int(&run, "broker-a.discarded"), Some(1));
    assert_eq!(int(&run, "icbc-db.row.accounts.A.balance"), Some(50_000 - 10_000 - 2000 - 300 - 5));
    let keys: Vec<&str> = client("ccb").received().iter().filter_map(|message| message.keys.as_deref()).collect();
    assert_eq!(keys, ["transfer-1", "transfer-2", "transfer-4", "transfer-5"]);
}

#[test]
fn the_engine_answers_the_questions_of_lost_commit() {
    let mut run = lesson("29-lost-commit");
    run.solve().expect("the solution plays");
    let truths = [
        ("asked", "1"),
        ("t2-told", "crashed"),
        ("t2-answer", "COMMIT_MESSAGE"),
        ("t2-halves", "3"),
        ("t3-answer", "UNKNOW"),
        ("t3-checks", "15"),
        ("t3-message", "2"),
        ("t4-message", "3"),
        ("t4-money", "37700"),
        ("t5-when", "4"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
