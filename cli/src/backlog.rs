//! `backlog`: how far a consumer group is behind, when that clears, and what bounds it.

use std::io::Write;

use anyhow::{Result, bail};
use rocketscope_engine::backlog::{Clearing, Outlook, Plan, ResourceKind, WhatIfKind, outlook, presets};
use serde::Serialize;

use crate::Outcome;
use crate::args::BacklogArgs;
use crate::output::{BAD, DIM, GOOD, Out, TITLE, count};
use crate::table::{Align, Cell, Table};

/// What `--json` prints.
#[derive(Serialize)]
struct Answer<'a> {
    plan: &'a Plan,
    outlook: &'a Outlook,
}

/// Looks into the plan and prints what it comes to.
pub(crate) fn run(args: &BacklogArgs, out: &mut Out) -> Result<Outcome> {
    let plan = plan(args)?;
    let outlook = outlook(&plan)?;
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &Answer { plan: &plan, outlook: &outlook })?;
        writeln!(out)?;
    } else {
        print(&plan, &outlook, args.rows, out)?;
    }
    Ok(Outcome::Done)
}

/// The plan of that name, with what is set.
fn plan(args: &BacklogArgs) -> Result<Plan> {
    let all = presets();
    let Some(preset) = all.iter().find(|preset| preset.name == args.plan) else {
        let names: Vec<&str> = all.iter().map(|preset| preset.name).collect();
        bail!("no plan `{}`: there are {}", args.plan, names.join(", "));
    };
    let pairs = args.set.iter().map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let (plan, unread) = preset.plan.clone().with_pairs(pairs);
    if let Some(words) = unread.first() {
        bail!("`{words}` names no number of a plan, or not a value that it can have");
    }
    Ok(plan)
}

fn print(plan: &Plan, outlook: &Outlook, rows: u64, out: &mut Out) -> Result<()> {
    let formula = &outlook.formula;
    let (comes, goes) = (formula.in_milli_per_s, formula.out_milli_per_s);
    match outlook.clearing {
        Clearing::At { .. } if outlook.highest.behind == 0 => writeln!(out, "{GOOD}It keeps up.{GOOD:#}")?,
        Clearing::At { ms } => writeln!(out, "{GOOD}It clears after {}.{GOOD:#}", seconds(ms))?,
        Clearing::Later { ms } => writeln!(out, "It clears after {}, beyond the horizon.", seconds(ms))?,
        Clearing::Never => writeln!(out, "{BAD}It never clears.{BAD:#}")?,
    }
    let by_formula = formula.clears_ms.map_or_else(|| "never".to_owned(), seconds);
    writeln!(out, "By the formula: {} / ({} - {}) = {by_formula}", plan.behind, milli(goes), milli(comes))?;
    if let Some(ms) = outlook.uneven_from_ms {
        writeln!(out, "From {} on, some instances are done while others are behind.", seconds(ms))?;
    }
    let idle = outlook.allocation.idle;
    if idle > 0 {
        writeln!(out, "Without a queue: {}.", count(idle.into(), "instance", "instances"))?;
    }
    writeln!(out, "\n{TITLE}What the rate needs{TITLE:#}")?;
    let columns = [
        ("", Align::Left),
        ("COUNT", Align::Right),
        ("ALLOWS/s", Align::Right),
        ("USED", Align::Right),
        ("", Align::Left),
    ];
    let mut table = Table::new(&columns);
    for resource in &outlook.resources {
        let allows = resource.milli_per_s.map_or_else(|| "-".to_owned(), milli);
        let used = format!("{}.{} %", resource.used_permille / 10, resource.used_permille % 10);
        let bounds = if resource.bounds { Cell::styled("bounds", BAD) } else { Cell::from("") };
        table.row(out, vec![name(resource.kind).into(), resource.count.into(), allows.into(), used.into(), bounds])?;
    }
    table.finish(out)?;
    let threads = outlook.threads;
    writeln!(
        out,
        "{DIM}Of the threads, {} compute, {} wait for others, {} are kept waiting.{DIM:#}",
        milli(threads.computing_milli),
        milli(threads.waiting_milli),
        milli(threads.blocked_milli)
    )?;
    writeln!(out, "\n{TITLE}What would help{TITLE:#}")?;
    let mut table = Table::new(&[("", Align::Left), ("OUT/s", Align::Right)]);
    for what in &outlook.what_if {
        let rate = milli(what.out_milli_per_s);
        let rate = if what.out_milli_per_s > goes { Cell::styled(rate, GOOD) } else { Cell::styled(rate, DIM) };
        table.row(out, vec![change(what.kind).into(), rate])?;
    }
    table.finish(out)?;
    writeln!(out, "\n{TITLE}The formulas{TITLE:#}")?;
    let best = formula.best_milli_threads.map_or_else(|| "no bound".to_owned(), milli);
    writeln!(out, "  best number of threads, C * (T1 + T2) / T1: {best}")?;
    writeln!(
        out,
        "  one instance does {}/s; for the highest rate in, {}/s, it takes {}",
        milli(formula.node_milli_per_s),
        milli(formula.peak_milli_per_s),
        formula.nodes
    )?;
    curve(outlook, rows, out)
}

/// Points of the curve at even distances.
fn curve(outlook: &Outlook, rows: u64, out: &mut Out) -> Result<()> {
    writeln!(out, "\n{TITLE}Messages behind{TITLE:#}")?;
    let right = ["AFTER", "BEHIND", "FORMULA", "CAME", "DONE"].map(|title| (title, Align::Right));
    let mut table = Table::new(&right);
    let horizon = outlook.points.last().map_or(0, |point| point.at_ms);
    let (rows, mut next) = (rows.max(1), 0);
    for point in &outlook.points {
        if point.at_ms < horizon * next / rows {
            continue;
        }
        next += 1;
        let cells = [point.behind, point.formula, point.came, point.done].map(Cell::from);
        table.row(out, [Cell::from(seconds(point.at_ms))].into_iter().chain(cells).collect())?;
    }
    table.finish(out)?;
    Ok(())
}

/// Thousandths, without zeros at the end.
fn milli(parts: u64) -> String {
    let text = format!("{}.{:03}", parts / 1000, parts % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn seconds(ms: u64) -> String {
    format!("{} s", milli(ms))
}

fn name(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Threads => "threads",
        ResourceKind::Queues => "queues, a thread each",
        ResourceKind::Cores => "cores",
        ResourceKind::Connections => "connections",
        ResourceKind::Throttle => "permits per second",
    }
}

fn change(kind: WhatIfKind) -> &'static str {
    match kind {
        WhatIfKind::Instances => "twice the instances",
        WhatIfKind::Queues => "twice the queues",
        WhatIfKind::Threads => "twice the threads",
        WhatIfKind::Cores => "twice the cores",
        WhatIfKind::Connections => "twice the connections",
        WhatIfKind::Throttle => "twice the permits",
        WhatIfKind::Cpu => "half of T1",
        WhatIfKind::Wait => "half of T2",
    }
}
