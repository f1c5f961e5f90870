//! Actions of producers that send in transactions.

use super::{
    super::{
        Action, ActionError, EndTransaction, HalfAt, NodeActor, SendInTransaction, TraceEvent, World,
        action::{bad_value, not_negative},
        draft, limits,
        queue::NodeId,
    },
    Wanted,
};
use crate::{
    client::{Client, HalfMessage, Keeps, NewTransaction, SendMode},
    message::{record, transaction::HALF_TOPIC},
};

impl World {
    /// A half message, and the local transaction behind it.
    pub(super) fn send_in_transaction(
        &mut self,
        what: &SendInTransaction,
        action: Action,
    ) -> Result<TraceEvent, ActionError> {
        let node = self.caller(&what.send.producer, Wanted::WholeProducer)?;
        let message = draft::message(self, node, &what.send)?;
        if message.is_aimed() || message.mode != SendMode::Sync {
            let cause = "the client sends it in sync, and chooses the queue itself";
            return Err(bad_value("send", cause.to_owned()));
        }
        not_negative("localMs", what.local_ms)?;
        if self.now_us.saturating_add(what.local_ms.saturating_mul(1000)) > limits::TIME_MAX_US {
            return Err(bad_value("localMs", "within a hundred years".to_owned()));
        }
        let listener = self.producer_at(node).and_then(Client::listener);
        if !what.changes.is_empty() && listener.is_some_and(|listener| listener.database.is_none()) {
            return Err(bad_value("changes", "the producer's listener has no database".to_owned()));
        }
        if !what.checks.is_empty() && listener.is_some_and(|listener| listener.keeps == Keeps::Database) {
            let cause = "the producer's listener keeps its transactions in a database, and answers what it finds there";
            return Err(bad_value("checks", cause.to_owned()));
        }
        let new = NewTransaction {
            message,
            changes: what.changes.clone(),
            local: what.local,
            local_ms: what.local_ms,
            checks: what.checks.clone(),
        };
        Ok(self.call(node, action, |client, turn| client.send_in_transaction(new, turn)))
    }

    /// The end of a transaction, said once more or late.
    pub(super) fn end_transaction(&mut self, what: &EndTransaction, action: Action) -> Result<TraceEvent, ActionError> {
        let node = self.caller(&what.producer, Wanted::WholeProducer)?;
        let half = match (&what.message, &what.half) {
            (Some(_), Some(_)) => return Err(bad_value("half", "`message` does not go with it".to_owned())),
            (None, Some(at)) => self.half_at(at)?,
            (name, None) => {
                let sent = self.producer_at(node).map(Client::transactions);
                let mut sent = sent.into_iter().flatten().rev();
                let found = sent.find(|outcome| name.is_none() || outcome.name == *name);
                let half = found.and_then(|outcome| outcome.half.clone());
                half.ok_or_else(|| bad_value("message", "the producer has no such half message".to_owned()))?
            }
        };
        let state = what.state;
        Ok(self.call(node, action, |client, turn| client.end_by_hand(&half, state, turn)))
    }

    fn producer_at(&self, node: NodeId) -> Option<&Client> {
        match self.nodes.get(node).map(|node| &node.actor) {
            Some(NodeActor::Client(client)) => Some(client),
            _ => None,
        }
    }

    /// The message at a place of a half queue.
    fn half_at(&self, at: &HalfAt) -> Result<HalfMessage, ActionError> {
        let node = self.running_broker(&at.broker)?;
        let Some(NodeActor::Broker(broker)) = self.nodes.get(node).map(|node| &node.actor) else {
            return Err(ActionError::NotRunning { node: at.broker.clone() });
        };
        let missing = || bad_value("half.queueOffset", format!("the half queue has no message at {}", at.queue_offset));
        let store = broker.store().ok_or_else(missing)?;
        let unit = store.unit(HALF_TOPIC, 0, at.queue_offset).ok_or_else(missing)?;
        let bytes = store.look_message_by_offset(unit.physical_offset).ok_or_else(missing)?;
        let record = record::decode(&bytes).map_err(|_| missing())?;
        Ok(HalfMessage {
            broker_name: broker.config().broker_name.clone(),
            commit_log_offset: unit.physical_offset,
            queue_offset: at.queue_offset,
            msg_id: record.uniq_key().unwrap_or_default().to_owned(),
        })
    }
}
