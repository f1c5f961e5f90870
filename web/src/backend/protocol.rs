//! What page and worker say to each other: JSON text, with files beside it.

use rocketscope_engine::view::{Answer, Query};
use serde::{Deserialize, Serialize};

/// From the page.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// A question for the engine.
    Ask(Query),
    /// Open a store; its files come beside the text.
    Open(Opening),
    /// Look at another of the stores that were found in what was opened.
    Choose {
        /// One of [`Opened::roots`].
        root: String,
    },
}

/// What is to be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Opening {
    /// A directory: the files beside the request lie at these paths.
    Directory {
        /// What the reader knows it by.
        name: String,
        /// As many as files.
        paths: Vec<String>,
    },
    /// A zip archive: the one file beside the request.
    Zip {
        /// What the reader knows it by.
        name: String,
    },
}

/// From the worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// To [`Request::Ask`].
    Answer(Box<Answer>),
    /// To the others.
    Opened(Result<Opened, OpenError>),
}

/// What was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// What the reader knows it by.
    pub name: String,
    /// Folders in it that look like stores, as paths; the empty path is what was opened itself. At least one.
    pub roots: Vec<String>,
    /// The one that is looked at.
    pub root: String,
}

/// Why something cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OpenError {
    /// It holds no file at all.
    Empty,
    /// It is no zip archive, or a broken one, and why.
    NotZip(String),
    /// Its files, unpacked, do not fit into the page's memory; the limit in bytes.
    TooLarge(u64),
    /// A file of it cannot be read, and why.
    Unreadable(String),
}

impl Opening {
    /// What the reader knows it by.
    pub fn name(&self) -> &str {
        match self {
            Self::Directory { name, .. } | Self::Zip { name } => name,
        }
    }
}
