//! An `END_TRANSACTION` that never arrives: crashes at every step of the local transaction, and a cut.

use super::*;

/// The turns of `localTransaction` with a database: the call of the listener with its changes, their answer, the commit,
/// its answer, the end. The database is committed from the fourth on, and whoever looks finds the row.
#[test]
fn a_crash_at_any_turn_leaves_database_and_message_of_one_mind() {
    for turn in 1..=5 {
        let not_found = LocalTransactionState::Rollback;
        let mut world = alone(&ListenerSpec { not_found, ..in_database() });
        world.act(crash_when("producer", Service::LocalTransaction, turn)).unwrap();
        world.act(in_transaction(SendInTransaction { changes: order(1), ..what(ListenerResult::Commit) })).unwrap();
        run_until(&mut world, |world| world.node_state("producer") == Some(NodeState::Down));
        assert_eq!(told(&world).progress, TransactionProgress::Crashed);
        act(&mut world, start("producer"));
        let committed = usize::from(turn >= 4);
        assert_eq!(
            (rows(&world, "orders"), rows(&world, "transactions")),
            (committed, committed),
            "before turn {turn}"
        );
        assert_eq!(messages(&world), committed as i64, "before turn {turn}");
        let answer = if turn >= 4 { LocalTransactionState::Commit } else { LocalTransactionState::Rollback };
        assert_eq!(answers(&world, "producer"), [Some(answer)], "before turn {turn}");
        assert_eq!(behind(&world).1, 1, "one op message");
    }
}

/// The same crash between commit and end, with the outcome in a map of the process: it is gone, and so is the message.
#[test]
fn what_was_kept_in_memory_dies_with_the_process() {
    let mut world = alone(&in_memory());
    world.act(crash_when("producer", Service::LocalTransaction, 5)).unwrap();
    world.act(in_transaction(SendInTransaction { changes: order(1), ..what(ListenerResult::Commit) })).unwrap();
    run_until(&mut world, |world| world.node_state("producer") == Some(NodeState::Down));
    act(&mut world, start("producer"));
    assert_eq!(rows(&world, "orders"), 1, "it is committed");
    // `transactionCheckMax` questions, and then it is given up. The first comes before the new process has told the
    // broker of itself.
    assert_eq!(world.broker(BROKER).unwrap().process().unwrap().transactions().asked(), 15);
    assert_eq!(answers(&world, "producer"), [Some(LocalTransactionState::Unknown); 14]);
    assert_eq!((behind(&world), messages(&world)), ((16, 0, 1), 0));
}

/// As 4.9.8's example listener does it, which takes what it does not know for committed.
#[test]
fn a_listener_that_takes_the_unknown_for_committed_sends_what_never_happened() {
    let mut world = alone(&ListenerSpec { not_found: LocalTransactionState::Commit, ..in_memory() });
    // Before the changes are committed.
    world.act(crash_when("producer", Service::LocalTransaction, 3)).unwrap();
    world.act(in_transaction(SendInTransaction { changes: order(1), ..what(ListenerResult::Commit) })).unwrap();
    run_until(&mut world, |world| world.node_state("producer") == Some(NodeState::Down));
    act(&mut world, start("producer"));
    assert_eq!((rows(&world, "orders"), messages(&world)), (0, 1));
}

#[test]
fn an_end_that_cannot_be_sent_is_only_logged_and_the_check_makes_up_for_it() {
    let mut world = alone(&in_memory());
    world.act(in_transaction(SendInTransaction { local_ms: 100, ..what(ListenerResult::Commit) })).unwrap();
    run_until(&mut world, |world| {
        world.client("producer").unwrap().transactions().last().unwrap().phase == TransactionPhase::Local
    });
    world.act(Action::Cut { a: "producer".to_owned(), b: BROKER.to_owned() }).unwrap();
    run_until(&mut world, |world| told(world).end_error.is_some());
    let outcome = told(&world);
    assert_eq!((outcome.progress, outcome.state), (TransactionProgress::Told, Some(LocalTransactionState::Commit)));
    let addr = world.broker(BROKER).unwrap().store_host().to_string();
    assert_eq!(outcome.end_error, Some(format!("connect to {addr} failed")));
    assert_eq!((messages(&world), behind(&world).1), (0, 0));
    world.act(Action::Mend { a: "producer".to_owned(), b: BROKER.to_owned() }).unwrap();
    rest(&mut world);
    // The broker can ask as soon as a heartbeat has told it of the producer again.
    assert_eq!(answers(&world, "producer"), [Some(LocalTransactionState::Commit)]);
    assert_eq!(messages(&world), 1);
}

/// On its way when the connection breaks: nobody learns of it, not even the client.
#[test]
fn an_end_can_be_lost_without_a_word() {
    let mut world = alone(&in_memory());
    world.act(in_transaction(what(ListenerResult::Commit))).unwrap();
    run_until(&mut world, |world| told(world).progress == TransactionProgress::Told);
    world.act(Action::Cut { a: "producer".to_owned(), b: BROKER.to_owned() }).unwrap();
    world.act(Action::Mend { a: "producer".to_owned(), b: BROKER.to_owned() }).unwrap();
    rest(&mut world);
    assert_eq!(told(&world).end_error, None);
    assert_eq!(answers(&world, "producer"), [Some(LocalTransactionState::Commit)]);
    assert_eq!((messages(&world), behind(&world).1), (1, 1));
}

/// The database does not answer the commit any more: the listener throws, and nobody knows. The row does.
#[test]
fn a_commit_without_an_answer_is_unknown_and_the_row_decides() {
    // The database's turns: begin, commit. It dies before the commit's; or it is cut off right after.
    for committed in [false, true] {
        let mut world = alone(&in_database());
        if !committed {
            world.act(crash_when(DB, Service::Sql, 2)).unwrap();
        }
        let mut unsure = what(ListenerResult::Commit);
        unsure.changes = order(1);
        world.act(in_transaction(unsure)).unwrap();
        if committed {
            run_until(&mut world, |world| world.database(DB).unwrap().commits() == 1);
            world.act(Action::Cut { a: "producer".to_owned(), b: DB.to_owned() }).unwrap();
        }
        run_until(&mut world, |world| told(world).progress == TransactionProgress::Told);
        let outcome = told(&world);
        assert_eq!((outcome.local, outcome.state), (Some(ListenerResult::Throw), Some(LocalTransactionState::Unknown)));
        assert!(outcome.local_cause.is_some());
        if committed {
            world.act(Action::Mend { a: "producer".to_owned(), b: DB.to_owned() }).unwrap();
        } else {
            world.act(start(DB)).unwrap();
        }
        rest(&mut world);
        assert_eq!((rows(&world, "orders"), messages(&world)), (usize::from(committed), i64::from(committed)));
        assert_eq!(behind(&world).2, i64::from(!committed), "nothing is found, and so it is given up");
    }
}

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

/// The answer to the half message is lost, and the client tries again at the other broker: two halves with one `UNIQ_KEY`.
/// `END_TRANSACTION` names the second of them; the first is asked about, and committed too.
#[test]
fn a_half_message_that_is_sent_again_comes_twice() {
    let mut cluster = shop(&in_memory());
    // Time for a heartbeat between two questions.
    cluster.brokers[0].config.insert("transactionCheckInterval".to_owned(), "10000".to_owned());
    let second = BrokerSpec { name: "broker-b".to_owned(), ..cluster.brokers[0].clone() };
    cluster.brokers.push(second);
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, Action::Stop { node: "twin".to_owned() });
    let log_end = |world: &World, broker: &str| world.broker(broker).unwrap().store().unwrap().max_phy_offset();
    let brokers = [BROKER, "broker-b"];
    let before = brokers.map(|broker| log_end(&world, broker));
    world.act(in_transaction(what(ListenerResult::Commit))).unwrap();
    run_until(&mut world, |world| brokers.map(|broker| log_end(world, broker)) != before);
    let first = brokers.into_iter().zip(before).find(|(broker, end)| log_end(&world, broker) != *end).unwrap().0;
    let cut = |world: &mut World, mend: bool| {
        let (a, b) = ("producer".to_owned(), first.to_owned());
        world.act(if mend { Action::Mend { a, b } } else { Action::Cut { a, b } }).unwrap();
    };
    cut(&mut world, false);
    run_until(&mut world, |world| told(world).progress == TransactionProgress::Told);
    let sent = world.client("producer").unwrap().sent().last().unwrap().clone();
    assert_eq!((sent.status.as_str(), sent.attempts), ("SEND_OK", 2));
    assert_ne!(sent.broker_name.as_deref(), Some(first));
    cut(&mut world, true);
    rest(&mut world);
    assert_eq!(answers(&world, "producer"), [Some(LocalTransactionState::Commit)]);
    let checked = world.client("producer").unwrap().checks()[0].clone();
    assert_eq!((checked.broker.as_str(), checked.transaction_id), (first, sent.msg_id.unwrap()));
    let seen = |broker: &str| {
        let store = world.broker(broker).unwrap().store().unwrap();
        (0..2).map(|queue| store.queue("OrderTopic", queue).map_or(0, ConsumeQueue::max_offset_in_queue)).sum::<i64>()
    };
    assert_eq!(brokers.map(seen), [1, 1]);
}
