//! What must hold at a push consumer.

use super::{Broken, Invariant};
use crate::{
    client::{
        Client, PullQueue,
        consumer::{ConsumeResult, Delivery, DeliveryFate, ListenerKind, MessageModel, PushConsumer},
    },
    node::{ConsumerStep, StepKind},
    sim::{NodeActor, TraceEvent, World},
};

/// Looks at an event of a client.
pub(super) fn look(world: &World, event: &TraceEvent, client: &Client, found: &mut Vec<Broken>) {
    let Some(push) = client.push() else { return };
    for step in &event.steps {
        let StepKind::Consumer(step) = &step.what else { continue };
        match step {
            ConsumerStep::OffsetMoved { topic, broker_name, queue_id, offset } => {
                let (topic, broker_name) = (topic.clone(), broker_name.clone());
                let queue = PullQueue { topic, broker_name, queue_id: *queue_id };
                found.extend(offset_behind(event, push, &queue, *offset));
            }
            ConsumerStep::ConsumeEnded { number, .. } => {
                found.extend(delivery(push, *number).and_then(|delivery| refused_is_kept(event, push, delivery)));
            }
            ConsumerStep::ConsumeBegan { number, .. } => {
                let orderly = delivery(push, *number).filter(|delivery| delivery.kind == ListenerKind::Orderly);
                if let Some(delivery) = orderly {
                    found.extend(in_order(event, push, delivery));
                    found.extend(alone(world, event, client, push, delivery));
                }
            }
            _ => {}
        }
    }
}

fn delivery(push: &PushConsumer, number: u64) -> Option<&Delivery> {
    push.consumed().get(usize::try_from(number).ok()?)
}

fn shares(push: &PushConsumer) -> bool {
    push.settings().message_model == MessageModel::Clustering
}

fn offset_behind(event: &TraceEvent, push: &PushConsumer, queue: &PullQueue, offset: i64) -> Option<Broken> {
    let in_hand = push.queues().get(queue).map(crate::client::consumer::OwnQueue::process_queue)?;
    let first = in_hand.lowest_unfinished().filter(|first| *first < offset && !in_hand.is_dropped())?;
    Some(Broken::new(Invariant::OffsetBehindUnprocessed, event, offset, first).in_queue(&queue.topic, queue.queue_id))
}

fn refused_is_kept(event: &TraceEvent, push: &PushConsumer, delivery: &Delivery) -> Option<Broken> {
    let taken_for_success = delivery.result == Some(ConsumeResult::Rollback);
    if delivery.fate != DeliveryFate::Counted || !shares(push) || taken_for_success {
        return None;
    }
    let took_ms = delivery.ended_us?.saturating_sub(delivery.began_us) / 1000;
    if took_ms >= push.config().consume_timeout.saturating_mul(60_000) {
        return None;
    }
    let queue = &delivery.queue;
    let in_hand = push.queues().get(queue).map(crate::client::consumer::OwnQueue::process_queue);
    let kept = |offset: &i64| {
        in_hand.is_some_and(|in_hand| in_hand.waiting().contains_key(offset) || in_hand.taken().contains_key(offset))
    };
    let mut refused = delivery.messages.iter().skip(delivery.consumed).map(|message| message.queue_offset);
    let gone = refused.find(|offset| !kept(offset))?;
    let moved_to = push.offsets().get(queue).unwrap_or(-1);
    Some(Broken::new(Invariant::RefusedIsKept, event, gone, moved_to).in_queue(&queue.topic, queue.queue_id))
}

fn in_order(event: &TraceEvent, push: &PushConsumer, delivery: &Delivery) -> Option<Broken> {
    let queue = &delivery.queue;
    let offset = delivery.messages.first()?.queue_offset;
    let waits = push.queues().get(queue)?.process_queue().first_offset().filter(|first| *first < offset)?;
    Some(Broken::new(Invariant::InQueueOrder, event, offset, waits).in_queue(&queue.topic, queue.queue_id))
}

fn alone(
    world: &World,
    event: &TraceEvent,
    client: &Client,
    push: &PushConsumer,
    delivery: &Delivery,
) -> Option<Broken> {
    if !shares(push) {
        return None;
    }
    let queue = &delivery.queue;
    let began_us = world.nodes().find_map(|node| match node.actor {
        NodeActor::Broker(broker) if broker.config().broker_name == queue.broker_name => {
            world.lives(node.name).last().map(|life| life.began_us)
        }
        _ => None,
    });
    let mut others = world.nodes().filter(|node| node.name != event.node && !node.paused);
    let (other, has) = others.find_map(|node| Some((node.name, running(node.actor, client.group(), queue)?)))?;
    if began_us.is_some_and(|began_us| began_us > has.began_us) {
        return None;
    }
    let offset = |delivery: &Delivery| delivery.messages.first().map_or(-1, |message| message.queue_offset);
    let broken = Broken::new(Invariant::OneListenerPerQueue, event, offset(delivery), offset(has));
    Some(Broken { other: Some(other.to_owned()), ..broken }.in_queue(&queue.topic, queue.queue_id))
}

/// The call of a listener of this group that has the queue now.
fn running<'w>(actor: &'w NodeActor, group: &str, queue: &PullQueue) -> Option<&'w Delivery> {
    let NodeActor::Client(client) = actor else { return None };
    let push = client.push().filter(|_| client.group() == group)?;
    let mut calls = push.pool().calls().values().filter(|call| call.task().queue() == queue && call.is_listening());
    calls.find_map(|call| push.consumed().get(call.place()?))
}
