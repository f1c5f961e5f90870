//! Going through time, beside what it may take: a seek in a run of 100,000 events, and a snapshot of a large disk. Run
//! by `cargo xtask bench`.
//!
//! Unlike the store's, these limits are times that a person waits: a frame of 16 ms, and a millisecond. Times are
//! processor time of this thread.

#[path = "../store/clock.rs"]
mod clock;

use std::{hint::black_box, time::Duration};

use rocketscope_engine::sim::{Action, Cluster, History, ProducerSpec, Send, SenderKind, World};
use rocketscope_engine::view::{
    Answer, Query, Session, Source, ledger::LedgerFilter, sandbox_cluster, store::StoreQuery,
};

use self::clock::timed;

/// Events of the run that is sought in.
const EVENTS: u64 = 100_000;

/// Seeks that are measured, each to another place.
const SEEKS: u64 = 1000;

/// Looks at each tab.
const TAB_LOOKS: u64 = 50;

/// One frame of the page.
const FRAME: Duration = Duration::from_millis(16);

/// What a snapshot may take.
const SNAPSHOT: Duration = Duration::from_millis(1);

/// Bytes of a large disk, in records of a mebibyte.
const LARGE: u64 = 100 << 20;
const BODY: u32 = 1 << 20;

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let wanted = |title: &str| filter.as_ref().is_none_or(|filter| title.contains(filter.as_str()));
    let mut rows = Vec::new();
    if wanted("seek") {
        let mut history = long_run();
        let anywhere: Vec<u64> = (0..SEEKS).map(|n| n.wrapping_mul(2_654_435_761) % EVENTS).collect();
        rows.push(row(
            "seek anywhere in 100,000 events",
            FRAME,
            &mut anywhere.iter().map(|at| seek(&mut history, *at)),
        ));
        history.seek(EVENTS / 2);
        let back = (1..=SEEKS).map(|step| EVENTS / 2 - step);
        rows.push(row("step back, one event after the other", FRAME, &mut back.map(|at| seek(&mut history, at))));
        history.seek(EVENTS);
        let mut snapshots = (0..SEEKS).map(|_| snapshot(history.world()));
        rows.push(row("snapshot after 100,000 events, 1,600 files", SNAPSHOT, &mut snapshots));
    }
    if wanted("picture") {
        for (title, named) in [("picture after 100,000 events", false), ("picture, every message with a name", true)] {
            let mut session = long_session(named);
            let looks = &mut (0..SEEKS).map(|_| timed(|| drop(black_box(session.ask(Query::Look)))));
            rows.push(row(title, FRAME, looks));
        }
    }
    if wanted("tab") {
        let mut session = long_session(false);
        for (title, query) in tabs() {
            let looks = &mut (0..TAB_LOOKS).map(|look| {
                let query = query.clone();
                session.ask(Query::Seek { position: EVENTS - look % 2 });
                timed(|| assert!(!matches!(black_box(session.ask(query)), Answer::Failed(_)), "{title}"))
            });
            rows.push(row(&format!("tab after 100,000 events: {title}"), FRAME, looks));
        }
    }
    if wanted("snapshot") {
        let world = large_disk();
        let mut snapshots = (0..SEEKS).map(|_| snapshot(&world));
        rows.push(row("snapshot of a disk of 100 MB", SNAPSHOT, &mut snapshots));
    }
    if !rows.is_empty() {
        println!("\n| | limit, ms | median, ms | worst, ms |\n|---|---|---|---|");
        for row in &rows {
            println!("{row}");
        }
    }
}

/// A row of the table: what was measured, its limit, the median and the worst of all.
fn row(title: &str, limit: Duration, times: &mut dyn Iterator<Item = Duration>) -> String {
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    let ms = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
    let (median, worst) = (ms(times.get(times.len() / 2)), ms(times.last()));
    format!("| {title} | {} | {median:.3} | {worst:.3} |", limit.as_millis())
}

fn seek(history: &mut History, position: u64) -> Duration {
    timed(|| assert_eq!(history.seek(position), position))
}

fn snapshot(world: &World) -> Duration {
    let mut copy = None;
    let time = timed(|| copy = Some(black_box(world.clone())));
    drop(copy);
    time
}

/// The sandbox's cluster, whose files are the smallest and therefore many, with one message after the other.
fn long_run() -> History {
    let mut history = History::new(&sandbox_cluster(), 1).expect("the sandbox can be built");
    while history.len() < EVENTS {
        history.act(send("producer", None, None)).expect("it can be sent");
        history.run_to_rest(EVENTS - history.len());
    }
    history
}

/// The same run as the page holds it.
fn long_session(named: bool) -> Session {
    let mut session = Session::new();
    let mut sent: u64 = 0;
    let mut answer = session.ask(Query::StartSandbox { cluster: None, seed: 1 });
    loop {
        let Answer::Workbench(bench) = &answer else { panic!("{answer:?}") };
        if bench.run.length >= EVENTS {
            return session;
        }
        let events = u32::try_from(EVENTS - bench.run.length).expect("there are not so many");
        let Action::Send(mut send) = send("producer", None, None) else { unreachable!("it is a send") };
        send.name = named.then(|| format!("M{sent}"));
        sent += 1;
        session.ask(Query::Act { action: Action::Send(send) });
        answer = session.ask(Query::Run { events });
    }
}

/// What the tabs of the page ask after each step, and what it asks to keep the run.
fn tabs() -> Vec<(&'static str, Query)> {
    let node = |name: &str| name.to_owned();
    let store = |query| Query::Store { source: Source::Broker { node: node("broker-a") }, query };
    vec![
        ("producer", Query::Producer { node: node("producer") }),
        ("consumers", Query::Consumers { group: None }),
        ("ledger", Query::Ledger { filter: LedgerFilter::default(), from: 0 }),
        ("routes", Query::Routes),
        ("delay", Query::Delay { node: node("broker-a") }),
        ("transactions", Query::Transactions { node: node("broker-a") }),
        ("databases", Query::Databases),
        ("recovery", Query::Recovery { node: node("broker-a") }),
        ("records of the log", store(StoreQuery::Records { from: 0, limit: 100 })),
        ("queues", store(StoreQuery::Queues)),
        ("index files", store(StoreQuery::IndexFiles)),
        ("files", store(StoreQuery::Tree)),
        ("the run, to be kept", Query::Share { branches: true }),
    ]
}

/// A world with so many bytes of records.
fn large_disk() -> World {
    let mut cluster = sandbox_cluster();
    for broker in &mut cluster.brokers {
        broker.config.insert("mappedFileSizeCommitLog".to_owned(), (1 << 30).to_string());
    }
    let bare = ProducerSpec { name: "bare".to_owned(), sender: SenderKind::Bare, ..ProducerSpec::default() };
    let cluster = Cluster { producers: vec![bare], ..cluster };
    let mut world = World::new(&cluster, 1).expect("the cluster can be built");
    for _ in 0..LARGE / u64::from(BODY) {
        world.act(send("bare", Some(0), Some(BODY))).expect("it can be sent");
        while !world.at_rest() && world.step().is_some() {}
    }
    let store = world.broker("broker-a").and_then(|broker| broker.store()).expect("the broker runs");
    assert!(store.max_phy_offset().unsigned_abs() > LARGE);
    world
}

fn send(producer: &str, queue: Option<i32>, body_length: Option<u32>) -> Action {
    let (producer, topic) = (producer.to_owned(), "OrderTopic".to_owned());
    Action::Send(Box::new(Send { producer, topic, queue, body_length, ..Send::default() }))
}
