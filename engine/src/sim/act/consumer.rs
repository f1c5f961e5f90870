//! What an application does with its push consumer while it runs.

use super::{Wanted, bad_value};
use crate::{
    client::{
        Client,
        consumer::{Expression, PushConsumer},
    },
    sim::{
        Action, ActionError, SubscriptionSpec, TraceEvent, World,
        build::{check_listener, expression},
        queue::NodeId,
    },
};

impl World {
    /// Does the actions on a push consumer.
    pub(super) fn call_consumer(&mut self, action: Action) -> Result<TraceEvent, ActionError> {
        match action.clone() {
            Action::SuspendConsumer { consumer } => {
                let node = self.pusher(&consumer, |push| !push.is_suspended(), "suspended already")?;
                Ok(self.call(node, action, Client::suspend_push))
            }
            Action::ResumeConsumer { consumer } => {
                let node = self.pusher(&consumer, PushConsumer::is_suspended, "not suspended")?;
                Ok(self.call(node, action, Client::resume_push))
            }
            Action::Subscribe { consumer, subscription } => {
                let node = self.pusher(&consumer, |_| true, "")?;
                let (topic, expression) = subscribed(&subscription)?;
                Ok(self.call(node, action, |client, turn| client.subscribe(&topic, &expression, turn)))
            }
            Action::Unsubscribe { consumer, topic } => {
                let known = |push: &PushConsumer| push.subscriptions().contains_key(&topic);
                let node = self.pusher(&consumer, known, "the topic is not subscribed")?;
                Ok(self.call(node, action, |client, turn| client.unsubscribe(&topic, turn)))
            }
            Action::SetListener { consumer, listener } => {
                let kind = listener.kind;
                let same = |push: &PushConsumer| push.listener().kind == kind && listener.business.is_none();
                let node =
                    self.pusher(&consumer, same, "the listener stays of its kind, and has no database of its own")?;
                check_listener(&listener)
                    .map_err(|(place, cause)| bad_value("listener", format!("{place}: {cause}")))?;
                Ok(self.call(node, action, |client, _| client.set_message_listener(*listener)))
            }
            Action::UpdateCorePoolSize { consumer, core_pool_size } => {
                let node = self.pusher(&consumer, |_| true, "")?;
                Ok(self.call(node, action, |client, turn| client.update_core_pool_size(core_pool_size, turn)))
            }
            _ => Err(bad_value("kind", "no action on a push consumer".to_owned())),
        }
    }

    /// A push consumer that can be called now, and of which something holds.
    fn pusher(
        &self,
        consumer: &str,
        holds: impl FnOnce(&PushConsumer) -> bool,
        otherwise: &str,
    ) -> Result<NodeId, ActionError> {
        let node = self.caller(consumer, Wanted::Consumer)?;
        let push = self.client(consumer).and_then(Client::push);
        let wanted = || ActionError::WrongNode { node: consumer.to_owned(), wanted: "push consumer".to_owned() };
        if holds(push.ok_or_else(wanted)?) {
            return Ok(node);
        }
        Err(bad_value("consumer", otherwise.to_owned()))
    }
}

fn subscribed(subscription: &SubscriptionSpec) -> Result<(String, Expression), ActionError> {
    let expression = expression(subscription).map_err(|cause| bad_value("subscription", cause))?;
    Ok((subscription.topic.clone(), expression))
}
