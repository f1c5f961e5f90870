//! Lesson 06: what the store says to a pull, and what the client makes of it.

use super::*;

/// Statuses and next offsets by hand from `DefaultMessageStore.getMessage`: units 100 to 115 in ConsumeQueue files of 4,
/// the records of 104 to 107 and the units 108 to 111 deleted.
#[test]
fn every_status_is_met_on_the_way() {
    let mut run = lesson("06-get-message");
    run.solve().expect("the solution plays");
    let pull = |at: usize| {
        let read = |field: &str| value(&run, &format!("consumer.pull.{at}.{field}")).map(|value| value.to_string());
        (read("remark"), read("status"), read("received"), read("nextBeginOffset"))
    };
    let wanted = [
        ("OFFSET_TOO_SMALL", "OFFSET_ILLEGAL", 0, 100),
        ("FOUND", "FOUND", 4, 104),
        ("MESSAGE_WAS_REMOVING", "NO_MATCHED_MSG", 0, 108),
        ("OFFSET_FOUND_NULL", "NO_NEW_MSG", 0, 112),
        ("FOUND", "FOUND", 4, 116),
        ("OFFSET_OVERFLOW_ONE", "NO_NEW_MSG", 0, 116),
        ("OFFSET_OVERFLOW_BADLY", "OFFSET_ILLEGAL", 0, 116),
        ("NO_MESSAGE_IN_QUEUE", "NO_NEW_MSG", 0, 0),
        ("NO_MESSAGE_IN_QUEUE", "OFFSET_ILLEGAL", 0, 0),
    ];
    for (at, (remark, status, received, next)) in wanted.into_iter().enumerate() {
        let wanted = (Some(remark.into()), Some(status.into()), Some(received.to_string()), Some(next.to_string()));
        assert_eq!(pull(at), wanted, "pull {at}");
    }
    // Each OFFSET_ILLEGAL of a master left an event.
    assert_eq!(int(&run, "broker-a.queue.OFFSET_MOVED_EVENT/0.max"), Some(3));
}

/// 4.9.8's defaults: 32 messages and 262,144 bytes from memory, 8 and 65,536 from disk; 16,000 bytes of units a pull.
#[test]
fn answers_have_limits_and_suggest_a_slave_to_who_reads_far_back() {
    let mut run = lesson("06-get-message");
    run.solve().expect("the solution plays");
    let pull =
        |at: usize, field: &str| value(&run, &format!("reader.pull.{at}.{field}")).map(|value| value.to_string());
    let text = |text: &str| Some(text.to_owned());
    let received = [0, 1, 2, 3, 4, 5].map(|at| pull(at, "received"));
    assert_eq!(received, ["32", "5", "8", "1", "0", "1"].map(text));
    assert_eq!([pull(4, "nextBeginOffset"), pull(5, "nextBeginOffset")], [text("800"), text("1000")]);
    assert_eq!(int(&run, "reader.message.last.queueOffset"), Some(1));
    // 1,650,000 - 150,000 - 7000 is beyond 800,000, and what lies at 950,000 is not.
    let suggested = [0, 1, 2, 3, 4, 6, 7, 8].map(|at| pull(at, "suggestWhichBrokerId"));
    assert_eq!(suggested, ["0", "0", "1", "1", "0", "1", "0", "0"].map(text));
    let nodes = [0, 2, 3, 4, 5, 6, 7, 8].map(|at| pull(at, "node"));
    let (master, slave) = ("broker-b", "broker-b-s");
    assert_eq!(nodes, [master, master, master, slave, master, slave, slave, master].map(text));
    // The slave corrects nobody.
    assert_eq!([pull(7, "status"), pull(7, "nextBeginOffset")], [text("NO_MATCHED_MSG"), text("9")]);
    assert_eq!([pull(8, "status"), pull(8, "nextBeginOffset")], [text("OFFSET_ILLEGAL"), text("3")]);
}

#[test]
fn the_engine_answers_the_questions_of_get_message() {
    let mut run = lesson("06-get-message");
    run.solve().expect("the solution plays");
    let truths = [
        ("from-0-status", "OFFSET_ILLEGAL"),
        ("from-100-count", "4"),
        ("hole-told", "NO_MATCHED_MSG"),
        ("hole-next", "108"),
        ("no-file-told", "NO_NEW_MSG"),
        ("moved-events", "2"),
        ("new-5-remark", "NO_MESSAGE_IN_QUEUE"),
        ("hot-count", "32"),
        ("picture-count", "5"),
        ("cold-count", "8"),
        ("tag-next", "800"),
        ("who-answers", "broker-b-s"),
        ("slave-beyond", "NO_MATCHED_MSG"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
