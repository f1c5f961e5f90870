//! M1 was sent before M2 and has the same key, and the group was handed M2 before it was done with M1.

use super::*;
use Verdict::{ExactlyRight, OutOfOrder};

/// M1 takes two seconds in its queue, M2 comes by the other one.
pub(super) fn one_key_in_two_queues() -> Example {
    let mut world = world(&slow_over_m1(&["c1"]));
    act_for(&mut world, m1(0), 100);
    act(&mut world, Action::Send(Box::new(Send { queue: Some(1), ..message("M2", "k") })));
    out_of_order(world, Rule::DifferentQueues)
}

/// M1 takes two seconds in one thread, M2 is behind it in the queue and has another thread.
pub(super) fn two_threads_of_one_consumer() -> Example {
    let mut world = world(&slow_over_m1(&["c1"]));
    act_for(&mut world, m1(0), 100);
    act(&mut world, sent("M2", "k"));
    out_of_order(world, Rule::ConcurrentListener)
}

/// c2 takes T/1 over at M1, and has M1 and M2 in two threads: that is why, not that the queue has moved.
#[test]
fn two_threads_are_the_cause_at_the_next_consumer_too() {
    let mut slow = slow_over_m1(&["c1", "c2"]);
    slow.consumers[1].down = true;
    let mut world = world(&slow);
    act_for(&mut world, m1(1), 100);
    act_for(&mut world, start("c2"), 1_000);
    act(&mut world, Action::Send(Box::new(Send { queue: Some(1), ..message("M2", "k") })));
    let again = &[(Verdict::Duplicated, Rule::QueueTakenAway), (OutOfOrder, Rule::ConcurrentListener)];
    example(world, [again, &[(ExactlyRight, Rule::Once)]]).holds();
}

/// M1 is sent one way and held up on the wire; M2 comes from another producer meanwhile.
pub(super) fn a_request_that_is_held_up() -> Example {
    let mut two = cluster(&["c1"]);
    two.producers.push(ProducerSpec { name: "second".to_owned(), ..ProducerSpec::default() });
    let mut world = world(&two);
    act(&mut world, sent("M0", "other"));
    let (a, b) = ("producer".to_owned(), BROKER.to_owned());
    act(&mut world, Action::Stall { a: a.clone(), b: b.clone() });
    let oneway = Send { mode: SendMode::Oneway, ..message("M1", "k") };
    act_for(&mut world, Action::Send(Box::new(oneway)), 100);
    act_for(&mut world, Action::Send(Box::new(Send { producer: "second".to_owned(), ..message("M2", "k") })), 100);
    act(&mut world, Action::Mend { a, b });
    let right = &[(ExactlyRight, Rule::Once)][..];
    example(world, [right, &[(OutOfOrder, Rule::StoredLater)], right])
}

/// M1 is refused once, and comes again 10 s later.
pub(super) fn a_message_that_comes_again() -> Example {
    let mut refusing = cluster(&["c1"]);
    let results = vec![ConsumeResult::Later, ConsumeResult::Success];
    push(&mut refusing).listener.rules = vec![ListenerRule { when: when_m1(), results, ..ListenerRule::default() }];
    let mut world = world(&refusing);
    act_for(&mut world, m1(0), 100);
    act(&mut world, sent("M2", "k"));
    out_of_order(world, Rule::RetryTopic)
}

/// c1's listener has M1 when somebody commits the offset behind it and T/1 goes to c2, which goes on with M2.
pub(super) fn a_queue_that_goes_on_elsewhere() -> Example {
    let mut slow = slow_over_m1(&["c1", "c2"]);
    push(&mut slow).listener.rules[0].takes_ms = Some(60_000);
    slow.consumers[1].down = true;
    slow.consumers.push(puller());
    let mut world = world(&slow);
    act_for(&mut world, m1(1), 100);
    act_for(&mut world, commit(1, 1), 100);
    act_for(&mut world, start("c2"), 1_000);
    act(&mut world, Action::Send(Box::new(Send { queue: Some(1), ..message("M2", "k") })));
    out_of_order(world, Rule::QueueMoved)
}

fn out_of_order(world: World, rule: Rule) -> Example {
    example(world, [&[(OutOfOrder, rule)], &[(ExactlyRight, Rule::Once)]])
}

fn m1(queue: i32) -> Action {
    Action::Send(Box::new(Send { queue: Some(queue), body: Some("first".to_owned()), ..message("M1", "k") }))
}

fn when_m1() -> MessageCondition {
    MessageCondition { body: Some("first".to_owned()), ..MessageCondition::default() }
}

/// Consumers whose listeners take two seconds over M1.
fn slow_over_m1(consumers: &[&str]) -> Cluster {
    let mut cluster = cluster(consumers);
    for consumer in &mut cluster.consumers {
        let rule = ListenerRule { when: when_m1(), takes_ms: Some(2_000), ..ListenerRule::default() };
        consumer.push.as_mut().unwrap().listener.rules = vec![rule];
    }
    cluster
}
