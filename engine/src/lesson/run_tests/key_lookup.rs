//! Lesson 04: slots, chains, windows and what a query by key can miss.

use super::*;

const INDEX: &str = "broker-a.file.index/20231114201318300";

fn index_int(run: &LessonRun, at: u64) -> Option<i64> {
    int(run, &format!("{INDEX}.int.{at}"))
}

/// `"OrderTopic#order-3".hashCode()` is -344427118, so its slot is 4427118 at 40 + 4 * 4427118; entry m lies at
/// 20000040 + 20 * m and ends with the number before it. The file is named by the clock at its first entry, two hours
/// and 1.7 s before the lesson.
#[test]
fn slots_point_to_the_newest_entry_and_entries_to_the_one_before() {
    let mut run = lesson("04-key-lookup");
    assert_eq!(int(&run, &format!("{INDEX}.len")), Some(420_000_040));
    assert_eq!(int(&run, "broker-a.index.entries"), Some(2));
    until(&mut run, "broker-a.index.entries", 4);
    assert_eq!(index_int(&run, 17_708_512), Some(4));

    run.solve().expect("the solution plays");
    assert_eq!(index_int(&run, 17_708_512), Some(9));
    let entry = |number: u64| 20_000_040 + 20 * number;
    let ends = [9, 7, 4].map(|number| index_int(&run, entry(number) + 16));
    assert_eq!(ends, [Some(7), Some(4), Some(0)]);
    // order-2 was stored 1.7 s after order-1.
    assert_eq!(index_int(&run, entry(2) + 12), Some(1));
    assert_eq!(index_int(&run, entry(9)), Some(344_427_118));
}

/// B04 and B05 of the cases: the broker answers with everything of an equal hash, the client keeps what it asked for;
/// a window that begins at the exact store time misses a message that was not stored in a whole second.
#[test]
fn a_query_is_checked_at_the_client_and_misses_what_is_there() {
    let mut run = lesson("04-key-lookup");
    run.solve().expect("the solution plays");
    let answer = |at: usize| {
        let field = |field: &str| int(&run, &format!("reader.answer.{at}.{field}"));
        (field("candidates"), field("messages"))
    };
    let wanted = [
        (Some(1), Some(1)),
        (Some(2), Some(2)),
        (Some(0), Some(0)),
        (Some(1), Some(1)),
        (Some(2), Some(0)),
        (Some(0), Some(0)),
        (Some(1), Some(1)),
        (Some(0), Some(0)),
    ];
    for (at, wanted) in wanted.into_iter().enumerate() {
        assert_eq!(answer(at), wanted, "answer {at}");
    }
    // What was not found had been acknowledged.
    for place in ["producer.result.6.status", "producer.result.7.status"] {
        assert_eq!(value(&run, place), Some(Value::Text("SEND_OK".to_owned())));
    }
    assert_eq!(int(&run, "broker-b.index.entries"), Some(0));
    let truths = [
        ("entries-with-key", "4"),
        ("entries-without", "5"),
        ("slot", "9"),
        ("previous", "7"),
        ("which-two", "1000"),
        ("exact-second", "0"),
        ("broker-sends", "2"),
        ("client-keeps", "0"),
        ("acknowledged", "0"),
        ("pulled-all-the-same", "FOUND"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
