//! What a matrix is made of.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Cell, Fault};
use crate::{
    lesson::{Lesson, LessonRun, RunError},
    sim::{Cluster, History, LoggedAction, NodeActor, ReplayError, Survives},
};

/// How long a crashed node is down in a plan that does not say so, milliseconds.
pub const DOWN_MS: i64 = 1000;

/// Events after a crash in a plan that does not say so.
pub const EVENTS_MAX: u32 = 2000;

/// A run, and the crashes that are to fall into it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Plan {
    /// The cluster of the run.
    pub cluster: Cluster,
    /// Seed of its generators.
    pub seed: u64,
    /// What is done in it.
    pub actions: Vec<LoggedAction>,
    /// Its events.
    pub length: u64,
    /// The nodes that crash, one in each world. Those without a disk are only killed.
    pub targets: Vec<String>,
    /// How they crash.
    pub faults: Vec<Fault>,
    /// How long a crashed node is down before it is started again, milliseconds; at least 1.
    #[serde(default = "down_ms")]
    pub down_ms: i64,
    /// Events after a crash at most: a world that is not at rest by then is judged as it stands.
    #[serde(default = "events_max")]
    pub events_max: u32,
}

const fn down_ms() -> i64 {
    DOWN_MS
}

const fn events_max() -> u32 {
    EVENTS_MAX
}

/// Why there is no matrix.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MatrixError {
    /// The run does not go as its log says.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The cluster has no such node.
    #[error("no node `{node}`")]
    NoSuchTarget {
        /// The name.
        node: String,
    },
    /// A number of the plan is outside its range.
    #[error("{field}: at least 1")]
    TooSmall {
        /// The field.
        field: String,
    },
}

impl Plan {
    /// The whole present branch of a run: its brokers crash, by a kill, by a power loss that leaves what was flushed, and
    /// by a kill in the middle of a write.
    pub fn of(history: &History) -> Self {
        let world = history.world();
        let brokers = world.nodes().filter(|node| matches!(node.actor, NodeActor::Broker(_)));
        Self {
            cluster: world.cluster().clone(),
            seed: world.seed(),
            actions: history.actions().to_vec(),
            length: history.len(),
            targets: brokers.map(|node| node.name.to_owned()).collect(),
            faults: vec![Fault::Kill, Fault::PowerLoss { survives: Survives::Flushed }, Fault::TornWrite],
            down_ms: DOWN_MS,
            events_max: EVENTS_MAX,
        }
    }

    /// What is done in the world of a cell: with the cluster and the seed of the plan, [`Cell::position`] events of it are
    /// that world ([`History::replay`]).
    pub fn actions_of(&self, cell: &Cell) -> Vec<LoggedAction> {
        let before = self.actions.iter().filter(|logged| logged.at < cell.event);
        before.chain(&cell.tail).cloned().collect()
    }

    /// The solution of a lesson, played to its end.
    ///
    /// # Errors
    /// If it cannot be played.
    pub fn of_lesson(lesson: &Arc<Lesson>) -> Result<Self, RunError> {
        let mut run = LessonRun::new(Arc::clone(lesson))?;
        run.solve()?;
        Ok(Self::of(run.history()))
    }
}
