//! The crash matrix: every place at which a crash can fall into a run, and what becomes of each message then.
//!
//! A run is walked through once, twice over in all: first to learn its events and what each does to the disks, then to
//! fork from it. Before every event the world is cloned, and a clone costs no more than the references it holds; per
//! clone a node crashes, is started again after a fixed time, and the world runs on until it is at rest. Nothing before
//! the crash is ever run again.
//!
//! ```text
//! Plan ──▶ Matrix ──▶ Fork (the world before one event) ──▶ Cell (one crash, and what came of it)
//!            │ Iterator: in order of events      │ Iterator: in order of cells
//! ```
//!
//! A fork is plain data, so several threads can play forks of one matrix; the number of a cell says where it belongs.

mod cell;
mod fault;
mod judge;
mod moment;
mod plan;
#[cfg(test)]
mod tests;
mod walk;

pub use cell::{Cell, End};
pub use fault::{Fault, NoSuchFault};
pub use judge::Judged;
pub use moment::{Moment, MomentTurn};
pub use plan::{DOWN_MS, EVENTS_MAX, MatrixError, Plan};
pub use walk::{Fork, Matrix};
