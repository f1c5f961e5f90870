//! A run handed on: the dialog behind Share, and what is said of a run that comes in.

mod dialog;
mod export;
mod file;
mod import;
mod incoming;
mod words;

pub use dialog::Share;
pub use export::ExportStore;
pub use file::{dropped_run, read_run};
pub use import::StartOnStore;
pub use incoming::{Arrived, NotOpened, Opening};
pub use words::why;
