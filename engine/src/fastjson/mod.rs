//! The JSON of `config/*.json`, as fastjson 1.2.69 reads and writes it for 4.9.8.
//!
//! It is JSON but for the keys of maps that are not strings: an integer stands bare (`{3:17,4:2}`), an object stands
//! whole (`{{"queueId":0}:12}`). [`parse()`] takes all three kinds of key; [`Value::to_pretty`] and
//! [`Value::to_compact`] write the text that `RemotingSerializable.toJson` makes, byte for byte.

mod parse;
#[cfg(test)]
mod tests;
mod value;
mod write;

pub use self::parse::{DEEPEST, Expected, ParseError, parse};
pub use self::value::Value;
