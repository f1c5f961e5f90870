//! The one way to ask: questions and answers that the page, its worker, the JavaScript interface and the command
//! line share.

use serde::{Deserialize, Serialize};

use super::{
    compare::{CompareAnswer, CompareQuery},
    consumers::ConsumersPicture,
    databases::DatabasesPicture,
    delay::DelayPicture,
    keys::KeysPicture,
    ledger::{LedgerFilter, LedgerPicture},
    lesson::{LessonPicture, LessonSummary, LessonTextPicture},
    past::PastPicture,
    producer::ProducerPicture,
    recovery::RecoveryPicture,
    routes::RoutesPicture,
    share::Shared,
    store::{ProblemsWindow, StoreAnswer, StoreQuery},
    transactions::TransactionsPicture,
    world::{RunPicture, Timeline},
};
use crate::{
    backlog::{Outlook, Plan, PlanError},
    ledger::Broken,
    lesson::Breakpoint,
    link::LinkError,
    matrix,
    planted::PlantedFault,
    sim::{Action, ActionError, Cluster, ClusterError, LoggedAction, TraceEvent},
};

/// Where the store is that a question is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Source {
    /// The simulated disk of a broker of the running world, as it stands at the run's position.
    Broker {
        /// The broker's node.
        node: String,
    },
    /// The directory that was opened.
    Directory,
}

/// A question, or a command whose answer is the picture after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Query {
    /// All lessons, in order.
    Lessons,
    /// What a lesson says in one language.
    LessonText {
        /// The lesson's id, e.g. `01-three-messages`.
        id: String,
        /// `en` or `zh`.
        language: String,
    },
    /// Begins a lesson.
    StartLesson {
        /// The lesson's id.
        id: String,
    },
    /// Begins a free run on a cluster; absent, the sandbox's own.
    StartSandbox {
        /// The cluster.
        cluster: Option<Box<Cluster>>,
        /// Seed of the world's generators.
        seed: u64,
    },
    /// Begins a free run of the sandbox whose broker starts on a copy of the directory that is open.
    StartOnStore {
        /// What the reader knows the directory by.
        name: String,
        /// Seed of the world's generators.
        seed: u64,
    },
    /// Plays a scenario from its beginning to its end, and begins a free run there.
    OpenScenario {
        /// Its file's name, for errors: JSON's ends in `.json`, everything else is TOML.
        name: String,
        /// What the file holds.
        text: String,
    },
    /// The cluster of the sandbox that runs, as it was described; the sandbox's own while none runs.
    Cluster,
    /// What is wrong with a cluster, if anything: nothing is begun and what runs goes on.
    CheckCluster {
        /// The cluster.
        cluster: Box<Cluster>,
    },
    /// What each kind of node can be set to, with the defaults.
    Keys,
    /// Begins the present lesson or sandbox anew. Goals that have been met stay met.
    Reset,
    /// One event forwards.
    Step,
    /// One event back.
    StepBack,
    /// To a position of the run: 0 is the start.
    Seek {
        /// The number of events taken.
        position: u64,
    },
    /// Forwards until something needs the learner (an open question, an offered action), a breakpoint is met, the world
    /// is at rest, or so many events were taken.
    Run {
        /// Events at most.
        events: u32,
    },
    /// Does something to the world at its present moment. In the past, this begins a new branch.
    Act {
        /// What.
        action: Action,
    },
    /// Back to before the newest action that changed something; in a lesson, of those that the learner did. What follows
    /// it stays known.
    Undo,
    /// To where the undo before came from.
    Redo,
    /// Back to a branch that was left, to its end.
    Switch {
        /// Its number.
        branch: u32,
    },
    /// Sets these breakpoints in place of those before.
    SetBreakpoints {
        /// All of them.
        breakpoints: Vec<Breakpoint>,
    },
    /// Takes up the action that the lesson offers.
    TakeOffer {
        /// Its place in [`LessonPicture::offers`].
        index: u32,
    },
    /// Answers a question of the lesson.
    Predict {
        /// The question's id.
        question: String,
        /// The place of the choice in its list.
        choice: u32,
    },
    /// Plays the recorded solution from the start.
    Solve,
    /// The present run as a link.
    Share {
        /// Whether the branches that it left are in it as well: in a file they are, in an address they would make it long.
        branches: bool,
    },
    /// Opens the run of a link in place of what runs.
    OpenLink {
        /// The link: its text alone, an address that holds it, or what a run file holds.
        text: String,
    },
    /// The present picture, unchanged.
    Look,
    /// Events of the present branch.
    Timeline {
        /// The first event's number.
        from: u64,
        /// How many, cut to 2000.
        limit: u32,
    },
    /// One event of the present branch with all its steps.
    Event {
        /// Its number.
        seq: u64,
    },
    /// Which event and step last wrote a byte of a broker's disk, up to the present position.
    WriterOf {
        /// The broker's node.
        node: String,
        /// The file.
        path: String,
        /// The byte.
        offset: u64,
    },
    /// What a power loss would take from a file of a broker's disk.
    Dirty {
        /// The broker's node.
        node: String,
        /// The file.
        path: String,
    },
    /// What the present event has taken from a file of a broker's disk, if the power failed in it.
    Taken {
        /// The broker's node.
        node: String,
        /// The file.
        path: String,
    },
    /// Route tables, route caches, topics and groups of the running world.
    Routes,
    /// What the newest start of a broker did to its store, up to the present position.
    Recovery {
        /// The broker's node.
        node: String,
    },
    /// A producer from inside: its sends with their attempts, and what it knows of the brokers' speed.
    Producer {
        /// The producer's node.
        node: String,
    },
    /// A consumer group from inside: members, shares, progress, retries.
    Consumers {
        /// The group; absent, or one that no push consumer belongs to: the first by name.
        group: Option<String>,
    },
    /// The databases of the running world.
    Databases,
    /// What became of the messages, and by which rule.
    Ledger {
        /// Which of them.
        filter: LedgerFilter,
        /// Number of the first one wanted, among those.
        from: u32,
    },
    /// The delay levels of a broker, and what waits on them.
    Delay {
        /// The broker's node.
        node: String,
    },
    /// The transactions of a broker: half messages, what is decided, and what the checks did.
    Transactions {
        /// The broker's node.
        node: String,
    },
    /// A picture of a store.
    Store {
        /// Which store.
        source: Source,
        /// Which picture.
        query: StoreQuery,
    },
    /// Looks on for problems in a store, for about so many bytes.
    ScanProblems {
        /// Which store.
        source: Source,
        /// Bytes to read before answering.
        budget: u64,
    },
    /// What a start would do to the directory that is open. It is done in memory; nothing is written.
    RecoverDirectory,
    /// What a crash matrix is made of: of the run that is open, or of a lesson's solution.
    MatrixPlan {
        /// The lesson's id.
        lesson: Option<String>,
    },
    /// Begins a free run at the end of an action log.
    OpenRun {
        /// The cluster.
        cluster: Box<Cluster>,
        /// Seed of the world's generators.
        seed: u64,
        /// What is done.
        actions: Vec<LoggedAction>,
        /// Events in all.
        length: u64,
    },
    /// Two runs side by side. What runs goes on.
    Compare {
        /// What about them.
        query: CompareQuery,
    },
    /// How a backlog grows or clears. Nothing needs to run.
    Backlog {
        /// The group and what comes in.
        plan: Plan,
    },
}

/// The workbench: a running world and, where there is one, the lesson on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Workbench {
    /// The world.
    pub run: RunPicture,
    /// The lesson.
    pub lesson: Option<LessonPicture>,
    /// Its branches, and what it stops at.
    pub past: PastPicture,
    /// What is broken up to the present position and must never be, oldest first.
    #[serde(default)]
    pub broken: Vec<Broken>,
    /// Wrong behaviours that are switched on, none of which is RocketMQ's.
    #[serde(default)]
    pub planted: Vec<PlantedFault>,
}

/// An event and the step of it that wrote a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Writer {
    /// The event's number.
    pub seq: u64,
    /// The step's index in the event.
    pub step: u32,
}

/// Bytes of a file, `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ByteRange {
    /// The first byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
}

/// The answer to a [`Query`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "camelCase")]
pub enum Answer {
    /// To [`Query::Lessons`].
    Lessons(Vec<LessonSummary>),
    /// To [`Query::LessonText`].
    LessonText(Box<LessonTextPicture>),
    /// To [`Query::Cluster`].
    Cluster(Box<Cluster>),
    /// To [`Query::CheckCluster`]: the first thing that is wrong.
    Checked(Option<ClusterError>),
    /// To [`Query::Keys`].
    Keys(Box<KeysPicture>),
    /// To everything that moves the run.
    Workbench(Box<Workbench>),
    /// To [`Query::Timeline`].
    Timeline(Timeline),
    /// To [`Query::Event`].
    Event(Box<TraceEvent>),
    /// To [`Query::WriterOf`].
    Writer(Option<Writer>),
    /// To [`Query::Dirty`] and [`Query::Taken`]: ranges of bytes, in order.
    Dirty(Vec<ByteRange>),
    /// To [`Query::Producer`].
    Producer(Box<ProducerPicture>),
    /// To [`Query::Consumers`].
    Consumers(Box<ConsumersPicture>),
    /// To [`Query::Databases`].
    Databases(Box<DatabasesPicture>),
    /// To [`Query::Ledger`].
    Ledger(Box<LedgerPicture>),
    /// To [`Query::Routes`].
    Routes(Box<RoutesPicture>),
    /// To [`Query::Store`].
    Store(Box<StoreAnswer>),
    /// To [`Query::ScanProblems`]: all problems found so far, and how far the scan is.
    Problems(ProblemsWindow),
    /// To [`Query::RecoverDirectory`], and to [`Query::Recovery`]; `None` if the broker has not started since the run
    /// began.
    Recovery(Option<Box<RecoveryPicture>>),
    /// To [`Query::Delay`].
    Delay(Box<DelayPicture>),
    /// To [`Query::Transactions`].
    Transactions(Box<TransactionsPicture>),
    /// To [`Query::Share`].
    Shared(Box<Shared>),
    /// To [`Query::MatrixPlan`].
    MatrixPlan(Box<matrix::Plan>),
    /// To [`Query::Compare`].
    Compare(Box<CompareAnswer>),
    /// To [`Query::Backlog`].
    Backlog(Box<Outlook>),
    /// It could not be done. What was there before is unchanged.
    Failed(Failure),
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// What kind of failure, for the page's own words.
    pub kind: FailureKind,
    /// Place and cause, in English.
    pub message: String,
    /// Why an action was refused, for whoever says it in another language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Box<ActionError>>,
    /// Where a cluster is wrong, for whoever shows it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<Box<ClusterError>>,
    /// What is wrong with the plan of a backlog, for whoever shows it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Box<PlanError>>,
    /// Why a link cannot be honoured, for whoever says it in another language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Box<LinkError>>,
}

impl Failure {
    /// A failure with its cause, and nothing else to be shown anywhere.
    pub(super) fn of(kind: FailureKind, cause: &dyn std::fmt::Display) -> Self {
        Self { kind, message: cause.to_string(), refused: None, cluster: None, plan: None, link: None }
    }
}

/// Kinds of [`Failure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FailureKind {
    /// Nothing runs, or no directory is open.
    NothingOpen,
    /// No lesson, node, file, event or question has this name or number.
    NotFound,
    /// The action cannot be done now.
    Action,
    /// The cluster cannot be built.
    Cluster,
    /// The change does not fit the run that it is to be made to.
    Change,
    /// The lesson's script is wrong.
    Lesson,
    /// The link cannot be honoured.
    Link,
    /// The plan of a backlog is wrong.
    Plan,
    /// A breakpoint cannot be met in this world.
    Breakpoint,
    /// The bytes could not be read.
    Store,
}

#[cfg(test)]
mod tests {
    use super::{Answer, FailureKind, Query};
    use crate::{
        backlog::{Clearing, Plan, PlanError},
        view::Session,
    };

    /// 6,000,000 / (5000 - 2000) = 2000 s, in a session in which nothing is open.
    #[test]
    fn a_backlog_needs_nothing_that_runs() {
        let mut session = Session::new();
        let plan = Plan { threads: 100, ..Plan::default() };
        let Answer::Backlog(outlook) = session.ask(Query::Backlog { plan: plan.clone() }) else { panic!("no outlook") };
        assert_eq!(outlook.clearing, Clearing::At { ms: 2_000_000 });
        let Answer::Failed(failure) = session.ask(Query::Backlog { plan: Plan { cores: 0, ..plan } }) else {
            panic!("no failure")
        };
        assert_eq!(failure.kind, FailureKind::Plan);
        let wrong = PlanError::OutOfRange { field: "cores".to_owned(), value: 0, min: 1, max: 256 };
        assert_eq!(failure.plan.as_deref(), Some(&wrong));
    }
}
