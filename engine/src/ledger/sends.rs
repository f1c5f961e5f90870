//! The messages that producers have sent, with what they were told and the records that there are.

use std::collections::BTreeMap;

use super::{
    Account,
    copies::{Found, Logs},
    deliveries::{Group, Handed},
};
use crate::{
    broker::RETRY_PREFIX,
    client::{Role, SendMode, SendOutcome, TransactionOutcome},
    message::OffsetMsgId,
    sim::{NodeActor, World},
};

/// A message that was sent.
pub(super) struct Send<'w> {
    pub(super) producer: &'w str,
    number: usize,
    pub(super) outcome: Outcome<'w>,
    pub(super) state: SendState,
    /// The id that the application was told, or that it had chosen.
    pub(super) id: Option<String>,
    /// Whether that is the broker's, which stands for the place of its record.
    is_known_by_place: bool,
    /// Where the broker said that the record begins.
    pub(super) place: Option<i64>,
    /// Its records.
    pub(super) found: Vec<&'w Found>,
    /// The transaction that it was sent in.
    pub(super) transaction: Option<&'w TransactionOutcome>,
    /// When the send of another message began that has the same id, microseconds: a message without an id of its own has
    /// that of its place, which a crash can give away.
    until_us: i64,
}

/// The outcome of a send, as far as there is one.
pub(super) enum Outcome<'w> {
    Kept(&'w SendOutcome),
    SoFar(Box<SendOutcome>),
}

/// How a send ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendState {
    /// The application was told.
    Told,
    /// It is under way.
    UnderWay,
    /// The process ended first.
    Untold,
}

impl std::ops::Deref for Outcome<'_> {
    type Target = SendOutcome;

    fn deref(&self) -> &SendOutcome {
        match self {
            Self::Kept(outcome) => outcome,
            Self::SoFar(outcome) => outcome,
        }
    }
}

/// The messages of all clients. What a client sends to a retry topic by itself is no message of its own.
pub(super) fn sends<'w>(world: &'w World, logs: &'w Logs) -> Vec<Send<'w>> {
    let mut sends = Vec::new();
    for node in world.nodes() {
        let NodeActor::Client(client) = node.actor else { continue };
        let told = client.sent().iter().map(|sent| (Outcome::Kept(sent), SendState::Told));
        let untold = client.untold().iter().map(|sent| (Outcome::Kept(sent), SendState::Untold));
        let pending = client.pending_sends(world.now_us());
        let transactions = client.transactions().iter().filter_map(|one| Some((one.send?, one)));
        let transactions: BTreeMap<u64, &TransactionOutcome> = transactions.collect();
        let pending = pending.map(|sent| (Outcome::SoFar(Box::new(sent)), SendState::UnderWay));
        for (number, (outcome, state)) in told.chain(untold).chain(pending).enumerate() {
            if !outcome.topic.starts_with(RETRY_PREFIX) {
                let transaction = transactions.get(&(number as u64)).copied();
                let one = Ended { producer: node.name, number, outcome, state, transaction };
                one.messages(matches!(client.role(), Role::Bare { .. }), logs, &mut sends);
            }
        }
    }
    share_places(&mut sends);
    sends
}

/// Where messages have the same id, the records are those of the last one.
fn share_places(sends: &mut [Send<'_>]) {
    let mut latest: Vec<&mut Send<'_>> = sends.iter_mut().filter(|send| send.is_known_by_place).collect();
    latest.sort_by_key(|send| std::cmp::Reverse(send.outcome.began_us));
    let mut taken: BTreeMap<String, i64> = BTreeMap::new();
    for send in latest {
        let Some(id) = send.id.clone() else { continue };
        if let Some(next_us) = taken.insert(id, send.outcome.began_us) {
            send.until_us = next_us;
            send.found.clear();
        }
    }
}

/// A send, which can be a batch.
struct Ended<'w> {
    producer: &'w str,
    number: usize,
    outcome: Outcome<'w>,
    state: SendState,
    transaction: Option<&'w TransactionOutcome>,
}

impl<'w> Ended<'w> {
    /// Adds its messages: a batch was told one id for each. `bare`: they have no ids but those of brokers.
    fn messages(self, bare: bool, logs: &'w Logs, sends: &mut Vec<Send<'w>>) {
        let Self { producer, number, outcome, state, transaction } = self;
        let split = |ids: &Option<String>| -> Vec<String> {
            ids.iter().flat_map(|ids| ids.split(',')).map(str::to_owned).collect()
        };
        let places = split(&outcome.offset_msg_id);
        let ids = if bare { places.clone() } else { split(&outcome.msg_id) };
        for at in 0..ids.len().max(1) {
            let id = ids.get(at).cloned();
            let place = places.get(at).and_then(|place| place.parse::<OffsetMsgId>().ok());
            let found = match (&id, &place) {
                (Some(_), Some(place)) if bare => logs.at(place, &outcome.topic, outcome.queue_offset),
                (Some(id), _) if !bare => logs.with_key(id),
                _ => Vec::new(),
            };
            let place = place.map(|place| place.physical_offset);
            let outcome = outcome.share();
            let (is_known_by_place, until_us) = (bare, i64::MAX);
            sends.push(Send {
                producer,
                number,
                outcome,
                state,
                id,
                is_known_by_place,
                place,
                found,
                transaction,
                until_us,
            });
        }
    }
}

impl Outcome<'_> {
    fn share(&self) -> Self {
        match self {
            Self::Kept(outcome) => Self::Kept(outcome),
            Self::SoFar(outcome) => Self::SoFar(outcome.clone()),
        }
    }
}

impl Send<'_> {
    /// Its account, not judged yet.
    pub(super) fn account(&self) -> Account {
        let outcome = &self.outcome;
        Account {
            producer: self.producer.to_owned(),
            number: u32::try_from(self.number).unwrap_or(u32::MAX),
            name: outcome.name.clone(),
            topic: outcome.topic.clone(),
            keys: self.keys().map(str::to_owned),
            told: outcome.status.clone(),
            msg_id: self.id.clone(),
            sent_us: outcome.began_us,
            told_us: (self.state == SendState::Told).then_some(outcome.ended_us),
            copies: self.found.iter().map(|found| found.copy.clone()).collect(),
            groups: Vec::new(),
            effects: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// The calls of a group's listeners with it, in their order.
    pub(super) fn handed<'w>(&self, group: &Group<'w>) -> Vec<Handed<'w>> {
        let own = self.outcome.began_us..self.until_us;
        let with = |id: &str| group.handed(id).iter().filter(|one| own.contains(&one.delivery.began_us)).copied();
        let Some(id) = self.id.as_deref() else { return Vec::new() };
        let mut handed: Vec<Handed<'w>> = with(id).collect();
        if self.is_known_by_place {
            // What was delayed has another place, and so another id, for its consumers.
            let elsewhere = self.originals().filter(|found| Some(found.copy.physical_offset) != self.place);
            handed.extend(elsewhere.flat_map(|found| with(&found.id())));
            handed.sort_by_key(|one| one.delivery.began_us);
        }
        handed
    }

    /// Whether the application was told that it is stored.
    pub(super) fn is_acknowledged(&self) -> bool {
        self.state == SendState::Told && self.outcome.status == "SEND_OK"
    }

    /// Whether it was sent one way.
    pub(super) fn is_oneway(&self) -> bool {
        self.outcome.mode == SendMode::Oneway
    }

    /// Its keys, as a record of it says.
    pub(super) fn keys(&self) -> Option<&str> {
        self.found.first().and_then(|found| found.keys.as_deref()).filter(|keys| !keys.is_empty())
    }

    /// The records that consumers of its topic read, without those of slaves.
    pub(super) fn originals(&self) -> impl Iterator<Item = &Found> {
        self.of_topic(&self.outcome.topic)
    }

    /// The records in this topic, without those of slaves.
    pub(super) fn of_topic<'s>(&'s self, topic: &'s str) -> impl Iterator<Item = &'s Found> {
        let found = self.found.iter().copied();
        found.filter(move |found| !found.copy.slave && found.copy.topic == topic)
    }

    /// The records that wait to go to this topic, without those of slaves.
    pub(super) fn bound_for<'s>(&'s self, topic: &'s str) -> impl Iterator<Item = &'s Found> {
        let found = self.found.iter().copied();
        found.filter(move |found| !found.copy.slave && found.copy.topic != topic && found.copy.for_topic == topic)
    }
}
