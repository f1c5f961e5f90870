//! Why a link cannot be honoured.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::sim::ActionError;

/// A link that cannot be honoured, and why not.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LinkError {
    /// It does not begin as every link does.
    #[error("this is no link to a run: it does not begin with `UlM`")]
    NotALink,
    /// It holds a character that no link holds.
    #[error("character {at} is `{character}`, which no link holds")]
    Character {
        /// Its place, from 1.
        at: u64,
        /// The character.
        character: char,
    },
    /// A newer program made it.
    #[error("the link has version {version}, and this program knows {known} and older ones")]
    Newer {
        /// The link's version.
        version: u8,
        /// The newest version known here.
        known: u8,
    },
    /// Its end is missing.
    #[error("the link was cut off: it has {got} bytes of {expected}")]
    CutOff {
        /// Bytes that there are.
        got: u64,
        /// Bytes that there were; of a link that ends before it says so, the fewest possible.
        expected: u64,
    },
    /// Something follows its end.
    #[error("{more} bytes follow the link's end")]
    Longer {
        /// How many bytes.
        more: u64,
    },
    /// Its bytes are not those that were written.
    #[error("the link was changed: its check sum is {expected:08x}, and its bytes have {got:08x}")]
    Changed {
        /// The check sum that was written.
        expected: u32,
        /// The check sum of the bytes.
        got: u32,
    },
    /// Unpacked, it is larger than any that this program makes.
    #[error("the link holds more than {limit} bytes when it is unpacked")]
    TooLarge {
        /// The most, bytes.
        limit: u64,
    },
    /// What it holds is no run.
    #[error("the link holds no run: {cause}")]
    NotARun {
        /// Why not.
        cause: String,
    },
    /// The run has more events than a link may have.
    #[error("the link's run has {length} events; the most are {limit}")]
    TooLong {
        /// Its events.
        length: u64,
        /// The most.
        limit: u64,
    },
    /// There is no lesson of this name.
    #[error("there is no lesson `{id}` here")]
    UnknownLesson {
        /// The lesson's id.
        id: String,
    },
    /// The lesson's script is not the one that the run began with.
    #[error("lesson `{id}` has changed since the link was made")]
    LessonChanged {
        /// The lesson's id.
        id: String,
    },
    /// The cluster cannot be built.
    #[error("the link's cluster cannot be built: {place}: {cause}")]
    Cluster {
        /// The node, and the key or part of it.
        place: String,
        /// What is wrong.
        cause: String,
    },
    /// A broker begins on a store whose bytes are not in the link, and nobody brought it.
    #[error("the link's `{node}` begins on the store `{name}`, fingerprint {fingerprint}, which is not in the link")]
    NeedsStore {
        /// The broker's node.
        node: String,
        /// What the store's owner knows it by.
        name: String,
        /// Its fingerprint.
        fingerprint: String,
    },
    /// Something that was done cannot be done.
    #[error("action {number} of the run, at event {at}, is refused: {cause}")]
    Refused {
        /// Its place among what was done, from 1.
        number: u64,
        /// Its event.
        at: u64,
        /// Why.
        cause: String,
        /// The same for whoever says it in another language.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<Box<ActionError>>,
    },
    /// Something that was done, or the end, stands at an event that is never come to.
    #[error("action {number} of the run stands at event {at}, which is never come to")]
    Misplaced {
        /// Its place among what was done, from 1; one more than there are: the end.
        number: u64,
        /// The event.
        at: u64,
    },
    /// Nothing happens any more before the run's end.
    #[error("the run ends after {at} events here, and the link's has {length}")]
    Ended {
        /// Events that happened.
        at: u64,
        /// Events of the link's run.
        length: u64,
    },
    /// The run goes through, and is another.
    #[error("the run ends differently here: its trace hash is {got:016x}, and the link says {expected:016x}")]
    Differs {
        /// The link's trace hash.
        expected: u64,
        /// The one here.
        got: u64,
    },
    /// A branch that the run left is not the one that was written.
    #[error("branch {branch} of the run: {error}")]
    Branch {
        /// Its number.
        branch: u32,
        /// Why not.
        error: Box<Self>,
    },
}
