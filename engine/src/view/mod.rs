//! Read-only pictures, serialisable, that the page, the JavaScript interface and the command line share.
//!
//! A picture is plain data: it holds no reference into what it shows, costs what its window holds and never what the
//! whole file or run holds, and says nothing in a human language except where 4.9.8 itself does. Numbers are exact
//! 64-bit integers.

pub mod compare;
pub mod consumers;
mod crash_matrix;
pub mod databases;
pub mod delay;
mod dirty;
mod failure;
mod import;
mod keys;
mod last_start;
pub mod ledger;
pub mod lesson;
mod names;
pub mod past;
pub mod producer;
mod query;
pub mod recovery;
pub mod routes;
mod run;
mod running;
mod sandbox;
mod saved_offsets;
mod scenario;
mod session;
mod share;
pub mod store;
pub mod transactions;
mod watched;
pub mod world;

pub use compare::{CompareAnswer, CompareChoices, ComparePicture, CompareQuery, NodeChoice, RunChoices};
pub use keys::{KeysPicture, keys};
pub use query::{Answer, ByteRange, Failure, FailureKind, Query, Source, Workbench, Writer};
pub use run::{run_picture, timeline};
pub use sandbox::cluster as sandbox_cluster;
pub use session::Session;
pub use share::Shared;
