//! Matrices of small runs, whose verdicts are worked out by hand, and of lessons.

use std::{collections::BTreeSet, sync::Arc};

use super::{Cell, End, Fault, Judged, Matrix, MatrixError, NoSuchFault, Plan, judge::judge};
use crate::{
    ledger::{Rule, Verdict},
    lesson::LessonSource,
    sim::{
        Action, BrokerSpec, Cluster, History, LoggedAction, NameServerSpec, ProducerSpec, ReplayError, Send,
        SenderKind, Survives, TopicSpec,
    },
};

const FLUSHED: Fault = Fault::PowerLoss { survives: Survives::Flushed };
const EVERYTHING: Fault = Fault::PowerLoss { survives: Survives::Everything };

/// A NameServer, a broker, and a bare producer, which sends what it is told to and nothing else.
fn cluster(flush: &str) -> Cluster {
    let config =
        [("flushDiskType", flush), ("mappedFileSizeCommitLog", "16384"), ("mappedFileSizeConsumeQueue", "400")];
    let topic = TopicSpec { name: "Orders".to_owned(), read_queues: 1, write_queues: 1, perm: 6 };
    Cluster {
        name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..Default::default() }],
        brokers: vec![BrokerSpec {
            name: "broker".to_owned(),
            config: config.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
            topics: vec![topic],
            ..Default::default()
        }],
        producers: vec![ProducerSpec { name: "producer".to_owned(), sender: SenderKind::Bare, ..Default::default() }],
        ..Default::default()
    }
}

/// One message, on to rest.
fn one_message(flush: &str) -> History {
    let mut history = History::new(&cluster(flush), 1).unwrap();
    let send = Send {
        producer: "producer".to_owned(),
        topic: "Orders".to_owned(),
        queue: Some(0),
        name: Some("M1".to_owned()),
        ..Default::default()
    };
    history.act(Action::Send(Box::new(send))).unwrap();
    history.run_to_rest(1000);
    history
}

fn cells(plan: Plan) -> Vec<Cell> {
    Matrix::new(plan).unwrap().flatten().collect()
}

/// The number of the event of the first turn of a service.
fn first(history: &History, service: &str) -> u64 {
    history.window(0, usize::MAX).iter().find(|event| event.service == service).unwrap().seq
}

fn message(cell: &Cell) -> &Judged {
    let [message] = cell.messages.as_slice() else { panic!("{cell:?}") };
    message
}

/// `ASYNC_FLUSH` answers once the record is in the page cache, and the first flush comes half a second later. So a loss
/// of power that leaves what was flushed loses the message as soon as the answer is on the wire, and nothing else does.
#[test]
fn an_asynchronous_broker_loses_what_it_has_answered_and_not_flushed() {
    let history = one_message("ASYNC_FLUSH");
    let put = first(&history, "put");
    let cells = cells(Plan { faults: vec![Fault::Kill, FLUSHED, EVERYTHING, Fault::TornWrite], ..Plan::of(&history) });
    for cell in &cells {
        assert_eq!((cell.end, cell.up), (End::Rest, true), "{cell:?}");
        let lost = cell.fault == FLUSHED && cell.event > put;
        let message = message(cell);
        assert_eq!(message.verdict == Verdict::Lost, lost, "{cell:?}");
        if lost {
            assert_eq!((message.told.as_str(), &message.why), ("SEND_OK", &vec![Rule::UnflushedAtPowerLoss]));
        }
    }
    // Before the put, nothing is there that could be lost; in it, the answer has not left.
    assert!(cells.iter().any(|cell| cell.event == put && cell.write == Some(1) && cell.fault == FLUSHED));
    assert!(cells.iter().any(|cell| cell.event > put && cell.fault == FLUSHED));
}

/// `SYNC_FLUSH` answers once the record is on the disk: whatever crashes, an acknowledged message is there.
#[test]
fn a_synchronous_broker_loses_nothing_that_it_has_answered() {
    let history = one_message("SYNC_FLUSH");
    let faults = vec![Fault::Kill, FLUSHED, EVERYTHING, Fault::TornWrite];
    let cells = cells(Plan { faults, ..Plan::of(&history) });
    let told: BTreeSet<&str> = cells.iter().map(|cell| message(cell).told.as_str()).collect();
    assert!(told.contains("SEND_OK") && told.len() > 1, "{told:?}");
    for cell in &cells {
        assert_ne!(message(cell).verdict, Verdict::Lost, "{cell:?}");
    }
}

/// Before each event a crash of each fault but the torn write; in an event of the broker with n operations, n more of
/// them, and a torn write for each write of two bytes and more.
#[test]
fn every_event_and_every_write_has_its_crash() {
    let history = one_message("SYNC_FLUSH");
    let matrix = Matrix::new(Plan::of(&history)).unwrap();
    assert_eq!(matrix.moments().len() as u64, history.len() + 1);
    let mut expected = 0;
    for (event, moment) in history.window(0, usize::MAX).iter().zip(matrix.moments()) {
        let ops = if event.node == "broker" { event.writes.len() as u64 } else { 0 };
        let torn = event.writes.iter().filter(|write| write.op == crate::sim::DiskOp::Write && write.len > 1).count();
        let torn = if ops > 0 { torn as u64 } else { 0 };
        assert_eq!((moment.event, moment.cells), (event.seq, 2 + 2 * ops + torn), "{event:?}");
        expected += moment.cells;
    }
    assert_eq!(matrix.moments().last().map(|moment| (moment.cells, moment.turn.is_none())), Some((2, true)));
    assert_eq!(matrix.cells(), expected + 2);
    let numbers: Vec<u64> = matrix.clone().flatten().map(|cell| cell.number).collect();
    assert_eq!(numbers, (0..matrix.cells()).collect::<Vec<_>>());
}

/// The log of a cell leads to that very world: its history is as long, and its messages came to the same.
#[test]
fn the_world_of_each_cell_can_be_replayed() {
    let lesson = Arc::new(LessonSource::find("01-three-messages").unwrap().load().unwrap());
    let faults =
        vec![Fault::Kill, FLUSHED, Fault::PowerLoss { survives: Survives::Random { seed: 3 } }, Fault::TornWrite];
    let plan = Plan { faults, ..Plan::of_lesson(&lesson).unwrap() };
    for cell in cells(plan.clone()).iter().step_by(5) {
        let actions = plan.actions_of(cell);
        let mut history = History::replay(&plan.cluster, plan.seed, &actions, cell.position).unwrap();
        assert_eq!(history.position(), cell.position);
        history.run_to_rest(0);
        assert_eq!(judge(history.world()), cell.messages, "{cell:?}");
    }
}

/// Forks are independent of each other: played from the last to the first, they come to the same.
#[test]
fn the_order_of_playing_makes_no_difference() {
    let plan = Plan::of(&one_message("ASYNC_FLUSH"));
    let matrix = Matrix::new(plan).unwrap();
    let forward: Vec<Cell> = matrix.clone().flatten().collect();
    let forks: Vec<_> = matrix.collect();
    let mut backward: Vec<Cell> = forks.into_iter().rev().flatten().collect();
    backward.sort_by_key(|cell| cell.number);
    assert_eq!(forward, backward);
}

/// The run goes on while the broker is down: a service that was paused stands still no more once its process is gone, so
/// that letting it go on is skipped; what comes at its time is done at its time.
#[test]
fn what_the_run_does_next_is_done_or_counted() {
    let mut history = History::new(&cluster("ASYNC_FLUSH"), 1).unwrap();
    let node = || "broker".to_owned();
    let service = Some(crate::node::Service::Reput);
    history.act(Action::Pause { node: node(), service }).unwrap();
    history.act(Action::Wait { ms: 5000 }).unwrap();
    history.run_to_rest(1000);
    history.act(Action::Resume { node: node(), service }).unwrap();
    history.run_to_rest(1000);
    let plan = Plan { faults: vec![Fault::Kill], ..Plan::of(&history) };
    let cells = cells(plan);
    // Before the pause: it cannot be done, nor can its end. Before the wait: only its end cannot. At the end: all is done.
    let by_event = |event: u64| cells.iter().find(|cell| cell.event == event && cell.write.is_none()).unwrap();
    assert_eq!((by_event(0).skipped, by_event(1).skipped), (2, 1));
    assert_eq!(by_event(history.len()).skipped, 0);
    // The wait of the run is over 5 s after its start, as it was; the node was down for 1 s in that time.
    assert_eq!(by_event(0).now_us.div_euclid(1_000_000), 5);
    let kinds: Vec<&Action> = by_event(1).tail.iter().map(|logged| &logged.action).collect();
    assert!(
        matches!(
            kinds.as_slice(),
            [Action::Kill { .. }, Action::Wait { ms: 5000 }, Action::Wait { ms: 1000 }, Action::Start { .. }]
        ) || matches!(
            kinds.as_slice(),
            [Action::Kill { .. }, Action::Wait { ms: 1000 }, Action::Wait { ms: 5000 }, Action::Start { .. }]
        ),
        "{kinds:?}"
    );
}

/// Clients and NameServers have no disk: they are killed, and nothing else.
#[test]
fn nodes_without_a_disk_are_only_killed() {
    let history = one_message("ASYNC_FLUSH");
    let targets = vec!["producer".to_owned(), "namesrv".to_owned()];
    let plan = Plan { targets, faults: vec![Fault::Kill, FLUSHED, Fault::TornWrite], ..Plan::of(&history) };
    let cells = cells(plan);
    assert_eq!(cells.len() as u64, 2 * (history.len() + 1));
    assert!(cells.iter().all(|cell| cell.fault == Fault::Kill && cell.write.is_none() && cell.up));
}

#[test]
fn a_plan_that_cannot_be_played_says_why() {
    let plan = Plan::of(&one_message("ASYNC_FLUSH"));
    let error = |plan: Plan| Matrix::new(plan).unwrap_err();
    let nobody = Plan { targets: vec!["nobody".to_owned()], ..plan.clone() };
    assert_eq!(error(nobody), MatrixError::NoSuchTarget { node: "nobody".to_owned() });
    assert_eq!(error(Plan { down_ms: 0, ..plan.clone() }), MatrixError::TooSmall { field: "downMs".to_owned() });
    let beyond = LoggedAction { at: 1_000, action: Action::Kill { node: "broker".to_owned() } };
    let actions = plan.actions.iter().cloned().chain([beyond]).collect();
    assert_eq!(error(Plan { actions, ..plan }), ReplayError::Misplaced { at: 1_000 }.into());
}

#[test]
fn faults_are_written_and_read() {
    let faults = [
        Fault::Kill,
        Fault::TornWrite,
        FLUSHED,
        EVERYTHING,
        Fault::PowerLoss { survives: Survives::Prefix { pages: 3 } },
        Fault::PowerLoss { survives: Survives::Torn { pages: 0, sectors: 7 } },
        Fault::PowerLoss { survives: Survives::Random { seed: 5 } },
    ];
    for fault in faults {
        assert_eq!(fault.to_string().parse(), Ok(fault));
    }
    for text in ["", "Kill", "powerLoss", "powerLoss:torn:0:8", "powerLoss:prefix:-1", "kill:1"] {
        assert_eq!(text.parse::<Fault>(), Err(NoSuchFault(text.to_owned())));
    }
}

/// A cell crosses to the page as JSON and comes back the same.
#[test]
fn a_cell_survives_its_json() {
    let cell = cells(Plan::of(&one_message("ASYNC_FLUSH"))).pop().unwrap();
    let text = serde_json::to_string(&cell).unwrap();
    assert!(text.contains("\"nowUs\":") && text.contains("\"verdict\":\"lost\""), "{text}");
    assert_eq!(serde_json::from_str::<Cell>(&text).unwrap(), cell);
    assert!(cell.tail.iter().any(|logged| matches!(logged.action, Action::Start { .. })));
}

/// Every lesson's solution can be crashed: somewhere in its middle, the run is followed to an end.
#[test]
fn every_lesson_can_be_crashed() {
    for source in crate::lesson::LESSONS {
        let lesson = Arc::new(source.load().unwrap());
        let plan = Plan { faults: vec![FLUSHED], events_max: 200, ..Plan::of_lesson(&lesson).unwrap() };
        let matrix = Matrix::new(plan).unwrap();
        let middle = matrix.moments().len() / 2;
        if let Some(cell) = matrix.skip(middle).find_map(|mut fork| fork.next()) {
            assert_ne!(cell.end, End::NoCrash, "{}: {cell:?}", source.id);
        }
    }
}
