//! Pictures of a store: the same for a directory that was opened and for a simulated broker's disk.

mod chain;
mod config;
mod context;
mod detail;
mod disk;
mod entries;
mod find;
pub mod format;
mod hex;
mod index;
mod inspector;
mod problems;
mod queues;
mod record;
mod records;
mod scroll;
mod tree;
mod written;

pub use context::{Num, StoreContext, Waiting, num, use_picture, use_store_context};
pub use hex::HexView;
pub use inspector::{Inspector, Search};
pub use problems::use_problems;
pub use written::SeekContext;
