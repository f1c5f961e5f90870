//! A whole run as a text: where it began, what was done, how far it went, and the trace hash at its end.
//!
//! A link does not hold what happened, but what it follows from: it is opened by going through the run again, and is only
//! honoured if that ends with the same hash. The text is the same in an address and in a run file; its form is said in
//! [`text`](self::Link::encode). A link in an address holds the branch that is shown; a run file, and what a page keeps
//! for the next visit, hold the branches that were left as well. What a link never holds are the bytes of a store that was
//! brought along: it names its fingerprint.

mod address;
mod branches;
mod error;
mod fingerprint;
#[cfg(test)]
mod tests;
mod text;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use address::text_of;
pub use branches::LeftBranch;
pub use error::LinkError;
pub use fingerprint::fingerprint;
pub use text::VERSION;

use crate::{
    lesson::{Answered, LessonRun, LessonSource, LoggedMove, Made, ResumeError, RunError},
    sim::{BRANCHES_MAX, Cluster, History, ImportSpec, Imports, LoggedAction, ReplayError},
};

/// Characters that a link in an address has at most; what is longer is handed on as a file. Browsers take more, but
/// chats, mails and trackers cut or refuse what is longer than some 8 KiB.
pub const ADDRESS_MAX: usize = 8000;

/// Events that a run in a link has at most, those of its branches included.
pub const EVENTS_MAX: u64 = 1_000_000;

/// How the name of a run file ends.
pub const FILE_EXTENSION: &str = "rocketscope";

/// A run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Link {
    /// What it began with.
    pub origin: Origin,
    /// What was done, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<LoggedMove>,
    /// The questions of a lesson that were answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answered: Vec<Answered>,
    /// The goals of a lesson that have been met, by id, on ways that the run left as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub met: Vec<String>,
    /// Events of it.
    pub length: u64,
    /// Where whoever made the link stood: so many events from the start.
    pub position: u64,
    /// Trace hash after the last event.
    pub hash: u64,
    /// The number of the branch that this is.
    #[serde(default, skip_serializing_if = "is_first")]
    pub branch: u32,
    /// The branches that the run left, the longest ago first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<LeftBranch>,
}

/// Whether a branch is the one that a run begins on.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_first(branch: &u32) -> bool {
    *branch == 0
}

/// What a run began with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Origin {
    /// A lesson.
    Lesson {
        /// Its folder's name.
        id: String,
        /// [`fingerprint`] of its script.
        fingerprint: u64,
    },
    /// A cluster of one's own.
    Cluster {
        /// The cluster.
        cluster: Box<Cluster>,
        /// Seed of the world's generators.
        seed: u64,
    },
}

/// A run that was gone through again, at the link's position.
#[derive(Clone, Debug)]
pub enum Opened {
    /// Of a lesson.
    Lesson(Box<LessonRun>),
    /// Of a cluster.
    Cluster {
        /// The cluster.
        cluster: Box<Cluster>,
        /// Seed of the world's generators.
        seed: u64,
        /// The run.
        history: Box<History>,
    },
}

impl Opened {
    /// The run's history.
    pub fn history(&self) -> &History {
        match self {
            Self::Lesson(run) => run.history(),
            Self::Cluster { history, .. } => history,
        }
    }
}

impl Link {
    /// The link to the branch that a lesson's run is on.
    pub fn of_lesson(run: &LessonRun) -> Self {
        let lesson = run.lesson();
        Self {
            moves: run.moves(),
            answered: run.answered(),
            met: run.goals_met(),
            ..Self::of(run.history(), Origin::Lesson { id: lesson.id.clone(), fingerprint: fingerprint(lesson) })
        }
    }

    /// The link to the branch that the run of a cluster is on.
    pub fn of_cluster(cluster: &Cluster, seed: u64, history: &History) -> Self {
        Self {
            moves: history.actions().iter().cloned().map(LoggedMove::from).collect(),
            ..Self::of(history, Origin::Cluster { cluster: Box::new(cluster.clone()), seed })
        }
    }

    fn of(history: &History, origin: Origin) -> Self {
        Self {
            origin,
            moves: Vec::new(),
            answered: Vec::new(),
            met: Vec::new(),
            length: history.len(),
            position: history.position(),
            hash: history.end_hash(),
            branch: 0,
            branches: Vec::new(),
        }
    }

    /// Goes through the run again, and back to where whoever made the link stood.
    ///
    /// # Errors
    /// If it is not the same run, with the first place at which that shows; if a broker begins on a store that is not
    /// among `imports`.
    pub fn open(&self, imports: &Imports) -> Result<Opened, LinkError> {
        self.check_size()?;
        if self.position > self.length {
            let cause = format!("position {} of a run of {} events", self.position, self.length);
            return Err(LinkError::NotARun { cause });
        }
        let mut opened = match &self.origin {
            Origin::Lesson { id, fingerprint } => self.open_lesson(id, *fingerprint)?,
            Origin::Cluster { cluster, seed } => self.open_cluster(cluster, *seed, imports)?,
        };
        self.grow(&mut opened)?;
        opened.seek(self.position);
        Ok(opened)
    }

    /// Whether it is no larger than a link may be.
    fn check_size(&self) -> Result<(), LinkError> {
        if self.branches.len() > BRANCHES_MAX {
            let cause = format!("{} branches; the most are {BRANCHES_MAX}", self.branches.len());
            return Err(LinkError::NotARun { cause });
        }
        let own = self.branches.iter().map(|one| one.length.saturating_sub(one.at));
        let length = own.fold(self.length, u64::saturating_add);
        if length > EVENTS_MAX { Err(LinkError::TooLong { length, limit: EVENTS_MAX }) } else { Ok(()) }
    }

    fn open_lesson(&self, id: &str, expected: u64) -> Result<Opened, LinkError> {
        let source = LessonSource::find(id).ok_or_else(|| LinkError::UnknownLesson { id: id.to_owned() })?;
        let lesson = source.load().map_err(|error| LinkError::NotARun { cause: error.to_string() })?;
        if fingerprint(&lesson) != expected {
            return Err(LinkError::LessonChanged { id: id.to_owned() });
        }
        let mut run = LessonRun::resume(Arc::new(lesson), &self.moves, self.length)?;
        check_hash(run.history(), self.hash)?;
        run.recall(&self.answered, &self.met)?;
        Ok(Opened::Lesson(Box::new(run)))
    }

    fn open_cluster(&self, cluster: &Cluster, seed: u64, imports: &Imports) -> Result<Opened, LinkError> {
        if !self.answered.is_empty() || !self.met.is_empty() {
            return Err(LinkError::NotARun { cause: "answers without a lesson".to_owned() });
        }
        for (node, import) in self.stores() {
            if imports.get(&import.fingerprint).is_none() {
                let (node, ImportSpec { name, fingerprint }) = (node.to_owned(), import.clone());
                return Err(LinkError::NeedsStore { node, name, fingerprint });
            }
        }
        let history = History::with_imports(cluster, seed, imports);
        let mut history = history.map_err(|error| LinkError::Cluster { place: error.place, cause: error.cause })?;
        go_through(&mut history, &self.moves, self.length)?;
        check_hash(&history, self.hash)?;
        Ok(Opened::Cluster { cluster: Box::new(cluster.clone()), seed, history: Box::new(history) })
    }

    /// The stores that have to be brought for it, with the brokers that begin on them.
    pub fn stores(&self) -> impl Iterator<Item = (&str, &ImportSpec)> {
        let brokers = match &self.origin {
            Origin::Lesson { .. } => &[][..],
            Origin::Cluster { cluster, .. } => cluster.brokers.as_slice(),
        };
        brokers.iter().filter_map(|broker| Some((broker.name.as_str(), broker.store.import.as_ref()?)))
    }
}

fn check_hash(history: &History, expected: u64) -> Result<(), LinkError> {
    let got = history.world().trace_hash();
    if got == expected { Ok(()) } else { Err(LinkError::Differs { expected, got }) }
}

/// Forwards through what was done to a cluster, up to `length` events.
fn go_through(history: &mut History, moves: &[LoggedMove], length: u64) -> Result<(), LinkError> {
    let actions = moves.iter().map(|one| match &one.made {
        Made::Act(action) => Ok(LoggedAction { at: one.at, action: action.as_ref().clone() }),
        Made::Take(id) => Err(LinkError::NotARun { cause: format!("offer `{id}` without a lesson") }),
    });
    let actions = actions.collect::<Result<Vec<_>, _>>()?;
    let number = |at: u64| moves.iter().rposition(|one| one.at == at).map_or(0, |place| place as u64 + 1);
    history.go_through(&actions, length).map_err(|error| match error {
        ReplayError::Cluster(error) => LinkError::Cluster { place: error.place, cause: error.cause },
        ReplayError::Action { at, error } => {
            LinkError::Refused { number: number(at), at, cause: error.to_string(), refused: Some(Box::new(error)) }
        }
        ReplayError::Ended { at, length } => LinkError::Ended { at, length },
        ReplayError::Misplaced { at } => LinkError::Misplaced { number: number(at), at },
    })
}

impl From<ResumeError> for LinkError {
    fn from(error: ResumeError) -> Self {
        match error {
            ResumeError::Refused { number, at, error } => Self::Refused {
                number: number as u64,
                at,
                cause: error.to_string(),
                refused: match error {
                    RunError::Action(refused) => Some(Box::new(refused)),
                    _ => None,
                },
            },
            ResumeError::Ended { at, length } => Self::Ended { at, length },
            ResumeError::Misplaced { number, at } => Self::Misplaced { number: number as u64, at },
            error @ (ResumeError::Run(_) | ResumeError::Unknown(_)) => Self::NotARun { cause: error.to_string() },
        }
    }
}
