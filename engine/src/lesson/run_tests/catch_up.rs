//! Lesson 15: who writes the units that a dead broker owed.

use super::*;

/// The numbers of the curriculum: the log is valid to 10,000, the ConsumeQueue to 9,000, and reput scans 9,000 to 10,000.
#[test]
fn after_a_clean_recovery_reput_scans_from_the_queues_end() {
    let mut run = lesson("15-catch-up");
    take(&mut run, "m10");
    until(&mut run, "producer.results", 1);
    take(&mut run, "kill");
    take(&mut run, "no-abort");
    take(&mut run, "start");
    until(&mut run, "broker-a.reput", 9000);
    assert_eq!(value(&run, "broker-a.recovery.clean"), Some(Value::Bool(true)));
    let numbers = |run: &LessonRun| {
        ["log.max", "queue.OrderTopic/0.maxPhysicOffset", "behind", "recovery.dispatched"]
            .map(|place| int(run, &format!("broker-a.{place}")).expect("it is there"))
    };
    assert_eq!(numbers(&run), [10_000, 9000, 1000, 0]);
    until(&mut run, "broker-a.reput", 10_000);
    assert_eq!(value(&run, "broker-a.state"), Some(Value::Text("starting".to_owned())));
    assert_eq!(numbers(&run), [10_000, 10_000, 0, 0]);
}

#[test]
fn after_an_unclean_recovery_nothing_is_left_to_reput() {
    let mut run = lesson("15-catch-up");
    run.solve().expect("the solution plays");
    assert_eq!(value(&run, "broker-a.recovery.clean"), Some(Value::Bool(false)));
    assert_eq!(int(&run, "broker-a.recovery.dispatched"), Some(12));
    assert_eq!(int(&run, "broker-a.reput"), Some(12_000));
    // Queue offsets went on and did not begin anew.
    let queue_offsets = [0, 1, 2].map(|at| int(&run, &format!("producer.result.{at}.queueOffset")));
    assert_eq!(queue_offsets, [Some(9), Some(10), Some(11)]);
}
