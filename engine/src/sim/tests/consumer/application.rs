//! What an application does with its consumer while it runs.

use super::*;

#[test]
fn a_suspended_consumer_pulls_nothing_and_goes_on_when_it_is_resumed() {
    let mut world = world_with(|_| {});
    let consumer = "c1".to_owned();
    act(&mut world, Action::SuspendConsumer { consumer: consumer.clone() });
    // The pull that is held brings the first message; the next one looks every second whether it may go out.
    act(&mut world, order(0, "m0"));
    act(&mut world, order(0, "m1"));
    assert_eq!(bodies(&deliveries(&world, "c1")), ["m0"]);
    let resumed_us = world.now_us();
    act(&mut world, Action::ResumeConsumer { consumer: consumer.clone() });
    let calls = deliveries(&world, "c1");
    assert_eq!(bodies(&calls), ["m0", "m1"]);
    assert!((0..=1_010_000).contains(&(calls[1].began_us - resumed_us)));
    let before = (world.events(), world.trace_hash());
    assert!(world.act(Action::ResumeConsumer { consumer }).is_err(), "it is not suspended");
    assert_eq!(before, (world.events(), world.trace_hash()));
}

#[test]
fn a_topic_that_is_subscribed_later_is_found_by_a_rebalance_and_left_by_another() {
    let mut world = world_with(|_| {});
    let payment = SubscriptionSpec { topic: "PaymentTopic".to_owned(), ..SubscriptionSpec::default() };
    act(&mut world, Action::Subscribe { consumer: "c1".to_owned(), subscription: payment });
    let groups = |world: &World| {
        let process = world.broker("broker-a").unwrap().process().unwrap();
        process.clients().groups()["g"].subscriptions.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(groups(&world), ["%RETRY%g", "OrderTopic", "PaymentTopic"]);
    assert_eq!(queues(&world, "c1").len(), 3, "not yet");
    act(&mut world, wait(41_000));
    let all = ["%RETRY%g/0", "OrderTopic/0", "OrderTopic/1", "PaymentTopic/0", "PaymentTopic/1"];
    assert_eq!(queues(&world, "c1"), all);
    act(&mut world, Action::Unsubscribe { consumer: "c1".to_owned(), topic: "PaymentTopic".to_owned() });
    assert_eq!(groups(&world).len(), 3, "not yet");
    act(&mut world, wait(31_000));
    assert_eq!(groups(&world), ["%RETRY%g", "OrderTopic"]);
    assert_eq!(queues(&world, "c1"), all[..3]);
}

#[test]
fn a_listener_may_be_mended_while_it_runs() {
    let mut world = world_with(|spec| listens(spec).result = ConsumeResult::Later);
    world.act(order(0, "m0")).unwrap();
    while deliveries(&world, "c1").first().is_none_or(|call| call.ended_us.is_none()) {
        world.step().unwrap();
    }
    let listener = Box::new(MessageListener::default());
    act(&mut world, Action::SetListener { consumer: "c1".to_owned(), listener });
    let results: Vec<_> = deliveries(&world, "c1").iter().map(crate::client::consumer::Delivery::result_name).collect();
    assert_eq!(results, [Some("RECONSUME_LATER"), Some("CONSUME_SUCCESS")]);
    let listener = MessageListener { kind: ListenerKind::Orderly, ..MessageListener::default() };
    let other = Action::SetListener { consumer: "c1".to_owned(), listener: Box::new(listener) };
    assert!(world.act(other).is_err(), "it stays concurrent");
}

/// Sends so many messages at once, whose calls take a second each; how many of them began before the first was over.
fn at_once(world: &mut World, count: usize) -> usize {
    let before = deliveries(world, "c1").len();
    for n in 0..count {
        world.act(order(0, &format!("m{n}"))).unwrap();
    }
    rest(world);
    let calls = &deliveries(world, "c1")[before..];
    assert_eq!(calls.len(), count);
    calls.iter().filter(|call| call.began_us < calls[0].ended_us.unwrap()).count()
}

/// `ThreadPoolExecutor.setCorePoolSize`: more threads are there at once, and those that are too many go on until they have
/// waited for work for 60 s.
#[test]
fn the_number_of_consume_threads_may_be_set_while_it_runs() {
    let mut world = world_with(|spec| listens(spec).takes_ms = 1_000);
    let set_to = |world: &mut World, size| {
        let update = Action::UpdateCorePoolSize { consumer: "c1".to_owned(), core_pool_size: size };
        act(world, update);
        push(world, "c1").pool().core_size()
    };
    let threads = |world: &World| push(world, "c1").pool().threads(world.now_us());
    assert_eq!((set_to(&mut world, 2), at_once(&mut world, 5), threads(&world)), (2, 2, 2));
    assert_eq!((set_to(&mut world, 5), at_once(&mut world, 5), threads(&world)), (5, 5, 5));
    // Only what is below consumeThreadMax, 20, and above 0.
    for refused in [20, 25, 0, -1] {
        assert_eq!(set_to(&mut world, refused), 5, "{refused}");
    }
    assert_eq!((set_to(&mut world, 2), at_once(&mut world, 5), threads(&world)), (2, 5, 5));
    act(&mut world, wait(61_000));
    assert_eq!((threads(&world), at_once(&mut world, 5)), (2, 2));
    // Another process begins with consumeThreadMin.
    act(&mut world, kill("c1"));
    act(&mut world, start("c1"));
    assert_eq!(push(&world, "c1").pool().core_size(), 20);
}
