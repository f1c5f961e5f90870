//! Groups and their offsets.

use super::*;

fn commit(queue: i32, offset: i64) -> Action {
    Action::Commit { consumer: "consumer".to_owned(), topic: "OrderTopic".to_owned(), queue, offset }
}

/// Five messages in queue 0 of `OrderTopic`, one second apart.
fn five(world: &mut World) {
    for _ in 0..5 {
        world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
        world.act(Action::Wait { ms: 1000 }).unwrap();
        rest(world);
    }
}

fn offsets(world: &World, group: &str) -> Vec<Option<i64>> {
    let offsets = world.broker("broker-a").unwrap().process().unwrap().offsets();
    (0..2).map(|queue| offsets.query(group, "OrderTopic", queue)).collect()
}

fn group(at: At<'_>, consume_enable: Option<bool>, retry_max_times: Option<i32>) -> Command {
    let (cluster, broker) = at.fields();
    Command::UpdateGroup {
        group: "G".to_owned(),
        cluster,
        broker,
        consume_enable,
        consume_from_min_enable: None,
        consume_broadcast_enable: None,
        retry_queue_nums: None,
        retry_max_times,
        broker_id: None,
        which_broker_when_consume_slowly: None,
        notify_consumer_ids_changed_enable: None,
    }
}

#[test]
fn what_the_command_does_not_say_has_the_tools_default() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    let outcome = told(&mut world, group(At::Cluster, Some(false), Some(3)));
    assert_eq!(
        outcome.lines,
        [
            "create subscription group to 10.0.2.1:10911 success.",
            "create subscription group to 10.0.2.2:10911 success.",
            "SubscriptionGroupConfig [groupName=G, consumeEnable=false, consumeFromMinEnable=false, \
             consumeBroadcastEnable=false, retryQueueNums=1, retryMaxTimes=3, brokerId=0, \
             whichBrokerWhenConsumeSlowly=1, notifyConsumerIdsChangedEnable=true]",
        ]
    );
    let settings = |world: &World, broker: &str| {
        let process = world.broker(broker).unwrap().process().unwrap();
        let group = process.groups().table().get("G").unwrap().clone();
        (group.consume_enable, group.retry_max_times, group.consume_broadcast_enable)
    };
    assert_eq!(settings(&world, "broker-b"), (false, 3, false));
    told(&mut world, group(At::Broker("broker-a"), None, None));
    assert_eq!(settings(&world, "broker-a"), (true, 16, false), "replaced as a whole");
    assert_eq!(settings(&world, "broker-b"), (false, 3, false));
}

#[test]
fn a_deleted_group_takes_its_offsets_along_if_told_to() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    five(&mut world);
    world.act(commit(0, 3)).unwrap();
    rest(&mut world);
    let group = "CG_consumer";
    assert_eq!(offsets(&world, group)[0], Some(3));
    for (remove_offset, left) in [(false, Some(3)), (true, None)] {
        let (cluster, broker) = At::Broker("broker-a").fields();
        told(&mut world, Command::DeleteGroup { group: group.to_owned(), cluster, broker, remove_offset });
        assert_eq!(offsets(&world, group)[0], left);
    }
    assert!(!world.broker("broker-a").unwrap().process().unwrap().groups().table().contains_key(group));
    // Of a cluster the retry and dead-letter topics go too.
    let (cluster, broker) = At::Cluster.fields();
    told(&mut world, update_topic("%RETRY%G", At::Cluster, 1, 1));
    let outcome =
        told(&mut world, Command::DeleteGroup { group: "G".to_owned(), cluster, broker, remove_offset: false });
    assert_eq!(outcome.lines.len(), 2 + 2 * 2, "{:?}", outcome.lines);
    assert_eq!(topic(&world, "broker-a", "%RETRY%G"), None);
}

#[test]
fn a_reset_without_consumers_online_sets_the_offsets_one_by_one() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    five(&mut world);
    for (queue, offset) in [(0, 5), (1, 0)] {
        world.act(commit(queue, offset)).unwrap();
    }
    rest(&mut world);
    world.act(Action::Kill { node: "consumer".to_owned() }).unwrap();
    rest(&mut world);
    let third = world.broker("broker-a").unwrap().process().unwrap().store().look_message_by_offset(1400).unwrap();
    let stored_ms = crate::message::record::decode(&third).unwrap().store_timestamp;
    let outcome = told(
        &mut world,
        Command::ResetOffset {
            group: "CG_consumer".to_owned(),
            topic: "OrderTopic".to_owned(),
            timestamp_ms: stored_ms,
            force: true,
        },
    );
    assert_eq!(outcome.error, None);
    assert_eq!(outcome.value, Some(2));
    assert_eq!(outcome.lines[2..], ["broker-a  0  5  5  2  2", "broker-a  1  0  0  0  0"]);
    assert_eq!(offsets(&world, "CG_consumer"), [Some(2), Some(0)]);
}

/// Broker2Client.resetOffset tells whoever is online; MQClientInstance.resetOffset passes it on to push consumers alone.
#[test]
fn a_reset_is_told_to_the_consumers_that_are_online() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    five(&mut world);
    for (queue, offset) in [(0, 5), (1, 0)] {
        world.act(commit(queue, offset)).unwrap();
    }
    world.act(Action::Wait { ms: 31_000 }).unwrap();
    rest(&mut world);
    let reset = Command::ResetOffset {
        group: "CG_consumer".to_owned(),
        topic: "OrderTopic".to_owned(),
        timestamp_ms: 0,
        force: true,
    };
    world.act(administer(reset)).unwrap();
    let events = rest(&mut world);
    let code = crate::wire::RequestCode::ResetConsumerClientOffset;
    let told: Vec<_> = events
        .iter()
        .filter(|event| matches!(&event.what, EventKind::Request { code: asked, .. } if *asked == code))
        .map(|event| (event.node.as_str(), event.steps.last().map(|step| step.what.clone())))
        .collect();
    let (group, topic) = ("CG_consumer".to_owned(), "OrderTopic".to_owned());
    let ignored = StepKind::Names(crate::node::NamesStep::ResetIgnored { group, topic });
    assert_eq!(told, [("consumer", Some(ignored))]);
    let outcome = world.client("admin").unwrap().answers().last().unwrap().clone();
    assert_eq!((outcome.error, outcome.value), (None, Some(2)));
    assert_eq!(outcome.lines[2..], ["broker-a  0  0", "broker-a  1  0"]);
    assert_eq!(offsets(&world, "CG_consumer"), [Some(5), Some(0)], "the broker's own table stays");
}

#[test]
fn a_reset_needs_offsets_of_every_queue_that_can_be_written() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    five(&mut world);
    world.act(commit(0, 5)).unwrap();
    rest(&mut world);
    let reset = Command::ResetOffset {
        group: "CG_consumer".to_owned(),
        topic: "OrderTopic".to_owned(),
        timestamp_ms: -1,
        force: true,
    };
    let error = told(&mut world, reset).error.unwrap();
    // Broker2Client.resetOffset, with its own spelling.
    assert!(error.starts_with("CODE: 1  DESC: THe consumer group <CG_consumer> not exist\n"), "{error}");
}

#[test]
fn a_dead_letter_goes_back_to_the_topic_it_came_from() {
    let mut world = World::new(&cluster_of_two(), 1).unwrap();
    let dead = |body: &str| {
        let origin = [("RETRY_TOPIC", "OrderTopic"), ("ORIGIN_MESSAGE_ID", "0A"), ("colour", "red")];
        Action::Send(Box::new(Send {
            producer: "sender".to_owned(),
            topic: "%DLQ%G".to_owned(),
            queue: Some(0),
            tag: Some("TagA".to_owned()),
            body: Some(body.to_owned()),
            properties: origin.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            ..Send::default()
        }))
    };
    told(&mut world, update_topic("%DLQ%G", At::Broker("broker-a"), 1, 1));
    for body in ["first", "second"] {
        world.act(dead(body)).unwrap();
        rest(&mut world);
    }
    let resend = |queue_offset| Command::ResendDeadLetter { group: "G".to_owned(), queue_offset };
    let outcome = told(&mut world, resend(Some(1)));
    assert_eq!((outcome.error, outcome.value), (None, Some(1)));
    assert_eq!(outcome.messages.len(), 1);
    assert!(outcome.lines[0].contains(" sent again to OrderTopic, queue "), "{:?}", outcome.lines);
    let queue = |world: &World, queue: i32| {
        let store = world.broker("broker-a").unwrap().store().unwrap();
        store.queue("OrderTopic", queue).map_or(0, crate::store::ConsumeQueue::max_offset_in_queue)
    };
    assert_eq!(queue(&world, 0) + queue(&world, 1), 1);
    for at in 0..2 {
        world.act(pull("OrderTopic", at, 0)).unwrap();
        rest(&mut world);
    }
    let received = world.client("consumer").unwrap().received().last().unwrap().clone();
    assert_eq!(received.body, "second".as_bytes());
    assert_eq!((received.tags.as_deref(), received.property("colour").as_deref()), (Some("TagA"), Some("red")));
    assert_eq!((received.property("RETRY_TOPIC"), received.property("ORIGIN_MESSAGE_ID")), (None, None));

    assert_eq!(told(&mut world, resend(None)).value, Some(2));
    let none = told(&mut world, resend(Some(7))).error.unwrap();
    assert_eq!(none, "no dead letter at offset 7 of %DLQ%G");
}
