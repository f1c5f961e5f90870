//! Is the judge any good? The run of a small case is right; made wrong by hand in one place, it must not pass, and for that
//! very reason.

use rocketscope_engine::client::{ListenerResult, LocalTransactionState};
use rocketscope_engine::message::transaction::HALF_TOPIC;
use rocketscope_engine::sim::{Action, SendInTransaction, World};

use crate::case::{BrokerShape, Case, Kind, Mode, Op, Shape, Target};
use crate::cluster;
use crate::ends::Ends;
use crate::exception::Exception;
use crate::judge::judge_logs;
use crate::ledger::End;
use crate::logs::{Found, Logs};
use crate::play::{self, Play};

const BROKER: &str = "broker-0";

fn shape() -> Shape {
    let broker = BrokerShape {
        sync_flush: false,
        sync_master: false,
        slave: false,
        async_deliver: false,
        pool: false,
        log_file: 65_536,
    };
    Shape {
        name_servers: 1,
        brokers: vec![broker],
        producers: 1,
        latency_fault: false,
        retry_another: false,
        not_found: LocalTransactionState::Unknown,
        seed: 1,
    }
}

/// A message `m0`, a delayed one `m1`, a committed one `m2`, one that was rolled back `m3`, and one that nobody decides, `m4`.
fn case(kind: Kind) -> Case {
    let send =
        |level| Op::Send { producer: 0, topic: 0, mode: Mode::Sync, level, body: 0, wait: true, to: Target::Queue(0) };
    let transaction =
        |local| Op::Transaction { producer: 0, topic: 0, local, local_ms: 0, checks: Vec::new(), immunity: None };
    let ops = vec![
        send(0),
        send(2),
        transaction(ListenerResult::Commit),
        transaction(ListenerResult::Rollback),
        transaction(ListenerResult::Unknown),
    ];
    Case { kind, shape: shape(), ops }
}

/// A fault, and what the judge says of it.
type Fault = (&'static str, fn(&mut Play, &mut Logs), &'static str);

const FAULTS: [Fault; 12] = [
    ("lost", |_, logs| take(logs, "m0", |_| true), "m0 was acknowledged by broker-0 and is stored nowhere"),
    ("no unit", |_, logs| change(logs, "m0", |copy| copy.has_unit = false), "m0 is stored, and no consumer can see it"),
    ("not delivered", |_, logs| take(logs, "m1", is_order), "m1 is stored, and no consumer can see it"),
    ("another body", |_, logs| change(logs, "m0", |copy| copy.body.push('!')), "m0 is another message"),
    ("another topic", |_, logs| change(logs, "m0", |copy| copy.topic.push_str("Others")), "m0 is another message"),
    ("nobody's", |play, _| drop(play.ledger.sent.remove("m0")), "nobody sent m0"),
    // Level 2 is 2 s.
    ("too early", |_, logs| change(logs, "m1", early), "a delayed message was delivered before its time"),
    ("not committed", |play, _| play.ledger.said = Ends::default(), "m2 can be consumed, and nobody has committed it"),
    ("undecided", |_, logs| logs.decided.clear(), "is neither decided nor given up"),
    ("not given up", |_, logs| take(logs, "m4", |copy| copy.topic != HALF_TOPIC), "m4 is neither decided nor given up"),
    (
        "commit without effect",
        |_, logs| take(logs, "m2", is_order),
        "m2 is committed, and there is nothing to be consumed",
    ),
    ("another's end", |play, _| play.ledger.said.mistaken.push(BROKER.to_owned()), "that nobody has committed"),
];

fn is_order(copy: &Found) -> bool {
    copy.topic == cluster::TOPICS[0]
}

fn early(copy: &mut Found) {
    if is_order(copy) {
        copy.store_ms -= 1000;
    }
}

fn of_key<'l>(logs: &'l mut Logs, key: &str) -> &'l mut Vec<Found> {
    let of_key = |copies: &&mut Vec<Found>| copies.iter().any(|copy| copy.key.as_deref() == Some(key));
    logs.by_id.values_mut().find(of_key).expect("the message is stored")
}

fn take(logs: &mut Logs, key: &str, which: fn(&Found) -> bool) {
    of_key(logs, key).retain(|copy| !which(copy));
}

fn change(logs: &mut Logs, key: &str, how: fn(&mut Found)) {
    of_key(logs, key).iter_mut().for_each(how);
}

/// Every fault is found.
pub(crate) fn are_found() -> Result<(), String> {
    let case = case(Kind::Calm);
    let play = play::healed(&case).map_err(|(_, what)| what)?;
    let logs = Logs::read(&play.world, &play.masters);
    let tally = judge_logs(&case, &play, logs.clone())?;
    if (tally.acknowledged, tally.delayed, tally.halves, tally.committed, tally.discarded) != (5, 1, 3, 1, 1) {
        return Err(format!("the right run came to {tally}"));
    }
    for (fault, make, expected) in FAULTS {
        let (mut play, mut logs) = (play.clone(), logs.clone());
        make(&mut play, &mut logs);
        match judge_logs(&case, &play, logs) {
            Err(what) if what.contains(expected) => {}
            other => return Err(format!("{fault}, and the judge said {other:?}")),
        }
    }
    Ok(())
}

/// What a power loss takes is excused where power may be lost, and by its name.
pub(crate) fn are_excused() -> Result<(), String> {
    for (kind, excused) in [(Kind::Wild, true), (Kind::Calm, false)] {
        let case = case(kind);
        let mut play = play::healed(&case).map_err(|(_, what)| what)?;
        let mut logs = Logs::read(&play.world, &play.masters);
        take(&mut logs, "m0", |_| true);
        play.ledger.ends.insert(BROKER.to_owned(), vec![(i64::MAX, End::PowerLoss)]);
        match judge_logs(&case, &play, logs) {
            Ok(tally) if excused && tally.exceptions == [((kind, Exception::NotFlushed), 1)].into() => {}
            Err(what) if !excused && what.contains("NotFlushed, which such a case forbids") => {}
            other => return Err(format!("{kind:?}: {other:?}")),
        }
    }
    Ok(())
}

/// A message of a transaction that consumers see before anybody committed it is found at that very event.
pub(crate) fn early_ends_are_found() -> Result<(), String> {
    let mut world = World::new(&shape().cluster(), 1).map_err(|error| error.to_string())?;
    let send = SendInTransaction { local: ListenerResult::Commit, ..SendInTransaction::default() };
    let message = rocketscope_engine::sim::Send {
        producer: cluster::producer(0),
        topic: cluster::TOPICS[0].to_owned(),
        keys: Some("m0".to_owned()),
        ..rocketscope_engine::sim::Send::default()
    };
    let action = Action::SendInTransaction(Box::new(SendInTransaction { send: message, ..send }));
    let mut event = world.act(action).map_err(|error| error.to_string())?;
    let (mut told, mut untold) = (Ends::default(), Ends::default());
    let mut found = 0;
    for _ in 0..1000 {
        world.client(&cluster::producer(0)).into_iter().for_each(|client| told.note(client));
        told.look(&world, &event)?;
        match untold.look(&world, &event) {
            Err(what) if what.contains("m0 can be consumed at broker-0") => found += 1,
            other => other?,
        }
        let Some(next) = world.step().filter(|next| next.at_us < 5_000_000) else { break };
        event = next;
    }
    if found == 1 { Ok(()) } else { Err(format!("found {found} times")) }
}
