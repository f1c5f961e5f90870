//! Flow control: pulls wait while too much is in hand.

use super::*;

/// A consumer whose calls take a minute each.
fn slow(key: &str, value: &str) -> World {
    world_with(|spec| {
        set(spec, key, value);
        listens(spec).takes_ms = 60_000;
    })
}

fn flow_controlled(events: &[TraceEvent]) -> Vec<(String, i64, i64)> {
    let steps = consumer_steps(events).into_iter();
    steps
        .filter_map(|(_, step)| match step {
            ConsumerStep::FlowControlled { by, value, threshold, .. } => Some((by, value, threshold)),
            _ => None,
        })
        .collect()
}

fn send_five(world: &mut World) -> Vec<TraceEvent> {
    let mut events = Vec::new();
    for n in 0..5 {
        events.push(world.act(order(0, &format!("m{n}"))).unwrap());
        // Past the answer to the send, and the pull behind it.
        let until_us = world.now_us() + 100_000;
        while world.next_us().is_some_and(|next_us| next_us <= until_us) {
            events.extend(world.step());
        }
    }
    events.extend(rest(world));
    events
}

/// The distance from the first message in hand to the last counts: beyond the limit, not at it.
#[test]
fn a_long_span_stops_the_pulls_until_the_first_message_is_done_with() {
    let mut world = slow("consumeConcurrentlyMaxSpan", "2");
    let events = send_five(&mut world);
    assert_eq!(flow_controlled(&events), [("cachedSpan".to_owned(), 3, 2)]);
    let calls = deliveries(&world, "c1");
    assert_eq!(bodies(&calls), ["m0", "m1", "m2", "m3", "m4"]);
    // Once the first is done with, the span is 2, and the next look is 50 ms away at most.
    let after_us = calls[4].began_us - calls[0].ended_us.unwrap();
    assert!((0..=60_000).contains(&after_us), "{after_us} us");
    assert_eq!(push(&world, "c1").offsets().get(&queue("OrderTopic", 0)), Some(5));
}

#[test]
fn too_many_messages_in_hand_stop_the_pulls() {
    let mut world = slow("pullThresholdForQueue", "2");
    let events = send_five(&mut world);
    assert_eq!(flow_controlled(&events), [("cachedCount".to_owned(), 3, 2)]);
    let calls = deliveries(&world, "c1");
    assert_eq!(calls.len(), 5);
    let after_us = calls[3].began_us - calls[0].ended_us.unwrap();
    assert!((0..=60_000).contains(&after_us), "{after_us} us");
}

/// A minute of looks every 50 ms would be 1200 turns.
#[test]
fn looks_that_find_the_same_are_no_events() {
    let mut world = slow("consumeConcurrentlyMaxSpan", "2");
    let events = send_five(&mut world);
    let pulls = events.iter().filter(|event| event.service == "pullMessage");
    assert!(pulls.count() < 60);
}
