//! A run on its way into the page: from the address, from a file, or from the last visit.

use std::rc::Rc;

use crate::backend::AskError;
use crate::route::Screen;

/// Where a run comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// The address asked for it.
    Address,
    /// The reader opened a run file.
    File,
    /// It was kept under this name when the reader left.
    Kept(String),
    /// It was begun on the store that is open.
    Store,
}

/// A run that is being opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Tells it from the others of this visit.
    pub number: u64,
    /// The text of its link.
    pub text: Rc<str>,
    /// Where it comes from.
    pub way: Way,
}

/// A run that could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The run.
    pub opening: Opening,
    /// Why not.
    pub error: AskError,
}

/// A run that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Tells it from the others of this visit.
    pub number: u64,
    /// The screen that it belongs to.
    pub screen: Screen,
    /// Where it came from.
    pub way: Way,
}
