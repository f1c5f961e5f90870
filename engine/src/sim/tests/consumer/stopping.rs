//! A stop that waits for the listeners (`awaitTerminationMillisWhenShutdown`). The times are worked out from
//! `ThreadUtils.shutdownGracefully`: so long for what the threads have and what waits for them, then once more as long for
//! what they have.

use super::{orderly::orderly, *};

/// Three messages, of which the listener takes a second each, in the hands of a consumer that waits so long; it is stopped as
/// the first call begins. How long the stop took, milliseconds, and what was called.
fn stopped(await_ms: i64, threads: &str, kind: ListenerKind) -> (World, i64) {
    let mut world = world_with(|spec| {
        set(spec, "awaitTerminationMillisWhenShutdown", &await_ms.to_string());
        set(spec, "consumeThreadMin", threads);
        listens(spec).takes_ms = 1_000;
        if kind == ListenerKind::Orderly {
            orderly(spec);
        }
    });
    act(&mut world, Action::SuspendConsumer { consumer: "c1".to_owned() });
    // The held pull brings the first; the others come together.
    act(&mut world, order(0, "m0"));
    for n in 1..4 {
        act(&mut world, order(0, &format!("m{n}")));
    }
    world.act(Action::ResumeConsumer { consumer: "c1".to_owned() }).unwrap();
    while deliveries(&world, "c1").len() < 2 {
        world.step().unwrap();
    }
    let from_us = world.now_us();
    world.act(stop("c1")).unwrap();
    while world.node_state("c1") != Some(NodeState::Down) {
        world.step().unwrap();
    }
    let took_ms = (world.now_us() - from_us) / 1000;
    rest(&mut world);
    (world, took_ms)
}

fn fates(world: &World) -> Vec<(String, DeliveryFate)> {
    let calls = deliveries(world, "c1").into_iter().skip(1);
    calls.map(|call| (bodies(std::slice::from_ref(&call)).remove(0), call.fate)).collect()
}

fn told(name: &str, fate: DeliveryFate) -> (String, DeliveryFate) {
    (name.to_owned(), fate)
}

#[test]
fn without_a_wait_what_is_under_way_is_lost_and_comes_again() {
    let (mut world, took_ms) = stopped(0, "1", ListenerKind::Concurrently);
    assert_eq!((took_ms, fates(&world)), (0, vec![told("m1", DeliveryFate::Crashed)]));
    assert_eq!(kept(&world, "OrderTopic", 0), Some(1));
    act(&mut world, start("c1"));
    assert_eq!(bodies(&deliveries(&world, "c1")), ["m0", "m1", "m1", "m2", "m3"]);
}

#[test]
fn with_time_enough_everything_in_hand_is_consumed_first() {
    for kind in [ListenerKind::Concurrently, ListenerKind::Orderly] {
        let (mut world, took_ms) = stopped(10_000, "1", kind);
        assert_eq!(took_ms, 3_000, "{kind:?}");
        let counted = ["m1", "m2", "m3"].map(|name| told(name, DeliveryFate::Counted));
        assert_eq!((fates(&world), kept(&world, "OrderTopic", 0)), (counted.to_vec(), Some(4)));
        act(&mut world, start("c1"));
        assert_eq!(deliveries(&world, "c1").len(), 4, "nothing comes again");
    }
}

/// 1.5 s: the first call is over by then, the second under way, and the third is thrown away. The second ends within the next
/// 1.5 s.
#[test]
fn what_has_no_thread_when_the_time_is_over_is_thrown_away() {
    let (mut world, took_ms) = stopped(1_500, "1", ListenerKind::Concurrently);
    assert_eq!(took_ms, 2_000);
    let counted = ["m1", "m2"].map(|name| told(name, DeliveryFate::Counted));
    assert_eq!((fates(&world), kept(&world, "OrderTopic", 0)), (counted.to_vec(), Some(3)));
    act(&mut world, start("c1"));
    assert_eq!(bodies(&deliveries(&world, "c1")), ["m0", "m1", "m2", "m3"]);
}

/// 0.3 s and once more 0.3 s: nobody is waited for beyond that.
#[test]
fn a_listener_that_takes_too_long_is_left_behind() {
    let (world, took_ms) = stopped(300, "20", ListenerKind::Concurrently);
    assert_eq!(took_ms, 600);
    let crashed = ["m1", "m2", "m3"].map(|name| told(name, DeliveryFate::Crashed));
    assert_eq!((fates(&world), kept(&world, "OrderTopic", 0)), (crashed.to_vec(), Some(1)));
}

/// Whoever comes while the threads are waited for is not taken in, nor is a second try of what failed.
#[test]
fn nothing_is_taken_in_while_the_threads_are_waited_for() {
    let mut world = world_with(|spec| {
        set(spec, "awaitTerminationMillisWhenShutdown", "10000");
        listens(spec).takes_ms = 1_000;
        orderly(spec).result = ConsumeResult::Suspend;
    });
    world.act(order(0, "m0")).unwrap();
    while deliveries(&world, "c1").is_empty() {
        world.step().unwrap();
    }
    world.act(stop("c1")).unwrap();
    assert_eq!(world.node_state("c1"), Some(NodeState::Stopping));
    assert!(world.act(stop("c1")).is_err(), "it stops already");
    let mut events = vec![world.act(order(1, "m1")).unwrap()];
    events.extend(rest(&mut world));
    assert_eq!(world.node_state("c1"), Some(NodeState::Down));
    assert_eq!(bodies(&deliveries(&world, "c1")), ["m0"]);
    let steps = consumer_steps(&events);
    let rejected = steps.iter().filter_map(|(_, step)| match step {
        ConsumerStep::ConsumeRejected { queue_id, count, .. } => Some((*queue_id, *count)),
        _ => None,
    });
    // The message that came, and the rest of the queue whose listener failed.
    assert_eq!(rejected.collect::<Vec<_>>(), [(1, 1), (0, 0)]);
    assert_eq!(kept(&world, "OrderTopic", 0), Some(0));
    // The locks are given back.
    let locks = world.broker("broker-a").unwrap().process().unwrap().locks().table();
    assert!(
        locks["g"].values().all(|lock| lock.client_id != client(&world, "c1").client_id()) || locks["g"].is_empty()
    );
}
