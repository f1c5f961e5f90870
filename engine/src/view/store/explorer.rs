//! One store directory, and the answers to questions about it.

use thiserror::Error;

use super::{StoreAnswer, StoreQuery, problem, tree};
use crate::disk::{DiskError, ReadAt};
use crate::store::inspect::{GivenLayout, ProblemScan, Progress, RecordMap, StoreFiles, StoreLayout};

/// Why a question about a store has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoreViewError {
    /// The disk failed; the error names file and offset.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// No such file, or not of the kind asked for.
    #[error("{path}: no such file of this kind in the store")]
    NoSuchFile {
        /// The path asked for.
        path: String,
    },
    /// No such ConsumeQueue.
    #[error("consumequeue/{topic}/{queue_id}: no such queue in the store")]
    NoSuchQueue {
        /// The topic asked for.
        topic: String,
        /// The queue asked for.
        queue_id: i32,
    },
}

/// What is known of one store directory: its files, its sizes, and as much of its problems and of where records begin
/// as has been searched for. Holds no bytes of the store; every question is answered from the disk handed in.
#[derive(Clone, Debug)]
pub struct StoreExplorer {
    files: StoreFiles,
    layout: StoreLayout,
    map: RecordMap,
    scan: Option<ProblemScan>,
}

impl StoreExplorer {
    /// Lists the directory and works its sizes out, those given excepted.
    pub fn open<D: ReadAt + ?Sized>(disk: &D, given: &GivenLayout) -> Self {
        let files = StoreFiles::list(disk);
        let layout = StoreLayout::infer(disk, &files, given);
        Self { files, layout, map: RecordMap::default(), scan: None }
    }

    /// The files, as they were listed.
    pub fn files(&self) -> &StoreFiles {
        &self.files
    }

    /// The sizes.
    pub fn layout(&self) -> &StoreLayout {
        &self.layout
    }

    /// The search for problems, once it has begun.
    pub fn scan(&self) -> Option<&ProblemScan> {
        self.scan.as_ref()
    }

    /// Searches on for problems, for about `budget` bytes; on the way the explorer learns where records begin. The
    /// disk must be the one that was opened, and unchanged.
    pub fn scan_on<D: ReadAt + ?Sized>(&mut self, disk: &D, budget: u64) -> Progress {
        let scan = self.scan.get_or_insert_with(|| ProblemScan::new(disk, &self.files, &self.layout));
        scan.step(disk, &self.files, budget)
    }

    /// Answers a question.
    pub fn answer<D: ReadAt + ?Sized>(&self, disk: &D, query: &StoreQuery) -> Result<StoreAnswer, StoreViewError> {
        let scan = self.scan.as_ref();
        let pictures = Pictures {
            disk,
            files: &self.files,
            layout: &self.layout,
            map: scan.map_or(&self.map, ProblemScan::map),
            scan,
        };
        Ok(match query {
            StoreQuery::Summary => StoreAnswer::Summary(pictures.summary()?),
            StoreQuery::Tree => StoreAnswer::Tree(tree::tree(&self.files)),
            StoreQuery::Hex { path, start, len } => StoreAnswer::Hex(pictures.hex(path, *start, *len)?),
            StoreQuery::Record { physical_offset } => {
                StoreAnswer::Record(pictures.record(*physical_offset)?.map(Box::new))
            }
            StoreQuery::Records { from, limit } => StoreAnswer::Records(pictures.records(*from, *limit)?),
            StoreQuery::Queues => StoreAnswer::Queues(pictures.queues()?),
            StoreQuery::Units { topic, queue_id, from, limit } => {
                StoreAnswer::Units(pictures.units(topic, *queue_id, *from, *limit)?)
            }
            StoreQuery::IndexFiles => StoreAnswer::IndexFiles(pictures.index_files()?),
            StoreQuery::IndexSlots { path, from, limit } => {
                StoreAnswer::IndexSlots(pictures.index_slots(path, *from, *limit)?)
            }
            StoreQuery::IndexEntries { path, from, limit } => {
                StoreAnswer::IndexEntries(pictures.index_entries(path, *from, *limit)?)
            }
            StoreQuery::IndexChain { path, topic, key, begin, end } => {
                StoreAnswer::IndexChain(pictures.index_chain(path, (topic, key), (*begin, *end))?)
            }
            StoreQuery::Checkpoint => StoreAnswer::Checkpoint(pictures.checkpoint()?),
            StoreQuery::Config { path } => StoreAnswer::Config(pictures.config(path)?),
            StoreQuery::Problems { from, limit } => StoreAnswer::Problems(problem::problems(scan, *from, *limit)),
        })
    }
}

/// A store to make pictures of.
pub(super) struct Pictures<'a, D: ?Sized> {
    pub(super) disk: &'a D,
    pub(super) files: &'a StoreFiles,
    pub(super) layout: &'a StoreLayout,
    /// Where records begin, as far as is known.
    pub(super) map: &'a RecordMap,
    pub(super) scan: Option<&'a ProblemScan>,
}
