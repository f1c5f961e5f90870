//! The one that answers: a run, a directory, or both, and every question about them.

use std::sync::Arc;

use super::{
    Answer, Failure, FailureKind, Query, Source, Workbench, Writer,
    compare::compare,
    consumers::consumers_picture,
    crash_matrix,
    databases::databases_picture,
    delay::delay_picture,
    dirty::{lost_ranges, taken_ranges},
    failure::{failure, not_found, nothing_open, nothing_runs},
    import::cluster_on,
    keys::keys,
    last_start::last_start,
    ledger::{self, ledger_picture},
    lesson::{lesson_picture, lesson_text, summary},
    past::{Breakpoints, redo_to, undo_to},
    producer::producer_picture,
    recovery::{Depth, dry_run, layout_config},
    routes::routes_picture,
    run::{run_picture, timeline},
    running::Run,
    sandbox, scenario, share,
    store::{StoreAnswer, StoreExplorer, StoreQuery},
    transactions::transactions_picture,
    watched::Watched,
};
use crate::{
    backlog::outlook,
    broker::Broker,
    compare::Comparison,
    disk::{MemoryDisk, Overlay, ReadAt},
    lesson::{LESSONS, Language, Lesson, LessonError, LessonRun, LessonSource, RunError},
    node::{NodeStep, StepKind, TraceStep},
    sim::{Cluster, History, ImportSpec, Imports, World},
    store::inspect::GivenLayout,
};

/// Problems sent at once at most.
const PROBLEMS_MAX: u32 = 1000;

/// Bytes of an opened log that are compared with what recovery makes of it.
const EXAMINED_BYTES: u64 = 256 * 1024 * 1024;
/// Records of a file and units of a queue that a recovery tells one by one.
const LISTED: usize = 64;

/// Seed of the world that a cluster is tried with: whether it can be built depends on none.
const CHECKED_SEED: u64 = 1;

/// Answers [`Query`]s. It holds what is open and nothing else: no clock, no language, no drawing.
#[derive(Default)]
pub struct Session {
    run: Option<Run>,
    watched: Watched,
    /// The ledger that was asked for last.
    ledger: ledger::Kept,
    directory: Option<Directory>,
    /// The stores that runs began on.
    imports: Imports,
    breakpoints: Breakpoints,
    compared: Option<Box<Comparison>>,
}

/// The directory that is open. It is kept together with what was learnt about it.
struct Directory {
    disk: Box<dyn ReadAt>,
    explorer: StoreExplorer,
}

impl Session {
    /// A session in which nothing is open.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens a directory in place of the one before.
    pub fn open(&mut self, disk: Box<dyn ReadAt>) {
        let explorer = StoreExplorer::open(&*disk, &GivenLayout::default());
        self.directory = Some(Directory { disk, explorer });
    }

    /// Answers a question. A failure leaves everything as it was.
    pub fn ask(&mut self, query: Query) -> Answer {
        self.answer(query).unwrap_or_else(Answer::Failed)
    }

    fn answer(&mut self, query: Query) -> Result<Answer, Failure> {
        match query {
            Query::Lessons => Ok(Answer::Lessons(
                LESSONS.iter().map(|source| Ok(summary(&source.load()?))).collect::<Result<_, LessonError>>()?,
            )),
            Query::LessonText { id, language } => {
                let lesson = load(&id)?;
                let language = Language::of(&language).ok_or_else(|| not_found(format!("no language `{language}`")))?;
                Ok(Answer::LessonText(Box::new(lesson_text(&lesson, language))))
            }
            Query::StartLesson { id } => self.begin(Run::Lesson(Box::new(LessonRun::new(Arc::new(load(&id)?))?))),
            Query::StartSandbox { cluster, seed } => {
                let cluster = cluster.unwrap_or_else(|| Box::new(sandbox::cluster()));
                let history = History::with_imports(&cluster, seed, &self.imports).map_err(RunError::from)?;
                self.begin(Run::Sandbox { cluster, seed, history: Box::new(history) })
            }
            Query::StartOnStore { name, seed } => {
                let Directory { disk, explorer } = self.directory.as_ref().ok_or_else(nothing_open)?;
                let fingerprint = self.imports.add(&**disk)?;
                let cluster = cluster_on(&**disk, explorer.layout(), &ImportSpec { name, fingerprint });
                self.answer(Query::StartSandbox { cluster: Some(Box::new(cluster)), seed })
            }
            Query::Share { branches } => {
                let run = self.run.as_ref().ok_or_else(nothing_runs)?;
                Ok(Answer::Shared(Box::new(share::share(run, branches)?)))
            }
            Query::OpenLink { text } => {
                // The store that it begins on may be the one that is open.
                let directory = self.directory.as_ref();
                let bring = |imports: &mut Imports| -> Result<(), Failure> {
                    if let Some(directory) = directory {
                        imports.add(&*directory.disk)?;
                    }
                    Ok(())
                };
                let run = share::open(&text, &mut self.imports, bring)?.into();
                self.begin(run)
            }
            Query::MatrixPlan { lesson } => {
                let lesson = lesson.map(|id| load(&id)).transpose()?;
                let plan = crash_matrix::plan(self.run.as_ref().map(Run::history), lesson)?;
                Ok(Answer::MatrixPlan(Box::new(plan)))
            }
            Query::OpenRun { cluster, seed, actions, length } => {
                let history = Box::new(crash_matrix::replay(&cluster, seed, &actions, length)?);
                self.begin(Run::Sandbox { cluster, seed, history })
            }
            Query::OpenScenario { name, text } => {
                let (cluster, seed, history) = scenario::open(&name, &text)?;
                self.begin(Run::Sandbox { cluster: Box::new(cluster), seed, history: Box::new(history) })
            }
            Query::Cluster => Ok(Answer::Cluster(self.cluster())),
            Query::CheckCluster { cluster } => {
                Ok(Answer::Checked(World::with_imports(&cluster, CHECKED_SEED, &self.imports).err()))
            }
            Query::Keys => Ok(Answer::Keys(Box::new(keys()))),
            Query::Store { source, query } => self.store(&source, &query),
            Query::ScanProblems { source, budget } => self.scan(&source, budget),
            Query::RecoverDirectory => self.recover_directory(),
            Query::Compare { query } => {
                let run = self.run.as_ref().map(|run| (run.history(), run.lesson_id()));
                Ok(Answer::Compare(Box::new(compare(&mut self.compared, run, query)?)))
            }
            Query::Backlog { plan } => Ok(Answer::Backlog(Box::new(outlook(&plan)?))),
            Query::Consumers { group } => {
                let run = self.run.as_ref().ok_or_else(nothing_runs)?;
                Ok(Answer::Consumers(Box::new(consumers_picture(run.history().world(), group.as_deref()))))
            }
            Query::Databases => {
                let run = self.run.as_ref().ok_or_else(nothing_runs)?;
                Ok(Answer::Databases(Box::new(databases_picture(run.history().world()))))
            }
            Query::Ledger { filter, from } => {
                let run = self.run.as_ref().ok_or_else(nothing_runs)?;
                Ok(Answer::Ledger(Box::new(ledger_picture(run.history(), &mut self.ledger, &filter, from))))
            }
            Query::Dirty { node, path } => self.dirty(&node, &path),
            Query::Taken { node, path } => self.taken(&node, &path),
            Query::Recovery { node } => self.recovery(&node),
            Query::Producer { node } => self.producer(&node),
            Query::Delay { node } => self.delay(&node),
            Query::Transactions { node } => self.transactions(&node),
            Query::Routes => {
                let run = self.run.as_ref().ok_or_else(nothing_runs)?;
                Ok(Answer::Routes(Box::new(routes_picture(run.history().world()))))
            }
            query => self.drive(query),
        }
    }

    fn begin(&mut self, run: Run) -> Result<Answer, Failure> {
        self.breakpoints.begin(run.history().world());
        self.watched = Watched::default();
        self.ledger = ledger::Kept::default();
        self.run = Some(run);
        self.workbench()
    }

    /// The questions that need a run.
    fn drive(&mut self, query: Query) -> Result<Answer, Failure> {
        let Self { run, watched, breakpoints, imports, .. } = self;
        let run = run.as_mut().ok_or_else(nothing_runs)?;
        let from = run.history().position();
        // What is run has looked at each of its events.
        let moves_on = matches!(query, Query::Step | Query::Act { .. } | Query::TakeOffer { .. });
        match query {
            Query::Reset => run.reset(imports)?,
            Query::Step => run.step()?,
            Query::StepBack => run.step_back(),
            Query::Seek { position } => run.seek(position),
            Query::Run { events } => match run {
                Run::Lesson(run) => breakpoints.run_lesson(run, events, watched)?,
                Run::Sandbox { history, .. } => breakpoints.run(history, events, watched),
            },
            Query::Undo => run.seek(undo_to(run.history(), run.played()).unwrap_or(run.history().position())),
            Query::Redo => run.seek(redo_to(run.history(), run.played()).unwrap_or(run.history().position())),
            Query::Switch { branch } => run.switch(branch)?,
            Query::SetBreakpoints { breakpoints: wanted } => breakpoints.set(wanted, run.history().world())?,
            Query::Act { action } => match run {
                Run::Lesson(lesson) => lesson.act(action)?,
                Run::Sandbox { history, .. } => {
                    history.act(action).map_err(RunError::from)?;
                }
            },
            Query::TakeOffer { index } => run.lesson()?.take(index as usize)?,
            Query::Predict { question, choice } => {
                run.lesson()?.predict(&question, choice as usize)?;
            }
            Query::Solve => run.lesson()?.solve()?,
            Query::Timeline { from, limit } => return Ok(Answer::Timeline(timeline(run.history(), from, limit))),
            Query::Event { seq } => {
                let event = run.history().event(seq).ok_or_else(|| not_found(format!("no event {seq}")))?;
                return Ok(Answer::Event(Box::new(event.as_ref().clone())));
            }
            Query::WriterOf { node, path, offset } => {
                let writer = run.history().writer_of(&node, &path, offset);
                return Ok(Answer::Writer(writer.map(|(seq, step)| Writer { seq, step })));
            }
            // Everything else was answered before, or only looks.
            _ => {}
        }
        if moves_on {
            watched.look(run.history(), from);
        }
        self.workbench()
    }

    /// The cluster that the sandbox runs, or would begin with.
    fn cluster(&self) -> Box<Cluster> {
        match &self.run {
            Some(Run::Sandbox { cluster, .. }) => cluster.clone(),
            _ => Box::new(sandbox::cluster()),
        }
    }

    fn workbench(&self) -> Result<Answer, Failure> {
        let run = self.run.as_ref().ok_or_else(nothing_runs)?;
        let history = run.history();
        let past = self.breakpoints.picture(history, run.played());
        let lesson = run.played().map(lesson_picture);
        let broken = self.watched.broken(history);
        let planted = history.world().cluster().planted.clone();
        Ok(Answer::Workbench(Box::new(Workbench { run: run_picture(history), lesson, past, broken, planted })))
    }

    /// The run.
    pub fn history(&self) -> Option<&History> {
        self.run.as_ref().map(Run::history)
    }

    /// The running world, at the run's position.
    pub fn world(&self) -> Option<&World> {
        self.history().map(History::world)
    }

    /// The disk of a broker of the running world, at the run's position.
    pub fn broker_disk(&self, node: &str) -> Option<&MemoryDisk> {
        self.broker(node).ok().map(Broker::disk)
    }

    fn broker(&self, node: &str) -> Result<&Broker, Failure> {
        let run = self.run.as_ref().ok_or_else(nothing_runs)?;
        run.history().world().broker(node).ok_or_else(|| not_found(format!("no broker `{node}`")))
    }

    fn store(&self, source: &Source, query: &StoreQuery) -> Result<Answer, Failure> {
        let answer = match source {
            Source::Broker { node } => {
                let broker = self.broker(node)?;
                StoreExplorer::open(broker.disk(), &given(broker)).answer(broker.disk(), query)
            }
            Source::Directory => {
                let directory = self.directory.as_ref().ok_or_else(nothing_open)?;
                directory.explorer.answer(&*directory.disk, query)
            }
        };
        Ok(Answer::Store(Box::new(answer?)))
    }

    fn scan(&mut self, source: &Source, budget: u64) -> Result<Answer, Failure> {
        let all = StoreQuery::Problems { from: 0, limit: PROBLEMS_MAX };
        let answer = match source {
            // A simulated disk changes with every event, so each search begins anew.
            Source::Broker { node } => {
                let broker = self.broker(node)?;
                let mut explorer = StoreExplorer::open(broker.disk(), &given(broker));
                explorer.scan_on(broker.disk(), budget);
                explorer.answer(broker.disk(), &all)
            }
            Source::Directory => {
                let directory = self.directory.as_mut().ok_or_else(nothing_open)?;
                directory.explorer.scan_on(&*directory.disk, budget);
                directory.explorer.answer(&*directory.disk, &all)
            }
        };
        match answer? {
            StoreAnswer::Problems(problems) => Ok(Answer::Problems(problems)),
            other => Ok(Answer::Store(Box::new(other))),
        }
    }

    /// What a start would do to the open directory, at the time of its last write.
    fn recover_directory(&self) -> Result<Answer, Failure> {
        let Directory { disk, explorer } = self.directory.as_ref().ok_or_else(nothing_open)?;
        let disk = &**disk;
        let overlay = Overlay::new(disk).map_err(|error| failure(FailureKind::Store, &error))?;
        let now = explorer.files().all.iter().map(|(_, _, meta, _)| meta.modified).max().unwrap_or(0);
        let depth = Depth { log_bytes: EXAMINED_BYTES };
        let run = dry_run(overlay, disk, layout_config(explorer.layout()), now, LISTED, depth);
        Ok(Answer::Recovery(Some(Box::new(run.picture))))
    }

    /// What the present event has taken from a file, if the power failed in it.
    fn taken(&self, node: &str, path: &str) -> Result<Answer, Failure> {
        let after = self.broker(node)?.disk();
        let history = self.run.as_ref().ok_or_else(nothing_runs)?.history();
        let lost = |step: &TraceStep| matches!(step.what, StepKind::Node(NodeStep::PagesLost { .. }));
        let event = history.position().checked_sub(1).and_then(|seq| history.event(seq));
        if !event.is_some_and(|event| event.node == node && event.steps.iter().any(lost)) {
            return Ok(Answer::Dirty(Vec::new()));
        }
        let mut before = history.clone();
        before.step_back();
        let disk = before.world().broker(node).map(Broker::disk).ok_or_else(nothing_runs)?;
        let ranges = taken_ranges(disk, after, path).map_err(|error| failure(FailureKind::Store, &error))?;
        Ok(Answer::Dirty(ranges))
    }

    /// What the newest start of a broker did to its store.
    fn recovery(&self, node: &str) -> Result<Answer, Failure> {
        self.broker(node)?;
        let run = self.run.as_ref().ok_or_else(nothing_runs)?;
        Ok(Answer::Recovery(last_start(run.history(), node).map(Box::new)))
    }

    fn producer(&self, node: &str) -> Result<Answer, Failure> {
        let world = self.run.as_ref().ok_or_else(nothing_runs)?.history().world();
        let picture = producer_picture(world, node).ok_or_else(|| not_found(format!("no producer `{node}`")))?;
        Ok(Answer::Producer(Box::new(picture)))
    }

    /// What waits on a broker's delay levels.
    fn delay(&self, node: &str) -> Result<Answer, Failure> {
        self.broker(node)?;
        let run = self.run.as_ref().ok_or_else(nothing_runs)?;
        let picture = delay_picture(run.history().world(), node);
        picture.map(|picture| Answer::Delay(Box::new(picture))).ok_or_else(nothing_runs)
    }

    /// Half messages of a broker, and what its checks made of them.
    fn transactions(&self, node: &str) -> Result<Answer, Failure> {
        self.broker(node)?;
        let run = self.run.as_ref().ok_or_else(nothing_runs)?;
        let picture = transactions_picture(run.history().world(), node);
        picture.map(|picture| Answer::Transactions(Box::new(picture))).ok_or_else(nothing_runs)
    }

    /// What a power loss would take from a file.
    fn dirty(&self, node: &str, path: &str) -> Result<Answer, Failure> {
        let disk = self.broker(node)?.disk();
        let file = disk.find(path).ok_or_else(|| not_found(format!("no file `{path}`")))?;
        let ranges = lost_ranges(disk, file).map_err(|error| failure(FailureKind::Store, &error))?;
        Ok(Answer::Dirty(ranges))
    }
}

/// The sizes that a simulated broker is configured with.
fn given(broker: &Broker) -> GivenLayout {
    let config = broker.store_config();
    GivenLayout {
        commit_log_file_size: Some(i64::from(config.mapped_file_size_commit_log)),
        consume_queue_file_size: Some(i64::from(config.mapped_file_size_consume_queue)),
        hash_slots: Some(config.max_hash_slot_num),
        index_capacity: Some(config.max_index_num),
    }
}

fn load(id: &str) -> Result<Lesson, Failure> {
    let source = LessonSource::find(id).ok_or_else(|| not_found(format!("no lesson `{id}`")))?;
    source.load().map_err(Failure::from)
}
