//! The parts of the crash matrix.

mod board;
mod detail;
mod grid;
mod mark;
mod pick;
mod setup;
mod summary;
mod table;

pub use board::Board;
pub use setup::Setup;
