//! The text form of properties, as it is stored and sent: `name 0x01 value`, joined by 0x02.

use std::ops::Range;

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
pub fn segments(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(char::from(PROPERTY_SEPARATOR))
        .filter_map(|segment| segment.split_once(char::from(NAME_VALUE_SEPARATOR)))
        .filter(|(name, value)| !name.is_empty() && !value.is_empty())
}

/// Where the values of `names` stand in a properties text, found in one pass and without building the map; of several
/// properties with one name the last counts, as in the map.
pub(in crate::message) fn find_values<const N: usize>(text: &str, names: [&str; N]) -> [Option<Range<usize>>; N] {
    let bytes = text.as_bytes();
    let mut values = [const { None }; N];
    let mut segment_ends = |start: usize, separator: Option<usize>, end: usize| {
        if let Some(separator) = separator
            && start < separator
            && separator + 1 < end
        {
            let name = bytes.get(start..separator);
            for (value, wanted) in values.iter_mut().zip(names) {
                if name == Some(wanted.as_bytes()) {
                    *value = Some(separator + 1..end);
                }
            }
        }
    };
    let (mut start, mut separator) = (0, None);
    for (position, byte) in bytes.iter().enumerate() {
        match *byte {
            NAME_VALUE_SEPARATOR => separator = separator.or(Some(position)),
            PROPERTY_SEPARATOR => {
                segment_ends(start, separator, position);
                (start, separator) = (position + 1, None);
            }
            _ => {}
        }
    }
    segment_ends(start, separator, bytes.len());
    values
}

/// The value of one property in a properties text.
pub(in crate::message) fn find_value<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let [value] = find_values(text, [name]);
    text.get(value?)
}
