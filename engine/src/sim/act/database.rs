//! Actions of applications that use databases, and a crash that waits for a turn.

use super::{
    super::{
        Action, ActionError, ChangeAndSend, EventKind, LEARNER, NodeActor, TraceEvent, World,
        action::{CrashWhen, Transact, bad_value},
        crash::TurnTrap,
        draft,
        queue::NodeId,
    },
    Wanted,
};
use crate::{
    client::{Business, NewBusiness, SendMode, outbox_row, outbox_table},
    node::{NodeStep, Service},
    wire::Change,
};

impl World {
    /// The application's changes without a message.
    pub(super) fn transact(&mut self, transact: &Transact, action: Action) -> Result<TraceEvent, ActionError> {
        let node = self.application(&transact.client, Wanted::Client)?;
        self.database_named(&transact.database)?;
        let new = NewBusiness {
            business: Business::Transact,
            database: transact.database.clone(),
            changes: transact.changes.clone(),
            message: None,
            name: None,
        };
        Ok(self.business(node, new, action))
    }

    /// The application's changes and a message about them.
    pub(super) fn change_and_send(
        &mut self,
        business: Business,
        what: &ChangeAndSend,
        action: Action,
    ) -> Result<TraceEvent, ActionError> {
        let node = self.application(&what.send.producer, Wanted::Producer)?;
        self.database_named(&what.database)?;
        let message = draft::message(self, node, &what.send)?;
        if message.mode == SendMode::Oneway {
            return Err(bad_value("send", "the application waits for the answer of this send".to_owned()));
        }
        let mut changes = what.changes.clone();
        let name = message.name.clone();
        let message = if business == Business::WriteOutbox {
            let table = self.outbox_of(node, &what.send.producer, &what.database)?;
            let row = outbox_row(&message).map_err(|cause| bad_value("send", cause))?;
            changes.push(Change::Insert { table, row });
            None
        } else {
            Some(message)
        };
        let new = NewBusiness { business, database: what.database.clone(), changes, message, name };
        Ok(self.business(node, new, action))
    }

    /// A client whose application can work now.
    fn application(&self, name: &str, wanted: Wanted) -> Result<NodeId, ActionError> {
        let id = self.caller(name, wanted)?;
        let lane = self.nodes.get(id).and_then(|node| node.lanes.get(&Service::Application));
        match lane {
            None => {
                Err(ActionError::NoSuchService { node: name.to_owned(), service: Service::Application.to_string() })
            }
            Some(lane) if lane.paused => Err(ActionError::Paused { what: format!("{name}.{}", Service::Application) }),
            Some(_) => Ok(id),
        }
    }

    fn database_named(&self, name: &str) -> Result<(), ActionError> {
        let id = self.node(name)?;
        match self.nodes.get(id).map(|node| &node.actor) {
            Some(NodeActor::Database(_)) => Ok(()),
            _ => Err(ActionError::WrongNode { node: name.to_owned(), wanted: "database".to_owned() }),
        }
    }

    /// The table that is an outbox in this database: the producer's own, or the one of whoever relays from there.
    fn outbox_of(&self, node: NodeId, producer: &str, database: &str) -> Result<String, ActionError> {
        let specs = &self.cluster.producers;
        let own = specs.iter().filter(|spec| spec.name == producer);
        let outboxes = own.chain(specs).filter_map(|spec| spec.outbox.as_ref());
        let table = outboxes.into_iter().find(|outbox| outbox.database == database).map(|outbox| outbox.table.clone());
        let table = table.unwrap_or_else(|| super::super::OutboxSpec::default().table);
        let found = self.database(database).and_then(|database| database.table(&table));
        let fits = found
            .is_some_and(|found| outbox_table(&table).columns.iter().all(|column| found.columns().contains(column)));
        if fits && self.nodes.get(node).is_some() {
            Ok(table)
        } else {
            Err(bad_value("database", format!("`{database}` has no outbox `{table}`")))
        }
    }

    fn business(&mut self, node: NodeId, new: NewBusiness, action: Action) -> TraceEvent {
        let what = EventKind::Action { action: action.clone() };
        let event = self.turn(node, Some(Service::Application), None, what, false, |actor, turn| {
            if let Some(client) = actor.client_mut() {
                client.transact(new, turn);
            }
        });
        event.unwrap_or_else(|| self.bare_event(node, LEARNER, action))
    }

    /// Sets the trap of a crash before a turn.
    pub(super) fn crash_when(&mut self, when: &CrashWhen, action: Action) -> Result<TraceEvent, ActionError> {
        let id = self.node_with_process(&when.node)?;
        if when.turn == 0 {
            return Err(bad_value("turn", "turns are counted from 1".to_owned()));
        }
        let Some(node) = self.nodes.get_mut(id) else {
            return Err(ActionError::NoSuchNode { node: when.node.clone() });
        };
        if when.service == Service::Process || !node.lanes.contains_key(&when.service) {
            let (node, service) = (when.node.clone(), when.service.name().to_owned());
            return Err(ActionError::NoSuchService { node, service });
        }
        node.turn_trap = Some(TurnTrap { service: when.service, turns: when.turn });
        Ok(self.learner(id, action, |_, turn| turn.step(NodeStep::TrapSet)))
    }
}
