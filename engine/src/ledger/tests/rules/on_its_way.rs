//! What is not judged yet.

use super::*;
use Verdict::Open;

pub(super) fn a_request_on_the_wire() -> Example {
    let mut world = world(&cluster(&["c1"]));
    world.act(sent("M1", "k")).unwrap();
    example(world, [&[(Open, Rule::SendUnderWay)]])
}

pub(super) fn a_record_that_dispatch_has_not_come_to() -> Example {
    let mut world = world(&cluster(&["c1"]));
    act(&mut world, pause(BROKER, Service::Reput));
    act(&mut world, sent("M1", "k"));
    example(world, [&[(Open, Rule::NotDispatchedYet)]])
}

/// Level 3 is 10 s.
pub(super) fn a_delay_of_ten_seconds_after_one() -> Example {
    let mut world = world(&cluster(&["c1"]));
    let delayed = Send { delay_level: Some(3), ..message("M1", "k") };
    act_for(&mut world, Action::Send(Box::new(delayed)), 1_000);
    example(world, [&[(Open, Rule::DelayNotOver)]])
}

pub(super) fn a_transaction_that_nobody_has_decided() -> Example {
    let mut world = world(&cluster(&["c1"]));
    act_for(&mut world, in_transaction(ListenerResult::Unknown, &[]), 1_000);
    example(world, [&[(Open, Rule::HalfUndecided)]])
}

pub(super) fn a_group_whose_only_member_is_down() -> Example {
    let mut down = cluster(&["c1"]);
    down.consumers[0].down = true;
    let mut world = world(&down);
    act(&mut world, sent("M1", "k"));
    example(world, [&[(Open, Rule::NotConsumedYet)]])
}

pub(super) fn a_listener_that_takes_long() -> Example {
    let mut slow = cluster(&["c1"]);
    push(&mut slow).listener.takes_ms = 10_000;
    let mut world = world(&slow);
    act_for(&mut world, sent("M1", "k"), 1_000);
    example(world, [&[(Open, Rule::InHand)]])
}

/// M1 has the only thread, and M2 waits for it in the process queue.
#[test]
fn what_waits_for_a_thread_is_in_hand() {
    let mut slow = cluster(&["c1"]);
    push(&mut slow).listener.takes_ms = 10_000;
    slow.consumers[0].config.extend(config(&[("consumeThreadMin", "1"), ("consumeThreadMax", "1")]));
    let mut world = world(&slow);
    act_for(&mut world, sent("M1", "k"), 1_000);
    act_for(&mut world, sent("M2", "l"), 1_000);
    example(world, [&[(Open, Rule::InHand)], &[(Open, Rule::InHand)]]).holds();
}

/// The first retry comes 10 s after the refusal (level 3).
pub(super) fn a_refusal_that_waits_for_its_retry() -> Example {
    let mut refusing = cluster(&["c1"]);
    push(&mut refusing).listener.result = ConsumeResult::Later;
    let mut world = world(&refusing);
    act_for(&mut world, sent("M1", "k"), 2_000);
    example(world, [&[(Open, Rule::RetryToCome)]])
}

/// What comes back of a bare sender's message names it by the id of its place.
#[test]
fn a_bare_senders_message_waits_for_its_retry_too() {
    let mut refusing = with_bare(cluster(&["c1"]));
    push(&mut refusing).listener.result = ConsumeResult::Later;
    let mut world = world(&refusing);
    act_for(&mut world, bare(&message("M1", "k")), 2_000);
    example(world, [&[(Open, Rule::RetryToCome)]]).holds();
}

/// A start would find the message in the page cache.
pub(super) fn a_message_at_a_broker_that_is_down() -> Example {
    let mut world = world(&cluster(&["c1"]));
    act(&mut world, kill("c1"));
    act(&mut world, sent("M1", "k"));
    act(&mut world, kill(BROKER));
    example(world, [&[(Open, Rule::BrokerDown)]])
}
