//! The names that a scenario gave its messages.

use std::collections::BTreeMap;

use crate::sim::{NodeActor, World};

/// The names of what was sent or is under way, by the client's message id, which copies of a message share.
pub(super) fn message_names(world: &World) -> BTreeMap<String, String> {
    let clients = world.nodes().filter_map(|node| match node.actor {
        NodeActor::Client(client) => Some(client),
        _ => None,
    });
    let sends = clients.flat_map(|client| client.sent().iter().cloned().chain(client.pending_sends(world.now_us())));
    sends.filter_map(|send| Some((send.msg_id?, send.name?))).collect()
}
