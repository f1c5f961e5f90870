//! One record, handed out twice.

use super::*;
use Verdict::{Duplicated, ExactlyRight};

/// `consumeTimeout` is a minute and looked at every minute; the listener takes 150 s the first time, and succeeds.
pub(super) fn a_listener_that_takes_longer_than_the_consume_timeout() -> Example {
    let mut slow = cluster(&["c1"]);
    slow.consumers[0].config.extend(config(&[("consumeTimeout", "1")]));
    let first_time = Some(Range { at_least: None, at_most: Some(0) });
    let when = MessageCondition { reconsume_times: first_time, ..MessageCondition::default() };
    push(&mut slow).listener.rules = vec![ListenerRule { when, takes_ms: Some(150_000), ..ListenerRule::default() }];
    let mut world = world(&slow);
    act(&mut world, sent("M1", "k"));
    example(world, [&[(Duplicated, Rule::SentBackAndConsumed)]])
}

/// The listener commits its changes, refuses the message all the same, and gets it again.
#[test]
fn a_refusal_behind_the_commit_is_done_again() {
    let mut office = office("{msgId}", None);
    let results = vec![ConsumeResult::Later, ConsumeResult::Success];
    push(&mut office).listener.rules = vec![ListenerRule { results, ..ListenerRule::default() }];
    let mut world = world(&office);
    act(&mut world, sent("M1", "k"));
    example(world, [&[(Duplicated, Rule::SentBackAndConsumed)]]).holds();
}

/// The second turn of a call is its end.
pub(super) fn a_consumer_that_dies_over_a_message() -> Example {
    let mut slow = cluster(&["c1"]);
    push(&mut slow).listener.takes_ms = 1_000;
    let mut world = world(&slow);
    falls(&mut world, "c1", Service::Consume, 2);
    act(&mut world, sent("M1", "k"));
    act(&mut world, start("c1"));
    example(world, [&[(Duplicated, Rule::DiedWhileConsuming)]])
}

/// Each pull carries the offset as it was when it went out: that of M1 is saved when the consumer dies, that of M2 is not.
pub(super) fn a_consumer_that_dies_behind_a_message() -> Example {
    let mut world = world(&cluster(&["c1"]));
    for name in ["M1", "M2"] {
        act(&mut world, sent(name, name));
    }
    act(&mut world, kill("c1"));
    act(&mut world, start("c1"));
    example(world, [&[(ExactlyRight, Rule::Once)], &[(Duplicated, Rule::DiedBeforeOffsetSaved)]])
}

/// T/1 goes to c2 while c1's listener has M1, and begins there at M1.
pub(super) fn a_queue_that_moves_while_a_listener_is_at_it() -> Example {
    let mut slow = cluster(&["c1", "c2"]);
    push(&mut slow).listener.takes_ms = 10_000;
    slow.consumers[1].down = true;
    let mut world = world(&slow);
    act_for(&mut world, Action::Send(Box::new(Send { queue: Some(1), ..message("M1", "k") })), 1_000);
    act(&mut world, start("c2"));
    example(world, [&[(Duplicated, Rule::QueueTakenAway)]])
}

/// c1 has consumed M1 and stands still before it sends its offset; c2 takes T/1 over at 0.
pub(super) fn a_queue_that_moves_from_a_process_that_stands_still() -> Example {
    let mut two = cluster(&["c1", "c2"]);
    two.consumers[1].down = true;
    let mut world = world(&two);
    act(&mut world, Action::Send(Box::new(Send { queue: Some(1), ..message("M1", "k") })));
    act(&mut world, Action::Pause { node: "c1".to_owned(), service: None });
    act(&mut world, start("c2"));
    act(&mut world, Action::Resume { node: "c1".to_owned(), service: None });
    example(world, [&[(Duplicated, Rule::QueueMovedBeforeOffsetSaved)]])
}

/// c1 sends its offset as it stops, and the broker dies before it saves it.
pub(super) fn a_broker_that_dies_before_it_saves_the_offset() -> Example {
    let mut world = world(&cluster(&["c1"]));
    act(&mut world, pause(BROKER, Service::PersistOffset));
    act(&mut world, sent("M1", "k"));
    act(&mut world, stop("c1"));
    act(&mut world, kill(BROKER));
    act(&mut world, start(BROKER));
    act(&mut world, start("c1"));
    example(world, [&[(Duplicated, Rule::BrokerLostOffset)]])
}

/// A stop whose offsets nobody takes saves nothing.
#[test]
fn a_consumer_that_stops_out_of_reach_has_its_messages_again() {
    let mut world = world(&cluster(&["c1"]));
    act(&mut world, sent("M1", "k"));
    let (a, b) = ("c1".to_owned(), BROKER.to_owned());
    act(&mut world, Action::Cut { a: a.clone(), b: b.clone() });
    act(&mut world, stop("c1"));
    act(&mut world, Action::Mend { a, b });
    act(&mut world, start("c1"));
    example(world, [&[(Duplicated, Rule::DiedBeforeOffsetSaved)]]).holds();
}

/// `resetOffsetByTime` to the beginning; the consumer goes on there 10 s later.
pub(super) fn an_offset_that_is_reset() -> Example {
    let mut reset = cluster(&["c1"]);
    reset.administrators = vec![AdministratorSpec { name: "admin".to_owned(), skew_ms: 0 }];
    let mut world = world(&reset);
    act(&mut world, sent("M1", "k"));
    act(&mut world, wait(11_000));
    let (group, topic) = ("g".to_owned(), "T".to_owned());
    act(&mut world, administer(Command::ResetOffset { group, topic, timestamp_ms: 0, force: true }));
    act(&mut world, wait(30_000));
    example(world, [&[(Duplicated, Rule::OffsetSetBack)]])
}
