//! Known situations, with the numbers that they are known by: B15, B20, B21, B23 and B32.

use super::*;
use crate::{message::property, store::ConsumeQueue};

/// Delay levels 3 to 18 in seconds, as 4.9.8 has them.
const RETRY_LEVELS_S: [i64; 16] = [10, 30, 60, 120, 180, 240, 300, 360, 420, 480, 540, 600, 1200, 1800, 3600, 7200];

fn end_of(world: &World, topic: &str, queue_id: i32) -> i64 {
    let store = world.broker("broker-a").unwrap().store().unwrap();
    store.queue(topic, queue_id).map_or(0, ConsumeQueue::max_offset_in_queue)
}

fn tagged(queue: i32, tag: &str) -> Action {
    Action::Send(Box::new(Send {
        producer: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: Some(queue),
        tag: Some(tag.to_owned()),
        body: Some(format!("{tag}{queue}")),
        ..Send::default()
    }))
}

/// 17 deliveries within 17140 s, and 34 records for one message.
#[test]
fn b15_a_message_climbs_the_ladder_of_levels() {
    let mut world = world_with(|spec| listens(spec).result = ConsumeResult::Later);
    world.act(order(0, "m0")).unwrap();
    while deliveries(&world, "c1").len() < 2 {
        world.step().unwrap();
    }
    // It waits for its first retry no more, and the queue is beyond it all the same.
    assert_eq!(push(&world, "c1").offsets().get(&queue("OrderTopic", 0)), Some(1));
    rest(&mut world);

    let calls = deliveries(&world, "c1");
    let times: Vec<i32> = calls.iter().map(|call| call.messages[0].reconsume_times).collect();
    assert_eq!(times, (0..=16).collect::<Vec<_>>());
    for (pair, level_s) in calls.windows(2).zip(RETRY_LEVELS_S) {
        // The level's delay runs from when the message is stored again; then its poll and the ways come on top.
        let gap_ms = (pair[1].began_us - pair[0].began_us) / 1000;
        assert!((level_s * 1000..level_s * 1000 + 300).contains(&gap_ms), "{gap_ms} ms for a level of {level_s} s");
    }
    assert_eq!(RETRY_LEVELS_S.iter().sum::<i64>(), 17_140);
    let origin = |call: &Delivery| call.messages[0].property(property::ORIGIN_MESSAGE_ID);
    assert!(origin(&calls[0]).is_none());
    assert!(calls.windows(2).skip(1).all(|pair| origin(&pair[0]) == origin(&pair[1])));
    assert!(
        calls
            .iter()
            .skip(1)
            .all(|call| call.messages[0].property(property::RETRY_TOPIC).as_deref() == Some("OrderTopic"))
    );

    let waiting: i64 = (2..18).map(|queue| end_of(&world, "SCHEDULE_TOPIC_XXXX", queue)).sum();
    let records =
        [end_of(&world, "OrderTopic", 0), waiting, end_of(&world, "%RETRY%g", 0), end_of(&world, "%DLQ%g", 0)];
    assert_eq!(records, [1, 16, 16, 1]);
    let process = world.broker("broker-a").unwrap().process().unwrap();
    let dead = process.topics().get("%DLQ%g").unwrap();
    assert_eq!((dead.read_queue_nums, dead.write_queue_nums, dead.perm), (1, 1, 6));
}

/// Two members of one group that subscribe different tags; the one that starts last has the newer subscription.
fn two_tags(starts: [&str; 2]) -> World {
    let mut cluster = cluster_of(&["c1", "c2"]);
    for (spec, tag) in cluster.consumers.iter_mut().zip(["A", "B"]) {
        spec.push.as_mut().unwrap().subscriptions[0].tags = Some(tag.to_owned());
    }
    let mut world = World::new(&cluster, 1).unwrap();
    for name in starts {
        act(&mut world, stop(name));
    }
    for name in starts {
        act(&mut world, start(name));
    }
    assert_eq!(queues(&world, "c1"), ["%RETRY%g/0", "OrderTopic/0"]);
    for tag in ["A", "B"] {
        for queue in [0, 1] {
            act(&mut world, tagged(queue, tag));
        }
    }
    // A held pull that comes back moves the offset over what the client has dropped; then it is saved.
    act(&mut world, wait(25_000));
    world
}

/// One of four is consumed, and the group is beyond all of them.
#[test]
fn b20_the_newest_tag_wins_and_three_of_four_messages_are_lost() {
    for (starts, consumed) in [(["c1", "c2"], [vec![], vec!["B1"]]), (["c2", "c1"], [vec!["A0"], vec![]])] {
        let world = two_tags(starts);
        assert_eq!(["c1", "c2"].map(|name| bodies(&deliveries(&world, name))), consumed);
        assert_eq!([0, 1].map(|queue| kept(&world, "OrderTopic", queue)), [Some(2), Some(2)]);
    }
}

/// Each heartbeat takes away the topics that its sender does not list.
#[test]
fn b20_different_topics_in_one_group_take_each_other_away() {
    let mut cluster = cluster_of(&["c1", "c2"]);
    cluster.consumers[1].push.as_mut().unwrap().subscriptions[0].topic = "PaymentTopic".to_owned();
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, stop("c2"));
    act(&mut world, start("c2"));
    // The pull that is held now comes back after 15 s at the latest.
    world.act(wait(20_000)).unwrap();
    let until_us = world.now_us() + 20_000_000;
    let mut events = Vec::new();
    while world.now_us() < until_us
        && let Some(event) = world.step()
    {
        events.push(event);
    }
    let refused = consumer_steps(&events).into_iter().any(|(_, step)| {
        matches!(step, ConsumerStep::PullPostponed { topic, cause: Some(cause), .. }
            if topic == "OrderTopic" && cause.contains("the consumer's subscription not exist"))
    });
    assert!(refused);
}

/// (a) at 0, and (b) at the end, queue by queue: queue 0 has lost its beginning, queue 1 has it.
#[test]
fn b21_a_new_group_reads_the_history_of_young_queues_alone() {
    let mut cluster = cluster_of(&["c1"]);
    let records = |queue: i32, queue_offset: Option<i64>| RecordSpec {
        topic: "OrderTopic".to_owned(),
        queue,
        size: 200,
        count: 10,
        queue_offset,
        ..RecordSpec::default()
    };
    cluster.brokers[0].store.records = vec![records(0, Some(20)), records(1, None)];
    cluster.before = vec![stop("c1")];
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, start("c1"));
    let calls = deliveries(&world, "c1");
    let of = |queue: i32| calls.iter().filter(|call| call.queue.queue_id == queue).count();
    assert_eq!((of(0), of(1)), (0, 10));
    assert_eq!(push(&world, "c1").queues()[&queue("OrderTopic", 0)].next_offset(), 30);
}

/// 100 messages, the listener hangs on offset 10: who takes the queue over gets 90 again, 89 of which were consumed. What
/// the hanging call then comes to is not used.
#[test]
fn b23_one_slow_message_brings_89_repeats() {
    let mut cluster = cluster_of(&["c1", "c2"]);
    let slow = MessageCondition { queue_offset: Some(10), reconsume_times: None, ..MessageCondition::default() };
    listens(&mut cluster.consumers[0]).rules.push(ListenerRule {
        when: slow,
        takes_ms: Some(60_000),
        ..ListenerRule::default()
    });
    cluster.before = vec![stop("c2")];
    let mut world = World::new(&cluster, 1).unwrap();
    for n in 0..100 {
        world.act(order(1, &format!("m{n}"))).unwrap();
    }
    world.act(wait(20_000)).unwrap();
    let until_us = world.now_us() + 20_000_000;
    while world.now_us() < until_us && world.step().is_some() {}
    assert_eq!((deliveries(&world, "c1").len(), kept(&world, "OrderTopic", 1)), (100, Some(10)));
    assert_eq!(push(&world, "c1").queues()[&queue("OrderTopic", 1)].process_queue().count(), 1);

    act(&mut world, start("c2"));
    let again = deliveries(&world, "c2");
    assert_eq!((again.len(), again.iter().filter(|call| call.messages[0].queue_offset > 10).count()), (90, 89));
    assert!(again.iter().all(|call| call.messages[0].reconsume_times == 0));
    let slow = deliveries(&world, "c1").into_iter().find(|call| call.messages[0].queue_offset == 10).unwrap();
    assert_eq!((slow.fate, slow.result), (DeliveryFate::Unused, Some(ConsumeResult::Success)));
    act(&mut world, wait(10_000));
    assert_eq!(kept(&world, "OrderTopic", 1), Some(100));
}

/// (c) at the end where the first message is no longer in memory, again queue by queue: 40 per cent of 4000 bytes are 1600,
/// and the log ends 3000 bytes behind the first message of queue 0, and 1000 bytes behind that of queue 1.
#[test]
fn b21_a_new_group_passes_over_what_is_on_disk_alone() {
    let mut cluster = cluster_of(&["c1"]);
    let records = |queue: i32, count: u32| RecordSpec {
        topic: "OrderTopic".to_owned(),
        queue,
        size: 200,
        count,
        ..RecordSpec::default()
    };
    cluster.brokers[0].store.records = vec![records(0, 10), records(1, 5)];
    cluster.brokers[0].config.insert("rocketscope.totalPhysicalMemory".to_owned(), "4000".to_owned());
    cluster.before = vec![stop("c1")];
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, start("c1"));
    let own = push(&world, "c1").queues();
    assert_eq!([0, 1].map(|id| own[&queue("OrderTopic", id)].next_offset()), [10, 5]);
    let calls = deliveries(&world, "c1");
    assert!(calls.iter().all(|call| call.queue == queue("OrderTopic", 1)));
    assert_eq!(calls.len(), 5);
}

/// The variant: the listener has a message for 40 minutes, and then fails. Within 15 to 30 minutes the message goes back, and
/// is not waited for any more; its late failure sends it back a second time.
#[test]
fn b23_a_message_goes_back_when_its_time_is_over_and_again_when_it_fails() {
    let mut world = world_with(|spec| {
        let first = Range { at_least: None, at_most: Some(0) };
        let when = MessageCondition { queue_offset: Some(3), reconsume_times: Some(first), ..Default::default() };
        let (takes_ms, results) = (Some(40 * 60_000), vec![ConsumeResult::Later]);
        listens(spec).rules.push(ListenerRule { when, takes_ms, results, ..ListenerRule::default() });
    });
    let offset = |world: &World| push(world, "c1").offsets().get(&queue("OrderTopic", 0));
    let pass = |world: &mut World, minutes: i64| {
        let until_us = world.now_us() + minutes * 60_000_000;
        world.act(wait(minutes * 60_000)).unwrap();
        let mut events = Vec::new();
        while world.now_us() < until_us {
            events.extend(world.step());
        }
        events
    };
    for n in 0..10 {
        world.act(order(0, &format!("m{n}"))).unwrap();
    }
    pass(&mut world, 14);
    assert_eq!((offset(&world), kept(&world, "OrderTopic", 0)), (Some(3), Some(3)));
    let began_us = deliveries(&world, "c1")[3].began_us;

    let events = pass(&mut world, 17);
    let expired = consumer_steps(&events).into_iter();
    let expired = expired.filter(|(_, step)| matches!(step, ConsumerStep::MessageExpired { queue_offset: 3, .. }));
    let expired: Vec<i64> = expired.map(|(at_us, _)| at_us).collect();
    assert_eq!(expired.len(), 1);
    assert!((900_000_000..=1_800_000_000).contains(&(expired[0] - began_us)), "{}", expired[0] - began_us);
    let again = deliveries(&world, "c1")[10].clone();
    assert_eq!((again.queue.topic.as_str(), bodies(std::slice::from_ref(&again))), ("%RETRY%g", vec!["m3".to_owned()]));
    // Level 3 is 10 s.
    assert!((10_000_000..10_300_000).contains(&(again.began_us - expired[0])));
    assert_eq!(push(&world, "c1").queues()[&queue("OrderTopic", 0)].process_queue().count(), 0);
    // The progress jumps with the next message that is done with.
    world.act(order(0, "m10")).unwrap();
    pass(&mut world, 1);
    assert_eq!((offset(&world), kept(&world, "OrderTopic", 0)), (Some(11), Some(11)));

    pass(&mut world, 10);
    let calls = deliveries(&world, "c1");
    let of_three: Vec<_> = calls.iter().filter(|call| bodies(std::slice::from_ref(*call)) == ["m3"]).collect();
    let told: Vec<_> = of_three.iter().map(|call| (call.messages[0].reconsume_times, call.result)).collect();
    let success = Some(ConsumeResult::Success);
    assert_eq!(told, [(0, Some(ConsumeResult::Later)), (1, success), (1, success)]);
    assert_eq!((calls.len(), end_of(&world, "%RETRY%g", 0), offset(&world)), (13, 2, Some(11)));
}

/// A is subscribed, the client's clock goes back, and B is subscribed with a version that is older: the broker keeps A, and the
/// client drops it. With a version that is newer it is B.
#[test]
fn b32_after_the_clock_went_back_a_new_subscription_counts_for_the_client_alone() {
    let mut world = world_with(|spec| spec.push.as_mut().unwrap().subscriptions[0].tags = Some("A".to_owned()));
    let subscribe = || Action::Subscribe {
        consumer: "c1".to_owned(),
        subscription: SubscriptionSpec {
            topic: "OrderTopic".to_owned(),
            tags: Some("B".to_owned()),
            ..SubscriptionSpec::default()
        },
    };
    let jump = |ms| Action::JumpClock { node: "c1".to_owned(), ms };
    let at_broker = |world: &World| {
        let process = world.broker("broker-a").unwrap().process().unwrap();
        process.clients().groups()["g"].subscriptions["OrderTopic"].sub_string.clone()
    };
    act(&mut world, jump(-600_000));
    act(&mut world, subscribe());
    assert_eq!(at_broker(&world), "A");
    // The pull that is held was sent with A.
    act(&mut world, wait(21_000));
    for tag in ["A", "B"] {
        act(&mut world, tagged(0, tag));
    }
    act(&mut world, wait(25_000));
    assert!(deliveries(&world, "c1").is_empty());
    assert_eq!(kept(&world, "OrderTopic", 0), Some(2));

    act(&mut world, jump(600_000));
    act(&mut world, subscribe());
    assert_eq!(at_broker(&world), "B");
    act(&mut world, wait(21_000));
    act(&mut world, tagged(0, "B"));
    assert_eq!(bodies(&deliveries(&world, "c1")), ["B0"]);
}
