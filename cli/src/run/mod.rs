//! `run`: a script played without a page: a lesson, whose solution is played, a scenario, or the run of a link.

mod json;
mod ledger;
mod link;
mod print;
mod store;
mod words;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use rocketscope_engine::ledger::{Broken, Ledger, audit, ledger};
use rocketscope_engine::lesson::{Lesson, LessonRun, Scenario, holds};
use rocketscope_engine::link::{FILE_EXTENSION, Link};
use rocketscope_engine::sim::{History, TraceEvent};

use crate::Outcome;
use crate::args::RunArgs;
use crate::copy::Target;
use crate::output::Out;
use store::Brought;

/// A script that was played.
pub(crate) struct Played {
    /// The script's file, or `link`.
    pub(crate) file: String,
    /// Seed of the world's generators.
    seed: u64,
    /// The run.
    pub(crate) history: History,
    /// What was to be reached, and whether it was: the goals of a lesson, the expectations of a scenario.
    goals: Vec<Goal>,
    /// It is somebody's run, and shows what it shows: no goal needs to be met.
    shown: bool,
    link: Link,
    /// Why it could not be played to its end.
    pub(crate) stopped: Option<String>,
    ledger: Ledger,
    /// What was broken and must never be: the run is shown up to that event.
    broken: Option<Broken>,
}

/// Something that was to be reached.
struct Goal {
    name: String,
    met: bool,
}

impl Played {
    /// The events that are shown: to where the history stands.
    fn events(&self) -> Vec<Arc<TraceEvent>> {
        self.history.window(0, usize::try_from(self.history.position()).unwrap_or(usize::MAX))
    }

    /// Looks at every event whether what must hold holds after it.
    fn watched(mut self) -> Result<Self> {
        let mut start = self.history.clone();
        start.seek(0);
        self.broken = audit(start.world().clone(), self.history.actions(), self.history.len())?;
        if let Some(broken) = &self.broken {
            self.history.seek(broken.seq.saturating_add(1));
        }
        self.ledger = ledger(self.history.world());
        Ok(self)
    }

    fn is_good(&self, check: bool) -> bool {
        let reached = self.shown || self.goals.iter().all(|goal| goal.met);
        self.stopped.is_none() && self.broken.is_none() && reached && !(check && self.ledger.missing() > 0)
    }
}

/// Plays the script and prints its trace, its nodes and the ledger.
pub(crate) fn run(args: &RunArgs, out: &mut Out) -> Result<Outcome> {
    // Said before any work is done.
    let target = args.export.as_deref().map(|out| Target::empty("export", out)).transpose()?;
    let brought = args.store.as_deref().map(Brought::open).transpose()?;
    let played = match (&args.link, &args.script) {
        (Some(text), _) => link::open("link", text, brought.as_ref())?,
        (None, Some(script)) => play(script, brought.as_ref())?,
        (None, None) => bail!("a script or --link is needed"),
    };
    let played = played.watched()?;
    let exported = target.map(|target| store::export(&played.history, &target)).transpose()?.unwrap_or_default();
    let text = if args.show_link || args.save.is_some() { Some(played.link.encode()?) } else { None };
    if let (Some(path), Some(text)) = (&args.save, &text) {
        fs::write(path, format!("{text}\n")).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    let shown = text.as_deref().filter(|_| args.show_link).map(|text| link::address(&played.link, text));
    if args.json {
        json::write(&played, shown.as_deref(), &exported, out)?;
    } else {
        print::print(&played, args, out)?;
        store::print(&exported, out)?;
        if let Some(address) = shown {
            link::print(&address, out)?;
        }
    }
    if let Some(cause) = &played.stopped {
        bail!("{}: {cause}", played.file);
    }
    Ok(if played.is_good(args.check) { Outcome::Done } else { Outcome::Problems })
}

/// Plays a script to its end, or as far as it can be; on a store that is brought along, where there is one.
pub(crate) fn play(path: &Path, brought: Option<&Brought>) -> Result<Played> {
    let path = if path.is_dir() { path.join("lesson.toml") } else { path.to_owned() };
    let text = read(&path)?;
    if path.extension().is_some_and(|extension| extension == FILE_EXTENSION) {
        return link::open(&path.display().to_string(), &text, brought);
    }
    match folder_of_lesson(&path) {
        Some(_) if brought.is_some() => bail!("{}: a lesson begins on its own store, not on --store", path.display()),
        Some(folder) => play_lesson(&path, &text, &folder),
        None => play_scenario(&path, &text, brought),
    }
}

/// The folder of a lesson's script, which has the texts beside it.
fn folder_of_lesson(path: &Path) -> Option<PathBuf> {
    let is_lesson = path.file_name().is_some_and(|name| name == "lesson.toml");
    let full = path.canonicalize().ok().filter(|_| is_lesson)?;
    full.parent().map(Path::to_owned)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}

fn play_lesson(path: &Path, script: &str, folder: &Path) -> Result<Played> {
    let id = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (en, zh) = (read(&folder.join("en.md"))?, read(&folder.join("zh.md"))?);
    let lesson = Arc::new(Lesson::load(&id, script, &en, &zh)?);
    let mut run = LessonRun::new(Arc::clone(&lesson)).with_context(|| path.display().to_string())?;
    let stopped = run.solve().err().map(|error| format!("solution: {error}"));
    Ok(Played { stopped, shown: false, ..of_lesson(path.display().to_string(), &run) })
}

/// A lesson's run as it stands.
fn of_lesson(file: String, run: &LessonRun) -> Played {
    let goals = run.lesson().goals.iter().enumerate();
    Played {
        file,
        seed: run.lesson().seed,
        ledger: ledger(run.history().world()),
        history: run.history().clone(),
        goals: goals.map(|(at, goal)| Goal { name: goal.id.clone(), met: run.is_met(at) }).collect(),
        shown: true,
        link: link::of_lesson_run(run),
        stopped: None,
        broken: None,
    }
}

fn play_scenario(path: &Path, text: &str, brought: Option<&Brought>) -> Result<Played> {
    let file = path.display().to_string();
    let mut scenario = Scenario::read(&file, text)?;
    if let Some(brought) = brought {
        brought.put_under(&mut scenario.cluster).with_context(|| file.clone())?;
    }
    let (history, played) = scenario.play_on(&store::imports(brought)).with_context(|| file.clone())?;
    let expected = scenario
        .expect
        .iter()
        .map(|expected| Goal { name: expected.0.to_string(), met: holds(history.world(), &expected.0) });
    Ok(Played {
        file,
        seed: scenario.seed,
        goals: expected.collect(),
        shown: false,
        stopped: played.err().map(|error| error.to_string()),
        link: Link::of_cluster(&scenario.cluster, scenario.seed, &history),
        ledger: ledger(history.world()),
        broken: None,
        history,
    })
}
