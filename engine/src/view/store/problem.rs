//! Problems found in a store.

use serde::{Deserialize, Serialize};

use super::limit;
use crate::store::inspect::{Problem, ProblemScan};

/// The problems found so far, and how far the search is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProblemsWindow {
    /// Number of the first in `problems`, from 0.
    pub from: u64,
    /// The problems, in the order found: commit log, `ConsumeQueues`, index, the rest.
    pub problems: Vec<Problem>,
    /// How many were found so far.
    pub found: u64,
    /// How many more were found than are kept (the list is bounded).
    pub not_kept: u64,
    /// Bytes looked at.
    pub done_bytes: u64,
    /// Bytes to look at in all.
    pub total_bytes: u64,
    /// Whether the search is at its end.
    pub finished: bool,
}

/// The problems from one on.
pub(super) fn problems(scan: Option<&ProblemScan>, from: u64, wanted: u32) -> ProblemsWindow {
    let Some(scan) = scan else {
        return ProblemsWindow {
            from,
            problems: Vec::new(),
            found: 0,
            not_kept: 0,
            done_bytes: 0,
            total_bytes: 0,
            finished: false,
        };
    };
    let progress = scan.progress();
    let kept = scan.problems();
    let skip = usize::try_from(from).unwrap_or(usize::MAX);
    ProblemsWindow {
        from,
        problems: kept.iter().skip(skip).take(limit(wanted)).cloned().collect(),
        found: kept.len() as u64 + scan.not_kept(),
        not_kept: scan.not_kept(),
        done_bytes: progress.done_bytes,
        total_bytes: progress.total_bytes,
        finished: progress.finished,
    }
}
