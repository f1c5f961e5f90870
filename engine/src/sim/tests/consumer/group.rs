//! Members of a group share the queues.

use super::*;

#[test]
fn two_members_share_the_queues_in_runs() {
    let world = World::new(&cluster_of(&["c1", "c2"]), 1).unwrap();
    // AVG: the first id gets queue 0, the second queue 1. The retry topic has one queue, for the first.
    assert!(client(&world, "c1").client_id() < client(&world, "c2").client_id());
    assert_eq!(queues(&world, "c1"), ["%RETRY%g/0", "OrderTopic/0"]);
    assert_eq!(queues(&world, "c2"), ["OrderTopic/1"]);
}

#[test]
fn what_a_member_leaves_the_others_take_over() {
    for leave in [kill, stop] {
        let mut world = World::new(&cluster_of(&["c1", "c2"]), 1).unwrap();
        act(&mut world, order(0, "m0"));
        act(&mut world, order(1, "m1"));
        assert_eq!((deliveries(&world, "c1").len(), deliveries(&world, "c2").len()), (1, 1));
        act(&mut world, leave("c1"));
        assert_eq!(queues(&world, "c2"), ["%RETRY%g/0", "OrderTopic/0", "OrderTopic/1"]);
        act(&mut world, order(0, "m2"));
        assert!(bodies(&deliveries(&world, "c2")).contains(&"m2".to_owned()));
        act(&mut world, start("c1"));
        assert_eq!(queues(&world, "c1"), ["%RETRY%g/0", "OrderTopic/0"]);
        assert_eq!(queues(&world, "c2"), ["OrderTopic/1"]);
    }
}

/// The second half of B23: who takes the queue over gets everything from the message that hangs on, `reconsumeTimes` 0.
#[test]
fn a_queue_that_is_given_away_begins_at_the_message_that_hangs() {
    let mut cluster = cluster_of(&["c1", "c2"]);
    for spec in &mut cluster.consumers {
        listens(spec).rules.push(ListenerRule { when: when_body("m1"), hangs: true, ..ListenerRule::default() });
    }
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, kill("c2"));
    for n in 0..4 {
        act(&mut world, order(1, &format!("m{n}")));
    }
    assert_eq!(bodies(&deliveries(&world, "c1")), ["m0", "m1", "m2", "m3"]);
    act(&mut world, start("c2"));
    assert_eq!(queues(&world, "c2"), ["OrderTopic/1"]);
    let again = deliveries(&world, "c2");
    assert_eq!(bodies(&again), ["m1", "m2", "m3"]);
    assert!(again.iter().all(|call| call.messages[0].reconsume_times == 0));
}

#[test]
fn a_queue_more_is_found_by_the_next_rebalance() {
    let mut world = world_with(|_| {});
    act(
        &mut world,
        Action::SetTopic {
            broker: "broker-a".to_owned(),
            topic: "OrderTopic".to_owned(),
            read_queues: 3,
            write_queues: 3,
            perm: 6,
        },
    );
    // The route is polled every 30 s, and the queues are shared out every 20 s.
    act(&mut world, wait(50_000));
    assert_eq!(queues(&world, "c1"), ["%RETRY%g/0", "OrderTopic/0", "OrderTopic/1", "OrderTopic/2"]);
}
