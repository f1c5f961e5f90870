//! Brokers' questions: who is asked, what a listener finds, and what nobody answers.

use super::*;

/// Sends, and kills the sender between the commit in its database and the end: `twin` is the only one of the group left.
fn orphaned(listener: &ListenerSpec) -> World {
    let mut world = World::new(&shop(listener), 1).unwrap();
    world.act(crash_when("producer", Service::LocalTransaction, 5)).unwrap();
    world.act(in_transaction(SendInTransaction { changes: order(1), ..what(ListenerResult::Commit) })).unwrap();
    rest(&mut world);
    assert_eq!((world.node_state("producer"), rows(&world, "orders")), (Some(NodeState::Down), 1));
    world
}

#[test]
fn another_producer_of_the_group_answers_from_the_database() {
    let world = orphaned(&in_database());
    assert_eq!(answers(&world, "twin"), [Some(LocalTransactionState::Commit)]);
    assert_eq!((messages(&world), answers(&world, "other")), (1, Vec::new()));
}

#[test]
fn another_producer_of_the_group_has_another_memory() {
    let world = orphaned(&in_memory());
    assert_eq!(answers(&world, "twin"), [Some(LocalTransactionState::Unknown); 15]);
    assert_eq!((messages(&world), behind(&world).2), (0, 1));
}

/// `ProducerManager.getAvailableChannel` takes the producers of a group in turn.
#[test]
fn producers_of_a_group_are_asked_in_turn() {
    let mut world = World::new(&shop(&in_memory()), 1).unwrap();
    act(&mut world, in_transaction(what(ListenerResult::Unknown)));
    let asked = ["producer", "twin"].map(|producer| answers(&world, producer).len());
    assert_eq!(asked.iter().sum::<usize>(), 15);
    assert!(asked.iter().all(|asked| [7, 8].contains(asked)), "{asked:?}");
}

/// `notFound = rollback`, and a local transaction that takes longer than `transactionTimeOut`: the row is not committed
/// yet when the broker asks. The message is rolled back, and committed later all the same: the broker does not remember.
#[test]
fn a_check_while_the_local_transaction_runs_finds_nothing() {
    let not_found = LocalTransactionState::Rollback;
    let mut world = alone(&ListenerSpec { not_found, ..in_database() });
    let slow = SendInTransaction { changes: order(1), local_ms: 5_000, ..what(ListenerResult::Commit) };
    act(&mut world, in_transaction(slow));
    assert_eq!(answers(&world, "producer"), [Some(LocalTransactionState::Rollback)]);
    assert_eq!((told(&world).state, rows(&world, "orders")), (Some(LocalTransactionState::Commit), 1));
    assert_eq!((messages(&world), behind(&world).1), (1, 2));
}

/// In memory the transaction is known from its beginning, and unknown until its end. The end names the first half message;
/// the copy that the broker asked about is asked about once more, and committed too: the message comes twice.
#[test]
fn a_local_transaction_that_outlasts_a_check_sends_twice() {
    let mut world = alone(&ListenerSpec { not_found: LocalTransactionState::Rollback, ..in_memory() });
    act(&mut world, in_transaction(SendInTransaction { local_ms: 2_500, ..what(ListenerResult::Commit) }));
    let answers = answers(&world, "producer");
    let (last, before) = answers.split_last().unwrap();
    assert_eq!(*last, Some(LocalTransactionState::Commit));
    assert!(!before.is_empty() && before.iter().all(|answer| *answer == Some(LocalTransactionState::Unknown)));
    assert_eq!((messages(&world), behind(&world).1), (2, 2));
    assert_eq!(world.client("producer").unwrap().kept_in_memory(), 1);
}

/// `processTransactionState` of null throws inside the executor: the broker hears nothing and asks again.
#[test]
fn null_is_no_answer() {
    let mut world = alone(&in_memory());
    let checks = vec![ListenerResult::Null, ListenerResult::Rollback];
    act(&mut world, in_transaction(SendInTransaction { checks, ..what(ListenerResult::Unknown) }));
    assert_eq!(answers(&world, "producer"), [None, Some(LocalTransactionState::Rollback)]);
    let first = world.client("producer").unwrap().checks()[0].clone();
    assert_eq!((first.result, first.ended_us), (Some(ListenerResult::Null), Some(first.asked_us)));
    assert_eq!((messages(&world), behind(&world)), (0, (3, 1, 0)));
}

#[test]
fn a_producer_without_a_listener_answers_nothing() {
    let mut cluster = shop(&in_memory());
    cluster.producers[1].listener = None;
    let mut world = World::new(&cluster, 1).unwrap();
    world.act(crash_when("producer", Service::LocalTransaction, 2)).unwrap();
    act(&mut world, in_transaction(what(ListenerResult::Commit)));
    assert_eq!(answers(&world, "twin"), [None; 15]);
    assert_eq!((messages(&world), behind(&world)), (0, (16, 0, 1)));
    assert!(!world.services("twin").contains(&Service::CheckListener));
}

/// One thread: while the database is silent the second question waits for the first, up to `checkRequestHoldMax`.
#[test]
fn questions_wait_for_the_one_thread_of_the_listener() {
    for (hold_max, ignored) in [("2000", 0), ("0", 1)] {
        let mut cluster = shop(&in_database());
        cluster.producers[0].config.insert("checkRequestHoldMax".to_owned(), hold_max.to_owned());
        let mut world = World::new(&cluster, 1).unwrap();
        act(&mut world, Action::Stop { node: "twin".to_owned() });
        // Between two rounds, so that one of them asks about both.
        act(&mut world, Action::Wait { ms: 500 });
        for id in [1, 2] {
            world
                .act(in_transaction(SendInTransaction { changes: order(id), ..what(ListenerResult::Unknown) }))
                .unwrap();
            run_until(&mut world, |world| told(world).progress == TransactionProgress::Told);
        }
        world.act(pause(DB, Some(Service::Sql))).unwrap();
        run_until(&mut world, |world| world.client("producer").unwrap().checks().len() == 2);
        let open = |world: &World| {
            world.client("producer").unwrap().checks().iter().filter(|check| check.ended_us.is_none()).count()
        };
        assert_eq!(open(&world), 2 - ignored);
        world.act(resume(DB, Some(Service::Sql))).unwrap();
        rest(&mut world);
        let silent = answers(&world, "producer").iter().filter(|answer| answer.is_none()).count();
        assert_eq!((silent, messages(&world)), (ignored, 2), "what was turned away is asked for again");
    }
}

/// A listener that cannot reach its database throws, which is `UNKNOW`.
#[test]
fn a_listener_without_its_database_does_not_know() {
    let mut world = alone(&in_database());
    act(&mut world, in_transaction(SendInTransaction { changes: order(1), ..what(ListenerResult::Commit) }));
    world.act(crash_when("producer", Service::LocalTransaction, 5)).unwrap();
    world.act(in_transaction(SendInTransaction { changes: order(2), ..what(ListenerResult::Commit) })).unwrap();
    run_until(&mut world, |world| world.node_state("producer") == Some(NodeState::Down));
    world.act(kill(DB)).unwrap();
    world.act(start("producer")).unwrap();
    run_until(&mut world, |world| !answers(world, "producer").is_empty() && answers(world, "producer")[0].is_some());
    let check = world.client("producer").unwrap().checks()[0].clone();
    assert_eq!((check.result, check.state), (Some(ListenerResult::Throw), Some(LocalTransactionState::Unknown)));
    assert!(check.cause.is_some());
    world.act(start(DB)).unwrap();
    rest(&mut world);
    assert_eq!((answers(&world, "producer").last(), messages(&world)), (Some(&Some(LocalTransactionState::Commit)), 2));
}
