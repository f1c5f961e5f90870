//! Actions that would set what is set already.

use super::disk::room_for;
use crate::{
    client::{Client, consumer::MessageListener},
    disk::MemoryDisk,
    sim::{
        Action, World,
        crash::{Trap, TurnTrap},
        world::Node,
    },
    store::Store,
};

impl World {
    /// Whether an action would leave nothing behind but its own event, since what it sets is so already.
    pub(in crate::sim) fn is_set(&self, action: &Action) -> bool {
        let same = match action {
            Action::SetListener { consumer, listener } => self.client(consumer).and_then(Client::push).map(|push| {
                let (now, business) = (push.listener(), push.listener().business.clone());
                *now == MessageListener { business, ..listener.as_ref().clone() }
            }),
            Action::SetDisk { broker, capacity_bytes, percent } => self.broker(broker).map(|broker| {
                let disk = broker.disk();
                room_for(disk, *capacity_bytes, *percent)
                    .is_ok_and(|(capacity, other)| disk.capacity() == Some(capacity) && disk.other() == other)
            }),
            Action::ReputFrom { broker, offset } => {
                self.store_of(broker).map(|store| store.reput_from_offset() == *offset)
            }
            // A slave refuses it.
            Action::SetTopic { broker, .. } => self.store_of(broker).map(Store::is_slave),
            Action::CrashAt { node, service, write, bytes, survives, unsent } => {
                let (service, write, bytes, survives) = (*service, *write, *bytes, *survives);
                let trap = Trap { service, write, bytes, survives, unsent: *unsent };
                self.node_named(node).map(|node| node.trap == Some(trap))
            }
            Action::CrashWhen(when) => {
                let trap = TurnTrap { service: when.service, turns: when.turn };
                self.node_named(&when.node).map(|node| node.turn_trap == Some(trap))
            }
            _ => None,
        };
        same.unwrap_or(false)
    }

    fn store_of(&self, broker: &str) -> Option<&Store<MemoryDisk>> {
        self.broker(broker)?.store()
    }

    fn node_named(&self, name: &str) -> Option<&Node> {
        self.nodes.get(self.node_id(name)?)
    }
}
