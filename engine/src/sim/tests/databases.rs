//! Applications with a database: what a crash between two phases leaves, and how an outbox mends it.

use super::*;
use crate::{
    client::{Business, BusinessState},
    database::TableSpec,
    store::ConsumeQueue,
    wire::{Cell, Change, Values},
};

const DB: &str = "order-db";

fn values(pairs: &[(&str, Cell)]) -> Values {
    pairs.iter().map(|(column, cell)| ((*column).to_owned(), cell.clone())).collect()
}

/// The usual cluster, with a database that the whole producer relays an outbox from.
fn shop() -> Cluster {
    let mut cluster = cluster();
    let orders = TableSpec {
        name: "orders".to_owned(),
        columns: ["id", "state"].map(str::to_owned).to_vec(),
        key: vec!["id".to_owned()],
        ..TableSpec::default()
    };
    cluster.databases = vec![DatabaseSpec { name: DB.to_owned(), tables: vec![orders], skew_ms: 0 }];
    cluster.producers[0].outbox = Some(OutboxSpec { database: DB.to_owned(), ..OutboxSpec::default() });
    cluster
}

fn order(id: i64) -> Vec<Change> {
    vec![Change::Insert { table: "orders".to_owned(), row: values(&[("id", id.into()), ("state", "PAID".into())]) }]
}

fn what(id: i64) -> Box<ChangeAndSend> {
    let send = Send {
        producer: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: Some(0),
        keys: Some(format!("pay-{id}")),
        ..Send::default()
    };
    Box::new(ChangeAndSend { database: DB.to_owned(), changes: order(id), send })
}

fn business(business: Business, id: i64) -> Action {
    match business {
        Business::Transact => Action::Transact(Box::new(Transact {
            client: "producer".to_owned(),
            database: DB.to_owned(),
            changes: order(id),
        })),
        Business::CommitThenSend => Action::CommitThenSend(what(id)),
        Business::SendThenCommit => Action::SendThenCommit(what(id)),
        Business::WriteOutbox => Action::WriteOutbox(what(id)),
    }
}

fn crash_when(node: &str, service: Service, turn: u32) -> Action {
    Action::CrashWhen(Box::new(CrashWhen { node: node.to_owned(), service, turn }))
}

fn start(node: &str) -> Action {
    Action::Start { node: node.to_owned() }
}

fn kill(node: &str) -> Action {
    Action::Kill { node: node.to_owned() }
}

fn rows(world: &World, table: &str) -> usize {
    world.database(DB).unwrap().table(table).unwrap().len()
}

fn cell(world: &World, table: &str, key: &str, column: &str) -> Option<Cell> {
    world.database(DB)?.table(table)?.cell(key, column).cloned()
}

/// Messages in queue 0 of `OrderTopic`.
fn messages(world: &World) -> i64 {
    let store = world.broker("broker-a").unwrap().store().unwrap();
    store.queue("OrderTopic", 0).map_or(0, ConsumeQueue::max_offset_in_queue)
}

fn state(world: &World) -> BusinessState {
    world.client("producer").unwrap().business().last().unwrap().state
}

#[test]
fn every_way_ends_well_when_nothing_crashes() {
    let mut world = World::new(&shop(), 1).unwrap();
    let ways = [Business::Transact, Business::CommitThenSend, Business::SendThenCommit, Business::WriteOutbox];
    for (id, way) in (1..).zip(ways) {
        world.act(business(way, id)).unwrap();
        rest(&mut world);
        assert_eq!(state(&world), BusinessState::Done, "{way:?}");
        assert_eq!(rows(&world, "orders"), id as usize);
    }
    assert_eq!(messages(&world), 3);
    assert_eq!((rows(&world, "outbox"), cell(&world, "outbox", "1", "sent")), (1, Some(Cell::Int(1))));
    assert_eq!(cell(&world, "outbox", "1", "keys"), Some("pay-4".into()));
}

/// The turns of `application` after the action: the answer to the changes, the commit, its answer, the send.
#[test]
fn a_crash_before_the_commit_leaves_nothing_and_one_after_it_a_lost_event() {
    for (turn, orders) in [(1, 0), (2, 0), (3, 1), (4, 1)] {
        let mut world = World::new(&shop(), 1).unwrap();
        world.act(crash_when("producer", Service::Application, turn)).unwrap();
        // The action's own turn is none of those that are counted.
        world.act(business(Business::CommitThenSend, 1)).unwrap();
        rest(&mut world);
        assert_eq!(world.node_state("producer"), Some(NodeState::Down));
        assert_eq!(state(&world), BusinessState::Crashed);
        assert_eq!((rows(&world, "orders"), messages(&world)), (orders, 0), "before turn {turn}");
        assert_eq!(world.database(DB).unwrap().open().count(), 0);
        world.act(start("producer")).unwrap();
        rest(&mut world);
        assert_eq!((rows(&world, "orders"), messages(&world)), (orders, 0), "nothing makes up for it");
    }
}

#[test]
fn sending_first_leaves_a_message_about_nothing() {
    let mut world = World::new(&shop(), 1).unwrap();
    // Answer to the changes, send; then the commit.
    world.act(crash_when("producer", Service::Application, 3)).unwrap();
    world.act(business(Business::SendThenCommit, 1)).unwrap();
    rest(&mut world);
    assert_eq!(state(&world), BusinessState::Crashed);
    assert_eq!((rows(&world, "orders"), messages(&world)), (0, 1));
}

#[test]
fn a_send_that_fails_takes_back_what_is_not_committed_and_nothing_else() {
    for (way, orders) in [(Business::SendThenCommit, 0), (Business::CommitThenSend, 1)] {
        let mut world = World::new(&shop(), 1).unwrap();
        world.act(Action::Cut { a: "producer".to_owned(), b: "broker-a".to_owned() }).unwrap();
        world.act(business(way, 1)).unwrap();
        rest(&mut world);
        assert_eq!(state(&world), BusinessState::SendFailed);
        assert_eq!((rows(&world, "orders"), messages(&world)), (orders, 0), "{way:?}");
        assert_eq!(world.database(DB).unwrap().open().count(), 0);
    }
}

#[test]
fn an_outbox_survives_a_crash_at_every_turn() {
    for turn in 1..=3 {
        let mut world = World::new(&shop(), 1).unwrap();
        world.act(crash_when("producer", Service::Application, turn)).unwrap();
        world.act(business(Business::WriteOutbox, 1)).unwrap();
        rest(&mut world);
        world.act(start("producer")).unwrap();
        rest(&mut world);
        // Business row and message come together, or not at all.
        let committed = usize::from(turn == 3);
        assert_eq!((rows(&world, "orders"), rows(&world, "outbox")), (committed, committed), "before turn {turn}");
        assert_eq!(messages(&world), committed as i64, "before turn {turn}");
    }
}

/// The relay's turns: the round, the rows, the send, the mark.
#[test]
fn a_crash_between_send_and_mark_sends_again_with_the_same_key() {
    let mut world = World::new(&shop(), 1).unwrap();
    world.act(business(Business::WriteOutbox, 1)).unwrap();
    world.act(crash_when("producer", Service::OutboxRelay, 4)).unwrap();
    rest(&mut world);
    assert_eq!(world.node_state("producer"), Some(NodeState::Down));
    assert_eq!((messages(&world), cell(&world, "outbox", "1", "sent")), (1, Some(Cell::Int(0))));
    world.act(start("producer")).unwrap();
    rest(&mut world);
    assert_eq!((messages(&world), cell(&world, "outbox", "1", "sent")), (2, Some(Cell::Int(1))));
    world.act(pull("OrderTopic", 0, 0)).unwrap();
    rest(&mut world);
    let got = world.client("consumer").unwrap().received();
    let keys: Vec<_> = got.iter().map(|message| message.keys.as_deref()).collect();
    assert_eq!(keys, [Some("pay-1"); 2]);
    assert_ne!(got[0].msg_id, got[1].msg_id);
}

#[test]
fn a_relay_waits_for_the_broker_and_keeps_the_order() {
    let mut world = World::new(&shop(), 1).unwrap();
    world.act(kill("broker-a")).unwrap();
    for id in 1..=3 {
        world.act(business(Business::WriteOutbox, id)).unwrap();
        rest(&mut world);
    }
    assert_eq!((rows(&world, "orders"), cell(&world, "outbox", "1", "sent")), (3, Some(Cell::Int(0))));
    world.act(start("broker-a")).unwrap();
    world.act(Action::Wait { ms: 60_000 }).unwrap();
    rest(&mut world);
    world.act(pull("OrderTopic", 0, 0)).unwrap();
    rest(&mut world);
    let got = world.client("consumer").unwrap().received();
    let keys: Vec<_> = got.iter().filter_map(|message| message.keys.clone()).collect();
    assert_eq!(keys, ["pay-1", "pay-2", "pay-3"]);
}

#[test]
fn an_idle_relay_costs_nothing_and_wakes_for_a_row() {
    let mut world = World::new(&shop(), 1).unwrap();
    world.act(Action::Wait { ms: 86_400_000 }).unwrap();
    let events = rest(&mut world);
    assert!(events.iter().all(|event| event.service != Service::OutboxRelay.name()), "{}", events.len());
    world.act(business(Business::WriteOutbox, 1)).unwrap();
    rest(&mut world);
    assert_eq!(messages(&world), 1);
}

#[test]
fn a_commit_without_an_answer_is_unknown_and_a_refusal_is_told() {
    let mut world = World::new(&shop(), 1).unwrap();
    // The database's turns: begin, commit. It dies before the commit's, and so the answer never comes.
    world.act(crash_when(DB, Service::Sql, 2)).unwrap();
    world.act(business(Business::Transact, 1)).unwrap();
    rest(&mut world);
    assert_eq!((state(&world), rows(&world, "orders")), (BusinessState::Unknown, 0));
    world.act(business(Business::Transact, 1)).unwrap();
    rest(&mut world);
    assert_eq!(state(&world), BusinessState::Failed);
    world.act(start(DB)).unwrap();
    rest(&mut world);
    for told in [BusinessState::Done, BusinessState::Refused] {
        world.act(business(Business::CommitThenSend, 1)).unwrap();
        rest(&mut world);
        assert_eq!(state(&world), told);
    }
    let cause = world.client("producer").unwrap().business().last().unwrap().cause.clone();
    assert_eq!(cause.as_deref(), Some("duplicate entry `1` for `orders.id`"));
    assert_eq!((rows(&world, "orders"), messages(&world)), (1, 1));

    // This time the commit is done and its answer is on the way.
    world.act(business(Business::Transact, 2)).unwrap();
    while world.database(DB).unwrap().commits() < 2 {
        world.step().unwrap();
    }
    world.act(Action::Cut { a: "producer".to_owned(), b: DB.to_owned() }).unwrap();
    rest(&mut world);
    assert_eq!((state(&world), rows(&world, "orders")), (BusinessState::Unknown, 2));
}

/// Nobody waits for the beginning any more when it is done: the end of the connection, which the client closes after 3 s, is
/// read behind it, and takes it back.
#[test]
fn a_beginning_that_comes_too_late_is_taken_back() {
    let (producer, db) = ("producer".to_owned(), DB.to_owned());
    let waits = [
        (pause(DB, Some(Service::Sql)), resume(DB, Some(Service::Sql))),
        (pause(DB, None), resume(DB, None)),
        (Action::Stall { a: producer.clone(), b: db.clone() }, Action::Mend { a: producer, b: db }),
    ];
    for (wait, go_on) in waits {
        let mut world = World::new(&shop(), 1).unwrap();
        world.act(wait.clone()).unwrap();
        world.act(business(Business::Transact, 1)).unwrap();
        rest(&mut world);
        assert_eq!(state(&world), BusinessState::Failed, "{wait:?}");
        world.act(go_on).unwrap();
        rest(&mut world);
        assert_eq!((world.database(DB).unwrap().open().count(), rows(&world, "orders")), (0, 0), "{wait:?}");
        // Its row is free.
        world.act(business(Business::Transact, 1)).unwrap();
        rest(&mut world);
        assert_eq!((state(&world), rows(&world, "orders")), (BusinessState::Done, 1), "{wait:?}");
    }
}

#[test]
fn a_paused_application_stands_between_two_phases() {
    let mut world = World::new(&shop(), 1).unwrap();
    world.act(business(Business::CommitThenSend, 1)).unwrap();
    world.act(pause("producer", Some(Service::Application))).unwrap();
    rest(&mut world);
    assert_eq!((rows(&world, "orders"), world.database(DB).unwrap().open().count()), (0, 1));
    let refused = world.act(business(Business::Transact, 2));
    assert_eq!(refused, Err(ActionError::Paused { what: "producer.application".to_owned() }));
    world.act(resume("producer", Some(Service::Application))).unwrap();
    rest(&mut world);
    assert_eq!((rows(&world, "orders"), messages(&world)), (1, 1));
}

#[test]
fn what_cannot_be_done_is_refused() {
    let mut world = World::new(&shop(), 1).unwrap();
    let mut refused = |action: Action| world.act(action).unwrap_err();
    let of = |client: &str, database: &str| {
        let (client, database) = (client.to_owned(), database.to_owned());
        Action::Transact(Box::new(Transact { client, database, changes: Vec::new() }))
    };
    let wrong = |node: &str, wanted: &str| ActionError::WrongNode { node: node.to_owned(), wanted: wanted.to_owned() };
    assert_eq!(refused(of("broker-a", DB)), wrong("broker-a", "client"));
    assert_eq!(refused(of("producer", "broker-a")), wrong("broker-a", "database"));
    assert_eq!(refused(of("nobody", DB)), ActionError::NoSuchNode { node: "nobody".to_owned() });
    let mut binary = what(1);
    binary.send.flag = 1;
    assert!(matches!(refused(Action::WriteOutbox(binary)), ActionError::BadValue { field, .. } if field == "send"));
    let bad_turn = refused(crash_when("producer", Service::Application, 0));
    assert!(matches!(bad_turn, ActionError::BadValue { field, .. } if field == "turn"));
    assert!(matches!(refused(crash_when("producer", Service::Reput, 1)), ActionError::NoSuchService { .. }));
    let mut world = World::new(&cluster(), 1).unwrap();
    let refused = world.act(Action::Transact(Box::new(Transact {
        client: "producer".to_owned(),
        database: "broker-a".to_owned(),
        changes: Vec::new(),
    })));
    let (node, service) = ("producer".to_owned(), "application".to_owned());
    assert_eq!(refused, Err(ActionError::NoSuchService { node, service }));
}

#[test]
fn a_cluster_says_what_is_wrong_with_its_databases() {
    let error = |change: &dyn Fn(&mut Cluster)| {
        let mut cluster = shop();
        change(&mut cluster);
        World::new(&cluster, 1).unwrap_err().to_string()
    };
    let outbox = |cluster: &mut Cluster| cluster.producers[0].outbox.take().unwrap();
    assert_eq!(error(&|cluster| cluster.databases.clear()), "producer.outbox: there is no database `order-db`");
    assert!(
        error(&|cluster| {
            cluster.producers[0].outbox = Some(OutboxSpec { period_ms: 0, ..outbox(cluster) });
        })
        .starts_with("producer.outbox.periodMs: from 1 to")
    );
    assert_eq!(
        error(&|cluster| cluster.producers[1].outbox = Some(outbox(cluster))),
        "sender.outbox: a bare sender has no relay"
    );
    assert_eq!(
        error(&|cluster| {
            cluster.producers[0].outbox = Some(OutboxSpec { table: "orders".to_owned(), ..outbox(cluster) });
        }),
        "order-db: table `orders` needs a column `event`"
    );
    assert_eq!(
        error(&|cluster| cluster.databases[0].tables[0].key.clear()),
        "order-db: table `orders`: a key or a constraint needs a column"
    );
}

#[test]
fn a_link_carries_the_actions_of_applications() {
    for way in [Business::Transact, Business::CommitThenSend, Business::SendThenCommit, Business::WriteOutbox] {
        let action = business(way, 1);
        let json = serde_json::to_string(&action).unwrap();
        assert!(json.starts_with(&format!("{{\"kind\":\"{}\"", way.name())), "{json}");
        assert_eq!(serde_json::from_str::<Action>(&json).unwrap(), action);
    }
    let json = r#"{"kind":"crashWhen","node":"producer","service":"application"}"#;
    assert_eq!(serde_json::from_str::<Action>(json).unwrap(), crash_when("producer", Service::Application, 1));
}
