//! Pictures of a store directory, made from its bytes alone.
//!
//! Nothing is loaded, recovered or written: what is shown is what lies on the disk. Every picture is a window whose
//! cost follows what is in it, so that a directory of many 1 GiB files scrolls like a small one.

mod hex;
mod index;
mod misc;
mod problem;
mod query;
mod queue;
mod record;
mod tree;

pub use hex::{Field, HexOwner, HexSpan, HexWindow};
pub use index::{
    ChainEntry, IndexChain, IndexEntriesWindow, IndexEntryRow, IndexFileSummary, IndexSlotRow, IndexSlotsWindow,
};
pub use misc::{CheckpointPicture, ConfigFilePicture, ConfigProblem, LayoutPicture, LayoutSource, StoreSummary};
pub use problem::{Problem, ProblemKind, ProblemsWindow};
pub use query::{StoreAnswer, StoreQuery};
pub use queue::{QueueSummary, UnitRow, UnitTarget, UnitsWindow};
pub use record::{
    BodyPicture, BodyText, FieldPicture, LogItem, Pointer, PropertyPicture, RecordPicture, RecordRow, RecordsWindow,
    TransactionKind,
};
pub use tree::{FileKind, FileTree, TreeNode, TreeRow};
