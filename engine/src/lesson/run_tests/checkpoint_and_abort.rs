//! Lesson 18: which file recovery begins in, and when `abort` stays.

use super::*;

/// Worked out by hand: one record in each file of 1024 bytes, at 3, 2 and 1 hours and then three at about 0, and the rule
/// of `isMappedFileMatchedRecover` with its 3 seconds.
#[test]
fn the_margin_of_three_seconds_leads_to_an_older_file() {
    let mut run = lesson("18-checkpoint-and-abort");
    take(&mut run, "minute");
    while int(&run, "broker-a.clock") < Some(1_700_000_061_000) {
        run.step().expect("no step of the lesson fails");
    }
    let physic = int(&run, "broker-a.checkpoint.physic").expect("a checkpoint");
    assert_eq!(int(&run, "broker-a.checkpoint.logics"), Some(physic));
    assert_eq!(int(&run, "broker-a.checkpoint.index"), Some(0));
    assert!((1_700_000_000_000..1_700_000_001_000).contains(&physic), "{physic}");
    take(&mut run, "kill");
    take(&mut run, "start-killed");
    until_text(&mut run, "broker-a.state", "up");
    assert_eq!(int(&run, "broker-a.recovery.file"), Some(2048));
    assert_eq!(int(&run, "broker-a.recovery.records"), Some(4));
    assert_eq!(int(&run, "broker-a.recovery.dispatched"), Some(4));
    assert_eq!(int(&run, "broker-a.queue.OrderTopic/0.max"), Some(6));
}

#[test]
fn a_clock_that_goes_back_hides_a_record_and_a_full_disk_keeps_abort() {
    let mut run = lesson("18-checkpoint-and-abort");
    run.solve().expect("the solution plays");
    for at in [3, 4] {
        assert_eq!(value(&run, &format!("producer.result.{at}.status")), Some(Value::Text("SEND_OK".to_owned())));
    }
    assert_eq!(int(&run, "broker-a.record.6144.queueOffset"), Some(6));
    assert_eq!(int(&run, "broker-a.record.7168.queueOffset"), Some(7));
    assert_eq!(int(&run, "broker-a.unit.OrderTopic/0.6.physicalOffset"), Some(7168));
    assert_eq!(int(&run, "broker-a.queue.OrderTopic/0.max"), Some(7));
    assert_eq!(int(&run, "consumer.message.last.queueOffset"), Some(7));
    let truths = [
        ("file-unclean", "2048"),
        ("right-clock", "8"),
        ("wrong-clock", "7"),
        ("who-comes", "7168"),
        ("file-clean", "5120"),
        ("abort-stays", "true"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
