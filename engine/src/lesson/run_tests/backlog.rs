//! Lesson 31: a backlog grows and clears at a thousandth of the rates; instances beyond the queues stand by.

use super::*;

/// By hand: 60 behind and 20 more; in ten seconds three threads of 2 s are done with 15, which leaves 65. Ten threads of 2 s
/// do 5 a second.
#[test]
fn three_threads_fall_behind_and_ten_catch_up() {
    let mut run = lesson("31-backlog");
    let now_ms = |run: &LessonRun| run.history().world().now_us() / 1000;
    let began_ms = now_ms(&run);
    for offer in ["start-three", "more-0", "more-1", "more-2", "more-3", "ten-seconds"] {
        take(&mut run, offer);
    }
    until(&mut run, "three-threads.consumed", 16);
    let took_ms = now_ms(&run) - began_ms;
    assert!((10_000..11_000).contains(&took_ms), "{took_ms}");
    // The first queue's messages came first, so its 15 are done; of the others none is.
    let lag = |run: &LessonRun, queue: i32| int(run, &format!("broker-a.lag.order_group.OrderTopic/{queue}"));
    assert_eq!([1, 2, 3].map(|queue| lag(&run, queue)), [Some(20); 3]);

    take(&mut run, "stop-three");
    take(&mut run, "start-ten");
    let began_ms = now_ms(&run);
    until(&mut run, "ten-threads.consumed", 65);
    let took_ms = now_ms(&run) - began_ms;
    // The last of 65 calls begins when 6 times ten are done, 12 s after the first; before that the process has to start.
    assert!((12_000..13_500).contains(&took_ms), "{took_ms}");
}

#[test]
fn a_third_instance_of_two_queues_gets_nothing_until_another_one_dies() {
    let mut run = lesson("31-backlog");
    run.solve().expect("the solution plays");
    assert!(run.is_finished());
    // Ten for each of the first two; then the queue of pay-1 went to one of the others, and there were ten more in each.
    assert_eq!(["pay-1", "pay-2", "pay-3"].map(|node| int(&run, &format!("{node}.consumed"))), [10, 20, 10].map(Some));
}

#[test]
fn what_people_guess_wrong_is_worked_out() {
    let mut run = lesson("31-backlog");
    run.solve().expect("the solution plays");
    // The numbers of the curriculum, and 43.75 percent of all messages at 1250 a second.
    for (question, answer) in [
        ("never", "never"),
        ("pulled", "15"),
        ("enough", "2000"),
        ("tenth-thread", "10"),
        ("third", "0"),
        ("working", "4"),
        ("connections", "never"),
        ("best", "40"),
        ("nodes", "4"),
        ("throttled", "6000"),
        ("uneven", "7000"),
    ] {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}
