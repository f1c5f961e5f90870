//! A run for people.

use std::io::Write;

use anyhow::Result;
use rocketscope_engine::sim::{EventKind, TraceEvent};
use rocketscope_engine::view::run_picture;
use rocketscope_engine::view::world::{NodeFacts, NodePicture, TableFact};
use serde::Serialize;
use serde_json::Value;

use super::Played;
use crate::args::RunArgs;
use crate::output::{BAD, DIM, GOOD, NAME, Out, TITLE, count, one_line};
use crate::table::{Align, Cell, Table};

/// Prints trace, nodes and ledger.
pub(super) fn print(played: &Played, args: &RunArgs, out: &mut Out) -> Result<()> {
    let picture = run_picture(&played.history);
    writeln!(
        out,
        "{TITLE}{}{TITLE:#}  seed {}, {}, {} s, trace {:016x}",
        played.file,
        played.seed,
        count(picture.length, "event", "events"),
        seconds(picture.now_us),
        picture.trace_hash
    )?;
    if !args.quiet {
        writeln!(out, "\n{TITLE}Trace{TITLE:#}")?;
        for event in &played.events() {
            print_event(event, args.steps, out)?;
        }
    }
    writeln!(out, "\n{TITLE}Nodes{TITLE:#}")?;
    let mut table = Table::new(&[("NODE", Align::Left), ("STATE", Align::Left), ("", Align::Left)]);
    for node in &picture.stage.nodes {
        table.row(out, vec![Cell::styled(&node.name, NAME), node.state.name().into(), facts(node).into()])?;
    }
    table.finish(out)?;
    super::ledger::print(&played.ledger, out)?;
    if let Some(broken) = &played.broken {
        let place = format!("event {} at {}", broken.seq, broken.node);
        writeln!(out, "\n{BAD}Broken at {place}:{BAD:#} {}", super::words::broken(broken))?;
    }
    print_goals(played, out)
}

/// Seconds with microseconds.
fn seconds(us: i64) -> String {
    let sign = if us < 0 { "-" } else { "" };
    let us = us.unsigned_abs();
    format!("{sign}{}.{:06}", us / 1_000_000, us % 1_000_000)
}

fn print_event(event: &TraceEvent, steps: bool, out: &mut Out) -> Result<()> {
    write!(
        out,
        "{DIM}{:>5} {:>14}{DIM:#}  {NAME}{}{NAME:#} {}  {}",
        event.seq,
        seconds(event.at_us),
        event.node,
        event.service,
        what(&event.what)
    )?;
    match event.cause {
        Some(cause) => writeln!(out, "  {DIM}after {cause}{DIM:#}")?,
        None => writeln!(out)?,
    }
    for step in event.steps.iter().filter(|_| steps) {
        writeln!(out, "{DIM}{:>20}{DIM:#}  {}", step.index, plain(&step.what))?;
    }
    Ok(())
}

fn what(kind: &EventKind) -> String {
    match kind {
        EventKind::Action { action } => plain(action),
        kind => plain(kind),
    }
}

/// A value of the engine's vocabulary in one line: its kind and its fields.
fn plain(value: &impl Serialize) -> String {
    let mut value = serde_json::to_value(value).unwrap_or_default();
    loop {
        match value {
            Value::Object(mut fields) => match fields.remove("kind") {
                Some(Value::String(kind)) => {
                    let fields = fields.iter().filter(|(_, value)| !value.is_null());
                    return fields.fold(kind, |line, (name, value)| format!("{line} {name}={}", word(value)));
                }
                // A step stands in an object that says whose it is.
                _ => value = fields.into_iter().next().map(|(_, inner)| inner).unwrap_or_default(),
            },
            other => return word(&other),
        }
    }
}

fn word(value: &Value) -> String {
    let Value::String(text) = value else { return value.to_string() };
    let text = one_line(text);
    if text.is_empty() || text.contains(' ') { format!("{text:?}") } else { text }
}

fn facts(node: &NodePicture) -> String {
    let tally = |results: &[(String, u32)]| {
        results.iter().map(|(status, times)| format!("{times} {status}")).collect::<Vec<_>>().join(", ")
    };
    match &node.facts {
        NodeFacts::NameServer { brokers, topics } => format!(
            "{}, {}",
            count(u64::from(*brokers), "broker", "brokers"),
            count(u64::from(*topics), "topic", "topics")
        ),
        NodeFacts::Broker { role, max_phy_offset, reput_from_offset, queues, .. } => {
            let units = queues.iter().filter(|queue| queue.max_offset > 0);
            let units = units.map(|queue| format!("{}/{}: {}", queue.topic, queue.queue_id, queue.max_offset));
            let log = format!("{}, log to {max_phy_offset}, dispatched to {reput_from_offset}", role.name());
            [log].into_iter().chain(units).collect::<Vec<_>>().join(", ")
        }
        NodeFacts::Producer { pending, results } => {
            let open = if *pending > 0 { format!("; {pending} open") } else { String::new() };
            format!("{}{open}", tally(results))
        }
        NodeFacts::Consumer { group, received, .. } => {
            format!("{group}: {}", count(u64::from(*received), "message", "messages"))
        }
        NodeFacts::PushConsumer { group, in_hand, calls, .. } => {
            format!("{group}: {}, {in_hand} in hand", count(u64::from(*calls), "call", "calls"))
        }
        NodeFacts::Administrator { commands, .. } => count(u64::from(*commands), "command", "commands"),
        NodeFacts::Database { tables, commits } => {
            let twice = |table: &TableFact| match (table.twins, table.redone) {
                (0, 0) => String::new(),
                (twins, redone) if redone > twins => format!(" ({redone} redone)"),
                (twins, _) => format!(" ({twins} twice)"),
            };
            let line = |table: &TableFact| format!("{} {}{}", table.rows, table.name, twice(table));
            let tables = tables.iter().map(line).collect::<Vec<_>>().join(", ");
            format!("{tables}; {}", count(*commits, "commit", "commits"))
        }
    }
}

fn print_goals(played: &Played, out: &mut Out) -> Result<()> {
    if !played.goals.is_empty() {
        writeln!(out, "\n{TITLE}Goals{TITLE:#}")?;
    }
    for goal in &played.goals {
        let (style, mark) = if goal.met { (GOOD, "met") } else { (BAD, "not met") };
        writeln!(out, "  {style}{mark:>7}{style:#}  {}", goal.name)?;
    }
    Ok(())
}
