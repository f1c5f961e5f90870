//! Differences, each with its place.

use serde::Serialize;
use serde_json::Value;

/// As many differences as one failure prints; the rest is counted.
const SHOWN: usize = 25;

/// What a check found: nothing, or lines that each name a place.
#[derive(Debug, Default)]
pub struct Report {
    lines: Vec<String>,
    more: usize,
}

impl Report {
    /// Notes one difference.
    pub fn add(&mut self, line: impl Into<String>) {
        if self.lines.len() < SHOWN {
            self.lines.push(line.into());
        } else {
            self.more += 1;
        }
    }

    /// Compares two values of the same serialised form; every leaf that differs is noted with its path below `what`.
    pub fn compare<E: Serialize + ?Sized, A: Serialize + ?Sized>(&mut self, what: &str, expected: &E, actual: &A) {
        match (serde_json::to_value(expected), serde_json::to_value(actual)) {
            (Ok(expected), Ok(actual)) => self.walk(what, &expected, &actual),
            (Err(cause), _) | (_, Err(cause)) => self.add(format!("{what}: cannot be compared: {cause}")),
        }
    }

    /// Whether nothing differed so far.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The check's verdict: every difference, one a line.
    pub fn finish(self) -> Result<(), String> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let mut text = self.lines.join("\n");
        if self.more > 0 {
            text = format!("{text}\n... and {} more differences", self.more);
        }
        Err(text)
    }

    fn walk(&mut self, path: &str, expected: &Value, actual: &Value) {
        match (expected, actual) {
            (Value::Object(left), Value::Object(right)) => {
                for (key, value) in left {
                    match right.get(key) {
                        Some(other) => self.walk(&format!("{path}.{key}"), value, other),
                        None => self.add(format!("{path}.{key}: expected {}, got nothing", short(value))),
                    }
                }
                for (key, value) in right.iter().filter(|(key, _)| !left.contains_key(*key)) {
                    self.add(format!("{path}.{key}: expected nothing, got {}", short(value)));
                }
            }
            (Value::Array(left), Value::Array(right)) => {
                if left.len() != right.len() {
                    self.add(format!("{path}: expected {} of them, got {}", left.len(), right.len()));
                }
                for (index, (value, other)) in left.iter().zip(right).enumerate() {
                    self.walk(&format!("{path}[{index}]"), value, other);
                }
            }
            _ if expected == actual => {}
            _ => self.add(format!("{path}: expected {}, got {}", short(expected), short(actual))),
        }
    }
}

fn short(value: &Value) -> String {
    const LONGEST: usize = 160;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}... ({} bytes)", &text[..cut], text.len()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_difference_names_its_path() {
        let mut report = Report::default();
        report.compare("a", &json!({"x": [1, {"y": 2}], "only": 1}), &json!({"x": [1, {"y": 3}], "extra": 4}));
        assert_eq!(
            report.finish(),
            Err("a.only: expected 1, got nothing\na.x[1].y: expected 2, got 3\na.extra: expected nothing, got 4".into())
        );
    }

    #[test]
    fn lists_of_different_length_differ() {
        let mut report = Report::default();
        report.compare("a", &json!([1, 2]), &json!([1]));
        assert_eq!(report.finish(), Err("a: expected 2 of them, got 1".into()));
    }

    #[test]
    fn equal_values_are_no_difference() {
        let mut report = Report::default();
        report.compare("a", &json!({"x": [1]}), &json!({"x": [1]}));
        assert!(report.is_empty());
        assert_eq!(report.finish(), Ok(()));
    }
}
