//! Consumers.

use std::collections::BTreeMap;

use super::{
    super::cluster::{ClusterError, ConsumerSpec, PushSpec, SubscriptionSpec, fail},
    Builder, Subnet, Uses, key_error,
};
use crate::{
    broker::validate_topic,
    client::{
        Role,
        consumer::{ConsumerConfig, Expression, MessageListener, PushConsumer, PushSettings, consume_timestamp},
    },
    node::KeyError,
};

/// The longest that one call of a listener may take: a day, milliseconds.
const TAKES_MAX_MS: u32 = 86_400_000;

/// The most rules of a listener.
const RULES_MAX: usize = 1000;

impl Builder<'_> {
    pub(super) fn consumer(&mut self, place: usize, spec: &ConsumerSpec) -> Result<(), ClusterError> {
        let name = &spec.name;
        let ip = Self::ip(Subnet::Consumer, place, name)?;
        let group = Self::group("CG", &spec.group, name);
        let Some(push) = &spec.push else {
            let client = self.client(Role::Consumer { group }, ip, name, &spec.config, Uses::default())?;
            return self.add(name, ip, spec.skew_ms, client);
        };
        // A key is the consumer's, or else the client's.
        let mut config = ConsumerConfig::default();
        let mut rest = BTreeMap::new();
        for (key, value) in &spec.config {
            match config.set(key, value) {
                Ok(()) => {}
                Err(KeyError::Unknown { .. }) => {
                    rest.insert(key.clone(), value.clone());
                }
                Err(error) => return Err(key_error(name, &error)),
            }
        }
        let timestamp = push.consume_timestamp.clone().unwrap_or_else(|| consume_timestamp(self.cluster.start_ms));
        config.check(&group, &timestamp).map_err(|cause| fail(name, cause))?;
        check_listener(&push.listener).map_err(|(key, cause)| fail(&format!("{name}.push.listener.{key}"), cause))?;
        self.check_business(name, push)?;
        let settings = PushSettings {
            subscriptions: subscriptions(name, push)?,
            message_model: push.message_model,
            consume_from_where: push.consume_from_where,
            consume_timestamp: push.consume_timestamp.clone(),
            allocate: push.allocate.clone(),
            client_id: push.client_id.clone(),
            config,
        };
        let push = Some(PushConsumer::new(settings, push.listener.clone()));
        let client = self.client(Role::Consumer { group }, ip, name, &rest, Uses { push, ..Uses::default() })?;
        self.add(name, ip, spec.skew_ms, client)
    }

    /// The databases of the listener's business are there.
    fn check_business(&self, name: &str, push: &PushSpec) -> Result<(), ClusterError> {
        let mut databases = push.listener.business.iter().flat_map(|business| business.databases());
        match databases.find(|database| !self.databases.contains_key(*database)) {
            Some(database) => {
                Err(fail(&format!("{name}.push.listener.business"), format!("there is no database `{database}`")))
            }
            None => Ok(()),
        }
    }
}

fn subscriptions(name: &str, push: &PushSpec) -> Result<BTreeMap<String, Expression>, ClusterError> {
    let mut subscriptions = BTreeMap::new();
    for spec in &push.subscriptions {
        let fail = |cause: String| fail(&format!("{name}.push.subscriptions.{}", spec.topic), cause);
        let expression = expression(spec).map_err(fail)?;
        if subscriptions.insert(spec.topic.clone(), expression).is_some() {
            return Err(fail("subscribed twice".to_owned()));
        }
    }
    Ok(subscriptions)
}

/// What is subscribed of a topic, or what is wrong with it.
pub(in super::super) fn expression(spec: &SubscriptionSpec) -> Result<Expression, String> {
    validate_topic(&spec.topic)?;
    match (&spec.tags, &spec.sql) {
        (Some(_), Some(_)) => Err("either tags or sql".to_owned()),
        (tags, None) => Ok(Expression::Tags(tags.clone())),
        (None, Some(sql)) => Ok(Expression::Sql(sql.clone())),
    }
}

/// The key of a listener that is wrong, and why.
pub(in super::super) fn check_listener(listener: &MessageListener) -> Result<(), (String, String)> {
    listener.check().map_err(|error| (error.place, error.cause))?;
    let takes = listener.rules.iter().filter_map(|rule| rule.takes_ms).chain([listener.takes_ms]);
    if takes.max().is_some_and(|takes_ms| takes_ms > TAKES_MAX_MS) {
        return Err(("takesMs".to_owned(), format!("from 0 to {TAKES_MAX_MS}")));
    }
    if listener.rules.len() > RULES_MAX {
        return Err(("rules".to_owned(), format!("at most {RULES_MAX}")));
    }
    Ok(())
}
