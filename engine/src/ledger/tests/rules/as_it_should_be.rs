//! What was told is what there is.

use super::*;
use Verdict::ExactlyRight;

/// Put, dispatched, pulled, consumed; the listener says success.
pub(super) fn a_message_that_everybody_has_had_once() -> Example {
    let mut world = world(&cluster(&["c1"]));
    act(&mut world, sent("M1", "k"));
    example(world, [&[(ExactlyRight, Rule::Once)]])
}

/// The delivered copy of a bare sender's delayed message shares no id with the record that waited; the slave has both.
#[test]
fn a_bare_senders_delayed_message_is_found_again() {
    let mut pair = with_bare(cluster(&["c1"]));
    let mut slave = BrokerSpec { name: "broker-a-s".to_owned(), topics: Vec::new(), ..pair.brokers[0].clone() };
    slave.config.extend(config(&[("brokerName", BROKER), ("brokerId", "1"), ("brokerRole", "SLAVE")]));
    pair.brokers.push(slave);
    let mut world = world(&pair);
    let properties = [("DELAY".to_owned(), "1".to_owned())].into();
    act(&mut world, bare(&Send { properties, ..message("M1", "k") }));
    example(world, [&[(ExactlyRight, Rule::Once)]]).holds();
}

/// Every attempt is refused a connection: `MQClientException`.
pub(super) fn a_send_that_nobody_takes() -> Example {
    let mut world = world(&cluster(&["c1"]));
    act(&mut world, kill(BROKER));
    act(&mut world, sent("M1", "k"));
    act(&mut world, start(BROKER));
    example(world, [&[(ExactlyRight, Rule::FailureToldNothingStored)]])
}

/// The flush takes 6 s, and `sendMsgTimeout` is 3 s: the producer is told of a timeout, and the group has the message.
pub(super) fn a_timeout_over_a_slow_flush() -> Example {
    let mut flushing = cluster(&["c1"]);
    set(&mut flushing, 0, &[("flushDiskType", "SYNC_FLUSH")]);
    let mut world = world(&flushing);
    let fault = Fault::SlowFlush { ms: 6_000, path: "commitlog".to_owned() };
    act(&mut world, Action::DiskFault { broker: BROKER.to_owned(), fault });
    act(&mut world, sent("M1", "k"));
    example(world, [&[(ExactlyRight, Rule::FailureToldButStored)]])
}

/// The kill comes in the instant of the call.
pub(super) fn a_producer_that_dies_before_its_request_leaves() -> Example {
    let mut world = world(&cluster(&["c1"]));
    world.act(sent("M1", "k")).unwrap();
    act(&mut world, kill("producer"));
    example(world, [&[(ExactlyRight, Rule::UntoldNothingStored)]])
}

/// The kill comes when the record is in the log and the answer on the wire.
pub(super) fn a_producer_that_dies_before_the_answer() -> Example {
    let mut world = world(&cluster(&["c1"]));
    world.act(sent("M1", "k")).unwrap();
    turn_of(&mut world, Service::Put);
    act(&mut world, kill("producer"));
    example(world, [&[(ExactlyRight, Rule::UntoldButStored)]])
}

pub(super) fn a_transaction_that_is_rolled_back() -> Example {
    let mut world = world(&cluster(&["c1"]));
    act(&mut world, in_transaction(ListenerResult::Rollback, &[]));
    example(world, [&[(ExactlyRight, Rule::RolledBack)]])
}

/// Record, answer, changes, answer, commit are turns of the listener; the death before the third takes both back, and the
/// message comes again.
pub(super) fn a_consumer_that_dies_before_the_commit() -> Example {
    let world = died_before_turn(3);
    example(world, [&[(ExactlyRight, Rule::FirstTimeUndone)]])
}

/// Before the fifth turn the changes are committed, and the record with them: the listener finds it the second time.
pub(super) fn a_consumer_that_dies_behind_the_commit() -> Example {
    let world = died_before_turn(5);
    example(world, [&[(ExactlyRight, Rule::RepeatRecognised)]])
}

/// The consumer, whose listener records its messages together with its changes, dies before a turn of it and starts again.
fn died_before_turn(turn: u32) -> World {
    let mut world = world(&office("{msgId}", Some(RecordAt::Together)));
    falls(&mut world, "c1", Service::Consume, turn);
    act(&mut world, sent("M1", "k"));
    act(&mut world, start("c1"));
    world
}
