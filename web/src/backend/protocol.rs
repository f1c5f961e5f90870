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
    /// Pack the disk of a broker of the running world; the archive comes beside the answer.
    Export {
        /// The broker's node.
        node: String,
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
    /// To [`Request::Open`] and [`Request::Choose`].
    Opened(Result<Opened, OpenError>),
    /// To [`Request::Export`].
    Exported(Result<Exported, ExportError>),
}

/// A disk that was packed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exported {
    /// A name for the archive.
    pub name: String,
    /// Files in it.
    pub files: u64,
    /// Their lengths together, bytes.
    pub len: u64,
    /// The archive's length, bytes.
    pub packed: u64,
}

/// Why a disk cannot be packed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportError {
    /// No broker of the running world has this name.
    NoBroker,
    /// Its files are longer than what is packed here.
    TooLarge {
        /// Their lengths together, bytes.
        len: u64,
        /// The most, bytes.
        limit: u64,
    },
    /// It failed, and why.
    Failed(String),
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
