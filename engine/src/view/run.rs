//! How the pictures of a run are made.

use std::collections::BTreeMap;

use super::names::{PlacedSends, names_of};
use super::world::{
    ConsumedMark, DiskPicture, Edge, Flight, Lane, NodeFacts, NodeKind, NodePicture, QueueFact, RecordMark, Ruler,
    RunPicture, Stage, TableFact, Timeline, TimelineEvent,
};
use crate::{
    broker::{Broker, Process},
    client::{Client, Received, Role, consumer::PushConsumer},
    disk::{MemoryDisk, memory::Room},
    ledger::redone,
    message::{Host, record},
    node::StepKind,
    sim::{History, NodeActor, NodeRef, TraceEvent, World},
    store::{Step, Store, step::Flag},
};

/// Named records shown on a ruler at most.
const MARKS_MAX: usize = 64;

/// Sends of a client, its newest, that are looked at for names on a ruler: a long run has too many to do so at each step.
const SENDS_MAX: usize = 1024;

/// Events of one timeline window at most.
const TIMELINE_MAX: u32 = 2000;

/// The picture of a run at its present position.
pub fn run_picture(history: &History) -> RunPicture {
    let world = history.world();
    let event = history.position().checked_sub(1).and_then(|seq| history.event(seq));
    RunPicture {
        position: history.position(),
        length: history.len(),
        now_us: world.now_us(),
        at_rest: world.at_rest(),
        next_us: history.next_us(),
        stage: stage(world, event.map(AsRef::as_ref)),
        rulers: world.nodes().filter_map(|node| ruler(world, node)).collect(),
        trace_hash: world.trace_hash(),
        event: event.map(|event| Box::new(event.as_ref().clone())),
    }
}

fn stage(world: &World, event: Option<&TraceEvent>) -> Stage {
    let redone = redone(world);
    let nodes = world.nodes().map(|node| node_picture(world, node, event, &redone)).collect();
    // A slave has two connections to its master, which are one line.
    let mut edges: Vec<Edge> = Vec::new();
    for (from, to) in world.connections() {
        if !edges.iter().any(|edge| edge.from == from && edge.to == to) {
            edges.push(Edge { from: from.to_owned(), to: to.to_owned() });
        }
    }
    let flights = world
        .flights()
        .map(|flight| Flight {
            id: flight.id,
            from: flight.from.to_owned(),
            to: flight.to.to_owned(),
            label: flight.label.to_owned(),
            kind: flight.kind,
            sent_us: flight.leaves_us,
            arrives_us: flight.arrives_us,
        })
        .collect();
    Stage { nodes, edges, flights }
}

fn node_picture(
    world: &World,
    node: NodeRef<'_>,
    event: Option<&TraceEvent>,
    redone: &BTreeMap<(&str, &str), u32>,
) -> NodePicture {
    let event = event.filter(|event| event.node == node.name);
    let (kind, facts) = match node.actor {
        NodeActor::NameServer(server) => {
            let tables = server.tables();
            let facts = NodeFacts::NameServer {
                brokers: count(tables.live().len()),
                topics: count(tables.topic_queues().len()),
            };
            (NodeKind::NameServer, facts)
        }
        NodeActor::Broker(broker) => {
            let store = broker.store();
            let facts = NodeFacts::Broker {
                broker_id: broker.config().broker_id,
                role: broker.store_config().broker_role,
                ha_connections: broker.process().map_or(0, Process::ha_connections),
                max_phy_offset: store.map_or(0, Store::max_phy_offset),
                reput_from_offset: store.map_or(0, Store::reput_from_offset),
                queues: store.map(|store| queue_facts(store, event)).unwrap_or_default(),
                disk: disk_picture(broker),
            };
            (NodeKind::Broker, facts)
        }
        NodeActor::Client(client) => client_facts(world, client),
        NodeActor::Database(database) => {
            let tables = database.tables().map(|table| TableFact {
                name: table.name().to_owned(),
                rows: count(table.len()),
                twins: count(table.twins()),
                redone: redone.get(&(node.name, table.name())).copied().unwrap_or(0),
            });
            (NodeKind::Database, NodeFacts::Database { tables: tables.collect(), commits: database.commits() })
        }
    };
    NodePicture {
        name: node.name.to_owned(),
        kind,
        active: event.is_some(),
        state: node.state,
        stopped: node.paused,
        services: world.services(node.name),
        paused: world.paused_services(node.name),
        facts,
    }
}

fn disk_picture(broker: &Broker) -> DiskPicture {
    let disk = broker.disk();
    DiskPicture {
        used_percent: Room::of(disk).used_percent(),
        capacity_bytes: disk.capacity(),
        faults: disk.faults().iter().map(ToString::to_string).collect(),
        full: broker.store().is_some_and(|store| store.running_flags().has(Flag::DiskFull)),
    }
}

/// What a push consumer does.
fn push_facts(world: &World, group: &str, push: &PushConsumer) -> NodeFacts {
    let calls = push.pool().calls().values().filter(|call| call.is_listening());
    let messages: Vec<_> = calls.flat_map(|call| call.task().messages()).collect();
    let names = names_of(world, messages.iter().map(|message| message.msg_id.as_str()).collect());
    let name = |message: &&std::sync::Arc<Received>| {
        names.get(&message.msg_id).cloned().unwrap_or_else(|| format!("@{}", message.queue_offset))
    };
    let in_hand: i64 = push.queues().values().map(|own| own.process_queue().count()).sum();
    let ended = push.consumed().iter().filter(|delivery| delivery.ended_us.is_some()).count();
    NodeFacts::PushConsumer {
        group: group.to_owned(),
        queues: count(push.queues().len()),
        consuming: messages.iter().map(name).collect(),
        in_hand: u32::try_from(in_hand).unwrap_or(u32::MAX),
        calls: count(ended),
        suspended: push.is_suspended(),
    }
}

fn client_facts(world: &World, client: &Client) -> (NodeKind, NodeFacts) {
    if *client.role() == Role::Admin {
        let last = client.answers().last();
        let facts = NodeFacts::Administrator {
            commands: count(client.answers().len()),
            busy: client.commands_open() > 0,
            last: last.and_then(|told| told.error.clone().or_else(|| told.lines.last().cloned())),
        };
        return (NodeKind::Administrator, facts);
    }
    if let Some(push) = client.push() {
        return (NodeKind::Consumer, push_facts(world, client.group(), push));
    }
    if let Role::Consumer { group } = client.role() {
        let facts = NodeFacts::Consumer {
            group: group.clone(),
            received: count(client.received().len()),
            last_status: client.pulls().last().map(|pull| pull.status.clone()),
        };
        return (NodeKind::Consumer, facts);
    }
    let results = client.results().to_vec();
    (NodeKind::Producer, NodeFacts::Producer { pending: count(client.pending()), results })
}

/// The queues that hold something, or that the event wrote to.
fn queue_facts(store: &Store<MemoryDisk>, event: Option<&TraceEvent>) -> Vec<QueueFact> {
    let written: Vec<(&str, i32)> = event
        .into_iter()
        .flat_map(|event| &event.steps)
        .filter_map(|step| match &step.what {
            StepKind::Store(Step::UnitWritten { topic, queue_id, .. }) => Some((topic.as_str(), *queue_id)),
            _ => None,
        })
        .collect();
    store
        .queues()
        .filter(|(_, _, queue)| queue.max_offset_in_queue() > 0)
        .map(|(topic, queue_id, queue)| QueueFact {
            topic: topic.to_owned(),
            queue_id,
            max_offset: queue.max_offset_in_queue(),
            just_written: written.contains(&(topic, queue_id)),
        })
        .collect()
}

fn ruler(world: &World, node: NodeRef<'_>) -> Option<Ruler> {
    let NodeActor::Broker(broker) = node.actor else { return None };
    let process = broker.process()?;
    let store = process.store();
    Some(Ruler {
        broker: node.name.to_owned(),
        // -1 says that there is no file yet: the log begins at 0 then.
        min: store.min_phy_offset().max(0),
        written: store.max_wrote_offset(),
        committed: store.committed_offset(),
        flushed: store.flushed_where(),
        replicated: store.replicated_offset(),
        dispatched: store.reput_from_offset(),
        consumed: consumed(process),
        file_starts: store.commit_log_files().map(|(start, _)| start).collect(),
        marks: marks(world, store, *broker.store_host()),
    })
}

/// Per group: the smallest physical offset among the next unconsumed units of its queues; the end of the log where it
/// has consumed everything.
fn consumed(process: &Process) -> Vec<ConsumedMark> {
    let store = process.store();
    let mut marks: BTreeMap<&str, i64> = BTreeMap::new();
    for (group, topic, queue_id, offset) in process.offsets().iter() {
        let next = store.unit(topic, queue_id, offset).filter(|unit| unit.is_valid());
        let at = next.map_or_else(|| store.max_phy_offset(), |unit| unit.physical_offset);
        marks.entry(group).and_modify(|mark| *mark = at.min(*mark)).or_insert(at);
    }
    marks.into_iter().map(|(group, offset)| ConsumedMark { group: group.to_owned(), offset }).collect()
}

/// The newest named records that this broker holds, of the newest sends. Where a crash took a record and another lies in its place now, the
/// place has the name of the send that was answered last, if that has one.
fn marks(world: &World, store: &Store<MemoryDisk>, store_host: Host) -> Vec<RecordMark> {
    let sends = PlacedSends::of(world, store_host, SENDS_MAX);
    let held = sends.newest_places().filter_map(|(physical_offset, sent)| {
        let name = sent.name.clone()?;
        let bytes = store.select_one_message(physical_offset)?;
        let record = record::decode(&bytes).ok()?;
        Some(RecordMark { name, physical_offset, size: record.total_size })
    });
    let mut marks: Vec<RecordMark> = held.take(MARKS_MAX).collect();
    marks.reverse();
    marks
}

/// A window of the timeline: events `from` and on.
pub fn timeline(history: &History, from: u64, limit: u32) -> Timeline {
    let order: BTreeMap<&str, usize> =
        history.world().nodes().enumerate().map(|(index, node)| (node.name, index)).collect();
    let lane = |(node, service): (&str, &str)| Lane { node: node.to_owned(), service: service.to_owned() };
    let mut lanes: Vec<Lane> = history.lanes().map(lane).collect();
    // Nodes as they were described, the services of each as they first came; the world's own lane first.
    lanes.sort_by_key(|lane| order.get(lane.node.as_str()).map_or(0, |index| index + 1));
    let lane_of = |event: &TraceEvent| {
        lanes.iter().position(|lane| lane.node == event.node && lane.service == event.service).unwrap_or(0)
    };
    let events = history
        .window(from, limit.min(TIMELINE_MAX) as usize)
        .iter()
        .map(|event| TimelineEvent {
            seq: event.seq,
            at_us: event.at_us,
            lane: count(lane_of(event)),
            cause: event.cause,
            what: event.what.clone(),
            wrote: !event.writes.is_empty(),
        })
        .collect();
    Timeline { events, length: history.len(), lanes }
}

fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Query, Session};
    use crate::sim::{Action, History, Send, Survives};

    fn ask(session: &mut Session, query: Query) -> Answer {
        let answer = session.ask(query);
        assert!(!matches!(answer, Answer::Failed(_)), "{answer:?}");
        answer
    }

    #[test]
    fn a_place_that_a_crash_freed_has_the_name_of_what_lies_there_now() {
        let mut session = Session::new();
        ask(&mut session, Query::StartSandbox { cluster: None, seed: 1 });
        let node = || "broker-a".to_owned();
        let send = |name: &str| {
            let (producer, topic) = ("producer".to_owned(), "OrderTopic".to_owned());
            let name = Some(name.to_owned());
            Action::Send(Box::new(Send { producer, topic, queue: Some(0), name, ..Send::default() }))
        };
        let lost = Action::PowerLoss { node: node(), survives: Survives::Flushed };
        for action in [send("M1"), lost, Action::Start { node: node() }, send("M2")] {
            ask(&mut session, Query::Act { action });
            ask(&mut session, Query::Run { events: 1000 });
        }
        let Answer::Workbench(bench) = ask(&mut session, Query::Look) else { panic!("no workbench") };
        let marks: Vec<(&str, i64)> =
            bench.run.rulers[0].marks.iter().map(|mark| (mark.name.as_str(), mark.physical_offset)).collect();
        assert_eq!(marks, [("M2", 0)]);
    }

    /// Of 70 messages in one queue, the last 64; each record is as long as the one before, up to the digits of its name.
    #[test]
    fn a_ruler_shows_the_newest_records_in_the_order_of_the_log() {
        let mut session = Session::new();
        ask(&mut session, Query::StartSandbox { cluster: None, seed: 1 });
        for number in 1..=70 {
            let (producer, topic) = ("producer".to_owned(), "OrderTopic".to_owned());
            let name = Some(format!("M{number}"));
            let send = Action::Send(Box::new(Send { producer, topic, queue: Some(0), name, ..Send::default() }));
            ask(&mut session, Query::Act { action: send });
            ask(&mut session, Query::Run { events: 1000 });
        }
        let Answer::Workbench(bench) = ask(&mut session, Query::Look) else { panic!("no workbench") };
        let marks = &bench.run.rulers[0].marks;
        let names: Vec<&str> = marks.iter().map(|mark| mark.name.as_str()).collect();
        let expected: Vec<String> = (7..=70).map(|number| format!("M{number}")).collect();
        assert_eq!(names, expected);
        assert!(marks.is_sorted_by_key(|mark| mark.physical_offset));
    }

    /// M1, and then as many sends as are looked at: with one less M1 is still among them.
    #[test]
    fn a_name_leaves_the_ruler_when_its_send_is_no_longer_among_the_newest() {
        let mut history = History::new(&super::super::sandbox_cluster(), 1).unwrap();
        let mut send = |name: Option<&str>| {
            let (producer, topic) = ("producer".to_owned(), "OrderTopic".to_owned());
            let name = name.map(str::to_owned);
            history.act(Action::Send(Box::new(Send { name, producer, topic, ..Send::default() }))).unwrap();
            history.run_to_rest(1000);
            let marks = super::run_picture(&history).rulers[0].marks.len();
            (history.world().client("producer").unwrap().sent().len(), marks)
        };
        assert_eq!(send(Some("M1")), (1, 1));
        let seen: Vec<(usize, usize)> = (0..super::SENDS_MAX).map(|_| send(None)).collect();
        assert_eq!(seen[super::SENDS_MAX - 2..], [(1024, 1), (1025, 0)]);
    }
}
