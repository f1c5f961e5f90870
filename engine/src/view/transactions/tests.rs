use super::super::{Answer, Query, Session, sandbox_cluster};
use super::{HalfState, PastFate, TransactionsPicture};
use crate::{
    client::{ListenerResult, LocalTransactionState},
    sim::{Action, EndTransaction, ListenerSpec, Send, SendInTransaction},
};

fn picture(session: &mut Session) -> TransactionsPicture {
    let Answer::Transactions(picture) = session.ask(Query::Transactions { node: "broker-a".to_owned() }) else {
        panic!("no picture")
    };
    *picture
}

fn act(session: &mut Session, action: Action) {
    let answer = session.ask(Query::Act { action });
    assert!(matches!(answer, Answer::Workbench(_)), "{answer:?}");
}

/// A half message whose producer never says how its transaction ended.
fn half(name: &str) -> Action {
    let properties = [("TRAN_MSG", "true"), ("PGROUP", "order_producer")];
    Action::Send(Box::new(Send {
        name: Some(name.to_owned()),
        producer: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: Some(1),
        properties: properties.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        ..Send::default()
    }))
}

fn step_until(session: &mut Session, done: impl Fn(&TransactionsPicture) -> bool) -> TransactionsPicture {
    for _ in 0..400 {
        let seen = picture(session);
        if done(&seen) {
            return seen;
        }
        session.ask(Query::Step);
    }
    panic!("it does not come about: {:?}", picture(session));
}

/// By the table of 4.9.8: the half message is older than 6 s and the op queue is empty, so row 10 fires and a copy goes to
/// the queue's end; nobody has dispatched the copy yet, so the queue ends before it and row 4 ends the check.
#[test]
fn a_half_message_that_nobody_ends_is_seen_being_put_back_and_asked_about() {
    let mut session = Session::new();
    session.ask(Query::StartSandbox { cluster: None, seed: 1 });
    let empty = picture(&mut session);
    assert_eq!((empty.running, empty.timeout_ms, empty.check_max, empty.interval_ms), (true, 6_000, 15, 60_000));
    assert_eq!((empty.halves.len(), empty.ops.len(), empty.last_check), (0, 0, None));

    act(&mut session, half("T1"));
    let waiting = step_until(&mut session, |seen| !seen.halves.is_empty());
    let slot = &waiting.halves[0];
    assert_eq!((slot.queue_offset, slot.name.as_deref(), slot.state), (0, Some("T1"), HalfState::Open));
    assert_eq!((slot.real_topic.as_deref(), slot.real_queue, slot.check_times), (Some("OrderTopic"), Some(1), 0));
    assert_eq!(slot.group.as_deref(), Some("order_producer"));
    assert!(waiting.next_check_us.is_some_and(|next_us| next_us > waiting.now_us));

    act(&mut session, Action::Wait { ms: 61_000 });
    let checked = step_until(&mut session, |seen| seen.asked == 1 && seen.halves.len() == 2);
    let (old, copy) = (&checked.halves[0], &checked.halves[1]);
    assert_eq!((old.state, old.check_times), (HalfState::PutBack { to: 1 }, 0));
    assert_eq!((copy.state, copy.check_times, copy.name.as_deref()), (HalfState::Open, 1, Some("T1")));
    let check = checked.last_check.expect("a check");
    let fired: Vec<(u8, i64)> = check.decisions.iter().map(|decision| (decision.row, decision.half_offset)).collect();
    assert_eq!(fired, [(10, 0), (4, 1)]);
    assert_eq!((check.half_from, check.half_to, check.remove_map.len(), check.done.len()), (0, 1, 0, 0));
    let [past] = checked.pasts.as_slice() else { panic!("{:?}", checked.pasts) };
    assert_eq!((past.name.as_deref(), past.entries[0].check_times), (Some("T1"), 1));
    assert!(matches!(past.entries[0].fate, PastFate::Asked { new_offset: 1, .. }), "{:?}", past.entries);
}

/// A half message is never changed: the op queue says that it is decided, and each commit puts a message of its own.
#[test]
fn what_is_decided_is_seen_in_the_op_queue_and_a_second_commit_in_the_real_one() {
    let mut session = Session::new();
    let mut cluster = sandbox_cluster();
    cluster.producers[0].listener = Some(ListenerSpec::default());
    session.ask(Query::StartSandbox { cluster: Some(Box::new(cluster)), seed: 1 });
    let (name, producer, topic) = (Some("T1".to_owned()), "producer".to_owned(), "OrderTopic".to_owned());
    let send = Send { name, producer: producer.clone(), topic, ..Send::default() };
    let local = ListenerResult::Commit;
    act(&mut session, Action::SendInTransaction(Box::new(SendInTransaction { send, local, ..Default::default() })));
    let once = step_until(&mut session, |seen| seen.ops.len() == 1 && seen.halves.len() == 1);
    let half = &once.halves[0];
    assert_eq!((half.state, half.committed_to.as_slice()), (HalfState::Decided { op_offset: 0 }, [0].as_slice()));
    assert_eq!((once.ops[0].half_offset, once.ops[0].name.as_deref()), (Some(0), Some("T1")));

    let state = LocalTransactionState::Commit;
    act(
        &mut session,
        Action::EndTransaction(Box::new(EndTransaction { producer, state, ..EndTransaction::default() })),
    );
    let twice = step_until(&mut session, |seen| seen.ops.len() == 2);
    assert_eq!((twice.halves.len(), twice.halves[0].committed_to.as_slice()), (1, [0, 1].as_slice()));
    assert_eq!(twice.halves[0].state, HalfState::Decided { op_offset: 0 }, "the first that says so");

    // The first check keeps one op message for each half message, the last (`removeMap`), so the first of them is left
    // over; the second check has passed the half message already, and has done with both.
    let first = step_until(&mut session, |seen| seen.half.offset == 1);
    let check = first.last_check.expect("a check");
    assert_eq!((check.decisions[0].row, check.decisions[0].half_offset), (2, 0));
    assert_eq!((check.done.as_slice(), check.remove_map.len(), first.op.offset), ([1].as_slice(), 0, 0));
    let second = step_until(&mut session, |seen| seen.op.offset == 2);
    let check = second.last_check.expect("a check");
    assert_eq!((check.half_from, check.done.as_slice(), second.asked), (1, [0, 1].as_slice(), 0));
}

#[test]
fn a_broker_that_is_down_tells_its_settings_only() {
    let mut session = Session::new();
    session.ask(Query::StartSandbox { cluster: None, seed: 1 });
    act(&mut session, Action::Kill { node: "broker-a".to_owned() });
    let down = picture(&mut session);
    assert_eq!((down.running, down.check_max, down.next_check_us, down.halves.len()), (false, 15, None, 0));
    let nobody = session.ask(Query::Transactions { node: "nobody".to_owned() });
    assert!(matches!(nobody, Answer::Failed(_)));
}
