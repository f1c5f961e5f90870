//! A run for programs.

use std::io::Write;
use std::sync::Arc;

use anyhow::Result;
use rocketscope_engine::ledger::{Broken, Ledger};
use rocketscope_engine::sim::TraceEvent;
use rocketscope_engine::view::run_picture;
use rocketscope_engine::view::world::NodePicture;
use serde::Serialize;

use super::Played;
use crate::copy::Copied;
use crate::output::Out;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunJson<'r> {
    script: &'r str,
    seed: u64,
    now_us: i64,
    at_rest: bool,
    trace_hash: String,
    stopped: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<&'r str>,
    #[serde(skip_serializing_if = "<[Copied]>::is_empty")]
    exported: &'r [Copied],
    goals: Vec<GoalJson<'r>>,
    ledger: &'r Ledger,
    broken: Option<&'r Broken>,
    nodes: Vec<NodePicture>,
    events: Vec<&'r TraceEvent>,
}

#[derive(Serialize)]
struct GoalJson<'r> {
    goal: &'r str,
    met: bool,
}

/// Prints the run as one JSON object.
pub(super) fn write(played: &Played, link: Option<&str>, exported: &[Copied], out: &mut Out) -> Result<()> {
    let picture = run_picture(&played.history);
    let events = played.events();
    let json = RunJson {
        script: &played.file,
        seed: played.seed,
        now_us: picture.now_us,
        at_rest: picture.at_rest,
        trace_hash: format!("{:016x}", picture.trace_hash),
        stopped: played.stopped.as_deref(),
        link,
        exported,
        goals: played.goals.iter().map(|goal| GoalJson { goal: &goal.name, met: goal.met }).collect(),
        ledger: &played.ledger,
        broken: played.broken.as_ref(),
        nodes: picture.stage.nodes,
        events: events.iter().map(Arc::as_ref).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &json)?;
    writeln!(out)?;
    Ok(())
}
