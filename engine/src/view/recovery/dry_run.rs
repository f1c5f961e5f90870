//! Load, recovery and start on a disk that is only read.

use super::{Depth, Finding, RecoveryPainter, RecoveryPicture, examine};
use crate::disk::{Disk, ReadAt};
use crate::store::inspect::StoreLayout;
use crate::store::{Env, LoadError, Step, Store, StoreConfig, Work};

/// What a start did.
#[derive(Debug)]
pub struct DryRun<D> {
    /// The picture, verdict included.
    pub picture: RecoveryPicture,
    /// What is left.
    pub ended: Ended<D>,
}

/// How a start ended.
#[derive(Debug)]
pub enum Ended<D> {
    /// The store runs, everything dispatched.
    Started(Box<Store<D>>),
    /// It does not load; the disk as the broken load left it.
    Refused(LoadError, D),
    /// It loads, and does not start.
    Failed(Box<Store<D>>),
}

impl<D: Disk> Ended<D> {
    /// The store, if it was loaded.
    pub fn store(&self) -> Option<&Store<D>> {
        match self {
            Self::Started(store) | Self::Failed(store) => Some(store),
            Self::Refused(..) => None,
        }
    }

    /// The disk as it is now.
    pub fn disk(&self) -> &D {
        match self {
            Self::Started(store) | Self::Failed(store) => store.disk(),
            Self::Refused(_, disk) => disk,
        }
    }
}

/// Loads and starts a store at `now`, milliseconds since the epoch, as a 4.9.8 broker does before it takes its first
/// request: recovery, dispatch of what waits, `abort` (`DefaultMessageStore.load`, `start`). `disk` is written to, so it
/// should lie over what must stay as it is; `before` is that. Records of a file and units of a queue are told one by one
/// up to `detail`.
pub fn dry_run<D: Disk, R: ReadAt + ?Sized>(
    disk: D,
    before: &R,
    config: StoreConfig,
    now: i64,
    detail: usize,
    depth: Depth,
) -> DryRun<D> {
    let mut watch = Watch { now, next: 0, painter: RecoveryPainter::new(detail) };
    let mut store = match Store::load_or_give_back(disk, config, &mut watch) {
        Ok(store) => Box::new(store),
        Err((error, disk)) => {
            return DryRun { picture: watch.painter.finish(), ended: Ended::Refused(error, disk) };
        }
    };
    let started = store.start(&mut watch);
    let mut picture = watch.painter.finish();
    examine(before, &store, depth, &mut picture);
    let ended = match started {
        Ok(()) => Ended::Started(store),
        Err(error) => {
            picture.verdict.insert(0, Finding::StartFailed { cause: error.to_string() });
            Ended::Failed(store)
        }
    };
    DryRun { picture, ended }
}

/// The configuration of a broker whose store has these sizes.
pub fn layout_config(layout: &StoreLayout) -> StoreConfig {
    let narrow = |size: i64| i32::try_from(size).unwrap_or(i32::MAX);
    StoreConfig {
        mapped_file_size_commit_log: narrow(layout.commit_log_file_size),
        mapped_file_size_consume_queue: narrow(layout.consume_queue_file_size),
        max_hash_slot_num: layout.hash_slots,
        max_index_num: layout.index_capacity,
        ..StoreConfig::default()
    }
}

/// A clock that moves only so far that no two index files get one name, and an ear that paints.
struct Watch {
    now: i64,
    next: u32,
    painter: RecoveryPainter,
}

impl Env for Watch {
    fn now(&self) -> i64 {
        self.now
    }

    fn spend(&mut self, work: Work) {
        if work == Work::CreateIndexFile {
            self.now = self.now.saturating_add(1);
        }
    }

    fn step(&mut self, step: impl FnOnce() -> Step) {
        self.painter.take(self.next, &step());
        self.next = self.next.saturating_add(1);
    }
}
