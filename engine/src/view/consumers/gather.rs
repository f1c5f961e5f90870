//! The members of a group, and what every part of its picture is made from.

use super::{
    super::names::MessageNames, CallPicture, ConsumersPicture, GroupPicture, MemberPicture, MessageName, allocation,
    queues, retries, subscriptions,
};
use crate::{
    broker::{Broker, Process},
    client::{
        Client,
        consumer::{Call, ConsumeResult, DeliveryFate, PushConsumer},
    },
    sim::{NodeActor, NodeRef, World},
};

/// A push consumer of the group.
pub(super) struct Member<'a> {
    pub(super) node: NodeRef<'a>,
    pub(super) client: &'a Client,
    pub(super) push: &'a PushConsumer,
}

/// A master, whose machine may be without a process.
pub(super) struct Master<'a> {
    pub(super) node: &'a str,
    pub(super) name: &'a str,
    pub(super) broker: &'a Broker,
    /// Its wall clock, milliseconds since the epoch.
    pub(super) now_ms: i64,
}

impl<'a> Master<'a> {
    pub(super) fn process(&self) -> Option<&'a Process> {
        self.broker.process()
    }
}

/// What is looked at for one group.
pub(super) struct Seen<'a> {
    pub(super) world: &'a World,
    pub(super) group: &'a str,
    pub(super) members: Vec<Member<'a>>,
    pub(super) masters: Vec<Master<'a>>,
    pub(super) names: MessageNames<'a>,
}

impl Seen<'_> {
    pub(super) fn name_of(&self, msg_id: &str) -> Option<String> {
        self.names.get(msg_id)
    }

    /// The group's retry topic (`MixAll.getRetryTopic`).
    pub(super) fn retry_topic(&self) -> String {
        format!("{}{}", crate::broker::RETRY_PREFIX, self.group)
    }
}

fn pushers(world: &World) -> impl Iterator<Item = Member<'_>> {
    world.nodes().filter_map(|node| match node.actor {
        NodeActor::Client(client) => Some(Member { push: client.push()?, node, client }),
        _ => None,
    })
}

/// The push consumers' groups, and the one that is wanted, or the first.
pub(in crate::view) fn consumers_picture(world: &World, wanted: Option<&str>) -> ConsumersPicture {
    let mut groups: Vec<String> = pushers(world).map(|member| member.client.group().to_owned()).collect();
    groups.sort();
    groups.dedup();
    let group = wanted.filter(|wanted| groups.iter().any(|group| group == wanted));
    let group = group.or(groups.first().map(String::as_str));
    let group = group.map(|group| Box::new(group_picture(world, group)));
    ConsumersPicture { now_us: world.now_us(), groups, group }
}

fn group_picture(world: &World, group: &str) -> GroupPicture {
    let masters = world.nodes().filter_map(|node| match node.actor {
        NodeActor::Broker(broker) if broker.config().broker_id == 0 => Some(Master {
            node: node.name,
            name: &broker.config().broker_name,
            broker,
            now_ms: world.node_wall_ms(node.name)?,
        }),
        _ => None,
    });
    let seen = Seen {
        world,
        group,
        members: pushers(world).filter(|member| member.client.group() == group).collect(),
        masters: masters.collect(),
        names: MessageNames::of(world),
    };
    GroupPicture {
        group: group.to_owned(),
        members: seen.members.iter().map(|member| member_picture(&seen, member)).collect(),
        shares: allocation::shares(&seen),
        queues: queues::queues(&seen),
        subscriptions: subscriptions::subscriptions(&seen),
        retries: retries::retries(&seen),
    }
}

fn member_picture(seen: &Seen<'_>, member: &Member<'_>) -> MemberPicture {
    let Member { node, client, push } = member;
    let (settings, config) = (push.settings(), push.config());
    let success = |result| matches!(result, Some(ConsumeResult::Success | ConsumeResult::Commit));
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let ended = push.consumed().iter().filter(|delivery| delivery.fate != DeliveryFate::Running);
    let (succeeded, failed): (Vec<_>, Vec<_>) =
        ended.partition(|delivery| delivery.fate == DeliveryFate::Counted && success(delivery.result));
    let busy = push.pool().calls().iter().filter(|(_, call)| call.is_listening() || call.is_sending_back());
    let calls = busy.map(|(thread, call)| call_picture(seen, push, *thread, call));
    MemberPicture {
        node: node.name.to_owned(),
        state: node.state,
        stopped: node.paused,
        client_id: client.client_id().to_owned(),
        running: push.is_running(),
        suspended: push.is_suspended(),
        message_model: settings.message_model,
        listener: push.listener().kind,
        strategy: settings.allocate.name(),
        consume_from_where: settings.consume_from_where,
        threads: (push.pool().threads(seen.world.now_us()), push.pool().core_size()),
        batch: config.consume_message_batch_max_size,
        calls: calls.collect(),
        waiting_calls: count(push.pool().waiting().len()),
        succeeded: count(succeeded.len()),
        failed: count(failed.len()),
    }
}

fn call_picture(seen: &Seen<'_>, push: &PushConsumer, thread: u32, call: &Call) -> CallPicture {
    let messages = call.task().messages();
    let name = |message: &std::sync::Arc<crate::client::Received>| MessageName {
        queue_offset: message.queue_offset,
        name: seen.name_of(&message.msg_id),
    };
    CallPicture {
        thread,
        queue: call.task().queue().clone(),
        messages: messages.iter().map(name).collect(),
        began_us: call.place().and_then(|place| push.consumed().get(place)).map_or(0, |delivery| delivery.began_us),
        reconsume_times: messages.first().map_or(0, |message| message.reconsume_times),
        sending_back: call.is_sending_back(),
    }
}
