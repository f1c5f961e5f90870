//! Lesson 17: index files newer than the checkpoint, after a kill.

use super::*;

/// All numbers are worked out by hand: records of 1000 bytes in files of 1024, 8 entries in an index file, and
/// checkpoint times an hour old.
#[test]
fn a_kill_costs_the_entries_that_recovery_does_not_meet() {
    let mut run = lesson("17-index-unsafe");
    assert_eq!((int(&run, "broker-a.index.files"), int(&run, "broker-a.index.entries")), (Some(2), Some(11)));
    // The first file became full with K7, three hours ago; K10 was stored an hour ago.
    let began = int(&run, "broker-a.clock").expect("a clock") - run.history().world().now_us() / 1000;
    assert_eq!(int(&run, "broker-a.checkpoint.index"), Some(began - 10_800_000));
    assert_eq!(int(&run, "broker-a.checkpoint.physic"), Some(began - 3_600_000));
    assert_eq!(int(&run, "broker-a.checkpoint.logics"), Some(began - 3_600_000));

    take(&mut run, "ask-k8");
    until(&mut run, "support.answers", 1);
    assert_eq!(int(&run, "support.answer.0.messages"), Some(1));
    take(&mut run, "kill");
    take(&mut run, "start");
    until_text(&mut run, "broker-a.state", "up");
    assert_eq!(int(&run, "broker-a.recovery.file"), Some(9216));
    assert_eq!(int(&run, "broker-a.recovery.dispatched"), Some(2));
    assert_eq!(int(&run, "broker-a.index.entries"), Some(10));
    // No unit is lost.
    assert_eq!(int(&run, "broker-a.queue.OrderTopic/0.max"), Some(11));
}

#[test]
fn a_fresher_checkpoint_rescues_less_and_a_safe_index_more() {
    let mut run = lesson("17-index-unsafe");
    run.solve().expect("the solution plays");
    assert_eq!(int(&run, "support.answer.1.messages"), Some(0));
    assert_eq!(int(&run, "support.message.0.physicalOffset"), Some(8192));
    assert_eq!(int(&run, "broker-a.recovery.file"), Some(10_240));
    assert_eq!(int(&run, "broker-a.queue.OrderTopic/0.max"), Some(12));
    assert_eq!(int(&run, "broker-a.index.entries"), Some(10));
    assert_eq!(int(&run, "broker-b.recovery.file"), Some(7168));
    assert_eq!(int(&run, "broker-b.recovery.dispatched"), Some(4));
    // K0 to K7, then K7 to K10: an equal offset is not refused.
    assert_eq!(int(&run, "broker-b.index.entries"), Some(12));
    assert_eq!(int(&run, "support.answer.2.messages"), Some(1));
    let truths =
        [("entries", "10"), ("begins", "9216"), ("by-queue", "FOUND"), ("later", "10"), ("safe-begins", "7168")];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
