//! Runs that come from a link or a run file, and links that are made here.

use std::io::Write;

use anyhow::{Context, Result};
use rocketscope_engine::ledger::ledger;
use rocketscope_engine::lesson::{LessonRun, LessonSource};
use rocketscope_engine::link::{ADDRESS_MAX, Link, Opened, Origin, fingerprint, text_of};

use super::store::{Brought, imports};
use super::{Played, of_lesson};
use crate::output::{Out, TITLE, WARN};

/// Goes through the run of a link again, to its end.
pub(super) fn open(file: &str, pasted: &str, brought: Option<&Brought>) -> Result<Played> {
    let whole = Link::decode(text_of(pasted)).map(|link| Link { position: link.length, ..link });
    let link = whole.with_context(|| file.to_owned())?;
    match link.open(&imports(brought)).with_context(|| file.to_owned())? {
        Opened::Lesson(run) => Ok(Played { link, ..of_lesson(file.to_owned(), &run) }),
        Opened::Cluster { seed, history, .. } => Ok(Played {
            file: file.to_owned(),
            seed,
            goals: Vec::new(),
            shown: true,
            link,
            stopped: None,
            broken: None,
            ledger: ledger(history.world()),
            history: *history,
        }),
    }
}

/// The link of a lesson's run. A script that is none of the lessons built in is known nowhere else: of it the link holds
/// the cluster and the actions.
pub(super) fn of_lesson_run(run: &LessonRun) -> Link {
    let lesson = run.lesson();
    let built_in = LessonSource::find(&lesson.id).and_then(|source| source.load().ok());
    if built_in.is_some_and(|built_in| fingerprint(&built_in) == fingerprint(lesson)) {
        Link::of_lesson(run)
    } else {
        Link::of_cluster(&lesson.cluster, lesson.seed, run.history())
    }
}

/// The address of a run in the page, from `#` on.
pub(super) fn address(link: &Link, text: &str) -> String {
    match &link.origin {
        Origin::Lesson { id, .. } => {
            let number = id.split_once('-').map_or(id.as_str(), |(number, _)| number);
            format!("#/lesson/{number}?r={text}")
        }
        Origin::Cluster { .. } => format!("#/sandbox?r={text}"),
    }
}

/// Prints a link.
pub(super) fn print(address: &str, out: &mut Out) -> Result<()> {
    writeln!(out, "\n{TITLE}Link{TITLE:#}\n{address}")?;
    if address.len() > ADDRESS_MAX {
        writeln!(
            out,
            "{WARN}It has {} characters; beyond {ADDRESS_MAX} use --save, and open the file in the page.{WARN:#}",
            address.len()
        )?;
    }
    Ok(())
}
