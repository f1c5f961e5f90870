//! A consumer gives a message back.

use super::{Wanted, bad_value};
use crate::{
    client::{GiveBack, Received},
    sim::{Action, ActionError, SendBack, TraceEvent, World, queue::NodeId},
};

impl World {
    /// Does [`Action::SendBack`].
    pub(super) fn send_back(&mut self, back: &SendBack, action: Action) -> Result<TraceEvent, ActionError> {
        let node = self.caller(&back.consumer, Wanted::Consumer)?;
        let message = self.received_by(node, back)?.clone();
        let back = GiveBack {
            message,
            delay_level: back.delay_level,
            max_reconsume_times: back.max_reconsume_times.unwrap_or(GiveBack::USUAL_MAX),
        };
        Ok(self.call(node, action, |client, turn| client.give_back(back, turn)))
    }

    /// The received message that is meant.
    fn received_by(&self, node: NodeId, back: &SendBack) -> Result<&Received, ActionError> {
        let client = self.client(&self.name(node));
        let received = client.ok_or_else(|| ActionError::NoSuchNode { node: back.consumer.clone() })?.received();
        match (back.index, back.physical_offset) {
            (Some(_), Some(_)) => Err(bad_value("index", "either index or physicalOffset".to_owned())),
            (Some(index), None) => usize::try_from(index)
                .ok()
                .and_then(|index| received.get(index))
                .ok_or_else(|| bad_value("index", format!("it has received {} messages", received.len()))),
            (None, Some(offset)) => received
                .iter()
                .rev()
                .find(|message| message.physical_offset == offset)
                .ok_or_else(|| bad_value("physicalOffset", format!("it has received no message at {offset}"))),
            (None, None) => {
                received.last().ok_or_else(|| bad_value("consumer", "it has received no message".to_owned()))
            }
        }
    }
}
