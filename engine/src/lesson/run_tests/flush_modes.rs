//! Lesson 07: what a message that was answered with `SEND_OK` survives.

use super::*;

#[test]
fn a_flush_that_is_too_slow_is_answered_after_five_seconds_and_ends_all_the_same() {
    let mut run = lesson("07-flush-modes");
    run.solve().expect("the solution plays");
    let status = |at: usize| value(&run, &format!("producer-sync.result.{at}.status"));
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let ok = text("SEND_OK");
    assert_eq!([0, 1, 2, 3].map(status), [ok.clone(), ok.clone(), ok, text("FLUSH_DISK_TIMEOUT")]);
    let sent = run.history().world().client("producer-sync").expect("a producer").sent();
    let took_us = sent[3].ended_us - sent[3].began_us;
    // syncFlushTimeout is 5000 ms; the way there and back takes less than 10.
    assert!((5_000_000..5_010_000).contains(&took_us), "{took_us}");
    assert_eq!(int(&run, "broker-sync.log.flushed"), Some(1600));
    assert_eq!(int(&run, "consumer.message.last.physicalOffset"), Some(1200));
}

/// The curriculum's three positions with the transient pool.
#[test]
fn a_transient_pool_has_three_positions() {
    let mut run = lesson("07-flush-modes");
    run.solve().expect("the solution plays");
    let at = run.lesson().steps.iter().position(|step| step.id == "three").expect("the step is there");
    run.seek(run.began_at(at).expect("it began"));
    let positions = |run: &LessonRun| {
        ["wrote", "max", "flushed"].map(|place| int(run, &format!("broker-pool.log.{place}")).expect("it is there"))
    };
    assert_eq!(positions(&run), [400, 400, 0]);
    let mut seen = Vec::new();
    while run.history().position() < run.history().len() {
        run.step().expect("it goes the same way");
        if seen.last() != Some(&positions(&run)) {
            seen.push(positions(&run));
        }
    }
    assert_eq!(seen, [[400, 400, 0], [800, 400, 0], [800, 800, 0], [800, 800, 800]]);
}
