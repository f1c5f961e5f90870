//! The messages that are stored.

use std::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use rocketscope_engine::message::{Host, Message, Properties, UniqIdGenerator, property};

/// Lengths of bodies that are compared, in bytes.
pub(crate) const BODY_LENS: [usize; 3] = [128, 1024, 16 * 1024];
/// The one topic.
pub(crate) const TOPIC: &str = "TopicTest";
/// Queues of the topic; the messages take turns.
pub(crate) const QUEUES: u32 = 4;
/// When everything happens, milliseconds since the epoch.
pub(crate) const NOW: i64 = 1_700_000_000_000;

/// Messages of one shape, each with tags, and with an id and keys of its own if there are any keys.
pub(crate) struct Messages {
    body: Bytes,
    keys: Keys,
    ids: UniqIdGenerator,
    /// Messages made so far.
    made: u32,
}

/// What of a message is indexed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    None,
    /// The sender's id, and this many keys more.
    IdAnd(u32),
}

impl Messages {
    pub(crate) fn new(body_len: usize, keys: Keys) -> Self {
        let body = (0..body_len).map(|n| (n % 251) as u8 + 1).collect();
        Self { body, keys, ids: UniqIdGenerator::new(client().ip, 4711, 0x18B4_AAC2, NOW), made: 0 }
    }

    pub(crate) fn next(&mut self) -> Message {
        let number = self.made;
        self.made += 1;
        let mut properties = Properties::new();
        properties.put(property::TAGS, "TagA");
        if let Keys::IdAnd(keys) = self.keys {
            properties.put(property::UNIQ_KEY, self.ids.next(NOW + i64::from(number / 1000)));
            let keys: Vec<_> = (number * keys..(number + 1) * keys).map(key).collect();
            properties.put(property::KEYS, keys.join(" "));
        }
        let properties_text = properties.to_text();
        Message {
            topic: TOPIC.to_owned(),
            queue_id: (number % QUEUES) as i32,
            flag: 0,
            sys_flag: 0,
            born_timestamp: NOW,
            born_host: client(),
            store_host: Host::new(Ipv4Addr::new(10, 0, 0, 1), 10_911),
            reconsume_times: 0,
            prepared_transaction_offset: 0,
            body: self.body.clone(),
            properties,
            properties_text,
        }
    }
}

/// The key of a number.
pub(crate) fn key(number: u32) -> String {
    format!("order-{number:08}")
}

fn client() -> Host {
    Host::new(IpAddr::from([172, 17, 0, 1]), 40_000)
}
