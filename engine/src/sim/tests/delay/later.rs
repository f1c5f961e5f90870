//! `enableScheduleAsyncDeliver`: puts do not wait for the ones before, and their results are taken in later.

use super::*;
use crate::disk::memory::Fault;

fn later() -> World {
    configured(&[("enableScheduleAsyncDeliver", "true")])
}

fn write_error() -> Action {
    let fault = Fault::WriteError { path: "commitlog/".to_owned() };
    Action::DiskFault { broker: BROKER.to_owned(), fault }
}

/// The progress follows within 10 ms, at the next look at the results.
#[test]
fn the_progress_follows_the_puts() {
    let mut world = later();
    due_together(&mut world, 2);
    let events = rest(&mut world);
    let steps = told(&events);
    let kinds = steps.iter().map(|(_, step)| step.clone()).filter(|step| !matches!(step, DelayStep::DelayDue { .. }));
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        [
            DelayStep::DelayPending { level: 1, queue_offset: 0, pending: 1 },
            DelayStep::DelayPending { level: 1, queue_offset: 1, pending: 2 },
            DelayStep::DelayProgress { level: 1, queue_offset: 2 },
        ]
    );
    let (put_us, done_us) = (steps[3].0, steps[4].0);
    assert!((put_us..=put_us + 10_000).contains(&done_us));
    assert_eq!((delivered(&world), progress(&world, 1)), (2, Some(2)));
}

fn pauses(events: &[TraceEvent]) -> Vec<i64> {
    let steps = told(events).into_iter().map(|(_, step)| step);
    steps
        .filter_map(|step| if let DelayStep::DelayResendSet { after_ms, .. } = step { Some(after_ms) } else { None })
        .collect()
}

/// What is due later goes past a put that failed; the progress waits for it.
#[test]
fn a_failed_put_is_overtaken() {
    let mut world = later();
    sent(&mut world, 1);
    pass(&mut world, 150);
    sent(&mut world, 1);
    act_now(&mut world, write_error());
    // Tried at once, 100 ms later, and next after 200 ms: 200 ms after the first time it is the other's turn.
    while pauses(&pass(&mut world, 10)) != [200] {
        assert!(world.now_us() < 3_000_000);
    }
    act_now(&mut world, Action::MendDisk { broker: BROKER.to_owned() });
    let events = run_until(&mut world, |world| delivered(world) == 1);
    assert_eq!(progress(&world, 1), None, "{:?}", told(&events));
    let first = stored(&world, "OrderTopic", 0, 0);
    let waited = stored(&world, SCHEDULE, 0, 1);
    assert_eq!(record::decode(&first).unwrap().body, record::decode(&waited).unwrap().body, "the second came first");
    rest(&mut world);
    assert_eq!((delivered(&world), progress(&world, 1)), (2, Some(2)));
}

/// A put that fails is tried again at once, then after 100, 200 ... ms.
#[test]
fn a_failed_put_is_tried_again_after_longer_and_longer() {
    let mut world = later();
    sent(&mut world, 1);
    act_now(&mut world, write_error());
    let failed = pass(&mut world, 1_900);
    // 1 s until it is due; 0 + 100 + 200 + 300 ms for four more tries, and the next one 400 ms later.
    assert_eq!(pauses(&failed), [0, 100, 200, 300, 400]);
    assert_eq!(progress(&world, 1), None);
    world.act(Action::MendDisk { broker: BROKER.to_owned() }).unwrap();
    rest(&mut world);
    assert_eq!((delivered(&world), progress(&world, 1)), (1, Some(1)));
}

#[test]
fn too_many_pending_results_hold_the_level_back() {
    let mut world = configured(&[("enableScheduleAsyncDeliver", "true"), ("scheduleAsyncDeliverMaxPendingLimit", "1")]);
    due_together(&mut world, 5);
    let events = rest(&mut world);
    let held = told(&events).into_iter().map(|(_, step)| step).find(|step| matches!(step, DelayStep::DelayHeld { .. }));
    assert_eq!(held, Some(DelayStep::DelayHeld { level: 1, queue_offset: 2, pending: 2, resends: 0 }));
    assert_eq!((delivered(&world), progress(&world, 1)), (5, Some(5)));
}

/// A stop takes in what succeeded.
#[test]
fn a_stop_takes_the_results_in() {
    let mut world = later();
    act(&mut world, pause(BROKER, None));
    act(&mut world, resume(BROKER, None));
    sent(&mut world, 1);
    run_until(&mut world, |world| delivered(world) == 1);
    act(&mut world, stop(BROKER));
    assert_eq!(saved(&world).as_deref(), Some("{\n\t\"offsetTable\":{1:1\n\t}\n}"));
}

fn act_now(world: &mut World, action: Action) {
    world.act(action).unwrap();
}
