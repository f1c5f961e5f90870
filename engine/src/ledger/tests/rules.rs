//! Each rule in a small world in which it comes about, by what is done there and by nothing else.
//!
//! What a world's messages come to was worked out by hand from 4.9.8; the comment of each example says why.

mod as_it_should_be;
mod in_another_order;
mod log_to_queue;
mod on_its_way;
mod producer_to_log;
mod queue_to_application;
mod twice_at_the_application;
mod twice_in_the_log;

use super::*;
use crate::{
    client::{
        LocalTransactionState, SendMode,
        consumer::{ListenerKind, Range},
    },
    disk::memory::Fault,
    planted::PlantedFault,
    sim::{Administer, AdministratorSpec, Command, EndTransaction, SenderKind},
};

/// A world, and all that is to be said of its messages.
struct Example {
    world: World,
    /// Verdict and rule of every finding, by message.
    expected: Vec<Vec<(Verdict, Rule)>>,
}

fn example<const MESSAGES: usize>(world: World, expected: [&[(Verdict, Rule)]; MESSAGES]) -> Example {
    Example { world, expected: expected.map(<[_]>::to_vec).into() }
}

impl Example {
    /// What is said is what is expected, and nothing else.
    fn holds(&self) {
        assert_eq!(found(&self.world), self.expected);
    }
}

/// Names the example of each rule: one test each, and a match that does not compile where a rule is left out.
macro_rules! examples {
    ($($theme:ident { $($rule:ident => $example:ident,)* })*) => {
        fn example_of(rule: Rule) -> Example {
            match rule {
                $($(Rule::$rule => $theme::$example(),)*)*
            }
        }

        mod each {
            use super::*;

            $($(
                #[test]
                fn $example() {
                    let example = example_of(Rule::$rule);
                    example.holds();
                    let mut rules = example.expected.iter().flatten().map(|(_, rule)| *rule);
                    assert!(rules.any(|rule| rule == Rule::$rule));
                }
            )*)*
        }
    };
}

examples! {
    as_it_should_be {
        Once => a_message_that_everybody_has_had_once,
        FailureToldNothingStored => a_send_that_nobody_takes,
        FailureToldButStored => a_timeout_over_a_slow_flush,
        UntoldNothingStored => a_producer_that_dies_before_its_request_leaves,
        UntoldButStored => a_producer_that_dies_before_the_answer,
        RolledBack => a_transaction_that_is_rolled_back,
        FirstTimeUndone => a_consumer_that_dies_before_the_commit,
        RepeatRecognised => a_consumer_that_dies_behind_the_commit,
    }
    on_its_way {
        SendUnderWay => a_request_on_the_wire,
        NotDispatchedYet => a_record_that_dispatch_has_not_come_to,
        DelayNotOver => a_delay_of_ten_seconds_after_one,
        HalfUndecided => a_transaction_that_nobody_has_decided,
        NotConsumedYet => a_group_whose_only_member_is_down,
        InHand => a_listener_that_takes_long,
        RetryToCome => a_refusal_that_waits_for_its_retry,
        BrokerDown => a_message_at_a_broker_that_is_down,
    }
    producer_to_log {
        UnflushedAtPowerLoss => a_power_loss_before_the_flush,
        ProducerDidNotWait => a_producer_that_does_not_wait_for_the_flush,
        AnsweredBeforeFlush => a_broker_that_answers_before_the_flush,
        FlushRefused => a_disk_that_refuses_the_flush,
        TakenForFlushed => a_restart_between_the_put_and_the_power_loss,
        InPoolAtEnd => a_kill_before_the_pool_is_committed,
        BehindDamagedRecord => a_bit_that_turns_round_in_the_first_record,
        Cleaned => a_file_of_four_days,
        BytesGone => a_file_that_is_deleted_in_the_middle,
        OnewayLost => a_oneway_request_to_a_broker_that_dies,
    }
    log_to_queue {
        QueueBehindLog => a_power_loss_that_takes_a_unit_of_an_old_file,
        RecoveryBeganLater => a_clock_that_was_set_back_before_the_kill,
        QueueNotRebuilt => a_queue_file_that_is_deleted_before_a_clean_start,
        UnitNotWritten => a_disk_that_takes_no_unit,
        DelayProgressAhead => a_power_loss_after_the_delivery_was_noted,
        HalfDiscarded => a_commit_that_is_lost_and_a_listener_that_is_asked_too_often,
    }
    queue_to_application {
        BeganBehindIt => a_broadcasting_consumer_that_comes_later,
        SubscriptionsDiffer => members_that_subscribe_different_tags,
        OffsetOutlivedMessages => a_message_in_the_place_of_one_that_was_lost,
        OffsetBeyond => an_offset_that_somebody_else_commits,
        OffsetBeforeProcessing => an_offset_that_is_saved_before_processing,
        RefusedInBroadcast => a_refusal_of_a_broadcasting_consumer,
        RefusedAndNotKept => a_group_without_retry_queues,
        DeadLetter => a_group_that_retries_never,
        NotedBeforeDone => a_record_of_work_that_was_never_done,
        TakenForAnother => a_key_that_two_messages_share,
    }
    twice_in_the_log {
        ProducerRetry => an_answer_that_is_cut_off,
        DelayDeliveredTwice => a_kill_before_the_delivery_is_noted,
        HalfCommittedTwice => a_commit_that_is_said_twice,
    }
    twice_at_the_application {
        SentBackAndConsumed => a_listener_that_takes_longer_than_the_consume_timeout,
        DiedWhileConsuming => a_consumer_that_dies_over_a_message,
        DiedBeforeOffsetSaved => a_consumer_that_dies_behind_a_message,
        QueueTakenAway => a_queue_that_moves_while_a_listener_is_at_it,
        QueueMovedBeforeOffsetSaved => a_queue_that_moves_from_a_process_that_stands_still,
        BrokerLostOffset => a_broker_that_dies_before_it_saves_the_offset,
        OffsetSetBack => an_offset_that_is_reset,
    }
    in_another_order {
        DifferentQueues => one_key_in_two_queues,
        StoredLater => a_request_that_is_held_up,
        ConcurrentListener => two_threads_of_one_consumer,
        RetryTopic => a_message_that_comes_again,
        QueueMoved => a_queue_that_goes_on_elsewhere,
    }
}

/// Does it, and lets the world come to rest or so much time pass, whichever is sooner.
fn act_for(world: &mut World, action: Action, ms: i64) {
    world.act(action).unwrap();
    world.run_to_rest(world.now_us() + ms * 1000);
}

/// Lets the world go on up to the next turn of a service; the node that took it.
fn turn_of(world: &mut World, service: Service) -> String {
    loop {
        let event = world.step().unwrap();
        if event.service == service.name() {
            return event.node;
        }
    }
}

/// M1 in a transaction, to a queue of the client's choice: what the local transaction comes to, and what the listener says
/// when it is asked.
fn in_transaction(local: ListenerResult, checks: &[ListenerResult]) -> Action {
    let send = Send { queue: None, ..message("M1", "k") };
    Action::SendInTransaction(Box::new(SendInTransaction {
        send,
        local,
        checks: checks.to_vec(),
        ..SendInTransaction::default()
    }))
}

/// The cluster with a bare sender, whose messages have no `UNIQ_KEY`.
fn with_bare(mut cluster: Cluster) -> Cluster {
    let sender = SenderKind::Bare;
    cluster.producers.push(ProducerSpec { name: "bare".to_owned(), sender, ..ProducerSpec::default() });
    cluster
}

/// The bare sender sends it.
fn bare(send: &Send) -> Action {
    Action::Send(Box::new(Send { producer: "bare".to_owned(), ..send.clone() }))
}

/// A cluster without consumers whose log has files of 1024 bytes: two records of 900 bytes are in two files.
fn a_file_each() -> Cluster {
    let mut cluster = cluster(&[]);
    set(&mut cluster, 0, &[("mappedFileSizeCommitLog", "1024")]);
    cluster
}

/// A message whose record has this size.
fn sized(name: &str, queue: i32, record_size: i32) -> Action {
    let (queue, record_size) = (Some(queue), Some(record_size));
    Action::Send(Box::new(Send { queue, body: None, record_size, ..message(name, name) }))
}

/// Messages M1, M2 and so on, each in a file of its own.
fn fill_files(world: &mut World, count: usize) {
    for n in 1..=count {
        act(world, sized(&format!("M{n}"), 0, 900));
    }
}

/// From now on `force` fails for the files whose paths begin so.
fn refuse_flushes(world: &mut World, path: &str) {
    let fault = Fault::FlushError { path: path.to_owned() };
    act(world, Action::DiskFault { broker: BROKER.to_owned(), fault });
}

/// A member of the group that pulls when it is told to.
fn puller() -> ConsumerSpec {
    ConsumerSpec { name: "puller".to_owned(), group: "g".to_owned(), ..ConsumerSpec::default() }
}

/// It commits an offset of a queue.
fn commit(queue: i32, offset: i64) -> Action {
    Action::Commit { consumer: "puller".to_owned(), topic: "T".to_owned(), queue, offset }
}

fn administer(command: Command) -> Action {
    Action::Administer(Box::new(Administer { administrator: "admin".to_owned(), command }))
}

/// The names that serde knows are those of the whole enum: `unknown variant ..., expected one of ...`.
#[test]
fn the_list_of_all_rules_has_them_all_once() {
    let known = serde_json::from_str::<Rule>("\"\"").unwrap_err().to_string();
    let known: Vec<&str> = known.split('`').skip(3).step_by(2).collect();
    assert_eq!(known, Rule::ALL.map(Rule::name));
}
