//! Lesson 11: bytes that reput is behind, messages that a group is behind.

use super::*;

/// The numbers of the curriculum: 1,000,000 − 800,000 = 200,000 bytes.
#[test]
fn reput_is_behind_in_bytes_and_the_group_in_messages() {
    let mut run = lesson("11-reput-lag");
    let numbers = |run: &LessonRun| {
        ["log.max", "reput", "behind", "log.flushed", "lag.order_group.OrderTopic/0"]
            .map(|place| int(run, &format!("broker-a.{place}")).expect("it is there"))
    };
    for message in ["m801", "m802", "m803", "m804"] {
        take(&mut run, message);
    }
    until(&mut run, "producer.results", 4);
    until(&mut run, "broker-a.lag.order_group.OrderTopic/0", 0);
    assert_eq!(numbers(&run), [1_000_000, 800_000, 200_000, 800_000, 0]);

    take(&mut run, "pull-early");
    take(&mut run, "view");
    until(&mut run, "consumer.answers", 1);
    assert_eq!(value(&run, "consumer.pull.status"), Some(Value::Text("NO_NEW_MSG".to_owned())));
    assert_eq!(int(&run, "consumer.answer.last.messages"), Some(1));

    take(&mut run, "resume");
    for reput in [850_000, 900_000, 950_000, 1_000_000] {
        until(&mut run, "broker-a.reput", reput);
    }
    assert_eq!(numbers(&run), [1_000_000, 1_000_000, 0, 800_000, 4]);

    take(&mut run, "pull");
    until(&mut run, "consumer.received", 4);
    take(&mut run, "commit");
    take(&mut run, "flush");
    until(&mut run, "broker-a.log.flushed", 1_000_000);
    assert_eq!(numbers(&run), [1_000_000, 1_000_000, 0, 1_000_000, 0]);
}

#[test]
fn a_unit_that_cannot_be_written_is_given_up_after_thirty_tries_and_reput_goes_on() {
    let mut run = lesson("11-reput-lag");
    run.solve().expect("the solution plays");
    let numbers = ["log.max", "behind", "queue.OrderTopic/0.max", "lag.order_group.OrderTopic/0"]
        .map(|place| int(&run, &format!("broker-a.{place}")).expect("it is there"));
    assert_eq!(numbers, [1_002_000, 0, 804, 0]);
    assert_eq!(value(&run, "broker-a.flag.writeable"), Some(Value::Bool(false)));
    // 30 tries, each with a second behind it.
    let began = run.lesson().steps.iter().position(|step| step.id == "thirty").and_then(|step| run.began_at(step));
    let end_us = run.history().world().now_us();
    run.seek(began.expect("it began"));
    let took_us = end_us - run.history().world().now_us();
    assert!((30_000_000..30_100_000).contains(&took_us), "{took_us}");
}
