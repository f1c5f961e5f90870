//! Values of columns as people type them.

use rocketscope_engine::wire::Cell;

/// A value: a whole number is a number, what stands in quotes is text, `NULL` is no value, and nothing says nothing.
pub fn cell(words: &str) -> Option<Cell> {
    let words = words.trim();
    let quoted = |quote: char| words.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    if words.is_empty() {
        return None;
    }
    if let Some(text) = quoted('\'').or_else(|| quoted('"')) {
        return Some(Cell::Text(text.to_owned()));
    }
    if words == "NULL" {
        return Some(Cell::Null);
    }
    Some(words.parse().map_or_else(|_| Cell::Text(words.to_owned()), Cell::Int))
}

/// The values of a row, with commas between them; commas in quotes belong to the text.
pub fn row(line: &str) -> Vec<Option<Cell>> {
    let mut parts = vec![String::new()];
    let mut inside = None;
    for letter in line.chars() {
        match (letter, inside) {
            (',', None) => {
                parts.push(String::new());
                continue;
            }
            ('\'' | '"', None) if parts.last().is_some_and(|part| part.trim().is_empty()) => inside = Some(letter),
            (_, Some(quote)) if quote == letter => inside = None,
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts.iter().map(|part| cell(part)).collect()
}

/// A value as it would be typed.
pub fn typed(value: &Cell) -> String {
    match value {
        Cell::Text(text) => {
            let plain = cell(text) == Some(value.clone()) && !text.contains(',') && text.trim() == text;
            match (plain, text.contains('\'')) {
                (true, _) => text.clone(),
                (false, false) => format!("'{text}'"),
                (false, true) => format!("\"{text}\""),
            }
        }
        Cell::Int(_) | Cell::Null => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::wire::Cell;

    use super::{cell, row, typed};

    #[test]
    fn numbers_are_numbers_and_quotes_make_text() {
        let cases = [
            ("", None),
            (" 42 ", Some(Cell::Int(42))),
            ("-1", Some(Cell::Int(-1))),
            ("'42'", Some(Cell::from("42"))),
            ("\"\"", Some(Cell::from(""))),
            ("NULL", Some(Cell::Null)),
            ("paid", Some(Cell::from("paid"))),
            ("'", Some(Cell::from("'"))),
        ];
        for (words, wanted) in cases {
            assert_eq!(cell(words), wanted, "{words}");
        }
    }

    #[test]
    fn a_row_is_split_at_commas_outside_of_quotes() {
        assert_eq!(
            row("1, 'a, b', , it's"),
            [Some(Cell::Int(1)), Some(Cell::from("a, b")), None, Some(Cell::from("it's"))]
        );
        assert_eq!(row(""), [None]);
    }

    #[test]
    fn what_is_typed_comes_back() {
        let text = ["paid", "42", "", "NULL", "a, b", "it's, so", " x ", "'x'"].map(Cell::from);
        for value in text.into_iter().chain([Cell::Int(-7), Cell::Null]) {
            assert_eq!(row(&typed(&value)), [Some(value.clone())], "{value:?}");
        }
    }
}
