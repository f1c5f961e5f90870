//! What an application hands to a sender, and how long its record will be.

use bytes::Bytes;

use crate::message::{Host, Properties, batch::BatchEntry, property, record};

/// A message as the application makes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewMessage {
    /// The name that the scenario gives it.
    pub name: Option<String>,
    /// The topic.
    pub topic: String,
    /// The queue; the producer chooses when absent.
    pub queue: Option<i32>,
    /// Properties in the order in which they are put. A whole client adds `UNIQ_KEY`.
    pub properties: Vec<(String, String)>,
    /// The application's flag.
    pub flag: i32,
    /// The body.
    pub body: Bytes,
    /// Nobody waits for the answer.
    pub oneway: bool,
    /// The entries of a batch, without `UNIQ_KEY`; the body is made of them.
    pub batch: Vec<NewEntry>,
}

/// One message of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewEntry {
    /// Properties in the order in which they are put.
    pub properties: Vec<(String, String)>,
    /// The application's flag.
    pub flag: i32,
    /// The body.
    pub body: Bytes,
}

impl NewMessage {
    /// Length of the stored record without its body, as the broker of `cluster_name` at `store_host` writes it: `CLUSTER`
    /// added, `WAIT` dropped. `whole`: the client adds `UNIQ_KEY`. Clients have IPv4 addresses.
    pub fn record_overhead(&self, cluster_name: &str, store_host: &Host, whole: bool) -> usize {
        let mut properties = property_map(&self.properties);
        if whole {
            properties.put(property::UNIQ_KEY, "0".repeat(32));
        }
        properties.put(property::CLUSTER, cluster_name);
        properties.remove(property::WAIT);
        let hosts = store_host.encoded_len() - Host::V4_LEN;
        usize::try_from(record::MIN_LEN).unwrap_or(0) + hosts + self.topic.len() + properties.to_text().len()
    }
}

/// The map that the given puts leave.
pub(super) fn property_map(puts: &[(String, String)]) -> Properties {
    let mut properties = Properties::new();
    for (name, value) in puts {
        properties.put(name.clone(), value.clone());
    }
    properties
}

impl NewEntry {
    pub(super) fn encoded(&self, uniq_key: Option<&str>) -> BatchEntry {
        let mut properties = property_map(&self.properties);
        if let Some(uniq_key) = uniq_key {
            properties.put(property::UNIQ_KEY, uniq_key);
        }
        BatchEntry { flag: self.flag, body: self.body.clone(), properties_text: properties.to_text() }
    }
}
