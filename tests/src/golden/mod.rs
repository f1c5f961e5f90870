//! Goldens: stores that the real RocketMQ 4.9.8 wrote, with what it answered while it did.
//!
//! A case is a folder or a zip archive of `expected.json` and the directories it speaks of (`tests/golden/README.md`
//! gives the form). The harness replays what the case put into a store of ours, driven by the recorded clock, and
//! compares every status, every number in memory and every byte on disk; and it opens the real directory and asks it
//! the recorded questions. A difference is reported with its place: case, field path, expected and actual, or file,
//! first differing byte and the record it lies in.
//!
//! [`discover`] and [`archive`] find and read cases, [`expected`] is their typed form, and [`kinds`] says which checks a
//! case's shape calls for: [`writing`], [`cleaning`], [`reading`], [`inspecting`], [`recovering`], [`broker`]. A check drives a store
//! ([`run`], [`clock`], [`input`]), takes its picture in the recordings' form ([`dump`], [`records`]) and makes the
//! recorded calls ([`reads`], [`filter`]); what differs goes through [`settle`], [`tree`] and [`diff`] into a report.

pub mod archive;
pub mod broker;
pub mod cleaning;
pub mod clock;
pub mod diff;
pub mod discover;
pub mod dump;
pub mod expected;
pub mod filter;
pub mod input;
pub mod inspecting;
pub mod kinds;
pub mod reading;
pub mod reads;
pub mod records;
pub mod recovering;
pub mod run;
pub mod settle;
pub mod tree;
pub mod writing;
