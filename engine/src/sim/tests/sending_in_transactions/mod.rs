//! Producers that send in transactions, and what they answer when a broker asks: whole worlds.

mod asked;
mod by_hand;
mod lost;
mod refused;

use super::crashes::{act, kill, start};
use super::*;
use crate::{
    client::{Keeps, ListenerResult, LocalTransactionState, TransactionOutcome, TransactionPhase, TransactionProgress},
    database::TableSpec,
    message::transaction::{DISCARD_TOPIC, HALF_TOPIC, OP_TOPIC},
    node::ProducerStep,
    store::ConsumeQueue,
    wire::{Cell, Change, Values},
};

const BROKER: &str = "broker-a";
const DB: &str = "order-db";

/// The usual cluster with checks every second from a second on, a database, and three producers: `producer` and `twin` are
/// of one group and have the same listener, `other` is of another group.
fn shop(listener: &ListenerSpec) -> Cluster {
    let mut cluster = cluster();
    for (key, value) in [("transactionTimeOut", "1000"), ("transactionCheckInterval", "1000")] {
        cluster.brokers[0].config.insert(key.to_owned(), value.to_owned());
    }
    let producer = |name: &str, group: &str| ProducerSpec {
        name: name.to_owned(),
        group: group.to_owned(),
        listener: Some(listener.clone()),
        ..ProducerSpec::default()
    };
    cluster.producers = vec![producer("producer", "TPG"), producer("twin", "TPG"), producer("other", "OPG")];
    let orders = TableSpec {
        name: "orders".to_owned(),
        columns: ["id", "state"].map(str::to_owned).to_vec(),
        key: vec!["id".to_owned()],
        ..TableSpec::default()
    };
    cluster.databases = vec![DatabaseSpec { name: DB.to_owned(), tables: vec![orders], skew_ms: 0 }];
    cluster
}

fn in_memory() -> ListenerSpec {
    ListenerSpec { database: Some(DB.to_owned()), ..ListenerSpec::default() }
}

fn in_database() -> ListenerSpec {
    ListenerSpec { keeps: Keeps::Database, ..in_memory() }
}

/// A world of [`shop`] in which `twin` does not run, so that only `producer` is asked.
fn alone(listener: &ListenerSpec) -> World {
    let mut world = World::new(&shop(listener), 1).unwrap();
    act(&mut world, Action::Stop { node: "twin".to_owned() });
    world
}

fn order(id: i64) -> Vec<Change> {
    let row = Values::from([("id".to_owned(), id.into()), ("state".to_owned(), "PAID".into())]);
    vec![Change::Insert { table: "orders".to_owned(), row }]
}

fn what(local: ListenerResult) -> SendInTransaction {
    let send = Send {
        name: Some("M1".to_owned()),
        producer: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        keys: Some("pay-1".to_owned()),
        ..Send::default()
    };
    SendInTransaction { send, local, ..SendInTransaction::default() }
}

fn in_transaction(what: SendInTransaction) -> Action {
    Action::SendInTransaction(Box::new(what))
}

fn crash_when(node: &str, service: Service, turn: u32) -> Action {
    Action::CrashWhen(Box::new(CrashWhen { node: node.to_owned(), service, turn }))
}

/// Where the next unit of a queue of the broker goes.
fn end_of(world: &World, topic: &str, queue: i32) -> i64 {
    let store = world.broker(BROKER).unwrap().store().unwrap();
    store.queue(topic, queue).map_or(0, ConsumeQueue::max_offset_in_queue)
}

/// Messages that consumers of `OrderTopic` can have.
fn messages(world: &World) -> i64 {
    end_of(world, "OrderTopic", 0) + end_of(world, "OrderTopic", 1)
}

/// Messages of the half queue, of the op queue, and those given up.
fn behind(world: &World) -> (i64, i64, i64) {
    (end_of(world, HALF_TOPIC, 0), end_of(world, OP_TOPIC, 0), end_of(world, DISCARD_TOPIC, 0))
}

fn rows(world: &World, table: &str) -> usize {
    world.database(DB).unwrap().table(table).unwrap().len()
}

fn told(world: &World) -> TransactionOutcome {
    world.client("producer").unwrap().transactions().last().unwrap().clone()
}

/// What the questions to a producer were answered with.
fn answers(world: &World, producer: &str) -> Vec<Option<LocalTransactionState>> {
    world.client(producer).unwrap().checks().iter().map(|check| check.state).collect()
}

/// The steps of a producer in some events.
fn producer_steps(events: &[TraceEvent]) -> Vec<&ProducerStep> {
    let steps = events.iter().flat_map(|event| &event.steps);
    steps.filter_map(|step| if let StepKind::Producer(step) = &step.what { Some(step) } else { None }).collect()
}

fn run_until(world: &mut World, done: impl Fn(&World) -> bool) {
    let mut events = 0;
    while !done(world) {
        assert!(events < 10_000, "it does not come about");
        world.step().expect("something is still to happen");
        events += 1;
    }
}

#[test]
fn a_commit_makes_the_message_visible_and_a_rollback_never_does() {
    for (local, state, seen) in [
        (ListenerResult::Commit, LocalTransactionState::Commit, 1),
        (ListenerResult::Rollback, LocalTransactionState::Rollback, 0),
    ] {
        let mut world = World::new(&shop(&in_memory()), 1).unwrap();
        let events = act(&mut world, in_transaction(what(local)));
        let outcome = told(&world);
        assert_eq!((outcome.progress, outcome.status.as_str()), (TransactionProgress::Told, "SEND_OK"));
        assert_eq!((outcome.local, outcome.state), (Some(local), Some(state)));
        assert_eq!(outcome.phase, TransactionPhase::End);
        assert_eq!(messages(&world), seen, "{local:?}");
        // One half, one op message, and nobody had to ask.
        assert_eq!(behind(&world), (1, 1, 0));
        assert_eq!(answers(&world, "producer"), []);
        let steps = producer_steps(&events);
        let place = |wanted: &dyn Fn(&ProducerStep) -> bool| steps.iter().position(|step| wanted(step)).unwrap();
        let order = [
            place(&|step| matches!(step, ProducerStep::TransactionBegan { number: 0 })),
            place(&|step| matches!(step, ProducerStep::HalfMarked { group } if group == "TPG")),
            place(&|step| matches!(step, ProducerStep::LocalTransactionBegan { .. })),
            place(&|step| matches!(step, ProducerStep::LocalTransactionEnded { .. })),
            place(&|step| matches!(step, ProducerStep::TransactionEndSent { .. })),
            place(&|step| matches!(step, ProducerStep::TransactionTold { .. })),
        ];
        assert!(order.is_sorted(), "{order:?}");
    }
}

/// `DefaultMQProducerImpl.sendMessageInTransaction`: the delay goes, `TRAN_MSG` and `PGROUP` come; `UNIQ_KEY` is what the
/// listener knows the transaction by.
#[test]
fn the_half_message_says_whom_to_ask_and_has_no_delay() {
    let mut world = World::new(&shop(&in_memory()), 1).unwrap();
    let mut delayed = what(ListenerResult::Commit);
    delayed.send.delay_level = Some(3);
    let events = act(&mut world, in_transaction(delayed));
    assert!(producer_steps(&events).contains(&&ProducerStep::DelayDropped { level: 3 }));
    let half = told(&world).half.unwrap();
    let store = world.broker(BROKER).unwrap().store().unwrap();
    let bytes = store.look_message_by_offset(half.commit_log_offset).unwrap();
    let record = crate::message::record::decode(&bytes).unwrap();
    assert_eq!((&*record.topic, record.queue_offset), ("RMQ_SYS_TRANS_HALF_TOPIC", half.queue_offset));
    let property = |name: &str| record.property(name).map(str::to_owned);
    assert_eq!(property("TRAN_MSG").as_deref(), Some("true"));
    assert_eq!(property("PGROUP").as_deref(), Some("TPG"));
    assert_eq!(property("DELAY"), None);
    assert_eq!(property("UNIQ_KEY"), Some(half.msg_id));
    assert_eq!(messages(&world), 1, "at once");
}

/// Null and an exception are `UNKNOW`; the broker asks, in rounds a second apart, until it hears something else.
#[test]
fn what_is_unknown_is_asked_for_until_it_is_known() {
    for local in [ListenerResult::Unknown, ListenerResult::Null, ListenerResult::Throw] {
        let mut world = alone(&in_memory());
        let checks = vec![ListenerResult::Unknown, ListenerResult::Throw, ListenerResult::Commit];
        act(&mut world, in_transaction(SendInTransaction { checks, ..what(local) }));
        let outcome = told(&world);
        assert_eq!((outcome.local, outcome.state), (Some(local), Some(LocalTransactionState::Unknown)));
        let (unknown, commit) = (Some(LocalTransactionState::Unknown), Some(LocalTransactionState::Commit));
        assert_eq!(answers(&world, "producer"), [unknown, unknown, commit]);
        let asked: Vec<i64> =
            world.client("producer").unwrap().checks().iter().map(|check| check.asked_us / 1000).collect();
        assert!(asked.windows(2).all(|pair| (990..=1010).contains(&(pair[1] - pair[0]))), "{asked:?}");
        assert_eq!(messages(&world), 1);
        // The half and its three copies.
        assert_eq!(behind(&world), (4, 1, 0));
        let times: Vec<_> = world.client("producer").unwrap().checks().iter().map(|check| check.times).collect();
        assert_eq!(times, [Some(1), Some(2), Some(3)]);
    }
}

#[test]
fn the_changes_and_the_row_that_tells_of_them_commit_together() {
    for (local, committed) in [(ListenerResult::Commit, 1), (ListenerResult::Rollback, 0), (ListenerResult::Unknown, 1)]
    {
        let mut world = World::new(&shop(&in_database()), 1).unwrap();
        act(&mut world, in_transaction(SendInTransaction { changes: order(1), ..what(local) }));
        assert_eq!((rows(&world, "orders"), rows(&world, "transactions")), (committed, committed), "{local:?}");
        assert_eq!(messages(&world), committed as i64, "{local:?}");
        assert_eq!(world.database(DB).unwrap().open().count(), 0);
    }
    let mut world = World::new(&shop(&in_database()), 1).unwrap();
    act(&mut world, in_transaction(what(ListenerResult::Commit)));
    let id = told(&world).half.unwrap().msg_id;
    let cell = |column: &str| world.database(DB)?.table("transactions")?.cell(&id, column).cloned();
    assert_eq!((cell("topic"), cell("keys")), (Some(Cell::from("OrderTopic")), Some(Cell::from("pay-1"))));
}

/// A listener that takes its time holds the end back, not the half message.
#[test]
fn a_local_transaction_takes_its_time() {
    let mut world = World::new(&shop(&in_memory()), 1).unwrap();
    act(&mut world, in_transaction(SendInTransaction { local_ms: 700, ..what(ListenerResult::Commit) }));
    let outcome = told(&world);
    let took_ms = (outcome.ended_us.unwrap() - outcome.began_us) / 1000;
    assert!((700..710).contains(&took_ms), "{took_ms}");
    assert_eq!((messages(&world), answers(&world, "producer")), (1, Vec::new()));
}
