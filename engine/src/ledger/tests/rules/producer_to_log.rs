//! Told that it is stored, and gone from the log.

use super::*;
use Verdict::{ExactlyRight, Lost};

/// `ASYNC_FLUSH` answers from the page cache, and the first flush comes half a second later.
pub(super) fn a_power_loss_before_the_flush() -> Example {
    let mut world = world(&cluster(&[]));
    act(&mut world, sent("M1", "k"));
    power_loss(&mut world);
    example(world, [&[(Lost, Rule::UnflushedAtPowerLoss)]])
}

/// M1 waits for its flush, M2 does not, and the flush that it wakes is held up.
pub(super) fn a_producer_that_does_not_wait_for_the_flush() -> Example {
    let mut world = world(&flushing());
    act(&mut world, sent("M1", "k"));
    act(&mut world, pause(BROKER, Service::FlushCommitLog));
    act(&mut world, Action::Send(Box::new(Send { wait_store: Some(false), ..message("M2", "k") })));
    power_loss(&mut world);
    example(world, [&[(ExactlyRight, Rule::Once)], &[(Lost, Rule::ProducerDidNotWait)]])
}

pub(super) fn a_broker_that_answers_before_the_flush() -> Example {
    let mut world = world(&Cluster { planted: vec![PlantedFault::ReplyBeforeFlush], ..flushing() });
    act(&mut world, pause(BROKER, Service::FlushCommitLog));
    act(&mut world, sent("M1", "k"));
    power_loss(&mut world);
    example(world, [&[(Lost, Rule::AnsweredBeforeFlush)]])
}

/// `force` fails, and `flushedWhere` goes on: the answer is `SEND_OK`.
pub(super) fn a_disk_that_refuses_the_flush() -> Example {
    let mut world = world(&flushing());
    refuse_flushes(&mut world, "");
    act(&mut world, sent("M1", "k"));
    act(&mut world, Action::MendDisk { broker: BROKER.to_owned() });
    power_loss(&mut world);
    example(world, [&[(Lost, Rule::FlushRefused)]])
}

/// Recovery after the kill lets `flushedWhere` stand at the end of the log, which nobody has forced.
pub(super) fn a_restart_between_the_put_and_the_power_loss() -> Example {
    let mut world = world(&cluster(&[]));
    act(&mut world, sent("M1", "k"));
    act(&mut world, kill(BROKER));
    act(&mut world, start(BROKER));
    power_loss(&mut world);
    example(world, [&[(Lost, Rule::TakenForFlushed)]])
}

/// A flush that was refused before the kill was believed then already.
#[test]
fn a_refused_flush_stays_the_cause_through_a_kill() {
    let mut world = world(&flushing());
    refuse_flushes(&mut world, "");
    act(&mut world, sent("M1", "k"));
    act(&mut world, Action::MendDisk { broker: BROKER.to_owned() });
    act(&mut world, kill(BROKER));
    act(&mut world, start(BROKER));
    power_loss(&mut world);
    example(world, [&[(Lost, Rule::FlushRefused)]]).holds();
}

/// Pages go from the pool into the file once there are four of them, or 200 ms after the last time.
pub(super) fn a_kill_before_the_pool_is_committed() -> Example {
    let mut world = pooled();
    act(&mut world, kill(BROKER));
    act(&mut world, start(BROKER));
    example(world, [&[(Lost, Rule::InPoolAtEnd)]])
}

/// It was in no page cache that could have been flushed.
#[test]
fn a_power_loss_takes_what_is_in_the_pool_as_a_kill_does() {
    let mut world = pooled();
    power_loss(&mut world);
    example(world, [&[(Lost, Rule::InPoolAtEnd)]]).holds();
}

/// The CRC of M1's body is wrong, so that the log ends before M1.
pub(super) fn a_bit_that_turns_round_in_the_first_record() -> Example {
    let mut world = world(&cluster(&[]));
    act(&mut world, sent("M1", "k"));
    act(&mut world, sent("M2", "k"));
    act(&mut world, stop(BROKER));
    act(&mut world, flip(88));
    act(&mut world, start(BROKER));
    example(world, [&[(Lost, Rule::BehindDamagedRecord)], &[(Lost, Rule::BehindDamagedRecord)]])
}

/// Everything was flushed: without the bit, the power loss would have taken nothing.
#[test]
fn a_damaged_record_ends_the_log_after_a_power_loss_too() {
    let mut world = world(&flushing());
    act(&mut world, sent("M1", "k"));
    act(&mut world, sent("M2", "k"));
    act(&mut world, flip(88));
    power_loss(&mut world);
    example(world, [&[(Lost, Rule::BehindDamagedRecord)], &[(Lost, Rule::BehindDamagedRecord)]]).holds();
}

/// Files are kept for 72 hours, and go at four in the morning; the last one stays.
pub(super) fn a_file_of_four_days() -> Example {
    let mut world = world(&a_file_each());
    fill_files(&mut world, 2);
    act(&mut world, wait(96 * 3_600_000));
    example(world, [&[(Lost, Rule::Cleaned)], &[(ExactlyRight, Rule::Once)]])
}

/// The group was done with M1 when its file went.
#[test]
fn what_everybody_has_had_may_be_cleaned_away() {
    let mut consumed = a_file_each();
    consumed.consumers = cluster(&["c1"]).consumers;
    let mut world = world(&consumed);
    fill_files(&mut world, 2);
    act(&mut world, wait(96 * 3_600_000));
    example(world, [&[(ExactlyRight, Rule::Cleaned)], &[(ExactlyRight, Rule::Once)]]).holds();
}

/// Recovery goes from one file to the next, whatever their offsets are.
pub(super) fn a_file_that_is_deleted_in_the_middle() -> Example {
    let world = without_file("00000000000000001024");
    example(world, [&[(ExactlyRight, Rule::Once)], &[(Lost, Rule::BytesGone)], &[(ExactlyRight, Rule::Once)]])
}

/// The log begins later, or ends sooner, and nobody has cleaned up or found damage.
#[test]
fn a_file_that_is_deleted_at_an_end_is_gone_from_outside_too() {
    let gone = &[(Lost, Rule::BytesGone)][..];
    let right = &[(ExactlyRight, Rule::Once)][..];
    example(without_file("00000000000000000000"), [gone, right, right]).holds();
    example(without_file("00000000000000002048"), [right, right, gone]).holds();
}

/// M1's body is 16 MiB longer than its record now: nobody can read it. M2 is found by its unit as before.
#[test]
fn a_bit_that_turns_round_in_a_running_broker_hides_no_other_message() {
    let mut world = world(&cluster(&[]));
    act(&mut world, sent("M1", "k"));
    act(&mut world, sent("M2", "k"));
    act(&mut world, flip(84));
    example(world, [&[(Lost, Rule::BytesGone)], &[(ExactlyRight, Rule::Once)]]).holds();
}

/// M1 has opened the connection; M2 is on it when the broker dies.
pub(super) fn a_oneway_request_to_a_broker_that_dies() -> Example {
    let mut world = world(&cluster(&[]));
    act(&mut world, sent("M1", "k"));
    let oneway = Send { mode: SendMode::Oneway, ..message("M2", "k") };
    world.act(Action::Send(Box::new(oneway))).unwrap();
    act(&mut world, kill(BROKER));
    act(&mut world, start(BROKER));
    example(world, [&[(ExactlyRight, Rule::Once)], &[(Lost, Rule::OnewayLost)]])
}

/// A broker that flushes before it answers.
fn flushing() -> Cluster {
    let mut cluster = cluster(&[]);
    set(&mut cluster, 0, &[("flushDiskType", "SYNC_FLUSH")]);
    cluster
}

/// A message that is in the transient pool and nowhere else.
fn pooled() -> World {
    let mut cluster = cluster(&[]);
    set(&mut cluster, 0, &[("transientStorePoolEnable", "true")]);
    let mut world = world(&cluster);
    act(&mut world, sent("M1", "k"));
    world
}

/// A bit of the log's first file turns round. The first record begins at 0, the length of its body at 84, and its body at 88.
fn flip(offset: u64) -> Action {
    let path = "commitlog/00000000000000000000".to_owned();
    Action::FlipBit { broker: BROKER.to_owned(), path, offset, bit: 0 }
}

/// Three messages in three files; the broker stops, one of the files is deleted, and it starts again.
fn without_file(name: &str) -> World {
    let mut world = world(&a_file_each());
    fill_files(&mut world, 3);
    act(&mut world, stop(BROKER));
    act(&mut world, Action::DeleteFile { broker: BROKER.to_owned(), path: format!("commitlog/{name}") });
    act(&mut world, start(BROKER));
    world
}
