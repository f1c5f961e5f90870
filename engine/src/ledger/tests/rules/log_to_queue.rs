//! In the log, and for no consumer to see.

use super::*;
use Verdict::{ExactlyRight, Lost};

/// The disk refuses to flush the units of T/0, and nobody notices. After a minute the checkpoint says that everything up to
/// M3 is flushed, so recovery begins in the second file, which M2 begins 5 s before M3 (`getMinTimestamp` goes back 3 s).
/// Dispatch begins behind M3, where T/1 ends.
pub(super) fn a_power_loss_that_takes_a_unit_of_an_old_file() -> Example {
    let mut world = world(&a_file_each());
    refuse_flushes(&mut world, "consumequeue/T/0");
    act(&mut world, sized("M1", 0, 900));
    act(&mut world, sized("M2", 1, 400));
    act(&mut world, wait(5_000));
    act(&mut world, sized("M3", 1, 400));
    act(&mut world, wait(70_000));
    act(&mut world, Action::MendDisk { broker: BROKER.to_owned() });
    power_loss(&mut world);
    let right = &[(ExactlyRight, Rule::Once)][..];
    example(world, [&[(Lost, Rule::QueueBehindLog)], right, right])
}

/// The checkpoint has M1's time. M2 and M3 are stored an hour before it by the clock, and not dispatched; the kill keeps
/// them. The second file begins with M3, before the checkpoint, so recovery begins there.
pub(super) fn a_clock_that_was_set_back_before_the_kill() -> Example {
    let mut world = world(&a_file_each());
    act(&mut world, sized("M1", 0, 400));
    act(&mut world, wait(70_000));
    act(&mut world, Action::JumpClock { node: BROKER.to_owned(), ms: -3_600_000 });
    act(&mut world, pause(BROKER, Service::Reput));
    act(&mut world, sized("M2", 1, 500));
    act(&mut world, sized("M3", 0, 900));
    act(&mut world, kill(BROKER));
    act(&mut world, start(BROKER));
    let right = &[(ExactlyRight, Rule::Once)][..];
    example(world, [right, &[(Lost, Rule::RecoveryBeganLater)], right])
}

/// Dispatch begins behind M2, where T/1 ends.
pub(super) fn a_queue_file_that_is_deleted_before_a_clean_start() -> Example {
    let world = without_queue_0(stop);
    example(world, [&[(Lost, Rule::QueueNotRebuilt)], &[(ExactlyRight, Rule::Once)]])
}

/// Recovery after a kill dispatches everything in the file that it begins in.
#[test]
fn a_queue_file_that_is_deleted_before_an_unclean_start_is_built_again() {
    let right = &[(ExactlyRight, Rule::Once)][..];
    example(without_queue_0(kill), [right, right]).holds();
}

/// Thirty attempts, a second apart; then dispatch goes on.
pub(super) fn a_disk_that_takes_no_unit() -> Example {
    let mut world = world(&cluster(&[]));
    let fault = Fault::WriteError { path: "consumequeue/T/0".to_owned() };
    act(&mut world, Action::DiskFault { broker: BROKER.to_owned(), fault });
    act(&mut world, sent("M1", "k"));
    example(world, [&[(Lost, Rule::UnitNotWritten)]])
}

/// Level 2 is 5 s. The waiting record is flushed before, the delivered copy is not; the progress is saved every 10 s, and a
/// file that is saved is on the disk.
pub(super) fn a_power_loss_after_the_delivery_was_noted() -> Example {
    let mut world = world(&cluster(&[]));
    let delayed = Send { delay_level: Some(2), ..message("M1", "k") };
    act_for(&mut world, Action::Send(Box::new(delayed)), 3_000);
    act(&mut world, pause(BROKER, Service::FlushCommitLog));
    act(&mut world, wait(20_000));
    power_loss(&mut world);
    example(world, [&[(Lost, Rule::DelayProgressAhead)]])
}

/// The broker takes no `END_TRANSACTION`; asked once, which is all (`transactionCheckMax`), the listener does not know.
pub(super) fn a_commit_that_is_lost_and_a_listener_that_is_asked_too_often() -> Example {
    let world = undecided(ListenerResult::Commit, &[ListenerResult::Unknown], 60_000);
    example(world, [&[(Lost, Rule::HalfDiscarded)]])
}

/// What the local transaction has done stays done, whatever it returned.
#[test]
fn an_unknown_end_that_is_never_known_is_a_loss() {
    let world = undecided(ListenerResult::Unknown, &[ListenerResult::Unknown], 60_000);
    example(world, [&[(Lost, Rule::HalfDiscarded)]]).holds();
}

/// The commit is lost, and the listener says `ROLLBACK_MESSAGE` when it is asked, after more than 6 s.
#[test]
fn a_rollback_of_what_was_committed_is_a_loss() {
    let world = undecided(ListenerResult::Commit, &[ListenerResult::Rollback], 5_000);
    example(world, [&[(Lost, Rule::HalfDiscarded)]]).holds();
}

/// A transaction whose end comes to nothing, since the broker takes no `END_TRANSACTION` for so long.
fn undecided(local: ListenerResult, checks: &[ListenerResult], takes_none_ms: i64) -> World {
    let mut checking = cluster(&["c1"]);
    set(&mut checking, 0, &[("transactionCheckMax", "1"), ("transactionCheckInterval", "1000")]);
    let mut world = world(&checking);
    act(&mut world, pause(BROKER, Service::EndTransaction));
    act_for(&mut world, in_transaction(local, checks), takes_none_ms);
    act(&mut world, resume(BROKER, Service::EndTransaction));
    world
}

/// M1 in T/0 and M2 in T/1; the broker ends, the files of T/0 are deleted, and it starts again.
fn without_queue_0(end: fn(&str) -> Action) -> World {
    let mut world = world(&cluster(&[]));
    act(&mut world, sent("M1", "k"));
    act(&mut world, Action::Send(Box::new(Send { queue: Some(1), ..message("M2", "l") })));
    act(&mut world, end(BROKER));
    act(&mut world, Action::DeleteFile { broker: BROKER.to_owned(), path: "consumequeue/T/0".to_owned() });
    act(&mut world, start(BROKER));
    world
}
