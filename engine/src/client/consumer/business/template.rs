//! Texts that a message fills in: `{name}` stands for something of it.

use crate::{
    client::Received,
    message::Properties,
    wire::{Cell, Change, Values},
};

/// A message that fills in texts.
pub(super) struct Filling<'a> {
    message: &'a Received,
    properties: Properties,
}

impl<'a> Filling<'a> {
    pub(super) fn of(message: &'a Received) -> Self {
        Self { message, properties: Properties::parse(&message.properties_text) }
    }

    /// What a name stands for; nothing where the message has no such property.
    fn value(&self, name: &str) -> Cell {
        let Received { topic, queue_id, queue_offset, msg_id, tags, keys, body, reconsume_times, .. } = self.message;
        let text = |text: Option<&str>| text.map_or(Cell::Null, Cell::from);
        match name {
            "topic" => topic.as_str().into(),
            "tag" => text(tags.as_deref()),
            "keys" => text(keys.as_deref()),
            "body" => Cell::Text(String::from_utf8_lossy(body).into_owned()),
            "msgId" => msg_id.as_str().into(),
            "queueId" => i64::from(*queue_id).into(),
            "queueOffset" => (*queue_offset).into(),
            "times" => i64::from(*reconsume_times).into(),
            property => text(self.properties.get(property)),
        }
    }

    /// A text filled in. One that is a single name becomes what that stands for: a number, or nothing.
    pub(super) fn cell(&self, template: &str) -> Cell {
        match template.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) if !name.contains(['{', '}']) => self.value(name),
            _ => Cell::Text(self.text(template)),
        }
    }

    fn text(&self, template: &str) -> String {
        let mut out = String::new();
        let mut rest = template;
        while let Some((before, opened)) = rest.split_once('{') {
            out.push_str(before);
            let Some((name, after)) = opened.split_once('}') else {
                out.push('{');
                rest = opened;
                continue;
            };
            match self.value(name) {
                Cell::Null => {}
                value => out.push_str(&value.to_string()),
            }
            rest = after;
        }
        out + rest
    }

    fn values(&self, values: &Values) -> Values {
        let filled = values.iter().map(|(column, cell)| match cell {
            Cell::Text(template) => (column.clone(), self.cell(template)),
            Cell::Null | Cell::Int(_) => (column.clone(), cell.clone()),
        });
        filled.collect()
    }

    /// A change with its texts filled in.
    pub(super) fn change(&self, change: &Change) -> Change {
        match change {
            Change::Insert { table, row } => Change::Insert { table: table.clone(), row: self.values(row) },
            Change::InsertIfAbsent { table, row } => {
                Change::InsertIfAbsent { table: table.clone(), row: self.values(row) }
            }
            Change::Update { table, key, only_if, set, add } => Change::Update {
                table: table.clone(),
                key: self.values(key),
                only_if: self.values(only_if),
                set: self.values(set),
                add: add.clone(),
            },
            Change::Delete { table, key } => Change::Delete { table: table.clone(), key: self.values(key) },
        }
    }
}
