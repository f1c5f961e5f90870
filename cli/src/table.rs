//! Aligned tables.

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::output::DIM;

/// Rows that are held to find the widths of the columns; of more, a piece at a time is aligned.
const PIECE: usize = 1000;

/// On which side a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl<T: ToString> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.to_string(), style: Style::new() }
    }
}

impl Cell {
    /// A cell in a style.
    pub(crate) fn styled(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

/// A table that is written while it grows.
pub(crate) struct Table {
    titles: Vec<(&'static str, Align)>,
    widths: Vec<usize>,
    rows: Vec<Vec<Cell>>,
    begun: bool,
}

impl Table {
    /// A table with these columns.
    pub(crate) fn new(titles: &[(&'static str, Align)]) -> Self {
        let widths = titles.iter().map(|(title, _)| title.width()).collect();
        Self { titles: titles.to_vec(), widths, rows: Vec::new(), begun: false }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, out: &mut dyn Write, cells: Vec<Cell>) -> io::Result<()> {
        self.rows.push(cells);
        if self.rows.len() >= PIECE { self.write(out) } else { Ok(()) }
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.write(out)
    }

    fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        for row in &rows {
            for (width, cell) in self.widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.width());
            }
        }
        if !self.begun {
            self.begun = true;
            let titles: Vec<Cell> = self.titles.iter().map(|(title, _)| Cell::styled(*title, DIM)).collect();
            self.line(out, &titles)?;
        }
        rows.iter().try_for_each(|row| self.line(out, row))
    }

    fn line(&self, out: &mut dyn Write, row: &[Cell]) -> io::Result<()> {
        out.write_all(b" ")?;
        let last = row.len().saturating_sub(1);
        for (number, ((cell, width), (_, align))) in row.iter().zip(&self.widths).zip(&self.titles).enumerate() {
            let Cell { text, style } = cell;
            let room = width.saturating_sub(text.width());
            match align {
                Align::Right => write!(out, " {:room$}{style}{text}{style:#}", "")?,
                Align::Left if number == last => write!(out, " {style}{text}{style:#}")?,
                Align::Left => write!(out, " {style}{text}{style:#}{:room$}", "")?,
            }
            if number < last {
                out.write_all(b" ")?;
            }
        }
        out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_by_what_a_terminal_shows() {
        let mut table = Table::new(&[("N", Align::Right), ("NAME", Align::Left), ("X", Align::Left)]);
        let mut out = anstream::StripStream::new(Vec::new());
        table.row(&mut out, vec![7.into(), "主题".into(), "a".into()]).unwrap();
        table.row(&mut out, vec![1234.into(), "t".into(), "b".into()]).unwrap();
        table.finish(&mut out).unwrap();
        let text = String::from_utf8(out.into_inner()).unwrap();
        assert_eq!(text, "     N  NAME  X\n     7  主题  a\n  1234  t     b\n");
    }
}
