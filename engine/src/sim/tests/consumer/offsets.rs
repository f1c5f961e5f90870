//! Where a group begins, and offsets that are set right.

use super::*;
use crate::client::consumer::ConsumeFromWhere;

/// A world whose `OrderTopic/0` begins at offset 10 and has three messages, two stored two hours and one an hour before.
fn later_queue(from: ConsumeFromWhere, timestamp: Option<&str>) -> World {
    let mut cluster = cluster_of(&["c1"]);
    let push = cluster.consumers[0].push.as_mut().unwrap();
    push.consume_from_where = from;
    push.consume_timestamp = timestamp.map(str::to_owned);
    let records = |count, queue_offset, ago_ms| RecordSpec {
        topic: "OrderTopic".to_owned(),
        size: 200,
        count,
        queue_offset,
        ago_ms,
        ..RecordSpec::default()
    };
    cluster.brokers[0].store.begin_offset = 65_536;
    cluster.brokers[0].store.records = vec![records(2, Some(10), 7_200_000), records(1, None, 3_600_000)];
    World::new(&cluster, 1).unwrap()
}

fn first_offsets(world: &World) -> Vec<i64> {
    deliveries(world, "c1").iter().map(|call| call.messages[0].queue_offset).collect()
}

#[test]
fn a_new_group_begins_at_the_end_or_at_a_time() {
    let world = later_queue(ConsumeFromWhere::ConsumeFromLastOffset, None);
    assert_eq!(push(&world, "c1").queues()[&queue("OrderTopic", 0)].next_offset(), 13);
    assert!(deliveries(&world, "c1").is_empty());
    // The world begins on 2023-11-14 at 22:13:20. Of the two messages beside 21:00:00 the nearer one is taken, which was
    // stored at 21:13:20.
    let world = later_queue(ConsumeFromWhere::ConsumeFromTimestamp, Some("20231114210000"));
    assert_eq!(first_offsets(&world), [12]);
}

/// 0 is no offset of a queue that begins at 10: the broker says so, and 10 s later the group has the offset that it names.
#[test]
fn an_illegal_offset_is_set_right_after_10_s() {
    let mut cluster = later_queue(ConsumeFromWhere::ConsumeFromFirstOffset, None).cluster().clone();
    cluster.begin = Begin::Cold;
    let mut world = World::new(&cluster, 1).unwrap();
    let mut events = rest(&mut world);
    events.extend(act(&mut world, wait(40_000)));
    let steps = consumer_steps(&events);
    let at = |wanted: &dyn Fn(&ConsumerStep) -> bool| {
        steps.iter().filter(|(_, step)| wanted(step)).map(|(at_us, _)| *at_us).collect::<Vec<_>>()
    };
    let illegal = at(&|step| matches!(step, ConsumerStep::OffsetIllegal { queue_id: 0, next_offset: 10, .. }));
    let moved = at(&|step| matches!(step, ConsumerStep::OffsetMoved { queue_id: 0, offset: 10, .. }));
    assert_eq!(illegal.len(), 1);
    assert_eq!(moved[0], illegal[0] + 10_000_000);
    // The next rebalance takes the queue over again.
    let taken = at(&|step| matches!(step, ConsumerStep::QueueTaken { queue_id: 0, next_offset: 10, .. }));
    assert!(taken[0] > moved[0] && taken[0] <= moved[0] + 20_100_000);
    assert_eq!(first_offsets(&world), [10, 11, 12]);
}

#[test]
fn a_reset_gives_the_queues_up_and_goes_on_at_the_new_offsets_10_s_later() {
    let mut cluster = cluster_of(&["c1"]);
    cluster.administrators = vec![AdministratorSpec { name: "admin".to_owned(), skew_ms: 0 }];
    let mut world = World::new(&cluster, 1).unwrap();
    for queue in [0, 1] {
        act(&mut world, order(queue, &format!("m{queue}")));
    }
    act(&mut world, wait(31_000));
    let command =
        Command::ResetOffset { group: "g".to_owned(), topic: "OrderTopic".to_owned(), timestamp_ms: 0, force: true };
    world.act(Action::Administer(Box::new(Administer { administrator: "admin".to_owned(), command }))).unwrap();
    let mut events = rest(&mut world);
    events.extend(act(&mut world, wait(30_000)));
    let steps = consumer_steps(&events);
    let began = steps.iter().find(|(_, step)| matches!(step, ConsumerStep::ResetBegan { .. })).unwrap().0;
    let resumed = steps.iter().find(|(_, step)| matches!(step, ConsumerStep::ConsumerResumed)).unwrap().0;
    assert_eq!(resumed, began + 10_000_000);
    let mut again = bodies(&deliveries(&world, "c1"));
    again.sort();
    assert_eq!(again, ["m0", "m0", "m1", "m1"]);
}

/// Two instances with one id are one member twice: both get the part of the first place, and nobody the rest.
#[test]
fn two_instances_with_one_id_consume_the_same_queue_and_leave_the_other() {
    let mut cluster = cluster_of(&["c1", "c2"]);
    for spec in &mut cluster.consumers {
        spec.push.as_mut().unwrap().client_id = Some("10.0.4.1@C".to_owned());
    }
    let mut world = World::new(&cluster, 1).unwrap();
    for queue in [0, 1] {
        act(&mut world, order(queue, &format!("m{queue}")));
    }
    for name in ["c1", "c2"] {
        assert_eq!(queues(&world, name), ["%RETRY%g/0", "OrderTopic/0"]);
        assert_eq!(bodies(&deliveries(&world, name)), ["m0"]);
    }
}

/// `consumeTimeout` is 15 minutes, looked at every 15 minutes: the call that hangs is not waited for any more.
#[test]
fn a_message_that_the_listener_has_for_15_minutes_is_given_back() {
    let mut world = world_with(|spec| {
        let condition =
            MessageCondition { reconsume_times: Some(Range { at_least: None, at_most: Some(0) }), ..when_body("m0") };
        listens(spec).rules.push(ListenerRule { when: condition, hangs: true, ..ListenerRule::default() });
    });
    act(&mut world, order(0, "m0"));
    act(&mut world, order(0, "m1"));
    let offset = |world: &World| push(world, "c1").offsets().get(&queue("OrderTopic", 0));
    assert_eq!(offset(&world), Some(0));
    let events = act(&mut world, wait(31 * 60_000));
    let expired =
        consumer_steps(&events).into_iter().filter(|(_, step)| matches!(step, ConsumerStep::MessageExpired { .. }));
    let expired: Vec<i64> = expired.map(|(at_us, _)| at_us).collect();
    assert_eq!(expired.len(), 1);
    assert!(expired[0] > 15 * 60_000_000);
    // It came again from the retry topic, and was consumed.
    let calls = deliveries(&world, "c1");
    assert_eq!(bodies(&calls), ["m0", "m1", "m0"]);
    assert_eq!(calls[2].queue.topic, "%RETRY%g");
    assert_eq!(push(&world, "c1").queues()[&queue("OrderTopic", 0)].process_queue().count(), 0);
    // The offset moves when the next message is done with.
    act(&mut world, order(0, "m2"));
    assert_eq!(offset(&world), Some(3));
}

#[test]
fn a_start_fails_at_an_expression_that_the_broker_does_not_take() {
    let mut cluster = cluster_of(&["c1"]);
    cluster.consumers[0].push.as_mut().unwrap().subscriptions[0].sql = Some("a > 5".to_owned());
    cluster.begin = Begin::Cold;
    let mut world = World::new(&cluster, 1).unwrap();
    let steps = consumer_steps(&rest(&mut world));
    let failed = steps.iter().find_map(|(_, step)| match step {
        ConsumerStep::ConsumerStartFailed { cause } => Some(cause.clone()),
        _ => None,
    });
    let cause = failed.unwrap();
    assert!(
        cause.contains("CODE: 1  DESC: The broker does not support consumer to filter message by SQL92"),
        "{cause}"
    );
}
