//! An `END_TRANSACTION` that never arrives: crashes at every step of the local transaction, and a cut.

use super::*;

/// A listener whose database refuses the changes rolls the message back.
#[test]
fn a_refusal_of_the_database_rolls_back() {
    let mut world = alone(&in_database());
    for expected in [LocalTransactionState::Commit, LocalTransactionState::Rollback] {
        act(&mut world, in_transaction(SendInTransaction { changes: order(1), ..what(ListenerResult::Commit) }));
        assert_eq!(told(&world).state, Some(expected));
    }
    assert_eq!(told(&world).local_cause.as_deref(), Some("duplicate entry `1` for `orders.id`"));
    assert_eq!((rows(&world, "orders"), messages(&world), behind(&world)), (1, 1, (2, 2, 0)));
}

/// The turns of `localTransaction` with a database: the call of the listener with its changes, their answer, the commit,
/// its answer, the end. The database is committed from the fourth on, and the broker knows nothing of it.
#[test]
fn a_crash_at_any_turn_leaves_the_half_message_undecided() {
    for turn in 1..=5 {
        let mut world = alone(&in_database());
        world.act(crash_when("producer", Service::LocalTransaction, turn)).unwrap();
        world.act(in_transaction(SendInTransaction { changes: order(1), ..what(ListenerResult::Commit) })).unwrap();
        run_until(&mut world, |world| world.node_state("producer") == Some(NodeState::Down));
        let outcome = told(&world);
        assert_eq!((outcome.progress, outcome.state), (TransactionProgress::Crashed, None));
        world.act(start("producer")).unwrap();
        run_until(&mut world, |world| behind(world).0 > 0);
        let committed = usize::from(turn >= 4);
        assert_eq!(
            (rows(&world, "orders"), rows(&world, "transactions")),
            (committed, committed),
            "before turn {turn}"
        );
        assert_eq!((messages(&world), behind(&world)), (0, (1, 0, 0)));
        assert_eq!(answers(&world, "producer"), []);
    }
}

#[test]
fn an_end_that_cannot_be_sent_is_only_logged() {
    let mut world = alone(&in_memory());
    world.act(in_transaction(SendInTransaction { local_ms: 100, ..what(ListenerResult::Commit) })).unwrap();
    run_until(&mut world, |world| told(world).phase == TransactionPhase::Local);
    world.act(Action::Cut { a: "producer".to_owned(), b: BROKER.to_owned() }).unwrap();
    run_until(&mut world, |world| told(world).end_error.is_some());
    let outcome = told(&world);
    assert_eq!((outcome.progress, outcome.state), (TransactionProgress::Told, Some(LocalTransactionState::Commit)));
    let addr = world.broker(BROKER).unwrap().store_host().to_string();
    assert_eq!(outcome.end_error, Some(format!("connect to {addr} failed")));
    assert_eq!((messages(&world), behind(&world)), (0, (1, 0, 0)));
}
