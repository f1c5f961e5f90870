//! The text form of properties, as it is stored and sent: `name 0x01 value`, joined by 0x02.

use super::{NAME_VALUE_SEPARATOR, PROPERTY_SEPARATOR, Properties};

impl Properties {
    /// Reads the text form (`MessageDecoder.string2messageProperties`). Properties without a name or without a value
    /// are dropped, of several with one name the last counts.
    pub fn parse(text: &str) -> Self {
        segments(text).collect()
    }

    /// Writes the text form (`MessageDecoder.messageProperties2String`): in the order of iteration, no separator at
    /// the end, nothing escaped.
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.iter().map(|(name, value)| name.len() + value.len() + 2).sum());
        for (name, value) in self.iter() {
            if !text.is_empty() {
                text.push(char::from(PROPERTY_SEPARATOR));
            }
            text.push_str(name);
            text.push(char::from(NAME_VALUE_SEPARATOR));
            text.push_str(value);
        }
        text
    }
}

/// The properties of a text as they stand there, name and value, duplicates included.
///
/// The name ends at the first 0x01 of its segment; a further one belongs to the value.
pub(in crate::message) fn segments(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(char::from(PROPERTY_SEPARATOR))
        .filter_map(|segment| segment.split_once(char::from(NAME_VALUE_SEPARATOR)))
        .filter(|(name, value)| !name.is_empty() && !value.is_empty())
}
