//! Lesson 19: clean-up by age and by the use of the disk.

use super::*;

/// 72 hours, 04:00, whole files, never the last; the numbers are those of `CleanCommitLogService`'s defaults.
#[test]
fn expired_files_wait_for_four_o_clock() {
    let mut run = lesson("19-expiry");
    for (offer, clock, files) in [
        // 05:00, 17 hours later; noon, 73 hours after the last write; 05:00 again.
        ("to-morning", 1_700_110_800_000, 5),
        ("to-noon", 1_700_308_800_000, 5),
        ("to-four", 1_700_370_000_000, 1),
    ] {
        take(&mut run, offer);
        while int(&run, "broker-a.clock") < Some(clock) {
            run.step().expect("no step of the lesson fails");
        }
        assert_eq!(int(&run, "broker-a.log.files"), Some(files), "{offer}");
    }
    assert_eq!(int(&run, "broker-a.log.min"), Some(4096));
    assert_eq!(
        (int(&run, "broker-a.queue.OrderTopic/0.min"), int(&run, "broker-a.queue.OrderTopic/0.max")),
        (Some(4), Some(5))
    );
    for (file, there) in [(0, false), (40, false), (80, true)] {
        let exists = value(&run, &format!("broker-a.exists.consumequeue/OrderTopic/0/{file:020}"));
        assert_eq!(exists, Some(Value::Bool(there)), "{file}");
    }
}

/// The table of thresholds as users met it: at 80 % only expired files go, at 86 % fresh ones too, above 90 % writes are
/// refused with code 14 while pulls go on, and at 88 % writes are taken again.
#[test]
fn the_use_of_the_disk_decides_what_goes_and_whether_writes_are_taken() {
    let mut run = lesson("19-expiry");
    run.solve().expect("the solution plays");
    assert_eq!(int(&run, "producer.result.3.code"), Some(14));
    assert_eq!(value(&run, "producer.result.4.status"), Some(Value::Text("SEND_OK".to_owned())));
    assert_eq!(value(&run, "consumer.pull.status"), Some(Value::Text("FOUND".to_owned())));
    assert_eq!(int(&run, "consumer.message.last.queueOffset"), Some(7));
    let truths = [
        ("after-72-hours", "5"),
        ("after-four", "1"),
        ("where-slow", "4"),
        ("from-index", "0"),
        ("files-80", "5"),
        ("files-86", "1"),
        ("send-91", "MQBrokerException"),
        ("send-88", "SEND_OK"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
