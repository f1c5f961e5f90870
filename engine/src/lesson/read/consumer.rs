//! Reading probes of push consumers.

use super::{
    super::probe::{ConsumerPlace, DeliveryField, ProcessQueueField, QueueName, Value, Which},
    client, count, int, text,
};
use crate::{
    client::{
        PullQueue,
        consumer::{Delivery, OwnQueue, PushConsumer},
    },
    sim::World,
};

/// The value that a probe names at a node.
pub(super) fn read(world: &World, node: &str, place: &ConsumerPlace) -> Option<Value> {
    let push = client(world, node)?.push()?;
    match place {
        ConsumerPlace::Consumed => Some(count(push.consumed().len())),
        ConsumerPlace::Delivery(which, field) => {
            let delivery = match which {
                Which::At(at) => push.consumed().get(*at),
                Which::Last => push.consumed().last(),
            };
            read_delivery(delivery?, *field)
        }
        ConsumerPlace::Queues => Some(count(push.queues().len())),
        ConsumerPlace::QueuesOf(topic) => Some(count(push.queues().keys().filter(|of| of.topic == *topic).count())),
        ConsumerPlace::Owns(queue) => Some(Value::Bool(own(push, queue).is_some())),
        ConsumerPlace::ProcessQueue(queue, field) => read_queue(own(push, queue)?.1, *field),
        ConsumerPlace::Offset(queue) => {
            let named = |of: &PullQueue| of.topic == queue.topic && of.queue_id == queue.queue_id;
            push.offsets().iter().find(|(of, _)| named(of)).map(|(_, offset)| int(offset))
        }
    }
}

/// The queue of this name; of several brokers, the first one's.
fn own<'w>(push: &'w PushConsumer, queue: &QueueName) -> Option<(&'w PullQueue, &'w OwnQueue)> {
    push.queues().iter().find(|(of, _)| of.topic == queue.topic && of.queue_id == queue.queue_id)
}

fn read_delivery(delivery: &Delivery, field: DeliveryField) -> Option<Value> {
    let first = delivery.messages.first()?;
    Some(match field {
        DeliveryField::Messages => count(delivery.messages.len()),
        DeliveryField::Topic => text(&first.topic),
        DeliveryField::QueueTopic => text(&delivery.queue.topic),
        DeliveryField::QueueId => int(delivery.queue.queue_id.into()),
        DeliveryField::QueueOffset => int(first.queue_offset),
        DeliveryField::Body => text(std::str::from_utf8(&first.body).ok()?),
        DeliveryField::Keys => text(first.keys.as_deref()?),
        DeliveryField::Tags => text(first.tags.as_deref()?),
        DeliveryField::ReconsumeTimes => int(first.reconsume_times.into()),
        DeliveryField::Result => text(delivery.result_name()?),
        DeliveryField::Fate => text(delivery.fate.name()),
        DeliveryField::Thread => int(delivery.thread.into()),
        DeliveryField::BeganMs => int(delivery.began_us.div_euclid(1000)),
        DeliveryField::EndedMs => int(delivery.ended_us?.div_euclid(1000)),
    })
}

fn read_queue(own: &OwnQueue, field: ProcessQueueField) -> Option<Value> {
    let in_hand = own.process_queue();
    Some(match field {
        ProcessQueueField::Count => int(in_hand.count()),
        ProcessQueueField::Size => int(in_hand.size()),
        ProcessQueueField::Span => int(in_hand.span()),
        ProcessQueueField::First => int(in_hand.lowest_unfinished()?),
        ProcessQueueField::NextOffset => int(own.next_offset()),
        ProcessQueueField::Locked => Value::Bool(in_hand.is_locked()),
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::{Probe, Value, read};
    use crate::{
        client::consumer::{ConsumeResult, ListenerRule},
        sim::{
            Action, BrokerSpec, Cluster, ConsumerSpec, NameServerSpec, ProducerSpec, PushSpec, Send, SubscriptionSpec,
            TopicSpec, World,
        },
    };

    #[test]
    fn the_values_of_a_message_that_is_consumed_at_the_second_attempt() {
        let mut push = PushSpec::default();
        push.subscriptions.push(SubscriptionSpec { topic: "T".to_owned(), ..SubscriptionSpec::default() });
        let results = vec![ConsumeResult::Later, ConsumeResult::Success];
        push.listener.rules.push(ListenerRule { results, ..ListenerRule::default() });
        let topics = vec![TopicSpec { name: "T".to_owned(), read_queues: 1, write_queues: 1, perm: 6 }];
        let cluster = Cluster {
            name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..NameServerSpec::default() }],
            brokers: vec![BrokerSpec { name: "broker-a".to_owned(), topics, ..BrokerSpec::default() }],
            producers: vec![ProducerSpec { name: "producer".to_owned(), ..ProducerSpec::default() }],
            consumers: vec![ConsumerSpec {
                name: "c1".to_owned(),
                group: "g".to_owned(),
                push: Some(Box::new(push)),
                ..ConsumerSpec::default()
            }],
            ..Cluster::default()
        };
        let mut world = World::new(&cluster, 1).unwrap();
        let send = Send {
            producer: "producer".to_owned(),
            topic: "T".to_owned(),
            tag: Some("TagA".to_owned()),
            keys: Some("k1".to_owned()),
            body: Some("hello".to_owned()),
            ..Send::default()
        };
        world.act(Action::Send(Box::new(send))).unwrap();
        world.run_to_rest(i64::MAX);
        let text = |value: &str| Some(Value::Text(value.to_owned()));
        let int = |value: i64| Some(Value::Int(value));
        for (probe, expected) in [
            ("c1.consumed", int(2)),
            ("c1.queues", int(2)),
            ("c1.queues.%RETRY%g", int(1)),
            ("c1.queues.U", int(0)),
            ("c1.owns.T/0", Some(Value::Bool(true))),
            ("c1.owns.T/1", Some(Value::Bool(false))),
            ("c1.delivery.0.messages", int(1)),
            ("c1.delivery.0.topic", text("T")),
            ("c1.delivery.0.queueTopic", text("T")),
            ("c1.delivery.last.topic", text("T")),
            ("c1.delivery.last.queueTopic", text("%RETRY%g")),
            ("c1.delivery.last.queueId", int(0)),
            ("c1.delivery.last.queueOffset", int(0)),
            ("c1.delivery.last.body", text("hello")),
            ("c1.delivery.last.keys", text("k1")),
            ("c1.delivery.last.tags", text("TagA")),
            ("c1.delivery.0.reconsumeTimes", int(0)),
            ("c1.delivery.last.reconsumeTimes", int(1)),
            ("c1.delivery.0.result", text("RECONSUME_LATER")),
            ("c1.delivery.last.result", text("CONSUME_SUCCESS")),
            ("c1.delivery.last.fate", text("counted")),
            ("c1.delivery.last.thread", int(2)),
            ("c1.delivery.2.result", None),
            ("c1.processQueue.T/0.count", int(0)),
            ("c1.processQueue.T/0.size", int(0)),
            ("c1.processQueue.T/0.span", int(0)),
            ("c1.processQueue.T/0.first", None),
            ("c1.processQueue.T/0.nextOffset", int(1)),
            ("c1.processQueue.T/1.nextOffset", None),
            ("c1.processQueue.T/0.locked", Some(Value::Bool(true))),
            ("c1.offset.T/0", int(1)),
            ("c1.offset.%RETRY%g/0", int(1)),
            ("producer.consumed", None),
        ] {
            assert_eq!(read(&world, &Probe::parse(probe).unwrap()), expected, "{probe}");
        }
        let at = |probe: &str| match read(&world, &Probe::parse(probe).unwrap()) {
            Some(Value::Int(at)) => at,
            _ => panic!("{probe}"),
        };
        // The listener takes 10 ms.
        assert_eq!(at("c1.delivery.0.endedMs"), at("c1.delivery.0.beganMs") + 10);
    }
}
