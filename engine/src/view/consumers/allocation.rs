//! Who has which queue, and who would have it by another strategy.

use std::collections::BTreeSet;

use super::{
    StrategyShares, TopicShares,
    gather::{Master, Member, Seen},
};
use crate::{
    client::{
        PullQueue,
        consumer::{AllocateStrategy, MessageModel},
    },
    wire::PERM_READ,
};

/// Places of a member on the ring of consistent hashing, as `AllocateMessageQueueConsistentHash` has them.
const VIRTUAL_NODES: u16 = 10;

/// A member as a broker knows it.
struct Registered {
    client_id: String,
    node: String,
}

/// How the queues of each topic are shared out that a member subscribes.
pub(super) fn shares(seen: &Seen<'_>) -> Vec<TopicShares> {
    let topics: BTreeSet<&String> = seen.members.iter().flat_map(|member| member.push.subscriptions().keys()).collect();
    topics.into_iter().filter_map(|topic| topic_shares(seen, topic)).collect()
}

fn topic_shares(seen: &Seen<'_>, topic: &str) -> Option<TopicShares> {
    let queues = seen.members.iter().find_map(|member| readable_queues(member, topic))?;
    let members = registered(seen, topic);
    let holders = |queue: &PullQueue| {
        let has = |member: &&Member<'_>| member.push.queues().contains_key(queue);
        seen.members.iter().filter(has).map(|member| member.node.name.to_owned()).collect()
    };
    let clustering = seen.members.iter().any(|member| member.push.settings().message_model == MessageModel::Clustering);
    Some(TopicShares {
        topic: topic.to_owned(),
        held: queues.iter().map(holders).collect(),
        strategies: if clustering { strategies(seen, &queues, &members) } else { Vec::new() },
        queues: queues.iter().map(|queue| format!("{}/{}", queue.broker_name, queue.queue_id)).collect(),
    })
}

/// The queues that a member shares out (`topicRouteData2TopicSubscribeInfo`), sorted; `None` if it has no route.
fn readable_queues(member: &Member<'_>, topic: &str) -> Option<Vec<PullQueue>> {
    let route = member.client.routes().table().get(topic)?;
    let readable = route.queue_datas.iter().filter(|data| data.perm & PERM_READ != 0);
    let queues: BTreeSet<PullQueue> = readable
        .flat_map(|data| {
            (0..data.read_queue_nums).map(|queue_id| PullQueue {
                topic: topic.to_owned(),
                broker_name: data.broker_name.clone(),
                queue_id,
            })
        })
        .collect();
    Some(queues.into_iter().collect())
}

/// The group's members as the first master knows them that has the topic and runs, in the order of their ids.
fn registered(seen: &Seen<'_>, topic: &str) -> Vec<Registered> {
    let mut knows = seen.masters.iter().filter_map(Master::process);
    let process = knows.find(|process| process.topics().get(topic).is_some());
    let group = process.and_then(|process| process.clients().groups().get(seen.group));
    let channels = group.into_iter().flat_map(|group| group.channels.values());
    let mut members: Vec<Registered> = channels
        .map(|channel| Registered { client_id: channel.client_id.clone(), node: channel.name.clone() })
        .collect();
    members.sort_by(|one, other| (&one.client_id, &one.node).cmp(&(&other.client_id, &other.node)));
    members
}

/// The strategies that every group can be set to without more ado, and those that members are set to beside them.
fn strategies(seen: &Seen<'_>, queues: &[PullQueue], members: &[Registered]) -> Vec<StrategyShares> {
    let mut compared = vec![
        AllocateStrategy::Average,
        AllocateStrategy::AverageByCircle,
        AllocateStrategy::ConsistentHash { virtual_nodes: VIRTUAL_NODES },
    ];
    for member in &seen.members {
        let own = &member.push.settings().allocate;
        if !compared.contains(own) {
            compared.push(own.clone());
        }
    }
    compared.iter().map(|strategy| strategy_shares(seen, strategy, queues, members)).collect()
}

fn strategy_shares(
    seen: &Seen<'_>,
    strategy: &AllocateStrategy,
    queues: &[PullQueue],
    members: &[Registered],
) -> StrategyShares {
    let ids: Vec<String> = members.iter().map(|member| member.client_id.clone()).collect();
    let mut owners = vec![Vec::new(); queues.len()];
    let mut error = None;
    for member in members {
        match strategy.allocate(&member.client_id, queues, &ids) {
            Ok(own) => {
                for (queue, owners) in queues.iter().zip(&mut owners) {
                    if own.contains(queue) {
                        owners.push(member.node.clone());
                    }
                }
            }
            Err(thrown) => error = Some(thrown.to_string()),
        }
    }
    let uses = |member: &&Member<'_>| member.push.settings().allocate == *strategy;
    StrategyShares {
        name: strategy.name(),
        used_by: seen.members.iter().filter(uses).map(|member| member.node.name.to_owned()).collect(),
        owners,
        error,
    }
}
