//! Records, queues, units and config files.

use std::io::Write;
use std::ops::ControlFlow;

use anyhow::Result;
use rocketscope_engine::store::inspect::each_record;
use rocketscope_engine::view::store::{RecordRow, StoreAnswer, StoreQuery, UnitTarget};

use super::Inspected;
use crate::output::{BAD, DIM, NAME, Out, TITLE, WARN, one_line, time};
use crate::table::Align::{Left, Right};
use crate::table::{Cell, Table};

/// Rows asked for at a time.
const PIECE: u64 = 1000;
/// With more queues than this their units are shown only when the lists are wanted whole.
const QUEUES_WITH_UNITS: usize = 12;
/// Characters of properties in a row.
const PROPERTIES_SHOWN: usize = 80;

/// Says how much of a list was left out.
pub(super) fn rest(out: &mut Out, left: u64, one: &str, many: &str) -> Result<()> {
    if left > 0 {
        let noun = if left == 1 { one } else { many };
        writeln!(out, "  {DIM}… {left} more {noun} (--all, --limit ROWS){DIM:#}")?;
    }
    Ok(())
}

/// The records of the log.
pub(super) fn records(inspected: &Inspected<'_>, out: &mut Out) -> Result<()> {
    let total = inspected.scan()?.totals().records;
    if total == 0 {
        return Ok(());
    }
    writeln!(out, "\n{TITLE}Records{TITLE:#}")?;
    let mut table = Table::new(&[
        ("OFFSET", Right),
        ("SIZE", Right),
        ("TOPIC", Left),
        ("QUEUE", Right),
        ("QUEUE OFFSET", Right),
        ("STORED (UTC)", Left),
        ("BODY", Right),
        ("SYSFLAG", Right),
        ("PROPERTIES", Left),
    ]);
    let mut shown = 0;
    let ended = each_record(inspected.disk, &inspected.store.files.commit_log, |offset, record| {
        if shown >= inspected.limit {
            return ControlFlow::Break(Ok(()));
        }
        shown += 1;
        let cells = record_cells(&RecordRow::of(record, offset), inspected.details);
        table.row(out, cells).map_or_else(|error| ControlFlow::Break(Err(error)), ControlFlow::Continue)
    })?;
    if let ControlFlow::Break(Err(error)) = ended {
        return Err(error.into());
    }
    table.finish(out)?;
    rest(out, total - shown, "record", "records")
}

fn record_cells(row: &RecordRow, whole: bool) -> Vec<Cell> {
    let mut properties = one_line(&row.properties_string);
    if !whole && let Some((end, _)) = properties.char_indices().nth(PROPERTIES_SHOWN) {
        properties.truncate(end);
        properties.push('…');
    }
    vec![
        row.physical_offset.into(),
        row.size.into(),
        Cell::styled(one_line(&row.topic), NAME),
        row.queue_id.into(),
        row.queue_offset.into(),
        time(row.store_timestamp).into(),
        row.body_length.into(),
        format!("0x{:X}", row.sys_flag).into(),
        Cell::styled(properties, DIM),
    ]
}

/// The queues, and the units of each.
pub(super) fn queues(inspected: &Inspected<'_>, out: &mut Out) -> Result<()> {
    let StoreAnswer::Queues(queues) = inspected.ask(&StoreQuery::Queues)? else { return Ok(()) };
    if queues.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{TITLE}ConsumeQueues{TITLE:#}")?;
    let mut table = Table::new(&[("TOPIC", Left), ("QUEUE", Right), ("MIN", Right), ("MAX", Right), ("FILES", Right)]);
    for queue in &queues {
        let topic = Cell::styled(one_line(&queue.topic), NAME);
        let numbers = [queue.min_offset, queue.max_offset].map(Cell::from);
        let mut cells = vec![topic, queue.queue_id.into()];
        cells.extend(numbers);
        cells.push(queue.file_count.into());
        table.row(out, cells)?;
    }
    table.finish(out)?;
    if queues.len() > QUEUES_WITH_UNITS && !inspected.details {
        writeln!(out, "  {DIM}units: --all{DIM:#}")?;
        return Ok(());
    }
    for queue in queues.iter().filter(|queue| queue.max_offset > queue.first_offset) {
        units(inspected, (&queue.topic, queue.queue_id), (queue.first_offset, queue.max_offset), out)?;
    }
    Ok(())
}

fn units(inspected: &Inspected<'_>, queue: (&str, i32), range: (i64, i64), out: &mut Out) -> Result<()> {
    let (topic, queue_id) = queue;
    let (mut from, end) = range;
    writeln!(out, "\n{TITLE}Units of {}/{queue_id}{TITLE:#}", one_line(topic))?;
    let mut table = Table::new(&[
        ("QUEUE OFFSET", Right),
        ("OFFSET", Right),
        ("SIZE", Right),
        ("TAGS CODE", Right),
        ("POINTS AT", Left),
    ]);
    let mut shown = 0;
    while from < end && shown < inspected.limit {
        let limit = PIECE.min(inspected.limit - shown) as u32;
        let query = StoreQuery::Units { topic: topic.to_owned(), queue_id, from, limit };
        let StoreAnswer::Units(window) = inspected.ask(&query)? else { break };
        let Some(last) = window.units.last() else { break };
        from = last.queue_offset.saturating_add(1);
        for unit in window.units.iter().filter(|unit| unit.queue_offset < end) {
            shown += 1;
            let cells = vec![
                unit.queue_offset.into(),
                unit.physical_offset.into(),
                unit.size.into(),
                unit.tags_code.into(),
                target_cell(unit.target),
            ];
            table.row(out, cells)?;
        }
    }
    table.finish(out)?;
    rest(out, end.saturating_sub(from).max(0).unsigned_abs(), "unit", "units")
}

fn target_cell(target: UnitTarget) -> Cell {
    let (text, style) = match target {
        UnitTarget::Ok => ("its record", DIM),
        UnitTarget::OtherQueueOffset => ("a record of another queue offset", BAD),
        UnitTarget::OtherRecord => ("another record", BAD),
        UnitTarget::InsideRecord => ("the middle of a record", BAD),
        UnitTarget::NoRecord => ("no record", BAD),
        UnitTarget::BelowMin => ("a record that was cleaned away", WARN),
        UnitTarget::BeyondEnd => ("behind the end of the log", BAD),
        UnitTarget::PreBlank => ("nothing (pre-blank)", WARN),
        UnitTarget::Unwritten => ("nothing (not valid)", WARN),
        UnitTarget::MissingFile => ("a missing file", BAD),
    };
    Cell::styled(text, style)
}

/// The config files, each with its text.
pub(super) fn config(inspected: &Inspected<'_>, out: &mut Out) -> Result<()> {
    for file in &inspected.store.files.config {
        let StoreAnswer::Config(picture) = inspected.ask(&StoreQuery::Config { path: file.path.clone() })? else {
            continue;
        };
        writeln!(out, "\n{TITLE}{}{TITLE:#}  {DIM}{} bytes{DIM:#}", picture.path, picture.len)?;
        if let Some(problem) = &picture.problem {
            writeln!(out, "  {BAD}line {}, column {}: {}{BAD:#}", problem.line, problem.column, problem.message)?;
        }
        let lines: Vec<&str> = picture.text.lines().collect();
        let shown = usize::try_from(inspected.limit.saturating_mul(2)).unwrap_or(usize::MAX);
        for line in lines.iter().take(shown) {
            writeln!(out, "  {}", line.replace('\t', "  "))?;
        }
        rest(out, lines.len().saturating_sub(shown) as u64, "line", "lines")?;
    }
    Ok(())
}
