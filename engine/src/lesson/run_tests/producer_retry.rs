//! Lesson 10: what a producer tries again, what it compresses, and what fits into a batch.

use super::*;

/// Attempts and outcomes by hand from `sendDefaultImpl`, `onExceptionImpl` and the checks of a batch: another broker after
/// a failure, one attempt for a given queue and for a one-way message, another broker for an asynchronous one whose
/// connection breaks, nothing sent of a batch that is refused, and two messages of 450,000 bytes in a piece of 1,000,000.
#[test]
fn attempts_depend_on_how_a_message_is_sent() {
    let mut run = lesson("10-producer-retry");
    run.solve().expect("the solution plays");
    let sent = run.history().world().client("producer").expect("a producer").sent().clone();
    let told: Vec<(&str, u32)> = sent.iter().map(|sent| (sent.status.as_str(), sent.attempts)).collect();
    assert_eq!(
        told[..10],
        [
            ("SEND_OK", 2),
            ("SEND_OK", 1),
            ("RemotingConnectException", 1),
            ("ONEWAY", 1),
            ("SEND_OK", 2),
            ("SEND_OK", 1),
            ("SEND_OK", 1),
            ("SEND_OK", 1),
            ("MQClientException", 0),
            ("MQClientException", 0),
        ]
    );
    assert_eq!(told[10..], [("SEND_OK", 1); 5]);
    // The request of A1 went out again unchanged: queue 0 it was, queue 0 it is.
    assert_eq!(sent[4].queue_id, Some(0));
    assert_eq!(int(&run, "broker-b.queue.OrderTopic/0.max"), Some(1));
    assert_eq!(int(&run, "broker-c.log.max"), Some(300), "I1 alone");
}

/// A record of 4095 letters is 4095 bytes longer than one without a body; a real 4.9.8 client makes 26 bytes of 4096 equal
/// ones, and zlib adds 11 bytes to 4096 that it cannot compress: 2 of header, 5 of a stored block, 4 of checksum.
#[test]
fn the_engine_answers_the_questions_of_producer_retry() {
    let mut run = lesson("10-producer-retry");
    run.solve().expect("the solution plays");
    let size = |at: usize| int(&run, &format!("broker-a.unit.LargeTopic/0.{at}.size"));
    assert_eq!([0, 1, 2].map(size), [Some(4260), Some(4260 - 4095 + 26), Some(4260 - 4095 + 4096 + 11)]);
    let truths = [
        ("r1-attempts", "2"),
        ("r2-attempts", "1"),
        ("given-attempts", "1"),
        ("oneway-told", "ONEWAY"),
        ("async-again", "broker-a"),
        ("a-minute-later", "false"),
        ("insistent-told", "SEND_OK"),
        ("size-4096", "191"),
        ("size-random", "4272"),
        ("too-big-told", "MQClientException"),
        ("pieces", "13"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
