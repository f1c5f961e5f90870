//! What goes wrong before there is a half message, what is stored less safely than asked, and what cannot be done at all.

use super::*;

/// A master that waits for a slave and has none: the half is stored, and rolled back without a local transaction.
#[test]
fn a_half_message_that_is_not_send_ok_is_rolled_back_at_once() {
    let mut cluster = shop(&in_memory());
    cluster.brokers[0].config.insert("brokerRole".to_owned(), "SYNC_MASTER".to_owned());
    let mut world = World::new(&cluster, 1).unwrap();
    let events = act(&mut world, in_transaction(what(ListenerResult::Commit)));
    let outcome = told(&world);
    assert_eq!((outcome.progress, outcome.status.as_str()), (TransactionProgress::Told, "SLAVE_NOT_AVAILABLE"));
    assert_eq!((outcome.local, outcome.state), (None, Some(LocalTransactionState::Rollback)));
    let status = "SLAVE_NOT_AVAILABLE".to_owned();
    assert!(producer_steps(&events).contains(&&ProducerStep::LocalTransactionSkipped { number: 0, status }));
    assert_eq!((messages(&world), behind(&world)), (0, (1, 1, 0)));
    assert_eq!(answers(&world, "producer"), []);
}

/// `TransactionMQProducer.sendMessageInTransaction`.
#[test]
fn without_a_listener_nothing_is_sent() {
    let mut cluster = shop(&in_memory());
    cluster.producers[0].listener = None;
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, in_transaction(what(ListenerResult::Commit)));
    let outcome = told(&world);
    assert_eq!((outcome.progress, outcome.status.as_str()), (TransactionProgress::Failed, "MQClientException"));
    assert!(outcome.error.unwrap().starts_with("TransactionListener is null"));
    assert_eq!((outcome.response_code, world.client("producer").unwrap().sent().len()), (Some(-1), 0));
}

/// Every exception of the send is wrapped; those of `Validators` come before it and are not.
#[test]
fn an_exception_of_the_half_message_is_the_cause_of_another() {
    let mut world = World::new(&shop(&in_memory()), 1).unwrap();
    let mut empty = what(ListenerResult::Commit);
    empty.send.body = Some(String::new());
    act(&mut world, in_transaction(empty));
    let outcome = told(&world);
    assert!(outcome.error.unwrap().starts_with("CODE: 13  DESC: the message body length is zero"));
    assert_eq!((outcome.response_code, outcome.cause), (Some(13), None));

    world.act(kill(BROKER)).unwrap();
    act(&mut world, in_transaction(what(ListenerResult::Commit)));
    let outcome = told(&world);
    assert_eq!((outcome.progress, outcome.status.as_str()), (TransactionProgress::Failed, "MQClientException"));
    assert!(outcome.error.unwrap().starts_with("send message Exception"));
    assert_eq!(outcome.response_code, Some(-1));
    let cause = outcome.cause.unwrap();
    assert_eq!(cause.name, "MQClientException");
    assert!(cause.message.starts_with("No route info of this topic: OrderTopic"), "{}", cause.message);
    assert_eq!(outcome.local, None);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let mut world = World::new(&shop(&in_database()), 1).unwrap();
    let mut field = |action: Action| match world.act(action).unwrap_err() {
        ActionError::BadValue { field, .. } => field,
        other => panic!("{other:?}"),
    };
    let commit = || what(ListenerResult::Commit);
    let mut aimed = commit();
    aimed.send.queue = Some(0);
    assert_eq!(field(in_transaction(aimed)), "send");
    let mut oneway = commit();
    oneway.send.mode = crate::client::SendMode::Oneway;
    assert_eq!(field(in_transaction(oneway)), "send");
    assert_eq!(field(in_transaction(SendInTransaction { local_ms: -1, ..commit() })), "localMs");
    assert_eq!(field(in_transaction(SendInTransaction { local_ms: i64::MAX, ..commit() })), "localMs");
    let checks = vec![ListenerResult::Commit];
    assert_eq!(field(in_transaction(SendInTransaction { checks, ..commit() })), "checks");
    let end = |message: Option<&str>, half: Option<HalfAt>| {
        let (producer, message) = ("producer".to_owned(), message.map(str::to_owned));
        Action::EndTransaction(Box::new(EndTransaction { producer, message, half, ..EndTransaction::default() }))
    };
    let at = || HalfAt { broker: BROKER.to_owned(), queue_offset: 0 };
    assert_eq!(field(end(None, None)), "message");
    assert_eq!(field(end(Some("M1"), None)), "message");
    assert_eq!(field(end(Some("M1"), Some(at()))), "half");
    assert_eq!(field(end(None, Some(at()))), "half.queueOffset");

    let mut world = World::new(&shop(&ListenerSpec::default()), 1).unwrap();
    let refused = world.act(in_transaction(SendInTransaction { changes: order(1), ..commit() }));
    assert!(matches!(refused, Err(ActionError::BadValue { field, .. }) if field == "changes"));
    let mut world = super::super::world();
    let mut bare = commit();
    bare.send.producer = "sender".to_owned();
    let (node, wanted) = ("sender".to_owned(), "producer with routes".to_owned());
    assert_eq!(world.act(in_transaction(bare)), Err(ActionError::WrongNode { node, wanted }));
}

#[test]
fn a_cluster_says_what_is_wrong_with_a_listener() {
    let error = |listener: ListenerSpec, sender: SenderKind| {
        let mut cluster = shop(&listener);
        cluster.producers[0].sender = sender;
        World::new(&cluster, 1).unwrap_err().to_string()
    };
    let database = |name: &str| ListenerSpec { database: Some(name.to_owned()), ..ListenerSpec::default() };
    assert_eq!(error(database("none"), SenderKind::Client), "producer.listener: there is no database `none`");
    assert_eq!(error(in_memory(), SenderKind::Bare), "producer.listener: a bare sender has no listener");
    let nowhere = ListenerSpec { keeps: Keeps::Database, ..ListenerSpec::default() };
    let cause = "producer.listener: it needs a `database` to keep its transactions in";
    assert_eq!(error(nowhere, SenderKind::Client), cause);
    let elsewhere = ListenerSpec { table: "orders".to_owned(), ..in_database() };
    let cause = "order-db: table `orders` needs a column `transactionId`";
    assert_eq!(error(elsewhere, SenderKind::Client), cause);
}

#[test]
fn a_link_carries_transactional_sends() {
    let json = r#"{"kind":"sendInTransaction","send":{"producer":"producer","topic":"OrderTopic"},"local":"null",
        "localMs":7000,"checks":["unknown","throw","commit"]}"#;
    let action: Action = serde_json::from_str(json).unwrap();
    let Action::SendInTransaction(what) = &action else { panic!("{action:?}") };
    assert_eq!((what.local, what.local_ms), (ListenerResult::Null, 7_000));
    assert_eq!(what.checks, [ListenerResult::Unknown, ListenerResult::Throw, ListenerResult::Commit]);
    assert_eq!(serde_json::from_str::<Action>(&serde_json::to_string(&action).unwrap()).unwrap(), action);
    let json = r#"{"kind":"endTransaction","producer":"producer","half":{"broker":"broker-a","queueOffset":3},"state":"rollback"}"#;
    let Action::EndTransaction(end) = serde_json::from_str::<Action>(json).unwrap() else { panic!() };
    assert_eq!((end.half.unwrap().queue_offset, end.state), (3, LocalTransactionState::Rollback));
}
