//! What becomes of the listener's results.

use super::*;

#[test]
fn a_message_that_was_not_consumed_comes_again_from_the_retry_topic() {
    for (result, name) in
        [(ConsumeResult::Later, "RECONSUME_LATER"), (ConsumeResult::Null, "null"), (ConsumeResult::Throw, "exception")]
    {
        let mut world = world_with(|spec| {
            let results = vec![result, ConsumeResult::Success];
            listens(spec).rules.push(ListenerRule { when: when_body("m0"), results, ..ListenerRule::default() });
        });
        act(&mut world, order(0, "m0"));
        let calls = deliveries(&world, "c1");
        assert_eq!(bodies(&calls), ["m0", "m0"], "{name}");
        assert_eq!(calls[0].result_name(), Some(name));
        // The listener sees the topic of origin, and a message that is another one for the broker.
        let again = &calls[1].messages[0];
        assert_eq!((calls[1].queue.topic.as_str(), again.topic.as_str()), ("%RETRY%g", "OrderTopic"));
        assert_eq!((again.reconsume_times, calls[0].messages[0].reconsume_times), (1, 0));
        assert_eq!(again.msg_id, calls[0].messages[0].msg_id);
        // Level 3, which is 10 s.
        let between_ms = (calls[1].began_us - calls[0].ended_us.unwrap()) / 1000;
        assert!((10_000..10_200).contains(&between_ms), "{between_ms} ms");
        // It is done with where it came from first.
        assert_eq!(push(&world, "c1").offsets().get(&queue("OrderTopic", 0)), Some(1));
        assert_eq!(push(&world, "c1").offsets().get(&queue("%RETRY%g", 0)), Some(1));
    }
}

#[test]
fn the_listener_may_choose_the_level_or_the_dead_letter_queue() {
    for (level, topic, queue_id) in [(5, "SCHEDULE_TOPIC_XXXX", 4), (-1, "%DLQ%g", 0)] {
        let mut world = world_with(|spec| {
            listens(spec).rules.push(ListenerRule {
                results: vec![ConsumeResult::Later, ConsumeResult::Success],
                delay_level_when_next_consume: Some(level),
                ..ListenerRule::default()
            });
        });
        act(&mut world, order(0, "m0"));
        let store = world.broker("broker-a").unwrap().store().unwrap();
        assert_eq!(
            store.queue(topic, queue_id).map(crate::store::ConsumeQueue::max_offset_in_queue),
            Some(1),
            "{topic}"
        );
    }
}

/// B23: the offset stays at the message whose call does not return, however many behind it are done.
#[test]
fn a_call_that_hangs_holds_the_offset_back() {
    let mut world = world_with(|spec| {
        listens(spec).rules.push(ListenerRule { when: when_body("m3"), hangs: true, ..ListenerRule::default() });
    });
    for n in 0..10 {
        world.act(order(0, &format!("m{n}"))).unwrap();
    }
    rest(&mut world);
    act(&mut world, wait(5_000));
    assert_eq!(deliveries(&world, "c1").len(), 10);
    assert_eq!(push(&world, "c1").offsets().get(&queue("OrderTopic", 0)), Some(3));
    assert_eq!(kept(&world, "OrderTopic", 0), Some(3));
    assert_eq!(push(&world, "c1").queues()[&queue("OrderTopic", 0)].process_queue().count(), 1);
}

#[test]
fn one_thread_makes_one_call_after_the_other() {
    let mut world = world_with(|spec| {
        set(spec, "consumeThreadMin", "1");
        set(spec, "consumeThreadMax", "1");
    });
    for n in 0..3 {
        world.act(order(0, &format!("m{n}"))).unwrap();
    }
    rest(&mut world);
    let calls = deliveries(&world, "c1");
    assert_eq!(bodies(&calls), ["m0", "m1", "m2"]);
    assert!(calls.iter().all(|call| call.thread == 1));
    assert!(calls.windows(2).all(|calls| calls[0].ended_us.unwrap() <= calls[1].began_us));
}

#[test]
fn of_a_batch_the_listener_may_acknowledge_a_part() {
    let mut world = world_with(|spec| {
        set(spec, "consumeMessageBatchMaxSize", "8");
        listens(spec).rules.push(ListenerRule { when: when_body("m1"), ack_index: Some(1), ..ListenerRule::default() });
    });
    // The held pull brings the first message; the next one all that have come since.
    world.act(pause("c1", Some(Service::PullMessage))).unwrap();
    for n in 0..4 {
        act(&mut world, order(0, &format!("m{n}")));
    }
    act(&mut world, resume("c1", Some(Service::PullMessage)));
    let calls = deliveries(&world, "c1");
    let batches: Vec<Vec<String>> = calls.iter().map(|call| bodies(std::slice::from_ref(call))).collect();
    // The third of the batch was not acknowledged: it comes again from the retry topic.
    assert_eq!(batches, [vec!["m0"], vec!["m1", "m2", "m3"], vec!["m3"]]);
    assert_eq!(calls[1].result_name(), Some("CONSUME_SUCCESS"));
    assert_eq!((calls[2].queue.topic.as_str(), calls[2].messages[0].reconsume_times), ("%RETRY%g", 1));
    assert_eq!(push(&world, "c1").offsets().get(&queue("OrderTopic", 0)), Some(4));
}

#[test]
fn a_message_that_nobody_takes_back_is_tried_again_here_after_5_s() {
    let mut world = world_with(|spec| {
        let listener = listens(spec);
        listener.takes_ms = 1_000;
        listener.rules.push(ListenerRule {
            when: when_body("m0"),
            results: vec![ConsumeResult::Later, ConsumeResult::Success],
            ..ListenerRule::default()
        });
    });
    world.act(order(0, "m0")).unwrap();
    while deliveries(&world, "c1").is_empty() {
        world.step().unwrap();
    }
    world.act(Action::Cut { a: "c1".to_owned(), b: "broker-a".to_owned() }).unwrap();
    let mut events = Vec::new();
    while deliveries(&world, "c1").len() < 2 {
        events.push(world.step().unwrap());
    }
    let steps = consumer_steps(&events);
    let later = steps.iter().find(|(_, step)| matches!(step, ConsumerStep::ConsumedAgainLater { .. }));
    let later_us = later.map(|(at_us, step)| {
        assert_eq!(*step, ConsumerStep::ConsumedAgainLater { count: 1, after_ms: 5_000 });
        *at_us
    });
    let calls = deliveries(&world, "c1");
    assert_eq!(Some(calls[1].began_us), later_us.map(|at_us| at_us + 5_000_000));
    // It is the same message, which counts one reconsumption more, here alone.
    assert_eq!((calls[1].queue.topic.as_str(), calls[1].messages[0].reconsume_times), ("OrderTopic", 1));
    // The offset has not passed it.
    let offset = |world: &World| push(world, "c1").offsets().get(&queue("OrderTopic", 0));
    assert_eq!(offset(&world), Some(0));
    while deliveries(&world, "c1")[1].ended_us.is_none() {
        world.step().unwrap();
    }
    assert_eq!(offset(&world), Some(1));
}
