//! What the brokers hold as the group's subscription, beside what each member believes.

use std::collections::BTreeSet;

use super::{SubscribedPicture, SubscriptionPicture, gather::Seen};
use crate::filter::Subscription;

/// Every topic that a broker or a member of the group speaks of.
pub(super) fn subscriptions(seen: &Seen<'_>) -> Vec<SubscriptionPicture> {
    let brokers: Vec<_> = seen
        .masters
        .iter()
        .filter_map(|master| Some((master.node, master.process()?.clients().groups().get(seen.group)?)))
        .collect();
    let members: Vec<_> = seen.members.iter().filter(|member| member.push.is_running()).collect();
    let held = brokers.iter().flat_map(|(_, group)| group.subscriptions.keys());
    let believed = members.iter().flat_map(|member| member.push.subscriptions().keys());
    let topics: BTreeSet<&String> = held.chain(believed).collect();
    let picture = |topic: &String| {
        let held: Vec<(String, Option<SubscribedPicture>)> = brokers
            .iter()
            .map(|(node, group)| ((*node).to_owned(), group.subscriptions.get(topic).map(subscribed)))
            .collect();
        let believed: Vec<(String, Option<SubscribedPicture>)> = members
            .iter()
            .map(|member| (member.node.name.to_owned(), member.push.subscriptions().get(topic).map(subscribed)))
            .collect();
        // The version may differ: every member renews its own.
        let says =
            |what: Option<&SubscribedPicture>| what.map(|what| (what.expression.clone(), what.expression_type.clone()));
        let differs =
            |what: Option<&SubscribedPicture>| held.iter().any(|(_, at_broker)| says(at_broker.as_ref()) != says(what));
        let differing = believed.iter().filter(|(_, what)| differs(what.as_ref()));
        let differing = differing.map(|(node, _)| node.clone()).collect();
        SubscriptionPicture { topic: topic.clone(), differing, held, believed }
    };
    topics.into_iter().map(picture).collect()
}

fn subscribed(subscription: &Subscription) -> SubscribedPicture {
    SubscribedPicture {
        expression: subscription.sub_string.clone(),
        expression_type: subscription.expression_type.clone(),
        version: subscription.sub_version,
    }
}
