//! The files below `config/`.

use super::files::{SingleFile, read_clipped};
use crate::disk::{DiskError, ReadAt};
use crate::fastjson::{self, Value};
use crate::message::java;

/// A config file larger than this is not parsed.
const LIMIT: u64 = 64 * 1024 * 1024;

/// Where and why a config file is not what 4.9.8 reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFault {
    /// Position in the file.
    pub offset: u64,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The cause.
    pub cause: String,
}

/// Parses a `.json` or `.json.bak` file as 4.9.8 does (`ConfigManager.load`); other files are not looked at.
pub fn config_fault<D: ReadAt + ?Sized>(disk: &D, file: &SingleFile) -> Result<Option<ConfigFault>, DiskError> {
    let fault = |offset: usize, line: usize, column: usize, cause: String| {
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Some(ConfigFault { offset: offset as u64, line: narrow(line), column: narrow(column), cause })
    };
    if file.path.strip_suffix(".bak").unwrap_or(&file.path).strip_suffix(".json").is_none() {
        return Ok(None);
    }
    if file.len > LIMIT {
        return Ok(fault(0, 1, 1, format!("the file has {} bytes and is not read", file.len)));
    }
    let bytes = read_clipped(disk, file.file, file.len, 0, LIMIT)?;
    let text = java::decode_utf8(&bytes);
    if text.is_empty() {
        return Ok(fault(0, 1, 1, String::from("the file is empty")));
    }
    Ok(match fastjson::parse(&text) {
        Ok(Value::Object(_)) => None,
        Ok(_) => fault(0, 1, 1, String::from("not an object")),
        Err(error) => {
            let offset = offset_of(&text, error.line, error.column);
            // The error says its place itself, in front.
            let words = error.to_string();
            let cause = words.split_once(": ").map_or(words.as_str(), |(_, cause)| cause).to_owned();
            fault(offset, error.line, error.column, cause)
        }
    })
}

/// The byte at a line and column.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    start + rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(at, _)| at)
}
