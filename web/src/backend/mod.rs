//! Asking the engine: the page's side, the worker's side, and the files between them.
//!
//! The page asks asynchronously; a worker with the same wasm answers one question after the other. Files that the
//! reader opened are handed to the worker as they are: it reads slices of them when a question needs them, so nothing
//! is copied and a 1 GiB commit log opens at once.

mod client;
mod desk;
mod dos;
mod export;
mod fetch;
mod folder;
pub mod gather;
mod hook;
pub mod matrix;
mod pack;
mod protocol;
mod roots;
mod unzip;
mod worker;

pub use client::{AskError, Backend};
pub use hook::{Asked, use_ask, use_backend};
pub use protocol::{ExportError, Exported, OpenError, Opened, Opening};
pub use worker::serve;
