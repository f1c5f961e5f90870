//! Two records that consumers read: the group has both.

use super::*;
use Verdict::Duplicated;

/// The record is in the log when the connection breaks; the second attempt goes to the other broker.
pub(super) fn an_answer_that_is_cut_off() -> Example {
    let mut two = cluster(&["c1"]);
    two.brokers.push(BrokerSpec { name: "broker-b".to_owned(), ..two.brokers[0].clone() });
    let mut world = world(&two);
    world.act(Action::Send(Box::new(Send { queue: None, ..message("M1", "k") }))).unwrap();
    let broker = turn_of(&mut world, Service::Put);
    act(&mut world, Action::Cut { a: "producer".to_owned(), b: broker });
    example(world, [&[(Duplicated, Rule::ProducerRetry); 2]])
}

/// Level 1 is 1 s, and the progress is saved every 10 s: the restart begins where it was before. The consumer makes itself
/// known to the new process by its next heartbeat, within 30 s.
pub(super) fn a_kill_before_the_delivery_is_noted() -> Example {
    let mut world = world(&cluster(&["c1"]));
    act(&mut world, Action::Send(Box::new(Send { delay_level: Some(1), ..message("M1", "k") })));
    act(&mut world, kill(BROKER));
    act(&mut world, start(BROKER));
    act(&mut world, wait(60_000));
    example(world, [&[(Duplicated, Rule::DelayDeliveredTwice); 2]])
}

/// Nobody looks whether a half message is decided already: every commit puts one more message.
pub(super) fn a_commit_that_is_said_twice() -> Example {
    let mut world = world(&cluster(&["c1"]));
    act(&mut world, in_transaction(ListenerResult::Commit, &[]));
    let again = EndTransaction {
        producer: "producer".to_owned(),
        message: Some("M1".to_owned()),
        state: LocalTransactionState::Commit,
        ..EndTransaction::default()
    };
    act(&mut world, Action::EndTransaction(Box::new(again)));
    example(world, [&[(Duplicated, Rule::HalfCommittedTwice); 2]])
}

/// The broker dies when the message is put, and the mark that decides the half message is not: the check after the restart
/// asks, and the listener says `COMMIT_MESSAGE` again.
#[test]
fn a_commit_whose_mark_is_lost_is_made_again() {
    let mut world = world(&cluster(&["c1"]));
    let service = Some(Service::EndTransaction);
    let node = BROKER.to_owned();
    act(&mut world, Action::CrashAt { node, service, write: 1, bytes: None, survives: None, unsent: false });
    act_for(&mut world, in_transaction(ListenerResult::Commit, &[]), 1_000);
    act(&mut world, start(BROKER));
    example(world, [&[(Duplicated, Rule::HalfCommittedTwice); 2]]).holds();
}
