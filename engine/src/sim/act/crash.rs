//! Crashes, starts and stops.

use super::{
    super::{
        Action, ActionError, NodeActor, NodeState, Survives, TraceEvent, World,
        crash::{SECTORS_OF_PAGE, Trap},
        life::HangUp,
        queue::NodeId,
    },
    bad_value,
};
use crate::node::NodeStep;

impl World {
    /// The actions of this file, and those on disks.
    pub(super) fn crash_action(&mut self, action: Action) -> Result<TraceEvent, ActionError> {
        match &action {
            Action::Kill { node } => {
                let id = self.node_with_process(node)?;
                let event = self.learner(id, action, |_, turn| turn.step(NodeStep::ProcessKilled));
                self.end_process(id, HangUp::Reset, Some(event.seq));
                Ok(event)
            }
            Action::PowerLoss { node, survives } => {
                let id = self.node(node)?;
                check_survives(*survives)?;
                if !self.has_power(id) {
                    return Err(ActionError::NotRunning { node: node.clone() });
                }
                // The process goes with the power, so the disk alone is worked on, and no copy of the process is needed.
                let mut disk = self.broker(node).map(|broker| broker.disk().clone());
                let lost = disk.as_mut().map(|disk| survives.take_power(disk)).unwrap_or_default();
                let event = self.learner(id, action, |_, turn| {
                    turn.step(NodeStep::PowerLost);
                    for step in lost {
                        turn.step(step);
                    }
                });
                self.end_process(id, HangUp::Silence, Some(event.seq));
                if let Some(disk) = disk
                    && let Some(broker) = self.nodes.get_mut(id).and_then(|node| node.actor.broker_mut())
                {
                    *broker.disk_mut() = disk;
                }
                Ok(event)
            }
            Action::CrashAt { node, service, write, bytes, survives, unsent } => {
                let id = self.broker_node(node)?;
                if let Some(survives) = survives {
                    check_survives(*survives)?;
                }
                if let Some(service) = service
                    && !self.nodes.get(id).is_some_and(|node| node.lanes.contains_key(service))
                {
                    let (node, service) = (node.clone(), service.name().to_owned());
                    return Err(ActionError::NoSuchService { node, service });
                }
                let (service, write, bytes) = (*service, *write, *bytes);
                let trap = Trap { service, write, bytes, survives: *survives, unsent: *unsent };
                let event = self.learner(id, action, |_, turn| turn.step(NodeStep::TrapSet));
                if let Some(node) = self.nodes.get_mut(id) {
                    node.trap = Some(trap);
                }
                Ok(event)
            }
            Action::CrashWhen(when) => self.crash_when(&when.clone(), action),
            Action::Start { node } => {
                let id = self.node(node)?;
                if self.state_of(id) != NodeState::Down {
                    return Err(ActionError::Running { node: node.clone() });
                }
                let event = self.learner(id, action, |_, turn| turn.step(NodeStep::Launched));
                self.launch(id, Some(event.seq));
                Ok(event)
            }
            Action::Stop { node } => {
                let id = self.node_with_process(node)?;
                match self.state_of(id) {
                    NodeState::Stopping => return Err(ActionError::Stopping { node: node.clone() }),
                    _ if self.nodes.get(id).is_some_and(|node| node.paused) => {
                        return Err(ActionError::Paused { what: node.clone() });
                    }
                    _ => {}
                }
                Ok(self.learner(id, action, |actor, turn| actor.as_actor_mut().stop(turn)))
            }
            Action::SecondProcess { broker } => {
                let id = self.broker_node(broker)?;
                self.node_with_process(broker)?;
                Ok(self.learner(id, action, |actor, turn| {
                    turn.step(NodeStep::SecondProcessStarted);
                    if let Some(broker) = actor.broker_mut() {
                        broker.second_process(turn);
                    }
                }))
            }
            _ => self.act_on_disk(action),
        }
    }

    /// A node that has a process, in whatever part of its life; a launch that has not begun yet is one.
    pub(super) fn node_with_process(&self, name: &str) -> Result<NodeId, ActionError> {
        let id = self.node(name)?;
        match self.state_of(id) {
            NodeState::Down => Err(ActionError::NotRunning { node: name.to_owned() }),
            _ => Ok(id),
        }
    }

    fn broker_node(&self, name: &str) -> Result<NodeId, ActionError> {
        let id = self.node(name)?;
        match self.nodes.get(id).map(|node| &node.actor) {
            Some(NodeActor::Broker(_)) => Ok(id),
            _ => Err(ActionError::WrongNode { node: name.to_owned(), wanted: "broker".to_owned() }),
        }
    }
}

fn check_survives(survives: Survives) -> Result<(), ActionError> {
    match survives {
        Survives::Torn { sectors, .. } if !(1..SECTORS_OF_PAGE).contains(&sectors) => {
            Err(bad_value("sectors", format!("from 1 to {}", SECTORS_OF_PAGE - 1)))
        }
        _ => Ok(()),
    }
}
