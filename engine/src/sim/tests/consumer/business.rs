//! The payment case: a listener issues a policy in its database, and the process dies somewhere on the way. What stands in
//! the table afterwards is worked out from the order of the turns: call, answer, commit, answer, return.

use super::*;
use crate::{
    client::consumer::{BusinessCache, BusinessCase, BusinessRecord, CacheSet, ListenerBusiness, RecordAt, Verdict},
    database::{TableRef, TableSpec},
    node::{ApplicationStep, Service},
    wire::{Cell, Change, Values},
};

pub(super) const DB: &str = "policy-db";

fn values(pairs: &[(&str, &str)]) -> Values {
    pairs.iter().map(|(column, text)| ((*column).to_owned(), Cell::from(*text))).collect()
}

/// For each message a policy, which counts up: a second one is a second row.
pub(super) fn issues() -> ListenerBusiness {
    let row = values(&[("orderId", "{orderId}"), ("what", "{body}")]);
    ListenerBusiness {
        database: DB.to_owned(),
        changes: vec![Change::Insert { table: "policies".to_owned(), row }],
        ..ListenerBusiness::default()
    }
}

pub(super) fn recorded(key: &str, at: RecordAt) -> ListenerBusiness {
    let record = BusinessRecord { key: key.to_owned(), at, ..BusinessRecord::default() };
    ListenerBusiness { record: Some(record), ..issues() }
}

fn office(business: ListenerBusiness) -> World {
    office_with(business, |_| {})
}

/// The tables of policies and of orders.
pub(super) fn database() -> DatabaseSpec {
    let table = |name: &str, columns: &[&str]| TableSpec {
        name: name.to_owned(),
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
        key: vec!["id".to_owned()],
        ..TableSpec::default()
    };
    let policies = TableSpec { auto_increment: Some("id".to_owned()), ..table("policies", &["id", "orderId", "what"]) };
    let orders =
        TableSpec { rows: vec![values(&[("id", "O1"), ("state", "CREATED")])], ..table("orders", &["id", "state"]) };
    DatabaseSpec { name: DB.to_owned(), tables: vec![policies, orders], skew_ms: 0 }
}

pub(super) fn office_with(business: ListenerBusiness, change: impl FnOnce(&mut ConsumerSpec)) -> World {
    let mut cluster = cluster_of(&["c1"]);
    cluster.databases = vec![database()];
    listens(&mut cluster.consumers[0]).business = Some(Box::new(business));
    change(&mut cluster.consumers[0]);
    World::new(&cluster, 1).unwrap()
}

/// An event about order `O1`.
pub(super) fn event(id: &str, what: &str) -> Action {
    let properties = [("eventId", id), ("orderId", "O1")];
    Action::Send(Box::new(Send {
        producer: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: Some(0),
        tag: Some(what.to_uppercase()),
        body: Some(what.to_owned()),
        properties: properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..Send::default()
    }))
}

/// What stands in the table of policies, in order.
pub(super) fn policies(world: &World) -> Vec<String> {
    let table = world.database(DB).unwrap().table("policies").unwrap();
    table.rows().map(|row| row.last().map(ToString::to_string).unwrap_or_default()).collect()
}

pub(super) fn records(world: &World) -> usize {
    world.database(DB).unwrap().table("processed").map_or(0, TableRef::len)
}

/// Sends one event, kills the consumer right before that turn of its threads, and starts it again.
fn crashed(business: ListenerBusiness, turn: u32) -> World {
    let mut world = office(business);
    let crash = CrashWhen { node: "c1".to_owned(), service: Service::Consume, turn };
    act(&mut world, Action::CrashWhen(Box::new(crash)));
    act(&mut world, event("E1", "paid"));
    assert_eq!(world.node_state("c1"), Some(NodeState::Down), "turn {turn}");
    act(&mut world, start("c1"));
    world
}

#[test]
fn a_policy_is_issued_once_when_nothing_crashes() {
    for business in [
        issues(),
        recorded("{eventId}", RecordAt::Together),
        recorded("{eventId}", RecordAt::Before),
        recorded("{eventId}", RecordAt::After),
    ] {
        let mut world = office(business);
        act(&mut world, event("E1", "paid"));
        assert_eq!(policies(&world), ["paid"]);
        let calls = deliveries(&world, "c1");
        assert_eq!((calls.len(), calls[0].result), (1, Some(ConsumeResult::Success)));
        let done = calls[0].business.clone().unwrap();
        assert_eq!((done.done, done.skipped, done.cause), (1, 0, None));
    }
}

#[test]
fn without_a_record_a_crash_after_the_commit_issues_a_second_policy() {
    // Before the call, before the answer to the changes, before the commit; before its answer, before the return.
    for (turn, issued) in [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2)] {
        let world = crashed(issues(), turn);
        assert_eq!(policies(&world).len(), issued, "turn {turn}");
    }
}

#[test]
fn with_the_record_in_the_same_transaction_it_is_one_policy_wherever_it_crashes() {
    for turn in 1..=5 {
        let world = crashed(recorded("{eventId}", RecordAt::Together), turn);
        assert_eq!((policies(&world).len(), records(&world)), (1, 1), "turn {turn}");
        let last = deliveries(&world, "c1").pop().unwrap();
        let skipped = last.business.unwrap().skipped;
        assert_eq!((last.result, skipped), (Some(ConsumeResult::Success), u32::from(turn > 3)), "turn {turn}");
    }
}

#[test]
fn a_record_before_the_changes_can_leave_none_and_one_after_them_two() {
    // Record, answer, changes, answer, commit, answer, return: from the record's answer to the commit nothing is issued.
    for (turn, issued) in [(1, 1), (2, 0), (3, 0), (4, 0), (5, 0), (6, 1), (7, 1)] {
        let world = crashed(recorded("{eventId}", RecordAt::Before), turn);
        assert_eq!((policies(&world).len(), records(&world)), (issued, 1), "turn {turn}");
    }
    // Look-up, answer, changes, answer, commit, answer, record, answer, return.
    for (turn, issued) in [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 2), (7, 2), (8, 1), (9, 1)] {
        let world = crashed(recorded("{eventId}", RecordAt::After), turn);
        assert_eq!((policies(&world).len(), records(&world)), (issued, 1), "turn {turn}");
    }
}

#[test]
fn under_the_order_id_the_refund_is_lost() {
    for (key, issued) in [("{orderId}", vec!["paid"]), ("{eventId}", vec!["paid", "refund"])] {
        let mut world = office(recorded(key, RecordAt::Together));
        act(&mut world, event("E1", "paid"));
        act(&mut world, event("E2", "refund"));
        assert_eq!(policies(&world), issued, "{key}");
        let last = deliveries(&world, "c1").pop().unwrap();
        assert_eq!(last.result, Some(ConsumeResult::Success), "RocketMQ sees nothing of it");
    }
}

#[test]
fn a_cache_is_lost_with_its_process() {
    let cached = |set| ListenerBusiness { cache: Some(BusinessCache { key: "{eventId}".to_owned(), set }), ..issues() };
    let mut world = office(cached(CacheSet::After));
    act(&mut world, event("E1", "paid"));
    let events = act(&mut world, event("E1", "paid"));
    assert_eq!(policies(&world).len(), 1);
    assert_eq!(skips(&events), ["cache"]);
    act(&mut world, kill("c1"));
    act(&mut world, start("c1"));
    act(&mut world, event("E1", "paid"));
    // The one that was not committed comes again as well.
    assert_eq!(policies(&world).len(), 2);
    assert!(skips(&act(&mut world, event("E1", "paid"))).contains(&"cache".to_owned()));
}

fn skips(events: &[TraceEvent]) -> Vec<String> {
    let steps = events.iter().flat_map(|event| &event.steps);
    let skips = steps.filter_map(|step| match &step.what {
        StepKind::Application(ApplicationStep::ListenerSkips { by, .. }) => Some(by.clone()),
        _ => None,
    });
    skips.collect()
}

#[test]
fn a_cache_set_before_the_database_loses_what_then_fails() {
    for (set, issued) in [(CacheSet::Before, 0), (CacheSet::After, 1)] {
        let cache = Some(BusinessCache { key: "{eventId}".to_owned(), set });
        let mut world = office(ListenerBusiness { cache, ..issues() });
        act(&mut world, kill(DB));
        world.act(event("E1", "paid")).unwrap();
        while deliveries(&world, "c1").iter().all(|delivery| delivery.result.is_none()) {
            world.step().unwrap();
        }
        let first = deliveries(&world, "c1").remove(0);
        assert_eq!(first.result, Some(ConsumeResult::Throw));
        assert!(first.business.unwrap().cause.is_some());
        // It comes again after the delay of level 3, and the database is back by then.
        act(&mut world, start(DB));
        assert_eq!(deliveries(&world, "c1").len(), 2);
        assert_eq!(policies(&world).len(), issued, "{set:?}");
    }
}

/// An update of the order that only one that is just created lets through.
fn pays(no_row: Verdict) -> ListenerBusiness {
    let update = Change::Update {
        table: "orders".to_owned(),
        key: values(&[("id", "{orderId}")]),
        only_if: values(&[("state", "CREATED")]),
        set: values(&[("state", "{tag}")]),
        add: std::collections::BTreeMap::new(),
    };
    let case = BusinessCase { when: MessageCondition::default(), changes: vec![update] };
    ListenerBusiness { cases: vec![case], no_row, ..issues() }
}

#[test]
fn a_state_that_is_not_allowed_takes_everything_back() {
    for (no_row, result) in [(Verdict::Success, ConsumeResult::Success), (Verdict::Failure, ConsumeResult::Throw)] {
        let mut world = office(pays(no_row));
        act(&mut world, event("E1", "paid"));
        world.act(event("E1", "paid")).unwrap();
        while deliveries(&world, "c1")
            .last()
            .is_none_or(|last| last.queue.topic == "OrderTopic" && last.result.is_none())
            || deliveries(&world, "c1").len() < 2
        {
            world.step().unwrap();
        }
        assert_eq!(deliveries(&world, "c1")[1].result, Some(result));
        assert_eq!(policies(&world), ["paid"], "{no_row:?}");
        let orders = world.database(DB).unwrap().table("orders").unwrap();
        assert_eq!(orders.cell("O1", "state"), Some(&Cell::from("PAID")));
    }
}

#[test]
fn a_unique_key_may_be_a_failure_or_a_success() {
    for (duplicate, result) in [(Verdict::Success, ConsumeResult::Success), (Verdict::Failure, ConsumeResult::Throw)] {
        let row = values(&[("id", "{orderId}"), ("state", "{tag}")]);
        let changes = vec![Change::Insert { table: "orders".to_owned(), row }];
        let mut world = office(ListenerBusiness { changes, duplicate, ..issues() });
        world.act(event("E1", "paid")).unwrap();
        while deliveries(&world, "c1").iter().all(|delivery| delivery.result.is_none()) {
            world.step().unwrap();
        }
        // Order O1 is there from the start.
        assert_eq!(deliveries(&world, "c1")[0].result, Some(result), "{duplicate:?}");
    }
}

#[test]
fn all_messages_of_a_batch_are_done_one_after_the_other() {
    let batches = |spec: &mut ConsumerSpec| set(spec, "consumeMessageBatchMaxSize", "4");
    let mut world = office_with(recorded("{eventId}", RecordAt::Together), batches);
    act(&mut world, stop("c1"));
    for id in ["E1", "E2", "E1"] {
        act(&mut world, event(id, id));
    }
    act(&mut world, start("c1"));
    assert_eq!(policies(&world), ["E1", "E2"]);
    assert_eq!(records(&world), 2);
    let calls = deliveries(&world, "c1");
    let done = calls[0].business.clone().unwrap();
    assert_eq!((calls.len(), done.done, done.skipped), (1, 2, 1));
}

#[test]
fn a_listener_needs_the_databases_that_it_names() {
    let mut cluster = cluster_of(&["c1"]);
    listens(&mut cluster.consumers[0]).business = Some(Box::new(issues()));
    let error = World::new(&cluster, 1).unwrap_err();
    assert_eq!(error.place, "c1.push.listener.business");
}
