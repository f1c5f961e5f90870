//! When the second run does what the first one did.

use super::*;
use crate::{
    disk::memory::Fault,
    sim::{Action, ActionError, EventKind, Send, Survives},
    view::sandbox_cluster,
};

fn sandbox() -> History {
    History::new(&sandbox_cluster(), 1).expect("it can be built")
}

fn act(run: &mut History, action: Action) {
    run.act(action).unwrap_or_else(|error| panic!("{error}"));
}

fn send(name: &str) -> Action {
    let (producer, topic) = ("producer".to_owned(), "OrderTopic".to_owned());
    Action::Send(Box::new(Send { producer, topic, queue: Some(0), name: Some(name.to_owned()), ..Send::default() }))
}

fn told(run: &History) -> usize {
    run.world().client("producer").expect("it is there").sent().len()
}

/// When an action was done that fits.
fn done_at(run: &History, wanted: impl Fn(&Action) -> bool) -> i64 {
    let events = run.window(0, usize::MAX);
    let done = events.iter().find(|event| matches!(&event.what, EventKind::Action { action } if wanted(action)));
    done.expect("it was done").at_us
}

/// A change that nothing in the run depends on: the same events at the same times, without a wait between them.
#[test]
fn two_runs_that_do_not_part_are_the_same_event_for_event() {
    for (lesson, node) in
        [("01-three-messages", "broker-a"), ("07-flush-modes", "broker-pool"), ("20-crash-after-commit", "broker-a")]
    {
        let comparison = compare(&solved(lesson), config(node, "fileReservedTime", "71"));
        assert_eq!(comparison.first().window(0, usize::MAX), comparison.second().window(0, usize::MAX), "{lesson}");
        assert_eq!((comparison.difference(), comparison.told()), (None, None), "{lesson}");
    }
}

/// The flush takes two seconds. An asynchronous broker answers before; the power is lost as soon as the producer is
/// told, and comes back half a second later.
#[test]
fn an_action_waits_for_what_was_seen_before_it_and_keeps_its_distance_to_the_next() {
    let mut run = sandbox();
    let broker = || "broker-a".to_owned();
    let fault = Fault::SlowFlush { ms: 2000, path: "commitlog".to_owned() };
    act(&mut run, Action::DiskFault { broker: broker(), fault });
    act(&mut run, send("M1"));
    while told(&run) == 0 {
        assert!(run.step().is_some(), "it is told");
    }
    act(&mut run, Action::PowerLoss { node: broker(), survives: Survives::Flushed });
    act(&mut run, Action::Wait { ms: 500 });
    run.run_to_rest(1000);
    act(&mut run, Action::Start { node: broker() });
    run.run_to_rest(1000);
    let comparison = compare(&run, config("broker-a", "flushDiskType", "SYNC_FLUSH"));
    let (first, second) = (comparison.first(), comparison.second());
    let lost = |run| done_at(run, |action| matches!(action, Action::PowerLoss { .. }));
    let started = |run| done_at(run, |action| matches!(action, Action::Start { .. }));
    let mut at_end = second.clone();
    at_end.seek(second.len());
    let sent = at_end.world().client("producer").expect("it is there").sent();
    assert_eq!(sent[0].status, "SEND_OK");
    assert!(lost(first) < 100_000 && lost(second) >= sent[0].ended_us && sent[0].ended_us > 2_000_000);
    // To the millisecond.
    let distances = [first, second].map(|run| started(run) - lost(run));
    assert!((distances[0] - distances[1]).abs() < 1000, "{distances:?}");
    let log = &comparison.ends().logs[0];
    let max = |end: &Option<super::super::LogEnd>| end.as_ref().and_then(|end| end.max);
    assert!(max(&log.first) == Some(0) && max(&log.second) > Some(0), "{log:?}");
}

#[test]
fn an_action_that_is_refused_is_left_out_and_is_the_difference() {
    let mut run = sandbox();
    act(&mut run, send("M1"));
    run.run_to_rest(1000);
    let pull = Action::Pull {
        consumer: "consumer".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: 0,
        offset: 0,
        max: 32,
        tags: None,
        sql: None,
        suspend_ms: None,
        commit: None,
        broker: None,
    };
    act(&mut run, pull.clone());
    run.run_to_rest(1000);
    act(&mut run, send("M2"));
    let comparison = compare(&run, Change::RemoveNode { node: "consumer".to_owned() });
    let [refused] = comparison.refused() else { panic!("{:?}", comparison.refused()) };
    let error = ActionError::NoSuchNode { node: "consumer".to_owned() };
    assert_eq!((&refused.action, &refused.error), (&pull, &error));
    let difference = comparison.difference().expect("they differ");
    assert_eq!((difference.refused.as_ref(), difference.second.as_ref()), (Some(&error), None));
    // M2 is sent all the same.
    let mut second = comparison.second().clone();
    second.seek(second.len());
    assert_eq!(told(&second), 2);
}

#[test]
fn both_stand_at_the_same_virtual_time() {
    let mut comparison = compare(&solved("08-replication"), Change::AddSlave { master: "broker-a".to_owned() });
    assert_eq!((comparison.moment(), comparison.first().position(), comparison.second().position()), (0, 0, 0));
    for moment in [1, comparison.len() / 2, comparison.len(), 3] {
        comparison.seek(moment);
        let now_us = comparison.now_us();
        assert_eq!((comparison.moment(), comparison.moment_at(now_us)), (moment, moment));
        for run in [comparison.first(), comparison.second()] {
            let at = |seq: u64| run.event(seq).map(|event| event.at_us);
            assert!(run.position().checked_sub(1).and_then(at).is_none_or(|at_us| at_us <= now_us));
            assert!(at(run.position()).is_none_or(|next_us| next_us > now_us) || moment == comparison.len());
        }
    }
}
