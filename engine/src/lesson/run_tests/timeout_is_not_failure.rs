//! Lesson 09: what the outcome of a send says about the message, and what it does not.

use super::*;

/// B11 of the cases: the budget of 3000 ms is for all attempts together, `syncFlushTimeout` is 5000 ms, a refused
/// connection is code 10001, and whatever was told, what was appended stays.
#[test]
fn a_message_is_stored_whatever_its_producer_was_told() {
    let mut run = lesson("09-timeout-is-not-failure");
    run.solve().expect("the solution plays");
    let sent = |node: &str| run.history().world().client(node).expect("a producer").sent().clone();
    let (order, patient) = (sent("producer"), sent("patient"));
    let status: Vec<&str> = order.iter().map(|sent| sent.status.as_str()).collect();
    assert_eq!(status, ["SEND_OK", "RemotingTooMuchRequestException", "SEND_OK", "MQClientException"]);
    let attempts: Vec<u32> = order.iter().map(|sent| sent.attempts).collect();
    assert_eq!(attempts, [2, 1, 1, 3]);
    assert_eq!(order[3].response_code, Some(10_001));
    assert_eq!(patient[0].status, "FLUSH_DISK_TIMEOUT");
    assert_eq!(patient[0].attempts, 1);
    let took_ms = |sent: &crate::client::SendOutcome| (sent.ended_us - sent.began_us) / 1000;
    assert!((3000..3010).contains(&took_ms(&order[1])), "{}", took_ms(&order[1]));
    assert!((5000..5010).contains(&took_ms(&patient[0])), "{}", took_ms(&patient[0]));

    // A retry keeps the id, a message made anew has another.
    let received = run.history().world().client("consumer").expect("a consumer").received().clone();
    assert_eq!(received[0].msg_id, received[1].msg_id);
    assert_eq!(Some(&received[0].msg_id), order[0].msg_id.as_ref());
    assert_ne!(received[0].offset_msg_id, received[1].offset_msg_id);
    assert_ne!(order[1].msg_id, order[2].msg_id);

    assert_eq!(int(&run, "broker-a.queue.PaymentTopic/0.max"), Some(3));
}

#[test]
fn the_engine_answers_the_questions_of_timeout_is_not_failure() {
    let mut run = lesson("09-timeout-is-not-failure");
    run.solve().expect("the solution plays");
    let truths = [
        ("e1-told", "SEND_OK"),
        ("how-many", "2"),
        ("p1-told", "RemotingTooMuchRequestException"),
        ("p1-stored", "1"),
        ("p2-told", "FLUSH_DISK_TIMEOUT"),
        ("resent", "2"),
        ("p3-stored", "3"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
