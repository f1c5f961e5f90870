//! What an application hands to a sender, and how long its record will be.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::Selector;
use crate::{
    message::{Host, Properties, batch::BatchEntry, property, record},
    node::Streams,
};

/// How a message is sent (`CommunicationMode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SendMode {
    /// The application waits for the result.
    #[default]
    Sync,
    /// A callback is told the result.
    Async,
    /// Nobody is told; only that there is no connection is known at once.
    Oneway,
}

/// A message as the application makes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewMessage {
    /// The name that the scenario gives it.
    pub name: Option<String>,
    /// The topic.
    pub topic: String,
    /// The queue; the producer chooses when absent.
    pub queue: Option<i32>,
    /// The name of the broker that holds `queue`; absent: the first in the publish list that has such a queue.
    pub broker: Option<String>,
    /// The application picks the queue with it.
    pub selector: Option<Selector>,
    /// Properties in the order in which they are put. A whole client adds `UNIQ_KEY`.
    pub properties: Vec<(String, String)>,
    /// The application's flag.
    pub flag: i32,
    /// The body.
    pub body: Bytes,
    /// So many random bytes are the body instead, drawn when the message is sent.
    pub random_bytes: Option<u32>,
    /// How it is sent.
    pub mode: SendMode,
    /// The entries of a batch, without `UNIQ_KEY`; topic and body are then made of them.
    pub batch: Option<Vec<NewEntry>>,
}

/// One message of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewEntry {
    /// The topic.
    pub topic: String,
    /// Properties in the order in which they are put.
    pub properties: Vec<(String, String)>,
    /// The application's flag.
    pub flag: i32,
    /// The body.
    pub body: Bytes,
}

impl NewMessage {
    /// Whether the application says which queue it is for: then there is no second attempt elsewhere.
    pub const fn is_aimed(&self) -> bool {
        self.queue.is_some() || self.selector.is_some()
    }

    /// The value of a property, as put last.
    pub fn property(&self, name: &str) -> Option<&str> {
        value_of(&self.properties, name)
    }

    /// Whether the broker is to wait for flush and replica before it answers (`Message.isWaitStoreMsgOK`).
    pub fn waits(&self) -> bool {
        let entry = self.batch.as_ref().and_then(|entries| entries.first());
        let wait = self.property(property::WAIT).or_else(|| entry?.property(property::WAIT));
        wait.is_none_or(|wait| wait.is_empty() || wait.eq_ignore_ascii_case("true"))
    }

    /// Draws the body that is to be random.
    pub(super) fn draw_body(&mut self, streams: &mut Streams) {
        if let Some(len) = self.random_bytes.take() {
            let words = (0..len.div_ceil(4)).flat_map(|_| streams.next_u32("body").to_le_bytes());
            self.body = words.take(len as usize).collect();
        }
    }

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

fn value_of<'a>(puts: &'a [(String, String)], name: &str) -> Option<&'a str> {
    puts.iter().rev().find(|(put, _)| put == name).map(|(_, value)| value.as_str())
}

impl NewEntry {
    /// The value of a property, as put last.
    pub(super) fn property(&self, name: &str) -> Option<&str> {
        value_of(&self.properties, name)
    }

    pub(super) fn encoded(&self) -> BatchEntry {
        let properties_text = property_map(&self.properties).to_text();
        BatchEntry { flag: self.flag, body: self.body.clone(), properties_text }
    }
}
