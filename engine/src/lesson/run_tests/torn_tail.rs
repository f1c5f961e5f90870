//! Lesson 13: a record that is not whole, and what recovery makes of it.

use super::*;

const SECOND: &str = "broker-a.file.commitlog/00000000000000020480";

/// The numbers of the curriculum: M97 to M99 are whole, M100 is not, and the log ends after M99.
#[test]
fn recovery_ends_behind_the_last_whole_record() {
    let mut run = lesson("13-torn-tail");
    assert_eq!(int(&run, "broker-a.log.max"), Some(20_352));
    for message in ["m97", "m98", "m99"] {
        take(&mut run, message);
    }
    until(&mut run, "producer.results", 3);
    until(&mut run, "broker-a.reput", 21_080);
    let place = |run: &LessonRun, at: i64| int(run, &format!("broker-a.record.{at}.queueOffset"));
    assert_eq!([20_480, 20_680, 20_880].map(|at| place(&run, at)), [Some(96), Some(97), Some(98)]);

    take(&mut run, "m100");
    while value(&run, "broker-a.state") != Some(Value::Text("down".to_owned())) {
        assert!(run.step().expect("no step of the lesson fails"));
    }
    // TOTALSIZE of M100 is on the disk; its last 100 bytes are not.
    assert_eq!(int(&run, &format!("{SECOND}.int.600")), Some(300));
    assert_eq!(int(&run, &format!("{SECOND}.int.800")), Some(0));

    take(&mut run, "start");
    while value(&run, "broker-a.state") != Some(Value::Text("up".to_owned())) {
        assert!(run.step().expect("no step of the lesson fails"));
    }
    let found = ["recovery.file", "recovery.records", "recovery.end"];
    assert_eq!(found.map(|place| int(&run, &format!("broker-a.{place}"))), [Some(0), Some(99), Some(21_080)]);
    let positions = ["log.wrote", "log.committed", "log.flushed", "log.max", "reput"];
    assert_eq!(positions.map(|place| int(&run, &format!("broker-a.{place}"))), [Some(21_080); 5]);
    // No file is cut, the old bytes stay; a file wholly behind the end is deleted.
    assert_eq!(int(&run, &format!("{SECOND}.len")), Some(20_480));
    assert_eq!(int(&run, &format!("{SECOND}.int.600")), Some(300));
    assert_eq!(value(&run, "broker-a.exists.commitlog/00000000000000040960"), Some(Value::Bool(false)));

    take(&mut run, "m101");
    until(&mut run, "broker-a.log.max", 21_230);
    assert_eq!(place(&run, 21_080), Some(99));
}

#[test]
fn one_damaged_record_takes_the_whole_ones_behind_it_along() {
    let mut run = lesson("13-torn-tail");
    run.solve().expect("the solution plays");
    // M1 to M97 are good; M98 is damaged, M99 and M101 are not.
    assert_eq!(int(&run, "broker-a.log.max"), Some(20_680));
    assert_eq!(int(&run, "broker-a.queue.OrderTopic/0.max"), Some(97));
    // The head of M99 still lies at 400 of the file.
    assert_eq!(int(&run, &format!("{SECOND}.int.400")), Some(200));
}
