//! The key-value table (`KVConfigManager`): the one thing that a NameServer keeps in a file.

use std::collections::BTreeMap;

use crate::{
    fastjson::Value,
    node::{NamesStep, NodeStep, Turn},
};

/// The file, below the user's home.
const PATH: &str = "namesrv/kvConfig.json";

/// Namespace to key to value. It is saved with every change, so it is what the next process reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KvTable {
    table: BTreeMap<String, BTreeMap<String, String>>,
}

impl KvTable {
    /// The value of a key (`getKVConfig`).
    pub fn get(&self, namespace: &str, key: &str) -> Option<&str> {
        self.table.get(namespace)?.get(key).map(String::as_str)
    }

    /// A namespace as a whole (`getKVListByNamespace`).
    pub fn namespace(&self, namespace: &str) -> Option<&BTreeMap<String, String>> {
        self.table.get(namespace)
    }

    /// Sets a key, and saves the table (`putKVConfig`).
    pub(super) fn put(&mut self, namespace: &str, key: &str, value: &str, turn: &mut Turn<'_>) {
        self.table.entry(namespace.to_owned()).or_default().insert(key.to_owned(), value.to_owned());
        self.changed(namespace, key, Some(value), turn);
    }

    /// Removes a key, and saves the table (`deleteKVConfig`). The namespace stays, if it ends up empty too.
    pub(super) fn delete(&mut self, namespace: &str, key: &str, turn: &mut Turn<'_>) {
        if let Some(keys) = self.table.get_mut(namespace) {
            keys.remove(key);
        }
        self.changed(namespace, key, None, turn);
    }

    fn changed(&self, namespace: &str, key: &str, value: Option<&str>, turn: &mut Turn<'_>) {
        turn.step(NamesStep::KvSet {
            namespace: namespace.to_owned(),
            key: key.to_owned(),
            value: value.map(str::to_owned),
        });
        turn.step(NodeStep::ConfigWritten { path: PATH.to_owned(), len: self.to_text().len() as u64 });
        // Brokers learn of order topics with the answer to their next registration, clients with their next poll.
        turn.disturb();
    }

    /// The file's text (`KVConfigSerializeWrapper`).
    pub fn to_text(&self) -> String {
        let namespaces = self.table.iter().map(|(namespace, keys)| {
            let keys = keys.iter().map(|(key, value)| (key, Value::from(value)));
            (namespace, Value::object(keys))
        });
        Value::object([("configTable", Value::object(namespaces))]).to_compact()
    }
}
