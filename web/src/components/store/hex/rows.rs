//! Bytes as rows of runs: neighbouring bytes of one field are one run.

use std::fmt::Write;

use rocketscope_engine::view::store::{HexSpan, HexWindow};

/// A run of bytes of one row that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Position in the file of its first byte.
    pub at: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The span it is part of, by its place in the window's list.
    pub span: Option<usize>,
}

impl Run {
    /// The bytes in hexadecimal; `first` is the column of the first byte, and the middle of a row has a wider gap.
    pub fn hex(&self, first: u64, middle: u64) -> String {
        let mut out = String::with_capacity(self.bytes.len() * 3);
        for (column, byte) in (first..).zip(&self.bytes) {
            if column > first {
                out.push_str(if column == middle { "  " } else { " " });
            }
            // Writing to a String cannot fail.
            let _ = write!(out, "{byte:02X}");
        }
        out
    }

    /// The bytes as characters, a dot for each that is none.
    pub fn ascii(&self) -> String {
        self.bytes.iter().map(|byte| if (0x20..0x7f).contains(byte) { *byte as char } else { '·' }).collect()
    }
}

/// The runs of the row of `width` bytes that begins at `start`; what the window does not hold is left out.
pub fn runs(window: &HexWindow, start: u64, width: u64) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut next_span = window.spans.partition_point(|span| span.start + span.len <= start);
    for at in start..start.saturating_add(width) {
        let Some(byte) = at.checked_sub(window.start).and_then(|index| window.bytes.get(usize::try_from(index).ok()?))
        else {
            continue;
        };
        while window.spans.get(next_span).is_some_and(|span| span.start + span.len <= at) {
            next_span += 1;
        }
        let span = window.spans.get(next_span).filter(|span| span.start <= at).map(|_| next_span);
        match runs.last_mut() {
            Some(run) if run.span == span => run.bytes.push(*byte),
            _ => runs.push(Run { at, bytes: vec![*byte], span }),
        }
    }
    runs
}

/// The span that holds the byte at `at`.
pub fn span_at(window: &HexWindow, at: u64) -> Option<&HexSpan> {
    window.spans.iter().find(|span| (span.start..span.start + span.len).contains(&at))
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::view::store::{Field, FileKind, HexOwner, HexSpan, HexWindow};

    use super::{Run, runs};

    fn window() -> HexWindow {
        let span = |start, len| HexSpan { start, len, field: Field::Text, owner: HexOwner::Text, value: String::new() };
        HexWindow {
            path: "f".to_owned(),
            file: FileKind::Other,
            file_len: 100,
            file_from: None,
            start: 14,
            bytes: (14..40).collect(),
            spans: vec![span(10, 6), span(16, 4), span(24, 30)],
        }
    }

    #[test]
    fn a_row_is_cut_where_fields_meet() {
        let row = runs(&window(), 16, 16);
        let cut: Vec<_> = row.iter().map(|run| (run.at, run.bytes.len(), run.span)).collect();
        assert_eq!(cut, [(16, 4, Some(1)), (20, 4, None), (24, 8, Some(2))]);
    }

    #[test]
    fn bytes_that_are_not_here_are_left_out() {
        let row = runs(&window(), 0, 16);
        assert_eq!(row, [Run { at: 14, bytes: vec![14, 15], span: Some(0) }]);
        assert!(runs(&window(), 48, 16).is_empty());
    }

    #[test]
    fn the_middle_has_a_wider_gap() {
        let run = Run { at: 6, bytes: vec![0, 1, 0xAB], span: None };
        assert_eq!(run.hex(6, 8), "00 01  AB");
        assert_eq!(run.ascii(), "···");
    }
}
