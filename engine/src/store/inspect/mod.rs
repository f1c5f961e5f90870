//! Reading a store's bytes without loading, recovering or changing it.
//!
//! [`StoreFiles`] lists what is there, [`StoreLayout`] works out the sizes it was written with, a reader each for the
//! commit log, a ConsumeQueue and an index file gives what they hold, and [`ProblemScan`] goes through all of it in
//! small steps, finding what is not as it should be and mapping where records begin on the way.

mod checkpoint;
mod config_text;
mod files;
mod find;
mod index;
mod index_shape;
mod layout;
mod log;
mod problem;
mod queue;
mod record_map;
mod resync;
mod scan;
mod target;
mod walk;

pub use super::index_file::IndexKey;
pub use checkpoint::{CHECKPOINT_USED, CheckpointTimes, read_checkpoint};
pub use config_text::{ConfigFault, config_fault};
pub use files::{FileKind, IndexPath, Segment, Segments, SingleFile, StoreFiles, kind_of, locate, read_clipped};
pub use find::{Holder, HolderKind, at_position, holder, record_before};
pub use index::{Chain, IndexReader};
pub use layout::{GivenLayout, INDEX_ENTRY, INDEX_HEADER, INDEX_SLOT, LayoutSource, StoreLayout, UNIT, index_file_len};
pub use log::{Fault, LogReader, Look, MAX_RECORD};
pub use problem::{Problem, ProblemKind};
pub use queue::{PlacedUnit, QueueReader};
pub use record_map::{RecordMap, SegmentMap, Tail};
pub use resync::next_start;
pub use scan::{LogTotals, ProblemScan, Progress};
pub use target::{UnitTarget, unit_target};
pub use walk::each_record;
