//! Half messages, and how their transactions end.

use super::*;

/// The recorded broker's half message has these properties in this order, and the sysFlag of an ordinary message although
/// its client marks it as prepared.
#[test]
fn a_half_message_is_stored_where_nobody_reads() {
    let mut world = world();
    sent(&mut world, &[]);
    let bytes = stored(&world, HALF_TOPIC, 0);
    let record = record::decode(&bytes).unwrap();
    let recorded = ["REAL_TOPIC", "KEYS", "TRAN_MSG", "UNIQ_KEY", "CLUSTER", "PGROUP", "WAIT", "TAGS", "REAL_QID"];
    assert_eq!(names(&record), recorded);
    for (name, value) in [("REAL_TOPIC", "OrderTopic"), ("REAL_QID", "0"), ("WAIT", "true"), ("PGROUP", GROUP)] {
        assert_eq!(record.property(name), Some(value));
    }
    assert_eq!((&*record.topic, record.queue_id, record.sys_flag), (HALF_TOPIC, 0, 0));
    assert_eq!((record.prepared_transaction_offset, record.body), (0, &b"forever unknown"[..]));
    let answer = world.client("producer").unwrap().sent().iter().next().unwrap().clone();
    assert_eq!(
        (answer.queue_id, answer.queue_offset),
        (Some(0), Some(0)),
        "its own queue, and the half queue's offset"
    );
    assert_eq!(answer.physical_offset, Some(record.physical_offset));
    assert_eq!(counts(&world), (0, 1, 0));
}

#[test]
fn a_commit_puts_a_second_message_and_says_that_the_half_is_decided() {
    let mut world = world();
    sent(&mut world, &[]);
    let events = end(&mut world, 0, COMMIT);
    let bytes = [stored(&world, HALF_TOPIC, 0), stored(&world, "OrderTopic", 0), stored(&world, OP_TOPIC, 0)];
    let [half, committed, op] = [&bytes[0], &bytes[1], &bytes[2]].map(|bytes| record::decode(bytes).unwrap());
    assert_eq!(committed.properties_text, half.properties_text, "REAL_TOPIC, REAL_QID and TRAN_MSG among them");
    assert_eq!((committed.sys_flag, committed.prepared_transaction_offset), (8, half.physical_offset));
    assert_eq!((committed.body, committed.born_timestamp), (half.body, half.born_timestamp));
    assert_eq!((committed.born_host, committed.store_host), (half.born_host, half.store_host));
    assert!(committed.store_timestamp >= half.store_timestamp);
    assert_eq!((&*op.topic, op.queue_id, op.sys_flag, op.body), (OP_TOPIC, 0, 0, &b"0"[..]));
    assert_eq!(op.properties_text, "WAIT\u{1}true\u{2}TAGS\u{1}d");
    assert_eq!((op.born_host, op.prepared_transaction_offset), (*broker(&world).store_host(), 0));
    assert_eq!(op.physical_offset, committed.physical_offset + i64::from(committed.total_size));
    let physical_offset = half.physical_offset;
    let expected = [
        TransactionStep::CommitTaken { half_offset: 0, physical_offset, from_check: false },
        TransactionStep::OpWritten { half_offset: 0, op_offset: 0 },
    ];
    assert_eq!(told(&events), expected);
    assert_eq!(counts(&world), (1, 1, 1));
}

#[test]
fn a_rollback_puts_no_message() {
    let mut world = world();
    sent(&mut world, &[]);
    sent(&mut world, &[]);
    end(&mut world, 1, ROLLBACK);
    let bytes = stored(&world, OP_TOPIC, 0);
    assert_eq!(record::decode(&bytes).unwrap().body, b"1");
    assert_eq!(counts(&world), (0, 2, 1));
}

#[test]
fn what_is_no_end_does_nothing() {
    let mut world = world();
    sent(&mut world, &[]);
    for commit_or_rollback in [0, 4, 7] {
        let events = end(&mut world, 0, commit_or_rollback);
        assert_eq!(told(&events), [TransactionStep::EndIgnored { commit_or_rollback, from_check: false }]);
    }
    assert_eq!(counts(&world), (0, 1, 0));
}

#[test]
fn an_end_must_mean_the_half_message_that_it_names() {
    let mut world = world();
    sent(&mut world, &[]);
    sent(&mut world, &[]);
    let right = end_of(&world, 0, COMMIT);
    let other = end_of(&world, 1, COMMIT);
    let far = EndTransaction { commit_log_offset: 60_000, ..right.clone() };
    let wrong = [
        (far, "Find prepared transaction message failed"),
        (EndTransaction { producer_group: "PG_other".to_owned(), ..right.clone() }, "The producer group wrong"),
        (
            EndTransaction { commit_log_offset: other.commit_log_offset, ..right },
            "The transaction state table offset wrong",
        ),
    ];
    for (request, remark) in wrong {
        say(&mut world, request);
        let events = run_until_event(&mut world, |event| event.service == "endTransaction");
        assert_eq!(refused(&events), [remark]);
    }
    assert_eq!(counts(&world), (0, 2, 0));
}

/// Nobody looks whether a half message is decided already: every commit puts one more message.
#[test]
fn a_second_end_counts_again() {
    let mut world = world();
    sent(&mut world, &[]);
    for (commit_or_rollback, messages) in [(ROLLBACK, 0), (COMMIT, 1), (COMMIT, 2)] {
        end(&mut world, 0, commit_or_rollback);
        assert_eq!(count(&world, "OrderTopic"), messages);
    }
    assert_eq!(counts(&world), (2, 1, 3));
}

/// The half's stored WAIT is true, so the message waits for its flush; only then the half is decided, in a turn of its own.
#[test]
fn a_commit_waits_for_the_flush_before_the_half_is_decided() {
    let mut world = configured(&[("flushDiskType", "SYNC_FLUSH")]);
    sent(&mut world, &[]);
    world.act(pause(BROKER, Some(Service::FlushCommitLog))).unwrap();
    end(&mut world, 0, COMMIT);
    assert_eq!(counts(&world), (1, 1, 0), "the message can be read before it is flushed");
    world.act(resume(BROKER, Some(Service::FlushCommitLog))).unwrap();
    let events = run_until_event(&mut world, |event| event.service == "endTransaction");
    assert_eq!(told(&events), [TransactionStep::OpWritten { half_offset: 0, op_offset: 0 }]);
    let [.., flush, op] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((flush.service.as_str(), op.cause), ("flushCommitLog", Some(flush.seq)));
}

/// A flush that does not come about in time counts as success all the same.
#[test]
fn a_commit_that_is_not_flushed_in_time_is_a_commit() {
    let mut world = configured(&[("flushDiskType", "SYNC_FLUSH"), ("syncFlushTimeout", "300")]);
    sent(&mut world, &[]);
    world.act(pause(BROKER, Some(Service::FlushCommitLog))).unwrap();
    end(&mut world, 0, COMMIT);
    let events = run_until_event(&mut world, |event| event.service == "endTransaction");
    let statuses = events.iter().flat_map(|event| broker_steps(event)).filter_map(|step| match step {
        BrokerStep::PutEnded { status } => Some(status.as_str()),
        _ => None,
    });
    assert_eq!(statuses.collect::<Vec<_>>(), ["FLUSH_DISK_TIMEOUT", "PUT_OK"]);
}

#[test]
fn what_cannot_be_put_leaves_the_half_undecided() {
    let mut world = world();
    sent(&mut world, &[]);
    let fault = crate::disk::memory::Fault::WriteError { path: "commitlog".to_owned() };
    world.act(Action::DiskFault { broker: BROKER.to_owned(), fault }).unwrap();
    let events = end(&mut world, 0, COMMIT);
    assert_eq!(refused(&events).len(), 1);
    assert_eq!(counts(&world), (0, 1, 0));
}

/// Ends that wait 3 s for their pool are let go, and nobody is told.
#[test]
fn an_end_that_waits_too_long_is_lost() {
    let mut world = world();
    sent(&mut world, &[]);
    world.act(pause(BROKER, Some(Service::EndTransaction))).unwrap();
    let request = end_of(&world, 0, COMMIT);
    say(&mut world, request);
    let begin_us = world.now_us();
    let events = run_until_event(&mut world, |event| event.service == "fastFailure");
    assert!((3_000_000..3_020_000).contains(&(world.now_us() - begin_us)), "{}", world.now_us() - begin_us);
    assert!(events.last().unwrap().sent.is_empty());
    world.act(resume(BROKER, Some(Service::EndTransaction))).unwrap();
    assert_eq!(counts(&world), (0, 1, 0));
}

#[test]
fn a_broker_can_refuse_transactions() {
    let mut world = configured(&[("rejectTransactionMessage", "true")]);
    world.act(half(&[])).unwrap();
    let events = rest(&mut world);
    assert_eq!(refused(&events)[0], "the broker[10.0.2.1] sending transaction message is forbidden");
    assert_eq!(counts(&world), (0, 0, 0));
}

/// The pool's queue is as long as `endTransactionPoolQueueCapacity`; who finds it full is turned away, and never told.
#[test]
fn an_end_that_finds_the_pool_full_is_lost() {
    let mut world = configured(&[("endTransactionPoolQueueCapacity", "1")]);
    sent(&mut world, &[]);
    sent(&mut world, &[]);
    world.act(pause(BROKER, Some(Service::EndTransaction))).unwrap();
    for half_offset in [0, 1] {
        let request = end_of(&world, half_offset, COMMIT);
        say(&mut world, request);
    }
    let events = run_until_event(&mut world, |event| !refused(std::slice::from_ref(event)).is_empty());
    let turned_away = events.last().unwrap();
    assert_eq!(refused(&events), ["[OVERLOAD]system busy, start flow control for a while"]);
    assert!(turned_away.sent.is_empty());
    world.act(resume(BROKER, Some(Service::EndTransaction))).unwrap();
    run_until_event(&mut world, |event| event.service == "endTransaction");
    run_until(&mut world, |world| store(world).dispatch_behind_bytes() == 0);
    assert_eq!(counts(&world), (1, 2, 1));
}

/// A half message with a delay level waits on that level, and is dropped when its time has come.
#[test]
fn delay_means_the_end_of_a_half_message() {
    let mut world = world();
    sent(&mut world, &[("DELAY", "1")]);
    assert_eq!(counts(&world), (0, 0, 0));
    let events = rest(&mut world);
    let dropped = crate::node::DelayStep::DelayHalfDropped { level: 1, queue_offset: 0 };
    assert!(events.iter().flat_map(|event| &event.steps).any(|step| step.what == StepKind::Delay(dropped.clone())));
    assert_eq!(counts(&world), (0, 0, 0));
}
