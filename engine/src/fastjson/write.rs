//! Writing what fastjson 1.2.69 writes.

use std::fmt::Write;

use super::Value;

impl Value<'_> {
    /// The text of `RemotingSerializable.toJson(value, true)`: each entry with a string key and each item on a line of
    /// its own behind tabs, no space after `:`. Entries with another key follow each other on one line, and the brace
    /// that closes them stands on a new one.
    pub fn to_pretty(&self) -> String {
        let mut writer = Writer { out: String::new(), depth: Some(0) };
        writer.value(self);
        writer.out
    }

    /// The text of `RemotingSerializable.toJson(value, false)`: all on one line, without spaces.
    pub fn to_compact(&self) -> String {
        let mut writer = Writer { out: String::new(), depth: None };
        writer.value(self);
        writer.out
    }
}

struct Writer {
    out: String,
    /// Tabs before a line; `None` writes no lines.
    depth: Option<usize>,
}

impl Writer {
    fn value(&mut self, value: &Value<'_>) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Value::Int(number) => {
                // Writing to a String cannot fail.
                let _ = write!(self.out, "{number}");
            }
            Value::Float(text) => self.out.push_str(text),
            Value::Str(text) => self.string(text),
            Value::Array(items) => self.array(items),
            Value::Object(entries) => self.object(entries),
        }
    }

    fn object(&mut self, entries: &[(Value<'_>, Value<'_>)]) {
        self.out.push('{');
        self.deeper();
        for (n, (key, value)) in entries.iter().enumerate() {
            if n > 0 {
                self.out.push(',');
            }
            if matches!(key, Value::Str(_)) {
                self.line();
            }
            self.value(key);
            self.out.push(':');
            self.value(value);
        }
        self.shallower();
        if !entries.is_empty() {
            self.line();
        }
        self.out.push('}');
    }

    fn array(&mut self, items: &[Value<'_>]) {
        // A list has a line for each item, an array of numbers one for all. The numbers in the files of 4.9.8 are in
        // such arrays (`BloomFilterData.bitPos`), never in lists.
        let lines = !items.iter().all(|item| matches!(item, Value::Int(_)));
        self.out.push('[');
        self.deeper();
        for (n, item) in items.iter().enumerate() {
            if n > 0 {
                self.out.push(',');
            }
            if lines {
                self.line();
            }
            self.value(item);
        }
        self.shallower();
        if lines {
            self.line();
        }
        self.out.push(']');
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\u{8}' => self.out.push_str("\\b"),
                '\t' => self.out.push_str("\\t"),
                '\n' => self.out.push_str("\\n"),
                '\u{c}' => self.out.push_str("\\f"),
                '\r' => self.out.push_str("\\r"),
                '\0'..' ' | '\u{7f}'..'\u{a0}' | '\u{2028}' | '\u{2029}' => {
                    // Writing to a String cannot fail.
                    let _ = write!(self.out, "\\u{:04X}", u32::from(c));
                }
                _ => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn deeper(&mut self) {
        self.depth = self.depth.map(|depth| depth + 1);
    }

    fn shallower(&mut self) {
        self.depth = self.depth.map(|depth| depth.saturating_sub(1));
    }

    fn line(&mut self) {
        if let Some(depth) = self.depth {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n('\t', depth));
        }
    }
}
