//! A sandbox whose broker starts on a store that was opened.

use super::sandbox;
use crate::{
    disk::ReadAt,
    sim::{Begin, Cluster, ImportSpec, StoreSpec},
    store::inspect::StoreLayout,
};

/// How long after the last write to the store the world begins, milliseconds.
const LATER_MS: i64 = 60_000;

/// The last moment that a clock may show: the end of the year 9999, milliseconds since the epoch.
const WALL_MAX_MS: i64 = 253_402_300_799_999;

/// The sandbox's cluster with its broker on the store: it has the sizes that the store was written with, and its start,
/// with load and recovery, are the first events.
pub(super) fn cluster_on(store: &(impl ReadAt + ?Sized), layout: &StoreLayout, import: &ImportSpec) -> Cluster {
    let mut cluster = sandbox::cluster();
    let sizes = [
        ("mappedFileSizeCommitLog", layout.commit_log_file_size),
        ("mappedFileSizeConsumeQueue", layout.consume_queue_file_size),
        ("maxHashSlotNum", i64::from(layout.hash_slots)),
        ("maxIndexNum", i64::from(layout.index_capacity)),
    ];
    for broker in &mut cluster.brokers {
        broker.config = sizes.iter().map(|(key, size)| ((*key).to_owned(), size.to_string())).collect();
        broker.topics.clear();
        broker.store = StoreSpec { import: Some(import.clone()), ..StoreSpec::default() };
    }
    cluster.begin = Begin::Cold;
    let written = last_write(store).saturating_add(LATER_MS);
    if (cluster.start_ms..=WALL_MAX_MS).contains(&written) {
        cluster.start_ms = written;
    }
    cluster
}

/// When the store was last written to, milliseconds since the epoch: what its files and its checkpoint say. An archive
/// need not know its files' times.
fn last_write(store: &(impl ReadAt + ?Sized)) -> i64 {
    let files = store.files().into_iter().filter_map(|(_, file)| store.meta(file).ok()).map(|meta| meta.modified);
    // physicMsgTimestamp, logicsMsgTimestamp and indexMsgTimestamp of 4.9.8's StoreCheckpoint.
    let mut times = [0; 24];
    let checkpoint = store.find("checkpoint");
    let read = checkpoint.is_some_and(|file| store.read_at(file, 0, &mut times).is_ok());
    let times = times.chunks(8).filter_map(|time| time.try_into().ok()).map(i64::from_be_bytes).filter(|_| read);
    files.chain(times).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use crate::{
        disk::{MemoryDisk, ReadAt},
        link::LinkError,
        sim::Action,
        view::{Answer, FailureKind, Query, Session, Workbench, world::NodeFacts},
    };

    fn workbench(answer: Answer) -> Box<Workbench> {
        match answer {
            Answer::Workbench(workbench) => workbench,
            other => panic!("no workbench: {other:?}"),
        }
    }

    /// The disk of the sandbox's broker after a message was stored and the power failed.
    fn crashed() -> (MemoryDisk, i64) {
        let mut session = Session::new();
        session.ask(Query::StartSandbox { cluster: None, seed: 5 });
        let send = r#"{ "kind": "send", "producer": "producer", "topic": "OrderTopic", "body": "kept" }"#;
        workbench(session.ask(Query::Act { action: serde_json::from_str(send).unwrap() }));
        workbench(session.ask(Query::Run { events: 1000 }));
        workbench(session.ask(Query::Act { action: Action::Kill { node: "broker-a".to_owned() } }));
        let world = session.broker_disk("broker-a").unwrap();
        let last = world.files().into_iter().map(|(_, file)| world.meta(file).unwrap().modified).max().unwrap();
        (world.clone(), last)
    }

    #[test]
    fn a_broker_recovers_the_store_that_was_opened_and_goes_on_with_it() {
        let (store, last) = crashed();
        let mut session = Session::new();
        let Answer::Failed(none) = session.ask(Query::StartOnStore { name: "a".to_owned(), seed: 1 }) else {
            panic!("nothing is open")
        };
        assert_eq!(none.kind, FailureKind::NothingOpen);
        session.open(Box::new(store));
        let begun = workbench(session.ask(Query::StartOnStore { name: "crashed".to_owned(), seed: 1 }));
        assert_eq!((begun.run.position, begun.run.now_us), (0, 0));
        let Answer::Cluster(cluster) = session.ask(Query::Cluster) else { panic!("no cluster") };
        assert_eq!(cluster.start_ms, last + 60_000);
        let config = &cluster.brokers[0].config;
        assert_eq!(config["mappedFileSizeCommitLog"], "16384");
        assert_eq!(config["mappedFileSizeConsumeQueue"], "400");

        // What was there is there: the recovery of a store that was not stopped cleanly, and the message to be read.
        workbench(session.ask(Query::Run { events: 1000 }));
        let Answer::Recovery(Some(recovery)) = session.ask(Query::Recovery { node: "broker-a".to_owned() }) else {
            panic!("no recovery")
        };
        assert!(!recovery.clean);
        let pull = r#"{ "kind": "pull", "consumer": "consumer", "topic": "OrderTopic", "queue": QUEUE, "offset": 0 }"#;
        // The producer chose one of the two queues.
        for queue in ["0", "1"] {
            let action = serde_json::from_str(&pull.replace("QUEUE", queue)).unwrap();
            workbench(session.ask(Query::Act { action }));
            workbench(session.ask(Query::Run { events: 1000 }));
        }
        let after = workbench(session.ask(Query::Look));
        let received = after.run.stage.nodes.iter().find_map(|node| match node.facts {
            NodeFacts::Consumer { received, .. } => Some(received),
            _ => None,
        });
        assert_eq!(received, Some(1));
    }

    #[test]
    fn a_link_of_such_a_run_opens_where_the_store_is_open() {
        let (store, _) = crashed();
        let mut session = Session::new();
        session.open(Box::new(store.clone()));
        workbench(session.ask(Query::StartOnStore { name: "crashed".to_owned(), seed: 1 }));
        let before = workbench(session.ask(Query::Run { events: 30 }));
        let Answer::Shared(shared) = session.ask(Query::Share { branches: false }) else { panic!("nothing to share") };
        let mut other = Session::new();
        let open = Query::OpenLink { text: shared.text.clone() };
        let Answer::Failed(failure) = other.ask(open.clone()) else { panic!("it was opened without the store") };
        let Some(LinkError::NeedsStore { name, fingerprint, .. }) = failure.link.as_deref() else {
            panic!("another cause: {failure:?}")
        };
        assert_eq!((name.as_str(), fingerprint.len()), ("crashed", 16));
        // A store that is another one does not do.
        other.open(Box::new(MemoryDisk::from_files([("checkpoint".to_owned(), vec![0; 4096], 0)]).unwrap()));
        assert!(matches!(other.ask(open.clone()), Answer::Failed(failure) if failure.kind == FailureKind::Link));
        other.open(Box::new(store));
        assert_eq!(workbench(other.ask(open)), before);
        // Begun anew, it begins on the store again.
        let anew = workbench(other.ask(Query::Reset));
        assert_eq!(anew.run.position, 0);
        assert_eq!(workbench(other.ask(Query::Run { events: 30 })).run.trace_hash, before.run.trace_hash);
    }
}
