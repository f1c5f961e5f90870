//! What a client makes of the messages that a store finds by the hash of a key (`MQAdminImpl.queryMessage`): the store
//! compares hashes and times only, the client topic and key.

use serde::{Deserialize, Serialize};

use super::ChainEntry;
use crate::message::record::Record;

/// The client's look at one candidate, for either way in which the key may have been meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientCheck {
    /// The record has the topic that is asked for.
    pub topic_equal: bool,
    /// One of the record's `KEYS` is the key.
    pub key_equal: bool,
    /// The record's message id, `UNIQ_KEY` or else the broker's id, is the key.
    pub id_equal: bool,
    /// What becomes of it in a query by key.
    pub by_key: ClientVerdict,
    /// What becomes of it in a query by unique key, as far as this file goes.
    pub by_unique_key: ClientVerdict,
}

/// What becomes of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ClientVerdict {
    /// The application gets it.
    Kept,
    /// The store does not answer it: another hash, or outside the times that are asked for.
    NotAnswered,
    /// Dropped: the record has another topic.
    OtherTopic,
    /// Dropped: the record has the topic, but not the key.
    OtherKey,
    /// Dropped: of a unique key only the oldest message is kept.
    NotOldest,
}

impl ClientCheck {
    /// The look at a record that is there to be read. `answered`: the store sends it.
    pub(super) fn of(record: &Record<'_>, topic: &str, key: &str, answered: bool) -> Self {
        let topic_equal = record.topic == topic;
        let key_equal = record.keys().is_some_and(|keys| crate::message::java::split(keys, " ").contains(&key));
        let id_equal = match record.uniq_key() {
            Some(uniq_key) => uniq_key == key,
            None => record.offset_msg_id().to_string() == key,
        };
        let verdict = |kept: bool, dropped: ClientVerdict| match (answered, kept) {
            (false, _) => ClientVerdict::NotAnswered,
            (true, true) => ClientVerdict::Kept,
            (true, false) => dropped,
        };
        let dropped = if topic_equal { ClientVerdict::OtherKey } else { ClientVerdict::OtherTopic };
        Self {
            topic_equal,
            key_equal,
            id_equal,
            by_key: verdict(topic_equal && key_equal, dropped),
            // A unique key is compared whatever the topic.
            by_unique_key: verdict(id_equal, ClientVerdict::OtherKey),
        }
    }
}

/// Of those that have the unique key, lets only the oldest be kept: the first met among equals.
pub(super) fn keep_oldest(entries: &mut [ChainEntry]) {
    let kept = |entry: &ChainEntry| entry.check.is_some_and(|check| check.by_unique_key == ClientVerdict::Kept);
    let stored = |entry: &ChainEntry| entry.record.as_ref().map_or(i64::MAX, |record| record.store_timestamp);
    let oldest = entries.iter().enumerate().filter(|(_, entry)| kept(entry)).min_by_key(|(_, entry)| stored(entry));
    let Some(oldest) = oldest.map(|(place, _)| place) else { return };
    for (place, entry) in entries.iter_mut().enumerate() {
        if place != oldest && kept(entry) {
            entry.check = entry.check.map(|check| ClientCheck { by_unique_key: ClientVerdict::NotOldest, ..check });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        sim::{Action, Send},
        view::{
            Answer, Query, Session, Source,
            store::{IndexChain, StoreAnswer, StoreQuery},
        },
    };

    fn store(session: &mut Session, query: StoreQuery) -> StoreAnswer {
        match session.ask(Query::Store { source: Source::Broker { node: "broker-a".to_owned() }, query }) {
            Answer::Store(answer) => *answer,
            other => panic!("{other:?}"),
        }
    }

    fn chain(session: &mut Session, key: &str) -> IndexChain {
        let StoreAnswer::IndexFiles(files) = store(session, StoreQuery::IndexFiles) else { panic!("no files") };
        let (path, topic) = (files[0].path.clone(), "AaTopic".to_owned());
        let query = StoreQuery::IndexChain { path, topic, key: key.to_owned(), begin: 0, end: i64::MAX };
        let StoreAnswer::IndexChain(chain) = store(session, query) else { panic!("no chain") };
        chain
    }

    /// The four texts of topic and key hash to -10606476, so the store answers both messages to each question.
    #[test]
    fn the_client_tells_apart_what_the_store_cannot() {
        let mut session = Session::new();
        session.ask(Query::StartSandbox { cluster: None, seed: 1 });
        for (topic, key) in [("AaTopic", "Aa"), ("BBTopic", "BB")] {
            let (producer, topic, keys) = ("producer".to_owned(), topic.to_owned(), Some(key.to_owned()));
            let send = Send { producer, topic, keys, ..Send::default() };
            session.ask(Query::Act { action: Action::Send(Box::new(send)) });
            session.ask(Query::Run { events: 1000 });
        }
        let looks = |chain: &IndexChain| -> Vec<(bool, bool, ClientVerdict)> {
            let answered = chain.entries.iter().filter(|entry| entry.answered);
            answered
                .filter_map(|entry| entry.check)
                .map(|look| (look.topic_equal, look.key_equal, look.by_key))
                .collect()
        };
        // Newest first: the message of BBTopic, then that of AaTopic.
        let other = (false, false, ClientVerdict::OtherTopic);
        assert_eq!(looks(&chain(&mut session, "Aa")), [other, (true, true, ClientVerdict::Kept)]);
        let other = (false, true, ClientVerdict::OtherTopic);
        assert_eq!(looks(&chain(&mut session, "BB")), [other, (true, false, ClientVerdict::OtherKey)]);
    }
}
