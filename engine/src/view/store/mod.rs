//! Pictures of a store directory, made from its bytes alone.
//!
//! Nothing is loaded, recovered or written: what is shown is what lies on the disk. Every picture is a window whose
//! cost follows what is in it, so that a directory of many 1 GiB files scrolls like a small one. [`StoreExplorer`]
//! answers each [`StoreQuery`] with the [`StoreAnswer`] of the same name.

mod client_check;
mod explorer;
mod hex;
mod index;
mod misc;
mod problem;
mod query;
mod queue;
mod record;
mod records;
#[cfg(test)]
mod tests;
mod tree;

pub use crate::store::inspect::{
    FileKind, GivenLayout, LayoutSource, Problem, ProblemKind, Progress, StoreLayout, UnitTarget,
};
pub use client_check::{ClientCheck, ClientVerdict};
pub use explorer::{StoreExplorer, StoreViewError};
pub use hex::{Field, HexOwner, HexSpan, HexWindow};
pub use index::{
    ChainEntry, IndexChain, IndexEntriesWindow, IndexEntryRow, IndexFileSummary, IndexSlotRow, IndexSlotsWindow,
};
pub use misc::{CheckpointPicture, ConfigFilePicture, ConfigProblem, StoreSummary};
pub use problem::ProblemsWindow;
pub use query::{StoreAnswer, StoreQuery};
pub use queue::{QueueSummary, UnitRow, UnitsWindow};
pub use record::{
    BodyPicture, BodyText, FieldPicture, Pointer, PropertyPicture, RecordPicture, RecordRow, TransactionKind,
};
pub use records::{LogItem, RecordsWindow};
pub use tree::{FileTree, TreeNode, TreeRow};

/// Rows in one window at most.
const ROWS_LIMIT: u32 = 10_000;

/// A wanted number of rows, cut to what a window may hold.
fn limit(wanted: u32) -> usize {
    wanted.min(ROWS_LIMIT) as usize
}
