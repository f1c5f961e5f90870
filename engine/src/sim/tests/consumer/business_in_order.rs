//! An orderly listener with business in its database: what stands in the table, worked out from the order of the turns.

use super::{
    business::{DB, event, issues, office_with, policies, recorded, records},
    orderly::orderly,
    *,
};
use crate::{
    client::consumer::{ListenerBusiness, RecordAt},
    node::Service,
};

fn office(business: ListenerBusiness) -> World {
    office_with(business, |spec| orderly(spec).takes_ms = 10)
}

/// The turns of a call are the same as a concurrent listener's: call, answer, commit, answer, return. Before them comes one in
/// which the thread takes the queue's first message; both are one turn here.
#[test]
fn a_crash_after_the_commit_does_it_again_unless_the_record_is_in_the_transaction() {
    let together = || recorded("{eventId}", RecordAt::Together);
    for (turn, without, skips) in [(1, 1, 0), (2, 1, 0), (3, 1, 0), (4, 2, 1), (5, 2, 1)] {
        for (business, issued, skipped) in [(issues(), without, 0), (together(), 1, skips)] {
            let mut world = office(business);
            let crash = CrashWhen { node: "c1".to_owned(), service: Service::Consume, turn };
            act(&mut world, Action::CrashWhen(Box::new(crash)));
            act(&mut world, event("E1", "paid"));
            assert_eq!(world.node_state("c1"), Some(NodeState::Down), "turn {turn}");
            act(&mut world, start("c1"));
            // The locks of the process that is gone are free 60 s later, and found so by a rebalance 20 s later at most.
            act(&mut world, wait(80_000));
            assert_eq!(policies(&world).len(), issued, "turn {turn}");
            let last = deliveries(&world, "c1").pop().unwrap();
            let done = last.business.unwrap();
            assert_eq!((last.result, done.skipped), (Some(ConsumeResult::Success), skipped), "turn {turn}");
        }
    }
}

/// While the database is away, an orderly queue waits for the first message, and a concurrent one goes on with the second:
/// the first comes again after the delay of level 3.
#[test]
fn what_fails_at_the_database_is_done_before_what_is_behind_it() {
    for (kind, expected) in [(ListenerKind::Orderly, ["E1", "E2"]), (ListenerKind::Concurrently, ["E2", "E1"])] {
        let mut world = office_with(issues(), |spec| listens(spec).kind = kind);
        act(&mut world, kill(DB));
        world.act(event("E1", "E1")).unwrap();
        while deliveries(&world, "c1").iter().all(|delivery| delivery.result.is_none()) {
            world.step().unwrap();
        }
        assert_eq!(deliveries(&world, "c1")[0].result, Some(ConsumeResult::Throw));
        world.act(start(DB)).unwrap();
        act(&mut world, event("E2", "E2"));
        act(&mut world, wait(15_000));
        assert_eq!(policies(&world), expected, "{kind:?}");
    }
}

/// The queue is dropped as soon as the rebalance gives it to another, so the result of a call that has committed is not used,
/// and the other does it again: the order of the queue is no protection against a second effect. The record is.
#[test]
fn a_queue_that_is_given_away_during_the_work_is_worked_on_twice() {
    for (business, issued) in [(issues(), 2), (recorded("{eventId}", RecordAt::Together), 1)] {
        let mut cluster = cluster_of(&["c1", "c2"]);
        cluster.databases = vec![super::business::database()];
        for spec in &mut cluster.consumers {
            let listener = orderly(spec);
            (listener.takes_ms, listener.business) = (900, Some(Box::new(business.clone())));
        }
        let mut world = World::new(&cluster, 1).unwrap();
        act(&mut world, stop("c2"));
        let Action::Send(mut paid) = event("E1", "paid") else { panic!("a send") };
        paid.queue = Some(1);
        world.act(Action::Send(paid)).unwrap();
        while deliveries(&world, "c1").is_empty() {
            world.step().unwrap();
        }
        world.act(start("c2")).unwrap();
        rest(&mut world);
        act(&mut world, wait(60_000));
        let (first, second) = (deliveries(&world, "c1"), deliveries(&world, "c2"));
        assert_eq!((first.len(), first[0].fate), (1, DeliveryFate::Unused));
        assert_eq!((second.len(), second[0].result), (1, Some(ConsumeResult::Success)));
        assert!(second[0].began_us >= first[0].ended_us.unwrap());
        assert_eq!(policies(&world).len(), issued);
        assert_eq!(records(&world), usize::from(issued == 1));
    }
}
