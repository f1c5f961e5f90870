//! The ledger for people: what became of each message, and by which rule.

use std::io::Write;

use anyhow::Result;
use rocketscope_engine::ledger::{Account, CopyState, Effect, Finding, GroupDeliveries, Ledger, Verdict};

use super::words::why;
use crate::output::{BAD, DIM, GOOD, NAME, Out, TITLE, WARN, count};
use crate::table::{Align, Cell, Table};

/// Prints what became of each message, and what is to be said of those that are not exactly right.
pub(super) fn print(ledger: &Ledger, out: &mut Out) -> Result<()> {
    if ledger.accounts.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{TITLE}Messages: what was told, and what became of them{TITLE:#}")?;
    let mut table = Table::new(&[
        ("PRODUCER", Align::Left),
        ("N", Align::Right),
        ("NAME", Align::Left),
        ("TOPIC", Align::Left),
        ("TOLD", Align::Left),
        ("STORED", Align::Left),
        ("GROUPS", Align::Left),
        ("EFFECTS", Align::Left),
        ("VERDICT", Align::Left),
    ]);
    for account in &ledger.accounts {
        let told = if account.told.is_empty() { "nothing" } else { &account.told };
        table.row(
            out,
            vec![
                Cell::styled(&account.producer, NAME),
                account.number.into(),
                account.name.clone().unwrap_or_default().into(),
                account.topic.clone().into(),
                Cell::styled(told, if account.is_acknowledged() { GOOD } else { WARN }),
                stored(account),
                join(account.groups.iter().map(group)).into(),
                join(account.effects.iter().map(effect)).into(),
                verdict(account.verdict()),
            ],
        )?;
    }
    table.finish(out)?;
    for account in &ledger.accounts {
        for finding in account.findings.iter().filter(|finding| finding.verdict != Verdict::ExactlyRight) {
            print_finding(ledger, account, finding, out)?;
        }
    }
    for broker in &ledger.down {
        writeln!(out, "{WARN}{broker} does not run: it is judged by what a start would find.{WARN:#}")?;
    }
    let counted = Verdict::ALL.into_iter().map(|verdict| (ledger.count(verdict), words(verdict)));
    let counted = counted.filter(|(messages, _)| *messages > 0).map(|(messages, words)| format!("{messages} {words}"));
    writeln!(out, "{}", join(counted))?;
    let style = if ledger.missing() > 0 { BAD } else { GOOD };
    let messages = count(u64::from(ledger.acknowledged()), "message", "messages");
    writeln!(out, "{messages} acknowledged, {style}{} of them stored nowhere{style:#}", ledger.missing())?;
    Ok(())
}

fn print_finding(ledger: &Ledger, account: &Account, finding: &Finding, out: &mut Out) -> Result<()> {
    let name = title(account);
    let of = |what: &Option<String>| what.as_ref().map(|what| format!(" {what},")).unwrap_or_default();
    let places = format!("{}{}", of(&finding.broker), of(&finding.group));
    let other = finding.other.and_then(|other| ledger.accounts.get(other)).map(title);
    let behind = other.map(|other| format!(" (after {other})")).unwrap_or_default();
    let style = style(finding.verdict);
    let words = words(finding.verdict);
    writeln!(out, "  {NAME}{name}{NAME:#} {style}{words}{style:#}{behind}:{places} {}", why(finding.why))?;
    Ok(())
}

/// What a message is called: its name, or its number at its producer.
fn title(account: &Account) -> String {
    account.name.clone().unwrap_or_else(|| format!("{}/{}", account.producer, account.number))
}

const fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::ExactlyRight => "exactly right",
        Verdict::Open => "open",
        Verdict::Duplicated => "duplicated",
        Verdict::OutOfOrder => "out of order",
        Verdict::Lost => "lost",
    }
}

const fn style(verdict: Verdict) -> anstyle::Style {
    match verdict {
        Verdict::ExactlyRight => GOOD,
        Verdict::Open => DIM,
        Verdict::Duplicated | Verdict::OutOfOrder => WARN,
        Verdict::Lost => BAD,
    }
}

fn verdict(verdict: Verdict) -> Cell {
    Cell::styled(words(verdict), style(verdict))
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn group(has: &GroupDeliveries) -> String {
    let GroupDeliveries { group, consumer, delivered, refused, .. } = has;
    let consumer = consumer.as_ref().map(|consumer| format!("@{consumer}")).unwrap_or_default();
    let refused = if *refused > 0 { format!(" ({refused} refused)") } else { String::new() };
    format!("{group}{consumer} x{delivered}{refused}")
}

fn effect(effect: &Effect) -> String {
    let times = if effect.count > 1 { format!(" x{}", effect.count) } else { String::new() };
    format!("{}.{} {}{times}", effect.database, effect.table, effect.key)
}

fn stored(account: &Account) -> Cell {
    if account.msg_id.is_none() {
        return Cell::styled("no id to look for", DIM);
    }
    if account.copies.is_empty() {
        return Cell::styled("nowhere", if account.is_acknowledged() { BAD } else { DIM });
    }
    let copies = account.copies.iter().map(|copy| {
        let state = match copy.state {
            CopyState::Visible => "",
            CopyState::Waiting => " (waits)",
            CopyState::Over => " (waited)",
            CopyState::NotDispatched => " (not dispatched)",
        };
        format!("{} {}/{} @{}{state}", copy.broker, copy.topic, copy.queue_id, copy.queue_offset)
    });
    join(copies).into()
}
