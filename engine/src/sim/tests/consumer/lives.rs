//! A consumer's process ends, and begins again.

use super::*;

/// P4: what was consumed after the last offset that reached the broker comes again, with `reconsumeTimes` 0.
#[test]
fn after_a_kill_messages_behind_the_offset_at_the_broker_come_again() {
    let mut world = world_with(|_| {});
    for n in 0..3 {
        act(&mut world, order(0, &format!("m{n}")));
    }
    // Each pull carries the offset as it was when the pull went out, before the messages that it brought were consumed.
    let at_broker = kept(&world, "OrderTopic", 0);
    assert_eq!(at_broker, Some(2));
    act(&mut world, kill("c1"));
    act(&mut world, start("c1"));
    let calls = deliveries(&world, "c1");
    assert_eq!(bodies(&calls), ["m0", "m1", "m2", "m2"]);
    assert_eq!(calls[3].messages[0].reconsume_times, 0);
}

#[test]
fn a_stop_sends_the_offsets_once_more() {
    let mut world = world_with(|_| {});
    for n in 0..3 {
        act(&mut world, order(0, &format!("m{n}")));
    }
    act(&mut world, stop("c1"));
    assert_eq!(kept(&world, "OrderTopic", 0), Some(3));
    assert!(!world.broker("broker-a").unwrap().process().unwrap().clients().groups().contains_key("g"));
    act(&mut world, start("c1"));
    assert_eq!(deliveries(&world, "c1").len(), 3, "nothing comes again");
}

#[test]
fn a_call_that_the_process_did_not_survive_is_told_as_crashed() {
    let mut world = world_with(|spec| listens(spec).takes_ms = 1_000);
    world.act(order(0, "m0")).unwrap();
    while deliveries(&world, "c1").is_empty() {
        world.step().unwrap();
    }
    act(&mut world, kill("c1"));
    let calls = deliveries(&world, "c1");
    assert_eq!((calls[0].fate, calls[0].result, calls[0].ended_us), (DeliveryFate::Crashed, None, None));
}

#[test]
fn a_consumer_may_be_started_later_than_the_cluster() {
    let mut world = world_with(|spec| spec.down = true);
    act(&mut world, order(0, "m0"));
    assert_eq!(world.node_state("c1"), Some(NodeState::Down));
    assert!(!world.broker("broker-a").unwrap().process().unwrap().clients().groups().contains_key("g"));
    act(&mut world, start("c1"));
    assert_eq!(bodies(&deliveries(&world, "c1")), ["m0"]);
}
