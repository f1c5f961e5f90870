//! Verdicts with their rules. What is expected follows from what is done: who was told what, what was flushed, which turn
//! the process did not live to see.

mod watch;

use super::*;
use crate::{
    client::{
        ListenerResult,
        consumer::{
            BusinessRecord, ConsumeResult, ListenerBusiness, ListenerRule, MessageCondition, MessageModel, RecordAt,
        },
    },
    database::TableSpec,
    node::Service,
    sim::{
        Action, BrokerSpec, Cluster, ConsumerSpec, CrashWhen, DatabaseSpec, ListenerSpec, NameServerSpec, ProducerSpec,
        PushSpec, Send, SendInTransaction, SubscriptionSpec, Survives, TopicSpec,
    },
    wire::{Cell, Change, Values},
};

const BROKER: &str = "broker-a";
const DB: &str = "db";

fn config(pairs: &[(&str, &str)]) -> std::collections::BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// One broker with a small store, two queues, a producer, and these push consumers of group `g`.
fn cluster(consumers: &[&str]) -> Cluster {
    let subscription = SubscriptionSpec { topic: "T".to_owned(), ..SubscriptionSpec::default() };
    let push = PushSpec { subscriptions: vec![subscription], ..PushSpec::default() };
    Cluster {
        name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..NameServerSpec::default() }],
        brokers: vec![BrokerSpec {
            name: BROKER.to_owned(),
            config: config(&[("mappedFileSizeCommitLog", "65536"), ("mappedFileSizeConsumeQueue", "400")]),
            topics: vec![TopicSpec { name: "T".to_owned(), read_queues: 2, write_queues: 2, perm: 6 }],
            ..BrokerSpec::default()
        }],
        producers: vec![ProducerSpec {
            name: "producer".to_owned(),
            listener: Some(ListenerSpec::default()),
            ..ProducerSpec::default()
        }],
        consumers: consumers
            .iter()
            .map(|name| ConsumerSpec {
                name: (*name).to_owned(),
                group: "g".to_owned(),
                push: Some(Box::new(push.clone())),
                ..ConsumerSpec::default()
            })
            .collect(),
        ..Cluster::default()
    }
}

fn world(cluster: &Cluster) -> World {
    World::new(cluster, 1).unwrap()
}

fn push(cluster: &mut Cluster) -> &mut PushSpec {
    cluster.consumers[0].push.as_mut().unwrap()
}

/// A message by this name to queue 0 of `T`, its keys and its body `key`.
fn message(name: &str, key: &str) -> Send {
    Send {
        name: Some(name.to_owned()),
        producer: "producer".to_owned(),
        topic: "T".to_owned(),
        queue: Some(0),
        keys: Some(key.to_owned()),
        body: Some(key.to_owned()),
        ..Send::default()
    }
}

fn sent(name: &str, key: &str) -> Action {
    Action::Send(Box::new(message(name, key)))
}

/// Does it, and lets the world come to rest.
fn act(world: &mut World, action: Action) {
    world.act(action).unwrap();
    world.run_to_rest(i64::MAX);
}

fn kill(node: &str) -> Action {
    Action::Kill { node: node.to_owned() }
}

fn start(node: &str) -> Action {
    Action::Start { node: node.to_owned() }
}

fn power_loss(world: &mut World) {
    act(world, Action::PowerLoss { node: BROKER.to_owned(), survives: Survives::Flushed });
    act(world, start(BROKER));
}

fn falls(world: &mut World, node: &str, service: Service, turn: u32) {
    let crash = CrashWhen { node: node.to_owned(), service, turn };
    world.act(Action::CrashWhen(Box::new(crash))).unwrap();
}

/// Verdict and rule of every finding, by message.
fn found(world: &World) -> Vec<Vec<(Verdict, Rule)>> {
    let accounts = ledger(world).accounts.into_iter();
    accounts.map(|account| account.findings.iter().map(|one| (one.verdict, one.why)).collect()).collect()
}

#[test]
fn a_message_that_everybody_has_had_once_is_exactly_right() {
    let mut world = world(&cluster(&["c1"]));
    act(&mut world, sent("M1", "k"));
    let ledger = ledger(&world);
    let account = &ledger.accounts[0];
    assert_eq!((account.producer.as_str(), account.number, account.name.as_deref()), ("producer", 0, Some("M1")));
    assert_eq!((account.told.as_str(), account.keys.as_deref()), ("SEND_OK", Some("k")));
    let copies: Vec<_> = account.copies.iter().map(|copy| (copy.broker.as_str(), copy.state)).collect();
    assert_eq!(copies, [(BROKER, CopyState::Visible)]);
    let has = GroupDeliveries {
        group: "g".to_owned(),
        consumer: None,
        delivered: 1,
        consumed: 1,
        refused: 0,
        effects: None,
        in_order: true,
    };
    assert_eq!((account.groups.as_slice(), account.effects.len()), (&[has][..], 0));
    assert_eq!(
        (account.verdict(), found(&world)),
        (Verdict::ExactlyRight, vec![vec![(Verdict::ExactlyRight, Rule::Once)]])
    );
    assert_eq!((ledger.acknowledged(), ledger.missing(), ledger.count(Verdict::ExactlyRight)), (1, 0, 1));
}

#[test]
fn what_is_under_way_is_open() {
    let mut world = world(&cluster(&["c1"]));
    world.act(sent("M1", "k")).unwrap();
    assert_eq!(found(&world), [[(Verdict::Open, Rule::SendUnderWay)]]);
    world.act(Action::Pause { node: BROKER.to_owned(), service: Some(Service::Reput) }).unwrap();
    world.run_to_rest(i64::MAX);
    assert_eq!(found(&world), [[(Verdict::Open, Rule::NotDispatchedYet)]]);
    act(&mut world, kill("producer"));
    let again = Send { delay_level: Some(3), ..message("M2", "k") };
    act(&mut world, start("producer"));
    act(&mut world, Action::Resume { node: BROKER.to_owned(), service: Some(Service::Reput) });
    world.act(Action::Send(Box::new(again))).unwrap();
    while world.client("producer").unwrap().sent().len() < 2 {
        world.step().unwrap();
    }
    world.run_to_rest(world.now_us() + 1_000_000);
    assert_eq!(found(&world)[1], [(Verdict::Open, Rule::DelayNotOver)]);
    act(&mut world, Action::Wait { ms: 11_000 });
    assert_eq!(found(&world)[1], [(Verdict::ExactlyRight, Rule::Once)]);
}

#[test]
fn a_send_whose_producer_dies_is_kept() {
    let mut world = world(&cluster(&[]));
    world.act(sent("M1", "k")).unwrap();
    world.act(kill("producer")).unwrap();
    world.run_to_rest(i64::MAX);
    let ledger = ledger(&world);
    assert_eq!((ledger.accounts[0].told.as_str(), ledger.accounts[0].told_us), ("", None));
    // It had not left the machine.
    assert_eq!(found(&world), [[(Verdict::ExactlyRight, Rule::ProducerDied)]]);
}

#[test]
fn a_power_loss_takes_what_was_acknowledged_from_the_page_cache() {
    let mut world = world(&cluster(&[]));
    act(&mut world, sent("M1", "k"));
    power_loss(&mut world);
    assert_eq!(found(&world), [[(Verdict::Lost, Rule::UnflushedAtPowerLoss)]]);
    let ledger = ledger(&world);
    assert_eq!((ledger.missing(), ledger.accounts[0].findings[0].broker.as_deref()), (1, Some(BROKER)));
}

#[test]
fn a_broker_that_is_down_is_judged_by_what_a_start_would_find() {
    let mut world = world(&cluster(&["c1"]));
    act(&mut world, kill("c1"));
    act(&mut world, sent("M1", "k"));
    act(&mut world, kill(BROKER));
    assert_eq!(
        (ledger(&world).down, found(&world)),
        (vec![BROKER.to_owned()], vec![vec![(Verdict::Open, Rule::BrokerDown)]])
    );
    act(&mut world, Action::PowerLoss { node: BROKER.to_owned(), survives: Survives::Flushed });
    assert_eq!(found(&world), [[(Verdict::Lost, Rule::UnflushedAtPowerLoss)]]);
}

/// Recovery after the kill lets `flushedWhere` stand at the end of the log, which nobody has forced.
#[test]
fn a_restart_takes_the_page_cache_for_flushed() {
    let mut world = world(&cluster(&[]));
    act(&mut world, sent("M1", "k"));
    act(&mut world, kill(BROKER));
    act(&mut world, start(BROKER));
    assert_eq!(found(&world), [[(Verdict::ExactlyRight, Rule::Once)]]);
    power_loss(&mut world);
    assert_eq!(found(&world), [[(Verdict::Lost, Rule::TakenForFlushed)]]);
}

#[test]
fn synchronous_flush_keeps_what_it_answers_to_who_waits() {
    let mut synchronous = cluster(&[]);
    synchronous.brokers[0].config.extend(config(&[("flushDiskType", "SYNC_FLUSH")]));
    let mut world = world(&synchronous);
    act(&mut world, sent("M1", "k"));
    // Nobody waits for this flush, which would come at once.
    act(&mut world, Action::Pause { node: BROKER.to_owned(), service: Some(Service::FlushCommitLog) });
    act(&mut world, Action::Send(Box::new(Send { wait_store: Some(false), ..message("M2", "k") })));
    power_loss(&mut world);
    let expected = [(Verdict::ExactlyRight, Rule::Once), (Verdict::Lost, Rule::ProducerDidNotWait)];
    assert_eq!(found(&world), expected.map(|one| vec![one]));
}

/// Each pull carries the offset as it was when it went out: the last message's is not saved when the consumer dies.
#[test]
fn a_consumer_that_dies_has_the_last_message_again() {
    let mut world = world(&cluster(&["c1"]));
    for name in ["M1", "M2"] {
        act(&mut world, Action::Send(Box::new(Send { keys: None, ..message(name, "k") })));
    }
    act(&mut world, kill("c1"));
    act(&mut world, start("c1"));
    let expected = [(Verdict::ExactlyRight, Rule::Once), (Verdict::Duplicated, Rule::DiedBeforeOffsetSaved)];
    assert_eq!(found(&world), expected.map(|one| vec![one]));
}

#[test]
fn a_consumer_that_dies_over_a_message_has_it_again() {
    let mut slow = cluster(&["c1"]);
    push(&mut slow).listener.takes_ms = 1_000;
    let mut world = world(&slow);
    falls(&mut world, "c1", Service::Consume, 2);
    act(&mut world, sent("M1", "k"));
    assert_eq!(found(&world), [[(Verdict::Open, Rule::NotConsumedYet)]]);
    act(&mut world, start("c1"));
    assert_eq!(found(&world), [[(Verdict::Duplicated, Rule::DiedWhileConsuming)]]);
}

/// `maxReconsumeTimes` 0: the first refusal is the last.
#[test]
fn what_a_group_refuses_too_often_is_a_dead_letter() {
    let mut refusing = cluster(&["c1"]);
    push(&mut refusing).listener.result = ConsumeResult::Later;
    let mut world = world(&refusing);
    world.act(sent("M1", "k")).unwrap();
    world.run_to_rest(world.now_us() + 2_000_000);
    assert_eq!(found(&world), [[(Verdict::Open, Rule::RetryToCome)]]);
    refusing.consumers[0].config.extend(config(&[("maxReconsumeTimes", "0")]));
    let mut world = World::new(&refusing, 1).unwrap();
    act(&mut world, sent("M1", "k"));
    assert_eq!(found(&world), [[(Verdict::Lost, Rule::DeadLetter)]]);
    let has = ledger(&world).accounts[0].groups[0].clone();
    assert_eq!((has.delivered, has.consumed, has.refused), (1, 0, 1));
}

#[test]
fn what_belongs_together_is_out_of_order_where_several_threads_have_it() {
    let when = MessageCondition { body: Some("slow".to_owned()), ..MessageCondition::default() };
    let mut concurrent = cluster(&["c1"]);
    push(&mut concurrent).listener.rules = vec![ListenerRule { when, takes_ms: Some(500), ..ListenerRule::default() }];
    let slow = Send { body: Some("slow".to_owned()), ..message("M1", "k") };
    let out_of_order = |second: Send| {
        let mut world = world(&concurrent);
        for send in [slow.clone(), second] {
            let before = world.client("producer").unwrap().sent().len();
            world.act(Action::Send(Box::new(send))).unwrap();
            while world.client("producer").unwrap().sent().len() == before {
                world.step().unwrap();
            }
        }
        world.run_to_rest(i64::MAX);
        let ledger = ledger(&world);
        (found(&world)[0][0], ledger.accounts[0].findings[0].other, ledger.accounts[0].groups[0].in_order)
    };
    let expected = (Verdict::OutOfOrder, Rule::ConcurrentListener);
    assert_eq!(out_of_order(message("M2", "k")), (expected, Some(1), false));
    let expected = (Verdict::OutOfOrder, Rule::DifferentQueues);
    assert_eq!(out_of_order(Send { queue: Some(1), ..message("M2", "k") }), (expected, Some(1), false));
    // What has another key belongs elsewhere.
    assert_eq!(out_of_order(message("M2", "l")), ((Verdict::ExactlyRight, Rule::Once), None, true));
}

#[test]
fn a_broadcasting_consumer_that_comes_later_begins_at_the_end() {
    let mut broadcasting = cluster(&["c1"]);
    push(&mut broadcasting).message_model = MessageModel::Broadcasting;
    broadcasting.consumers[0].down = true;
    let mut world = world(&broadcasting);
    act(&mut world, sent("M1", "k"));
    assert_eq!(found(&world), [[(Verdict::Open, Rule::NotConsumedYet)]]);
    act(&mut world, start("c1"));
    assert_eq!(found(&world), [[(Verdict::Lost, Rule::BeganBehindIt)]]);
    let has = ledger(&world).accounts[0].groups[0].clone();
    assert_eq!((has.consumer.as_deref(), has.delivered), (Some("c1"), 0));
}

#[test]
fn a_transaction_is_open_until_it_is_decided_and_then_seen_or_not() {
    let local = |local| {
        let mut world = world(&cluster(&["c1"]));
        let what = SendInTransaction {
            send: Send { queue: None, ..message("M1", "k") },
            local,
            ..SendInTransaction::default()
        };
        world.act(Action::SendInTransaction(Box::new(what))).unwrap();
        world.run_to_rest(world.now_us() + 1_000_000);
        found(&world)[0][0]
    };
    assert_eq!(local(ListenerResult::Commit), (Verdict::ExactlyRight, Rule::Once));
    assert_eq!(local(ListenerResult::Rollback), (Verdict::ExactlyRight, Rule::RolledBack));
    assert_eq!(local(ListenerResult::Unknown), (Verdict::Open, Rule::HalfUndecided));
}

fn values(pairs: &[(&str, &str)]) -> Values {
    pairs.iter().map(|(column, text)| ((*column).to_owned(), Cell::from(*text))).collect()
}

/// A listener that issues a policy for each message, and knows it by `key`.
fn office(key: &str, at: Option<RecordAt>) -> Cluster {
    let mut cluster = cluster(&["c1"]);
    let policies = TableSpec {
        name: "policies".to_owned(),
        columns: vec!["id".to_owned(), "what".to_owned()],
        key: vec!["id".to_owned()],
        auto_increment: Some("id".to_owned()),
        ..TableSpec::default()
    };
    cluster.databases = vec![DatabaseSpec { name: DB.to_owned(), tables: vec![policies], skew_ms: 0 }];
    let row = values(&[("what", "{body}")]);
    let record = at.map(|at| BusinessRecord { key: key.to_owned(), at, ..BusinessRecord::default() });
    let changes = vec![Change::Insert { table: "policies".to_owned(), row }];
    let business = ListenerBusiness { database: DB.to_owned(), changes, record, ..ListenerBusiness::default() };
    push(&mut cluster).listener.business = Some(Box::new(business));
    cluster
}

/// Call, answer, commit, answer, return: before the fifth turn the policy is issued. With a record before it: record,
/// answer, changes, answer, commit.
#[test]
fn effects_count_where_there_are_any() {
    let crashed = |at, turn| {
        let mut world = world(&office("{msgId}", at));
        falls(&mut world, "c1", Service::Consume, turn);
        act(&mut world, sent("M1", "k"));
        act(&mut world, start("c1"));
        let account = ledger(&world).accounts.remove(0);
        let rows: Vec<_> = account.effects.iter().map(|effect| (effect.key.clone(), effect.count)).collect();
        (found(&world)[0][0], account.groups[0].effects, rows)
    };
    let row = |key: &str| (key.to_owned(), 1);
    let twice = (Verdict::Duplicated, Rule::DiedWhileConsuming);
    assert_eq!(crashed(None, 5), (twice, Some(2), vec![row("1"), row("2")]));
    let once = (Verdict::ExactlyRight, Rule::RepeatRecognised);
    assert_eq!(crashed(Some(RecordAt::Together), 5), (once, Some(1), vec![row("1")]));
    let undone = (Verdict::ExactlyRight, Rule::FirstTimeUndone);
    assert_eq!(crashed(Some(RecordAt::Together), 3), (undone, Some(1), vec![row("2")]));
    assert_eq!(crashed(Some(RecordAt::Before), 4), ((Verdict::Lost, Rule::NotedBeforeDone), Some(0), vec![]));
}

/// The listener adds 5 to a sum, issues a policy, commits, puts the message off once and gets it again.
#[test]
fn changes_that_are_made_again_for_a_message_are_counted_by_table() {
    let again = |at| {
        let mut cluster = office("{msgId}", at);
        let sums = TableSpec {
            name: "sums".to_owned(),
            columns: vec!["id".to_owned(), "sum".to_owned()],
            key: vec!["id".to_owned()],
            rows: vec![[("id".to_owned(), Cell::from("all")), ("sum".to_owned(), Cell::Int(0))].into()],
            ..TableSpec::default()
        };
        let states = TableSpec {
            name: "states".to_owned(),
            columns: vec!["id".to_owned(), "state".to_owned()],
            rows: vec![values(&[("id", "all"), ("state", "new")])],
            ..sums.clone()
        };
        cluster.databases[0].tables.extend([sums, states]);
        // What is set as it is already is no change.
        let update = |set: &[(&str, &str)], add: &[(&str, i64)]| Change::Update {
            table: if add.is_empty() { "states" } else { "sums" }.to_owned(),
            key: values(&[("id", "all")]),
            only_if: Values::new(),
            set: values(set),
            add: add.iter().map(|(column, more)| ((*column).to_owned(), *more)).collect(),
        };
        let listener = &mut push(&mut cluster).listener;
        let results = vec![ConsumeResult::Later, ConsumeResult::Success];
        listener.rules.push(ListenerRule { results, ..ListenerRule::default() });
        let business = listener.business.as_mut().unwrap();
        business.changes.extend([update(&[], &[("sum", 5)]), update(&[("state", "{body}")], &[])]);
        let mut world = world(&cluster);
        act(&mut world, sent("M1", "k"));
        let cell = world.database(DB).and_then(|database| database.table("sums")?.cell("all", "sum").cloned());
        let tables: Vec<_> = redone(&world).into_iter().map(|((_, table), count)| (table.to_owned(), count)).collect();
        (cell, tables)
    };
    let count = |table: &str| (table.to_owned(), 1);
    assert_eq!(again(None), (Some(Cell::Int(10)), vec![count("policies"), count("sums")]));
    assert_eq!(again(Some(RecordAt::Together)), (Some(Cell::Int(5)), vec![]));
}

#[test]
fn a_key_that_is_too_wide_takes_one_message_for_another() {
    let second = |key: &str, body: &str| {
        let mut world = world(&office(key, Some(RecordAt::Together)));
        act(&mut world, sent("M1", "k"));
        act(&mut world, Action::Send(Box::new(Send { body: Some(body.to_owned()), ..message("M2", "k") })));
        found(&world)[1][0]
    };
    assert_eq!(second("{keys}", "refund"), (Verdict::Lost, Rule::TakenForAnother));
    assert_eq!(second("{body}", "refund"), (Verdict::ExactlyRight, Rule::Once));
    // The application has sent the same thing twice.
    assert_eq!(second("{keys}", "k"), (Verdict::ExactlyRight, Rule::RepeatRecognised));
}
