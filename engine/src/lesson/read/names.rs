//! Reading route tables, topics and groups.

use super::{Value, client, count, int, text};
use crate::{
    lesson::probe::{GroupField, NamesPlace, RouteField, TopicField},
    sim::World,
    wire::QueueData,
};

pub(super) fn read(world: &World, node: &str, place: &NamesPlace) -> Option<Value> {
    match place {
        NamesPlace::Brokers => Some(count(world.name_server(node)?.tables().live().len())),
        NamesPlace::Topics => Some(count(match world.name_server(node) {
            Some(server) => server.tables().topic_queues().len(),
            None => world.broker(node)?.process()?.topics().table().len(),
        })),
        NamesPlace::NameServer => Some(text(world.node_at(client(world, node)?.name_server()?)?)),
        NamesPlace::RouteQueues(topic) => Some(count(client(world, node)?.routes().publish().get(topic)?.queues.len())),
        NamesPlace::Route(topic, broker, field) => {
            let queues = route(world, node, topic, broker)?;
            Some(int(i64::from(match field {
                RouteField::ReadQueues => queues.read_queue_nums,
                RouteField::WriteQueues => queues.write_queue_nums,
                RouteField::Perm => queues.perm,
            })))
        }
        NamesPlace::Topic(name, field) => {
            let topic = world.broker(node)?.process()?.topics().get(name)?;
            Some(match field {
                TopicField::ReadQueues => int(i64::from(topic.read_queue_nums)),
                TopicField::WriteQueues => int(i64::from(topic.write_queue_nums)),
                TopicField::Perm => int(i64::from(topic.perm)),
                TopicField::Order => Value::Bool(topic.order),
            })
        }
        NamesPlace::Group(name, field) => {
            let group = world.broker(node)?.process()?.groups().table().get(name)?;
            Some(match field {
                GroupField::RetryMaxTimes => int(i64::from(group.retry_max_times)),
                GroupField::RetryQueueNums => int(i64::from(group.retry_queue_nums)),
                GroupField::ConsumeEnable => Value::Bool(group.consume_enable),
            })
        }
    }
}

/// What a NameServer's table says, or a client's cache.
fn route<'a>(world: &'a World, node: &str, topic: &str, broker: &str) -> Option<&'a QueueData> {
    let queues: &[QueueData] = match world.name_server(node) {
        Some(server) => server.tables().topic_queues().get(topic)?,
        None => &client(world, node)?.routes().table().get(topic)?.queue_datas,
    };
    queues.iter().find(|queues| queues.broker_name == broker)
}
