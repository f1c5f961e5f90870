//! Ends that come once more, late, or from somebody else, and half messages that are checked anew.

use super::*;

fn end(producer: &str, state: LocalTransactionState) -> EndTransaction {
    EndTransaction { producer: producer.to_owned(), state, ..EndTransaction::default() }
}

fn by_hand(end: EndTransaction) -> Action {
    Action::EndTransaction(Box::new(end))
}

/// `EndTransactionProcessor` does not look whether the half was ended: each commit writes the message.
#[test]
fn a_second_commit_sends_the_message_twice() {
    let mut world = alone(&in_memory());
    act(&mut world, in_transaction(what(ListenerResult::Commit)));
    act(&mut world, by_hand(end("producer", LocalTransactionState::Commit)));
    assert_eq!((messages(&world), behind(&world)), (2, (1, 2, 0)));
}

#[test]
fn a_commit_after_a_rollback_counts() {
    let mut world = alone(&in_memory());
    act(&mut world, in_transaction(what(ListenerResult::Rollback)));
    let named = EndTransaction { message: Some("M1".to_owned()), ..end("producer", LocalTransactionState::Commit) };
    act(&mut world, by_hand(named));
    assert_eq!((messages(&world), behind(&world)), (1, (1, 2, 0)));
    act(&mut world, by_hand(end("producer", LocalTransactionState::Rollback)));
    assert_eq!(messages(&world), 1, "and a rollback after a commit changes nothing");
}

/// The first half is still there when the message has been given up; a commit of it is as good as ever.
#[test]
fn a_late_commit_counts_after_the_message_was_given_up() {
    let mut world = alone(&in_memory());
    act(&mut world, in_transaction(what(ListenerResult::Unknown)));
    assert_eq!((messages(&world), behind(&world)), (0, (16, 0, 1)));
    act(&mut world, by_hand(end("producer", LocalTransactionState::Commit)));
    assert_eq!(messages(&world), 1);
}

#[test]
fn unknown_by_hand_changes_nothing() {
    let mut world = alone(&in_memory());
    act(&mut world, in_transaction(what(ListenerResult::Rollback)));
    act(&mut world, by_hand(end("producer", LocalTransactionState::Unknown)));
    assert_eq!((messages(&world), behind(&world)), (0, (1, 1, 0)));
}

/// The broker compares `PGROUP` with the group that speaks: only producers of the group may end it.
#[test]
fn only_the_group_may_end_a_half_message() {
    let mut world = World::new(&shop(&in_memory()), 1).unwrap();
    act(&mut world, in_transaction(what(ListenerResult::Rollback)));
    let half = || Some(HalfAt { broker: BROKER.to_owned(), queue_offset: 0 });
    let of = |producer: &str| by_hand(EndTransaction { half: half(), ..end(producer, LocalTransactionState::Commit) });
    act(&mut world, of("other"));
    assert_eq!(messages(&world), 0);
    act(&mut world, of("twin"));
    assert_eq!(messages(&world), 1);
}

/// `RESUME_CHECK_HALF_MESSAGE`: the copy's checks count from 0, so that a message given up after 15 is asked for again.
#[test]
fn an_administrator_has_it_checked_anew() {
    let mut cluster = shop(&in_memory());
    cluster.administrators.push(AdministratorSpec { name: "admin".to_owned(), ..AdministratorSpec::default() });
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, Action::Stop { node: "twin".to_owned() });
    let mut checks = vec![ListenerResult::Unknown; 15];
    checks.push(ListenerResult::Commit);
    act(&mut world, in_transaction(SendInTransaction { checks, ..what(ListenerResult::Unknown) }));
    assert_eq!((messages(&world), behind(&world)), (0, (16, 0, 1)));
    let resume = |queue_offset| {
        let command = Command::ResumeCheck { broker: BROKER.to_owned(), queue_offset };
        Action::Administer(Box::new(Administer { administrator: "admin".to_owned(), command }))
    };
    assert!(matches!(world.act(resume(1)), Err(ActionError::BadValue { field, .. }) if field == "queueOffset"));
    act(&mut world, resume(0));
    let told = world.client("admin").unwrap().answers().last().unwrap().clone();
    assert_eq!((told.value, told.lines, told.error), (Some(1), vec!["true".to_owned()], None));
    let checks = world.client("producer").unwrap().checks();
    assert_eq!(
        checks.last().map(|check| (check.times, check.state)),
        Some((Some(1), Some(LocalTransactionState::Commit)))
    );
    // The resumed copy and the one that the question was about.
    assert_eq!((messages(&world), behind(&world)), (1, (18, 1, 1)));
}
