//! Why a message is there twice, or was handed out twice.

use super::{
    Rule,
    deliveries::{Group, Handed},
    sends::Send,
};
use crate::{
    broker::RETRY_PREFIX,
    client::consumer::DeliveryFate,
    message::{delay::SCHEDULE_TOPIC, transaction::HALF_TOPIC},
    sim::{Ending, Life, World},
};

/// Why two records of a message can be read in its topic.
pub(super) fn stored_twice(send: &Send<'_>) -> Rule {
    let waited = |topic| send.bound_for(&send.outcome.topic).filter(|found| found.copy.topic == topic).count();
    let originals = send.originals().count();
    let attempts = usize::try_from(send.outcome.attempts).unwrap_or(usize::MAX);
    let (delayed, halves) = (waited(SCHEDULE_TOPIC), waited(HALF_TOPIC));
    if delayed > 0 && delayed < originals {
        Rule::DelayDeliveredTwice
    } else if delayed == 0 && halves > 0 && attempts < 2 {
        Rule::HalfCommittedTwice
    } else {
        Rule::ProducerRetry
    }
}

/// Why a group was handed a message for a second time.
pub(super) fn why(world: &World, group: &Group<'_>, send: &Send<'_>, first: &Handed<'_>, second: &Handed<'_>) -> Rule {
    let given_back = |handed: &Handed<'_>| handed.delivery.queue.topic.starts_with(RETRY_PREFIX);
    if first.record() != second.record() {
        return if given_back(second) { Rule::SentBackAndConsumed } else { stored_twice(send) };
    }
    let ended_us = first.delivery.ended_us;
    match first.delivery.fate {
        DeliveryFate::Crashed => return Rule::DiedWhileConsuming,
        DeliveryFate::Unused | DeliveryFate::Running => return Rule::QueueTakenAway,
        DeliveryFate::Counted if ended_us.is_none_or(|ended_us| ended_us > second.delivery.began_us) => {
            return Rule::QueueTakenAway;
        }
        DeliveryFate::Counted => {}
    }
    let since_us = ended_us.unwrap_or(first.delivery.began_us);
    let between = since_us..=second.delivery.began_us;
    let endings = |lives: &[Life]| -> Vec<Ending> {
        let ends = lives.iter().filter_map(|life| life.end);
        ends.filter(|end| between.contains(&end.at_us)).map(|end| end.how).collect()
    };
    let died = |how: &Ending| *how != Ending::Stopped;
    let consumer = group.members.get(first.member).map_or_else(Vec::new, |member| endings(member.lives));
    let broker_died = world.nodes().any(|node| {
        let of_queue = world.broker(node.name).is_some_and(|broker| broker.config().broker_name == first.record().0);
        of_queue && endings(world.lives(node.name)).iter().any(died)
    });
    if consumer.iter().any(died) {
        Rule::DiedBeforeOffsetSaved
    } else if broker_died {
        Rule::BrokerLostOffset
    } else if first.member != second.member {
        Rule::QueueMovedBeforeOffsetSaved
    } else if consumer.is_empty() {
        Rule::OffsetSetBack
    } else {
        // A stop sends the offsets once more, in vain if nobody is there to take them.
        Rule::DiedBeforeOffsetSaved
    }
}
