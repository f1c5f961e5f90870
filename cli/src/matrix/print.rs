//! A matrix for people.

use std::collections::BTreeMap;
use std::io::Write;

use anstyle::Style;
use anyhow::Result;
use rocketscope_engine::ledger::Verdict;
use rocketscope_engine::matrix::{Cell, End, Judged, Matrix, MomentTurn};

use crate::output::{BAD, DIM, GOOD, NAME, Out, TITLE, WARN, count};
use crate::table::{Align, Cell as Field, Table};

/// Prints what came of each crash, and sums it up by fault and by message. Without `all`, cells in which every message
/// is exactly right are left out.
pub(super) fn print(script: &str, matrix: &Matrix, cells: &[Cell], all: bool, out: &mut Out) -> Result<()> {
    let plan = matrix.plan();
    writeln!(
        out,
        "{TITLE}{script}{TITLE:#}  seed {}, {}, {}; down for {} ms",
        plan.seed,
        count(plan.length, "event", "events"),
        count(matrix.cells(), "crash", "crashes"),
        plan.down_ms
    )?;
    let is_shown = |cell: &&Cell| all || cell.worst() > Some(Verdict::ExactlyRight) || cell.end != End::Rest;
    let shown: Vec<&Cell> = cells.iter().filter(is_shown).collect();
    if !shown.is_empty() {
        writeln!(out, "\n{TITLE}Crashes{TITLE:#}")?;
        let columns = [
            ("EVENT", Align::Right),
            ("NODE", Align::Left),
            ("SERVICE", Align::Left),
            ("WHERE", Align::Left),
            ("TARGET", Align::Left),
            ("FAULT", Align::Left),
            ("WORST", Align::Left),
            ("MESSAGES", Align::Left),
        ];
        let mut table = Table::new(&columns);
        for cell in shown {
            let turn = usize::try_from(cell.event).ok().and_then(|event| matrix.moments().get(event)?.turn.as_ref());
            let worst = cell.worst();
            table.row(
                out,
                vec![
                    cell.event.into(),
                    Field::styled(turn.map_or("", |turn| &turn.node), NAME),
                    turn.map_or("end", |turn| &turn.service).into(),
                    place(cell, turn).into(),
                    Field::styled(&cell.target, NAME),
                    cell.fault.into(),
                    Field::styled(worst.map_or("-", Verdict::name), worst.map_or(DIM, style)),
                    what(cell).into(),
                ],
            )?;
        }
        table.finish(out)?;
    }
    let hidden = cells.len() - cells.iter().filter(is_shown).count();
    if hidden > 0 {
        writeln!(
            out,
            "{DIM}{} more in which everything is exactly right (--all){DIM:#}",
            count(hidden as u64, "crash", "crashes")
        )?;
    }
    by_fault(matrix, cells, out)?;
    by_message(cells, out)
}

/// How fast it was.
pub(super) fn speed(worlds: usize, seconds: f64, jobs: usize, out: &mut Out) -> Result<()> {
    let rate = if seconds > 0.0 { worlds as f64 / seconds } else { 0.0 };
    let threads = count(jobs as u64, "thread", "threads");
    writeln!(out, "\n{DIM}{worlds} worlds in {seconds:.2} s on {threads}: {rate:.0} worlds per second{DIM:#}")?;
    Ok(())
}

const fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::ExactlyRight => GOOD,
        Verdict::Open => DIM,
        Verdict::Duplicated | Verdict::OutOfOrder => WARN,
        Verdict::Lost => BAD,
    }
}

/// Where in the event the crash comes.
fn place(cell: &Cell, turn: Option<&MomentTurn>) -> String {
    let path = |write: u32| {
        let write = usize::try_from(write).ok().and_then(|write| turn?.writes.get(write));
        write.map_or("", |write| write.path.as_str()).to_owned()
    };
    match (cell.write, cell.bytes) {
        (None, _) if turn.is_none() => "behind it".to_owned(),
        (None, _) => "before it".to_owned(),
        (Some(write), Some(bytes)) => format!("{bytes} bytes into write {}, {}", write + 1, path(write)),
        (Some(write), None) => format!("after write {write}, {}", path(write.saturating_sub(1))),
    }
}

/// The messages that are not exactly right, each with the rules, and what is to be said of the world.
fn what(cell: &Cell) -> String {
    let wrong = cell.messages.iter().filter(|message| message.verdict > Verdict::ExactlyRight);
    let mut words: Vec<String> = wrong.map(message).collect();
    match cell.end {
        End::Rest if cell.up => {}
        End::Rest => words.push(format!("{} is down", cell.target)),
        End::Restless => words.push("not at rest".to_owned()),
        End::NoCrash => words.push("no crash".to_owned()),
    }
    words.join("; ")
}

fn message(message: &Judged) -> String {
    let why: Vec<String> = message.why.iter().map(|rule| rule.name()).collect();
    format!("{} {} ({})", message.label(), message.verdict.name(), why.join(", "))
}

/// Crashes by fault and worst verdict.
fn by_fault(matrix: &Matrix, cells: &[Cell], out: &mut Out) -> Result<()> {
    writeln!(out, "\n{TITLE}By fault: crashes by their worst message{TITLE:#}")?;
    let mut table = tally("FAULT");
    for fault in &matrix.plan().faults {
        let of: Vec<&Cell> = cells.iter().filter(|cell| cell.fault == *fault).collect();
        table.row(out, counts(fault.to_string(), &of, Cell::worst))?;
    }
    Ok(table.finish(out)?)
}

/// Crashes by message and verdict.
fn by_message(cells: &[Cell], out: &mut Out) -> Result<()> {
    let mut messages: BTreeMap<(&str, u32), Vec<&Judged>> = BTreeMap::new();
    for message in cells.iter().flat_map(|cell| &cell.messages) {
        messages.entry((&message.producer, message.number)).or_default().push(message);
    }
    if messages.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{TITLE}By message{TITLE:#}")?;
    let mut table = tally("MESSAGE");
    for of in messages.values() {
        let label = of.first().map(|message| message.label()).unwrap_or_default();
        table.row(out, counts(label, of, |message| Some(message.verdict)))?;
    }
    Ok(table.finish(out)?)
}

fn tally(title: &'static str) -> Table {
    Table::new(&[
        (title, Align::Left),
        ("RIGHT", Align::Right),
        ("OPEN", Align::Right),
        ("TWICE", Align::Right),
        ("OUT OF ORDER", Align::Right),
        ("LOST", Align::Right),
    ])
}

fn counts<T>(label: String, of: &[&T], verdict: impl Fn(&T) -> Option<Verdict>) -> Vec<Field> {
    let number = |wanted: Verdict| {
        let number = of.iter().filter(|one| verdict(one) == Some(wanted)).count();
        let shown = if number == 0 { DIM } else { style(wanted) };
        Field::styled(number.to_string(), shown)
    };
    [Field::from(label)].into_iter().chain(Verdict::ALL.map(number)).collect()
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::ledger::Rule;

    use super::*;

    #[test]
    fn a_message_without_a_name_goes_by_its_producer_and_number() {
        let lost = Judged {
            producer: "producer".to_owned(),
            number: 2,
            name: None,
            told: "SEND_OK".to_owned(),
            verdict: Verdict::Lost,
            why: vec![Rule::UnflushedAtPowerLoss],
        };
        assert_eq!(message(&lost), "producer#2 lost (unflushedAtPowerLoss)");
    }
}
