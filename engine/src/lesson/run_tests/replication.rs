//! Lesson 08: what a master waits for, and what its slave does without it.

use super::*;

/// `slaveTimeout` is 3000 ms; a lost connection is answered at once; the statuses are those of
/// `CommitLog.submitReplicaRequest`.
#[test]
fn a_send_waits_for_the_slaves_number_and_for_no_flush() {
    let mut run = lesson("08-replication");
    take(&mut run, "m1");
    until(&mut run, "producer.results", 1);
    let places = ["broker-a.log.max", "broker-a.log.replicated", "broker-a.log.flushed"];
    assert_eq!(places.map(|place| int(&run, place)), [Some(200), Some(200), Some(0)]);
    let places = ["broker-a-s.log.max", "broker-a-s.log.flushed"];
    assert_eq!(places.map(|place| int(&run, place)), [Some(200), Some(0)]);

    run.solve().expect("the solution plays");
    let status = |at: usize| value(&run, &format!("producer.result.{at}.status"));
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    // M3 does not wait and is answered before M2.
    assert_eq!([0, 1].map(status), [text("SEND_OK"), text("SEND_OK")]);
    assert_eq!([2, 3].map(status), [text("FLUSH_SLAVE_TIMEOUT"), text("SLAVE_NOT_AVAILABLE")]);
    assert_eq!(status(4), text("RemotingConnectException"));
    let sent = run.history().world().client("producer").expect("a producer").sent();
    let took_us = |at: usize| sent[at].ended_us - sent[at].began_us;
    assert!((3_000_000..3_010_000).contains(&took_us(2)), "{}", took_us(2));
    assert!(took_us(1) < 10_000 && took_us(3) < 10_000, "{} and {}", took_us(1), took_us(3));

    assert_eq!(value(&run, "broker-a-s.role"), text("SLAVE"));
    assert_eq!(int(&run, "broker-a-s.log.max"), Some(800));
    assert_eq!(int(&run, "consumer.message.last.physicalOffset"), Some(600));
}

#[test]
fn the_engine_answers_the_questions_of_replication() {
    let mut run = lesson("08-replication");
    run.solve().expect("the solution plays");
    let truths = [
        ("slave-flushed", "0"),
        ("m2-told", "FLUSH_SLAVE_TIMEOUT"),
        ("m3-told", "SEND_OK"),
        ("read-before-copy", "FOUND"),
        ("after-mend", "600"),
        ("m4-told", "SLAVE_NOT_AVAILABLE"),
        ("slave-role", "SLAVE"),
        ("slave-serves", "FOUND"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
