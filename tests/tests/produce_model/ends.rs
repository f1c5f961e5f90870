//! What was said of the ends of transactions, by listeners and by applications.

use std::collections::BTreeSet;

use rocketscope_engine::client::{Client, LocalTransactionState};
use rocketscope_engine::message::{property, record};
use rocketscope_engine::node::StepKind;
use rocketscope_engine::sim::{TraceEvent, World};
use rocketscope_engine::store::Step;

use crate::cluster::TOPICS;

#[derive(Clone, Debug, Default)]
pub(crate) struct Ends {
    /// `UNIQ_KEY`s of messages that somebody has committed.
    committed: BTreeSet<String>,
    /// Those that somebody has rolled back.
    rolled_back: BTreeSet<String>,
    /// Brokers and the places of half messages there that somebody meant.
    places: BTreeSet<(String, i64)>,
    /// Brokers that let consumers see a message because another one was committed whose place it has.
    pub(crate) mistaken: Vec<String>,
}

impl Ends {
    /// Takes in what a producer has said up to now.
    pub(crate) fn note(&mut self, client: &Client) {
        for sent in client.transactions() {
            if let (Some(half), Some(state)) = (&sent.half, sent.state) {
                self.say(&half.msg_id, &half.broker_name, half.commit_log_offset, state);
            }
        }
        for check in client.checks() {
            if let Some(state) = check.state {
                self.say(&check.transaction_id, &check.broker, check.commit_log_offset, state);
            }
        }
    }

    /// Somebody says how the transaction of this message ended, whose half begins there.
    pub(crate) fn say(&mut self, id: &str, broker: &str, at: i64, state: LocalTransactionState) {
        match state {
            LocalTransactionState::Commit => self.committed.insert(id.to_owned()),
            LocalTransactionState::Rollback => self.rolled_back.insert(id.to_owned()),
            LocalTransactionState::Unknown => return,
        };
        self.places.insert((broker.to_owned(), at));
    }

    /// Whether anybody has committed the message.
    pub(crate) fn is_committed(&self, id: &str) -> bool {
        self.committed.contains(id)
    }

    /// Whether anybody has rolled it back.
    pub(crate) fn is_rolled_back(&self, id: &str) -> bool {
        self.rolled_back.contains(id)
    }

    /// Looks at what consumers of a broker can see from this event on: a message of a transaction only if it is committed.
    pub(crate) fn look(&mut self, world: &World, event: &TraceEvent) -> Result<(), String> {
        let Some(store) = world.broker(&event.node).and_then(|broker| broker.store()) else { return Ok(()) };
        for step in &event.steps {
            let StepKind::Store(Step::UnitWritten { topic, physical_offset, .. }) = &step.what else { continue };
            if !TOPICS.contains(&topic.as_str()) {
                continue;
            }
            let bytes = store.look_message_by_offset(*physical_offset);
            let Some(record) = bytes.as_deref().and_then(|bytes| record::decode(bytes).ok()) else { continue };
            let id = record.uniq_key().unwrap_or_default();
            if record.property(property::TRAN_MSG).is_none() || self.is_committed(id) {
                continue;
            }
            let broker = event.node.trim_end_matches("-s").to_owned();
            if self.places.contains(&(broker.clone(), record.prepared_transaction_offset)) {
                self.mistaken.push(broker);
            } else {
                let key = record.keys().unwrap_or(id);
                return Err(format!("{key} can be consumed at {}, and nobody has committed it", event.node));
            }
        }
        Ok(())
    }
}
