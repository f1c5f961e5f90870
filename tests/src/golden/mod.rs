//! Goldens: stores that the real RocketMQ 4.9.8 wrote, with what it answered while it did.
//!
//! A case is a folder or a zip archive of `expected.json` and the directories it speaks of (`tests/golden/README.md`
//! gives the form). The harness replays what the case put into a store of ours, driven by the recorded clock, and
//! compares every status, every number in memory and every byte on disk; and it opens the real directory and asks it
//! the recorded questions. A difference is reported with its place: case, field path, expected and actual, or file,
//! first differing byte and the record it lies in.
//!
//! [`archive`] and [`discover`] find cases, [`expected`] is their typed form, [`kinds`] says which checks a case's
//! shape calls for, and the checks themselves stand on [`dump`] (a picture of a store in the same typed form),
//! [`diff`] and [`tree`].

pub mod archive;
pub mod diff;
pub mod discover;
pub mod expected;
pub mod kinds;
