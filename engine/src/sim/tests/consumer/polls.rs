//! Long polling that passes unseen leaves what long polling that is seen leaves.

use super::*;
use crate::{
    client::consumer::PullState,
    sim::{queue::Pending, tests::pause as pause_service},
    wire::RequestCode,
};

/// A cluster, and the same with everything shown.
fn both(cluster: &Cluster) -> [World; 2] {
    [false, true].map(|show_quiet_rounds| World::new(&Cluster { show_quiet_rounds, ..cluster.clone() }, 1).unwrap())
}

/// One consumer and the given queues of `OrderTopic`.
fn cluster_with_queues(queues: i32) -> Cluster {
    let mut cluster = cluster_of(&["c1"]);
    for topic in &mut cluster.brokers[0].topics {
        (topic.read_queues, topic.write_queues) = (queues, queues);
    }
    cluster
}

/// Lets so much time pass, to the microsecond; how many events that were.
fn pass(world: &mut World, ms: i64) -> usize {
    world.act(wait(ms)).unwrap();
    let mut events = 1;
    while world.step().unwrap().what != EventKind::Alarm {
        events += 1;
    }
    events
}

/// Everything that long polling leaves: who is held and until when, when each pull was sent and is given up, when a broker
/// looks again.
fn left(world: &World) -> Vec<String> {
    let mut world = world.clone();
    world.settle();
    world.unpark_polls();
    let mut left = Vec::new();
    for node in &world.nodes {
        match &node.actor {
            NodeActor::Broker(broker) => {
                for pull in broker.process().into_iter().flat_map(crate::broker::Process::waiting_pulls) {
                    let (topic, queue, place) = (&pull.request.topic, pull.request.queue_id, pull.place);
                    left.push(format!("{topic}/{queue} {place} is held until {}", pull.until_ms));
                }
                let look = node.lanes[&Service::PullHold].wake.map(|wake| wake.at_us);
                left.push(format!("{} looks at {look:?}", node.name));
            }
            NodeActor::Client(client) => {
                for (queue, own) in client.push().into_iter().flat_map(PushConsumer::queues) {
                    let PullState::Asked(sent_us) = own.pulling() else { panic!("{:?}", own.pulling()) };
                    let last_ms = own.process_queue().last_pull_ms();
                    left.push(format!("{queue:?} was sent at {sent_us}, {last_ms}"));
                }
            }
            _ => {}
        }
    }
    for call in world.network.calls.values().filter(|call| call.code == RequestCode::PullMessage) {
        left.push(format!("{} is given up at {:?}", call.node, call.deadline.map(|key| key.0)));
    }
    let pulls = |id| world.network.calls.get(id).is_some_and(|call| call.code == RequestCode::PullMessage);
    let timers = world.queue.iter().filter(|(_, entry)| matches!(&entry.what, Pending::Timeout(id) if pulls(id)));
    left.push(format!("{} timers", timers.count()));
    left.sort();
    left
}

/// When each message was handed to the listener.
fn handed(world: &World) -> Vec<(String, i64)> {
    deliveries(world, "c1")
        .iter()
        .map(|delivery| (bodies(std::slice::from_ref(delivery))[0].clone(), delivery.began_us))
        .collect()
}

#[test]
fn three_idle_days_of_push_consumers_cost_a_handful_of_events() {
    let mut world = World::new(&cluster_with_queues(4), 1).unwrap();
    let events = pass(&mut world, 72 * 3_600_000);
    assert!(events < 40, "{events} events");
    assert_eq!(world.now_us(), 72 * 3_600_000_000);
    assert_eq!(world.broker("broker-a").unwrap().process().unwrap().held_pulls().count(), 5);
    // Everything is as it would be a moment after an exchange: no pull is older than its time.
    let now_ms = world.wall_ms();
    let mut settled = world.clone();
    settled.settle();
    let process = settled.broker("broker-a").unwrap().process().unwrap();
    assert!(process.waiting_pulls().all(|pull| (now_ms - 5_000..=now_ms + 15_000).contains(&pull.until_ms)));
}

#[test]
fn polls_that_pass_unseen_leave_what_polls_that_are_seen_leave() {
    for queues in [1, 4, 24] {
        let mut worlds = both(&cluster_with_queues(queues));
        // Moments around the looks of the broker, every 5 s, are among them, and none that is one to the microsecond: what is
        // due then may come before the look or after it.
        for ms in [1, 4_998, 2, 4_998, 2, 12_345, 3, 60_000, 1_000_007, 15_000, 86_993] {
            let seen = worlds.each_mut().map(|world| pass(world, ms));
            assert_eq!(left(&worlds[0]), left(&worlds[1]), "{queues} queues, {ms} ms");
            assert!(seen[0] <= seen[1]);
        }
    }
}

#[test]
fn a_message_that_ends_a_long_wait_arrives_at_the_same_moment() {
    let mut worlds = both(&cluster_with_queues(4));
    for (n, ms) in [600_000, 7_503, 123_456, 40_001].into_iter().enumerate() {
        for world in &mut worlds {
            pass(world, ms);
            world.act(order(i32::try_from(n).unwrap(), "m")).unwrap();
            pass(world, 1_000);
        }
        let [unseen, seen] = worlds.each_ref().map(handed);
        assert_eq!((unseen.len(), &unseen), (n + 1, &seen));
        // A while later too: what was woken is on a grid of its own.
        for world in &mut worlds {
            pass(world, 200_000);
        }
        assert_eq!(left(&worlds[0]), left(&worlds[1]));
    }
}

#[test]
fn consumers_of_two_brokers_repeat_together() {
    let mut cluster = cluster_with_queues(3);
    let other = BrokerSpec { name: "broker-b".to_owned(), ..cluster.brokers[0].clone() };
    cluster.brokers.push(other);
    cluster.consumers.push(consumer("c2"));
    let mut worlds = both(&cluster);
    for ms in [600_000, 71_234, 5_001] {
        for world in &mut worlds {
            pass(world, ms);
        }
        assert_eq!(left(&worlds[0]), left(&worlds[1]), "{ms} ms");
    }
    let events = pass(&mut worlds[0], 24 * 3_600_000);
    assert!(events < 60, "{events} events");
}

/// A pause, a link that stalls, and their end: the pulls are events again, and none is lost.
#[test]
fn whatever_stands_in_the_way_brings_the_polls_back() {
    let stall = || Action::Stall { a: "c1".to_owned(), b: "broker-a".to_owned() };
    let mend = || Action::Mend { a: "c1".to_owned(), b: "broker-a".to_owned() };
    let [pull_hold, pull_message] = [("broker-a", Service::PullHold), ("c1", Service::PullMessage)];
    let ways: [[Action; 2]; 4] = [
        [stall(), mend()],
        [pause_service(pull_hold.0, Some(pull_hold.1)), resume(pull_hold.0, Some(pull_hold.1))],
        [pause_service(pull_message.0, Some(pull_message.1)), resume(pull_message.0, Some(pull_message.1))],
        [pause_service("c1", None), resume("c1", None)],
    ];
    for [begin, end] in ways {
        let mut worlds = both(&cluster_with_queues(2));
        for world in &mut worlds {
            pass(world, 300_000);
            world.act(begin.clone()).unwrap();
            pass(world, 22_500);
            world.act(end.clone()).unwrap();
            pass(world, 300_000);
        }
        assert_eq!(left(&worlds[0]), left(&worlds[1]), "{begin:?}");
        for world in &mut worlds {
            world.act(order(0, "m")).unwrap();
            pass(world, 1_000);
        }
        assert_eq!(handed(&worlds[0]), handed(&worlds[1]), "{begin:?}");
        assert_eq!(handed(&worlds[0]).len(), 1);
    }
}

#[test]
fn a_broker_that_dies_while_polls_pass_unseen_is_found_dead() {
    let mut worlds = both(&cluster_with_queues(2));
    for world in &mut worlds {
        pass(world, 300_000);
        act(world, kill("broker-a"));
        pass(world, 20_000);
        act(world, start("broker-a"));
        pass(world, 120_000);
        act(world, order(0, "m"));
    }
    assert_eq!(handed(&worlds[0]).len(), 1);
    assert_eq!(left(&worlds[0]).len(), left(&worlds[1]).len());
}

/// Once everything is consumed, nothing is left to happen: stepping on ends soon, and does not run through the years in
/// turns that find nothing to do.
#[test]
fn a_world_whose_consumers_only_wait_comes_to_its_end() {
    let mut world = World::new(&cluster_with_queues(4), 1).unwrap();
    act(&mut world, order(0, "m0"));
    let now_us = world.now_us();
    let events = std::iter::from_fn(|| world.step()).take(1000).count();
    assert!(events < 1000, "it goes on and on");
    let days = (world.now_us() - now_us) / 86_400_000_000;
    assert!(days < 30, "{days} days");
}
