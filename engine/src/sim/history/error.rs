//! What keeps an action log from being replayed.

use crate::sim::{ActionError, ClusterError};

/// An action log that does not fit its cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The cluster cannot be built.
    #[error("{0}")]
    Cluster(ClusterError),
    /// An action cannot be done.
    #[error("action at event {at}: {error}")]
    Action {
        /// Its event.
        at: u64,
        /// Why not.
        error: ActionError,
    },
    /// Nothing happens any more before the log's end.
    #[error("the run ends after {at} events, and the log asks for {length}")]
    Ended {
        /// Events that happened.
        at: u64,
        /// Events that the log asks for.
        length: u64,
    },
    /// An action stands at a place that is never reached in order.
    #[error("action at event {at}: out of order, or beyond the end")]
    Misplaced {
        /// Its event.
        at: u64,
    },
}
