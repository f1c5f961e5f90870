//! Consuming in order.

use super::*;

pub(super) fn orderly(spec: &mut ConsumerSpec) -> &mut MessageListener {
    let listener = listens(spec);
    listener.kind = ListenerKind::Orderly;
    listener
}

fn rule(body: &str, results: &[ConsumeResult]) -> ListenerRule {
    ListenerRule { when: when_body(body), results: results.to_vec(), ..ListenerRule::default() }
}

/// `m0`, `m1` and `m2` in `OrderTopic/0`.
fn send_three(world: &mut World) -> Vec<TraceEvent> {
    (0..3).flat_map(|n| act(world, order(0, &format!("m{n}")))).collect()
}

fn offset(world: &World) -> Option<i64> {
    push(world, "c1").offsets().get(&queue("OrderTopic", 0))
}

#[test]
fn a_message_that_was_not_consumed_comes_again_here_before_those_behind_it() {
    for (result, name) in [
        (ConsumeResult::Suspend, "SUSPEND_CURRENT_QUEUE_A_MOMENT"),
        (ConsumeResult::Null, "null"),
        (ConsumeResult::Throw, "exception"),
    ] {
        let mut world = world_with(|spec| orderly(spec).rules.push(rule("m1", &[result, ConsumeResult::Success])));
        send_three(&mut world);
        let calls = deliveries(&world, "c1");
        assert_eq!(bodies(&calls), ["m0", "m1", "m1", "m2"]);
        assert_eq!(calls[1].result_name(), Some(name));
        assert_eq!(calls[3].result_name(), Some("SUCCESS"));
        // suspendCurrentQueueTimeMillis is 1000.
        assert_eq!(calls[2].began_us, calls[1].ended_us.unwrap() + 1_000_000);
        let times: Vec<i32> = calls.iter().map(|call| call.messages[0].reconsume_times).collect();
        assert_eq!(times, [0, 0, 1, 0]);
        // The broker was told nothing: it counts on in the client alone.
        let retries = world.broker("broker-a").unwrap().store().unwrap().queue("%RETRY%g", 0);
        assert_eq!(retries.map_or(0, crate::store::ConsumeQueue::max_offset_in_queue), 0);
        assert_eq!(offset(&world), Some(3));
    }
}

#[test]
fn a_message_that_has_failed_too_often_goes_to_the_dead_letter_queue_and_the_next_ones_follow() {
    let mut world = world_with(|spec| {
        set(spec, "maxReconsumeTimes", "2");
        orderly(spec).rules.push(rule("m0", &[ConsumeResult::Suspend]));
    });
    send_three(&mut world);
    let calls = deliveries(&world, "c1");
    // Twice in vain is allowed; the third time the message is given up.
    assert_eq!(bodies(&calls), ["m0", "m0", "m0", "m1", "m2"]);
    let dead = world.broker("broker-a").unwrap().store().unwrap().queue("%DLQ%g", 0).unwrap();
    assert_eq!(dead.max_offset_in_queue(), 1);
    assert_eq!(offset(&world), Some(3));
}

#[test]
fn without_auto_commit_the_listener_says_when_everything_up_to_here_is_done_with() {
    let by_hand = |body: &str, result| ListenerRule { auto_commit: Some(false), ..rule(body, &[result]) };
    let mut world = world_with(|spec| {
        let rules = &mut orderly(spec).rules;
        rules.push(by_hand("m0", ConsumeResult::Success));
        rules.push(by_hand("m1", ConsumeResult::Commit));
        rules.push(by_hand("m2", ConsumeResult::Success));
    });
    act(&mut world, order(0, "m0"));
    assert_eq!(offset(&world), Some(0));
    act(&mut world, order(0, "m1"));
    assert_eq!(offset(&world), Some(2));
    act(&mut world, order(0, "m2"));
    assert_eq!(offset(&world), Some(2));
    let own = &push(&world, "c1").queues()[&queue("OrderTopic", 0)];
    assert_eq!((own.process_queue().taken().len(), own.process_queue().count()), (1, 1));
}

#[test]
fn a_rollback_brings_everything_again_that_is_not_committed() {
    let by_hand = |body: &str, results: &[ConsumeResult]| ListenerRule {
        auto_commit: Some(false),
        suspend_ms: Some(2_000),
        ..rule(body, results)
    };
    let mut world = world_with(|spec| {
        let rules = &mut orderly(spec).rules;
        rules.push(by_hand("m0", &[ConsumeResult::Success]));
        rules.push(by_hand("m1", &[ConsumeResult::Rollback, ConsumeResult::Commit]));
    });
    act(&mut world, order(0, "m0"));
    act(&mut world, order(0, "m1"));
    let calls = deliveries(&world, "c1");
    assert_eq!(bodies(&calls), ["m0", "m1", "m0", "m1"]);
    assert_eq!(calls[2].began_us, calls[1].ended_us.unwrap() + 2_000_000);
    // Nobody counts this.
    assert_eq!(calls[3].messages[0].reconsume_times, 0);
    assert_eq!(offset(&world), Some(2));
}

fn two() -> World {
    let mut cluster = cluster_of(&["c1", "c2"]);
    for spec in &mut cluster.consumers {
        orderly(spec);
    }
    World::new(&cluster, 1).unwrap()
}

/// The client ids that hold the locks of `OrderTopic/0` and `/1` at the broker.
fn owners(world: &World) -> Vec<String> {
    let locks = world.broker("broker-a").unwrap().process().unwrap().locks().table();
    let of = locks["g"].iter().filter(|(queue, _)| queue.topic == "OrderTopic");
    of.map(|(_, lock)| lock.client_id.clone()).collect()
}

#[test]
fn a_stop_gives_the_locks_back_and_the_others_have_them_at_once() {
    let mut world = two();
    let ids = ["c1", "c2"].map(|name| client(&world, name).client_id().to_owned());
    assert_eq!(owners(&world), ids);
    act(&mut world, stop("c1"));
    assert_eq!(queues(&world, "c2"), ["%RETRY%g/0", "OrderTopic/0", "OrderTopic/1"]);
    assert_eq!(owners(&world), [ids[1].clone(), ids[1].clone()]);
}

/// A killed consumer gives nothing back: its locks are free once they have not been renewed for 60 s, and are found so by the
/// next rebalance.
#[test]
fn after_a_kill_the_locks_are_free_a_minute_later() {
    let mut world = two();
    // The locks are renewed at 1 s and every 20 s after the start.
    act(&mut world, kill("c1"));
    assert_eq!(queues(&world, "c2"), ["OrderTopic/1"]);
    act(&mut world, wait(39_000));
    assert_eq!(queues(&world, "c2"), ["OrderTopic/1"]);
    act(&mut world, wait(41_000));
    assert_eq!(queues(&world, "c2"), ["%RETRY%g/0", "OrderTopic/0", "OrderTopic/1"]);
}

/// The queue is another's only when the listener that runs has come to its end.
#[test]
fn a_queue_whose_listener_runs_is_given_away_by_a_later_rebalance() {
    let mut cluster = cluster_of(&["c1", "c2"]);
    for spec in &mut cluster.consumers {
        orderly(spec).takes_ms = 5_000;
    }
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, stop("c2"));
    world.act(order(1, "m0")).unwrap();
    while deliveries(&world, "c1").is_empty() {
        world.step().unwrap();
    }
    world.act(start("c2")).unwrap();
    let mut events = rest(&mut world);
    events.extend(act(&mut world, wait(60_000)));
    let held =
        consumer_steps(&events).into_iter().find(|(_, step)| matches!(step, ConsumerStep::ConsumeLockHeld { .. }));
    let (held_us, _) = held.unwrap();
    let call = deliveries(&world, "c1")[0].clone();
    assert!((call.began_us..call.ended_us.unwrap()).contains(&held_us));
    assert_eq!(queues(&world, "c2"), ["OrderTopic/1"]);
    // Its result was not used, so the message comes again: after the first call has ended, not beside it.
    let again = deliveries(&world, "c2");
    assert_eq!((call.fate, bodies(&again)), (DeliveryFate::Unused, vec!["m0".to_owned()]));
    assert!(again[0].began_us > call.ended_us.unwrap());
}

#[test]
fn an_idle_hour_keeps_the_locks_without_showing_it() {
    let mut world = two();
    let events = act(&mut world, wait(3_600_000));
    let rounds = events.iter().filter(|event| event.service == "lockQueues").count();
    assert!(rounds < 20, "{rounds} events");
    let process = world.broker("broker-a").unwrap().process().unwrap();
    for lock in process.locks().table()["g"].values() {
        assert!(world.wall_ms() - lock.last_update_ms <= 20_000);
    }
    let own = &push(&world, "c1").queues()[&queue("OrderTopic", 0)];
    assert!(!own.process_queue().is_lock_expired(30_000, world.wall_ms()));
    // A message is consumed as if nothing had been left out.
    act(&mut world, order(0, "m0"));
    assert_eq!(bodies(&deliveries(&world, "c1")), ["m0"]);
}

/// A message that has failed too often is given up even if its queue was dropped meanwhile: `processConsumeResult` looks for
/// such messages all the same. The offset stays, so the next owner has the message again, and gives it up as well.
#[test]
fn a_message_of_a_dropped_queue_is_given_up_all_the_same() {
    let mut cluster = cluster_of(&["c1", "c2"]);
    for spec in &mut cluster.consumers {
        set(spec, "maxReconsumeTimes", "0");
        let listener = orderly(spec);
        (listener.takes_ms, listener.result) = (5_000, ConsumeResult::Suspend);
    }
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, stop("c2"));
    world.act(order(1, "m0")).unwrap();
    while deliveries(&world, "c1").is_empty() {
        world.step().unwrap();
    }
    world.act(start("c2")).unwrap();
    rest(&mut world);
    let dead = |world: &World| {
        let store = world.broker("broker-a").unwrap().store().unwrap();
        store.queue("%DLQ%g", 0).map_or(0, crate::store::ConsumeQueue::max_offset_in_queue)
    };
    assert_eq!((deliveries(&world, "c1")[0].fate, dead(&world)), (DeliveryFate::Unused, 1));
    act(&mut world, wait(60_000));
    assert_eq!(bodies(&deliveries(&world, "c2")), ["m0"]);
    assert_eq!((dead(&world), kept(&world, "OrderTopic", 1)), (2, Some(1)));
}
