//! In the queue, and never consumed.

use super::*;
use Verdict::{ExactlyRight, Lost};

/// Its first offset is not in the queue any more, so that a new group begins at the end (`ConsumerManageProcessor
/// .queryConsumerOffset`): messages of before are not for it.
#[test]
fn a_group_that_comes_later_to_a_queue_that_was_cleaned() {
    let mut later = a_file_each();
    later.consumers = cluster(&["c1"]).consumers;
    later.consumers[0].down = true;
    let mut world = world(&later);
    fill_files(&mut world, 2);
    act(&mut world, wait(96 * 3_600_000));
    act(&mut world, start("c1"));
    example(world, [&[(Lost, Rule::Cleaned)], &[(Lost, Rule::BeganBehindIt)]]).holds();
}

/// Without an offset of its own it begins at the end of the queue (`CONSUME_FROM_LAST_OFFSET`).
pub(super) fn a_broadcasting_consumer_that_comes_later() -> Example {
    let mut broadcasting = cluster(&["c1"]);
    push(&mut broadcasting).message_model = MessageModel::Broadcasting;
    broadcasting.consumers[0].down = true;
    let mut world = world(&broadcasting);
    act(&mut world, sent("M1", "k"));
    act(&mut world, start("c1"));
    example(world, [&[(Lost, Rule::BeganBehindIt)]])
}

/// c1 wants `TagA` and has T/0, c2 wants `TagB` and has T/1. The broker filters by what c2 said, which came later: it keeps
/// M1 back, and hands M2 to c1, which lets go of it. M3 is where it is wanted.
pub(super) fn members_that_subscribe_different_tags() -> Example {
    let mut different = cluster(&["c1", "c2"]);
    for (consumer, tag) in different.consumers.iter_mut().zip(["TagA", "TagB"]) {
        consumer.push.as_mut().unwrap().subscriptions[0].tags = Some(tag.to_owned());
    }
    different.consumers[1].down = true;
    let mut world = world(&different);
    act(&mut world, start("c2"));
    for (name, tag, queue) in [("M1", "TagA", 0), ("M2", "TagB", 0), ("M3", "TagB", 1)] {
        let send = Send { tag: Some(tag.to_owned()), queue: Some(queue), ..message(name, name) };
        act(&mut world, Action::Send(Box::new(send)));
    }
    // A held pull does not wait for what the filter keeps back: it comes home after 15 s, and the offset moves.
    act(&mut world, wait(25_000));
    let differ = &[(Lost, Rule::SubscriptionsDiffer)][..];
    example(world, [differ, differ, &[(ExactlyRight, Rule::Once)]])
}

/// The group has consumed M1, and its offset 1 is saved; then a power loss takes M1. M2 gets M1's place, so that the queue
/// ends at 1: nothing is wrong with the group's offset (`OFFSET_OVERFLOW_ONE`).
pub(super) fn a_message_in_the_place_of_one_that_was_lost() -> Example {
    let world = took_its_place("producer");
    example(world, [&[(Lost, Rule::UnflushedAtPowerLoss)], &[(Lost, Rule::OffsetOutlivedMessages)]])
}

/// The same of a bare sender, whose messages have no ids but those of their places: M1 and M2 have the same.
#[test]
fn two_messages_with_the_id_of_one_place_are_two() {
    let world = took_its_place("bare");
    example(world, [&[(Lost, Rule::UnflushedAtPowerLoss)], &[(Lost, Rule::OffsetOutlivedMessages)]]).holds();
}

fn took_its_place(producer: &str) -> World {
    let mut world = world(&with_bare(cluster(&["c1"])));
    let send = |name| Action::Send(Box::new(Send { producer: producer.to_owned(), ..message(name, name) }));
    act(&mut world, pause(BROKER, Service::FlushCommitLog));
    act(&mut world, pause(BROKER, Service::FlushConsumeQueue));
    act(&mut world, send("M1"));
    act(&mut world, wait(11_000));
    act(&mut world, kill("c1"));
    power_loss(&mut world);
    act(&mut world, send("M2"));
    act(&mut world, start("c1"));
    world
}

/// The group's offset is 1 before its consumer starts.
pub(super) fn an_offset_that_somebody_else_commits() -> Example {
    let mut meddled = cluster(&["c1"]);
    meddled.consumers[0].down = true;
    meddled.consumers.push(puller());
    let mut world = world(&meddled);
    act(&mut world, sent("M1", "k"));
    act(&mut world, commit(0, 1));
    act(&mut world, start("c1"));
    example(world, [&[(Lost, Rule::OffsetBeyond)]])
}

/// Offsets are sent to the broker every 5 s; the process dies over the message after 11 s.
pub(super) fn an_offset_that_is_saved_before_processing() -> Example {
    let mut slow = cluster(&["c1"]);
    push(&mut slow).listener.takes_ms = 20_000;
    let mut world = world(&Cluster { planted: vec![PlantedFault::OffsetBeforeProcessing], ..slow });
    act_for(&mut world, sent("M1", "k"), 11_000);
    act(&mut world, kill("c1"));
    act(&mut world, start("c1"));
    example(world, [&[(Lost, Rule::OffsetBeforeProcessing)]])
}

pub(super) fn a_refusal_of_a_broadcasting_consumer() -> Example {
    let mut refusing = refusing();
    push(&mut refusing).message_model = MessageModel::Broadcasting;
    let mut world = world(&refusing);
    act(&mut world, sent("M1", "k"));
    example(world, [&[(Lost, Rule::RefusedInBroadcast)]])
}

/// With `retryQueueNums` 0 the broker answers `SUCCESS` to what is given back, and keeps nothing.
pub(super) fn a_group_without_retry_queues() -> Example {
    let mut refusing = refusing();
    refusing.administrators = vec![AdministratorSpec { name: "admin".to_owned(), skew_ms: 0 }];
    let mut world = world(&refusing);
    let command = Command::UpdateGroup {
        group: "g".to_owned(),
        cluster: None,
        broker: Some(BROKER.to_owned()),
        consume_enable: None,
        consume_from_min_enable: None,
        consume_broadcast_enable: None,
        retry_queue_nums: Some(0),
        retry_max_times: None,
        broker_id: None,
        which_broker_when_consume_slowly: None,
        notify_consumer_ids_changed_enable: None,
    };
    act(&mut world, administer(command));
    act(&mut world, sent("M1", "k"));
    example(world, [&[(Lost, Rule::RefusedAndNotKept)]])
}

/// While commits are automatic, `ROLLBACK` of an orderly listener counts as success.
#[test]
fn a_rollback_while_commits_are_automatic_is_kept_by_nobody() {
    let mut orderly = cluster(&["c1"]);
    let listener = &mut push(&mut orderly).listener;
    (listener.kind, listener.result) = (ListenerKind::Orderly, ConsumeResult::Rollback);
    let mut world = world(&orderly);
    act(&mut world, sent("M1", "k"));
    example(world, [&[(Lost, Rule::RefusedAndNotKept)]]).holds();
}

/// `maxReconsumeTimes` 0: the first refusal is the last.
pub(super) fn a_group_that_retries_never() -> Example {
    let mut refusing = refusing();
    refusing.consumers[0].config.extend(config(&[("maxReconsumeTimes", "0")]));
    let mut world = world(&refusing);
    act(&mut world, sent("M1", "k"));
    example(world, [&[(Lost, Rule::DeadLetter)]])
}

/// An orderly listener's refusals count in the consumer, which then sends the message to the retry topic itself.
#[test]
fn an_orderly_group_gives_up_too() {
    let mut refusing = cluster(&["c1"]);
    let listener = &mut push(&mut refusing).listener;
    (listener.kind, listener.result) = (ListenerKind::Orderly, ConsumeResult::Suspend);
    refusing.consumers[0].config.extend(config(&[("maxReconsumeTimes", "1")]));
    let mut world = world(&refusing);
    act(&mut world, sent("M1", "k"));
    example(world, [&[(Lost, Rule::DeadLetter)]]).holds();
}

/// What comes back of a bare sender's message names it by the id of its place.
#[test]
fn a_bare_senders_dead_letter_is_known() {
    let mut refusing = with_bare(refusing());
    refusing.consumers[0].config.extend(config(&[("maxReconsumeTimes", "0")]));
    let mut world = world(&refusing);
    act(&mut world, bare(&message("M1", "k")));
    example(world, [&[(Lost, Rule::DeadLetter)]]).holds();
}

/// The listener's record is committed before its changes; the process dies between the two.
pub(super) fn a_record_of_work_that_was_never_done() -> Example {
    let mut world = world(&office("{msgId}", Some(RecordAt::Before)));
    falls(&mut world, "c1", Service::Consume, 4);
    act(&mut world, sent("M1", "k"));
    act(&mut world, start("c1"));
    example(world, [&[(Lost, Rule::NotedBeforeDone)]])
}

/// The listener knows its messages by their keys, and M2 is not what M1 was.
pub(super) fn a_key_that_two_messages_share() -> Example {
    let mut world = world(&office("{keys}", Some(RecordAt::Together)));
    act(&mut world, sent("M1", "k"));
    act(&mut world, Action::Send(Box::new(Send { body: Some("refund".to_owned()), ..message("M2", "k") })));
    example(world, [&[(ExactlyRight, Rule::Once)], &[(Lost, Rule::TakenForAnother)]])
}

/// A group whose listener refuses everything.
fn refusing() -> Cluster {
    let mut cluster = cluster(&["c1"]);
    push(&mut cluster).listener.result = ConsumeResult::Later;
    cluster
}
