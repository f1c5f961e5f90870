//! Cells by their place in the grid, and the worst of each place.

use std::collections::BTreeMap;

use rocketscope_engine::ledger::Verdict;
use rocketscope_engine::matrix::Cell;

/// A place in the grid: the event, and the operations done of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    /// The event.
    pub(super) event: u64,
    /// Operations on the disk that are done; `None`: before the event.
    pub(super) write: Option<u32>,
}

/// What the cells of a place came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    /// The worst verdict.
    pub(super) worst: Verdict,
    /// Cells that came to it.
    pub(super) of_worst: u32,
    /// Cells in all.
    pub(super) cells: u32,
}

impl Spot {
    pub(super) const fn of(cell: &Cell) -> Self {
        Self { event: cell.event, write: cell.write }
    }
}

/// Whether a cell is one of a fault and a target; `None`: any.
pub(super) fn is_of(cell: &Cell, fault: Option<&str>, target: Option<&str>) -> bool {
    target.is_none_or(|target| cell.target == target) && fault.is_none_or(|fault| cell.fault.to_string() == fault)
}

/// The verdict of a cell: a world without a message has nothing that could be wrong.
pub(super) fn verdict_of(cell: &Cell) -> Verdict {
    cell.worst().unwrap_or(Verdict::ExactlyRight)
}

/// The places of these cells.
pub(super) fn tallies<'c>(cells: impl Iterator<Item = &'c Cell>) -> BTreeMap<Spot, Tally> {
    let mut tallies = BTreeMap::new();
    for cell in cells {
        let verdict = verdict_of(cell);
        let tally: &mut Tally =
            tallies.entry(Spot::of(cell)).or_insert(Tally { worst: verdict, of_worst: 0, cells: 0 });
        if verdict > tally.worst {
            (tally.worst, tally.of_worst) = (verdict, 0);
        }
        tally.of_worst += u32::from(verdict == tally.worst);
        tally.cells += 1;
    }
    tallies
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::matrix::{End, Fault, Judged};

    use super::*;

    fn cell(event: u64, write: Option<u32>, verdict: Option<Verdict>) -> Cell {
        let message = |verdict| Judged {
            producer: "producer".to_owned(),
            number: 0,
            name: None,
            told: "SEND_OK".to_owned(),
            verdict,
            why: Vec::new(),
        };
        Cell {
            number: 0,
            event,
            write,
            bytes: None,
            target: "broker".to_owned(),
            fault: Fault::Kill,
            end: End::Rest,
            up: true,
            skipped: 0,
            messages: verdict.map(message).into_iter().collect(),
            tail: Vec::new(),
            position: 9,
            now_us: 0,
        }
    }

    /// A place is as bad as its worst world, of which there may be several.
    #[test]
    fn the_worst_of_a_place_counts() {
        let cells = [
            cell(1, None, Some(Verdict::ExactlyRight)),
            cell(1, None, Some(Verdict::Lost)),
            cell(1, None, Some(Verdict::Duplicated)),
            cell(1, None, Some(Verdict::Lost)),
            cell(1, Some(1), None),
        ];
        let tallies = tallies(cells.iter());
        let places: Vec<(Spot, Tally)> = tallies.into_iter().collect();
        let before = Spot { event: 1, write: None };
        let after = Spot { event: 1, write: Some(1) };
        assert_eq!(
            places,
            [
                (before, Tally { worst: Verdict::Lost, of_worst: 2, cells: 4 }),
                (after, Tally { worst: Verdict::ExactlyRight, of_worst: 1, cells: 1 }),
            ]
        );
        assert!(is_of(&cells[0], Some("kill"), Some("broker")) && !is_of(&cells[0], Some("tornWrite"), None));
    }
}
