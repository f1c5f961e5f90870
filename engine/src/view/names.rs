//! What a scenario called its messages, and where their records lie.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use crate::{
    client::{Client, SendOutcome},
    message::{Host, OffsetMsgId},
    sim::{NodeActor, World},
};

/// Hex digits of the physical offset, with which a broker's message id ends.
const OFFSET_DIGITS: usize = 16;

/// The names of what was sent or is under way, by the client's message id, which copies of a message share. A run that is
/// long has many, and a picture asks for few: they are put in order, which they almost are, and looked up there.
pub(super) struct MessageNames<'w>(Vec<(Cow<'w, str>, Cow<'w, str>)>);

impl<'w> MessageNames<'w> {
    /// The names of a world.
    pub(super) fn of(world: &'w World) -> Self {
        let mut names = Vec::new();
        for client in clients(world) {
            let told = client.sent().iter().filter_map(|send| Some((send.msg_id.as_deref()?, send.name.as_deref()?)));
            names.extend(told.map(|(id, name)| (Cow::Borrowed(id), Cow::Borrowed(name))));
            let pending = client.pending_sends(world.now_us());
            names.extend(pending.filter_map(|send| Some((Cow::Owned(send.msg_id?), Cow::Owned(send.name?)))));
        }
        names.sort_by(|(one, _), (other, _)| one.cmp(other));
        Self(names)
    }

    /// The name of a message; of an id that was given twice, the later one.
    pub(super) fn get(&self, msg_id: &str) -> Option<String> {
        let behind = self.0.partition_point(|(id, _)| **id <= *msg_id);
        let (id, name) = self.0.get(behind.checked_sub(1)?)?;
        (**id == *msg_id).then(|| name.clone().into_owned())
    }
}

/// The names of some messages, by the client's id; those without a name are left out. They are looked for among the
/// newest sends first: what is in hand was sent a short while ago, however long the run is.
pub(super) fn names_of(world: &World, mut wanted: BTreeSet<&str>) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let mut look_at = |send: &SendOutcome| {
        if let Some(id) = send.msg_id.as_deref()
            && wanted.remove(id)
            && let Some(name) = &send.name
        {
            names.insert(id.to_owned(), name.clone());
        }
        wanted.is_empty()
    };
    let found = clients(world).flat_map(|client| client.pending_sends(world.now_us())).any(|send| look_at(&send));
    let mut newest: Vec<_> = clients(world).map(|client| client.sent().iter().rev()).collect();
    while !found && !newest.is_empty() {
        newest.retain_mut(|sends| sends.next().is_some_and(|send| !look_at(send)));
    }
    names
}

/// The sends that a broker stored, by the place of their record in its log; for a batch, of its first. Where a crash took
/// a record and another lies in its place now, the one that was answered last comes last.
pub(super) struct PlacedSends<'w>(Vec<(i64, &'w SendOutcome)>);

impl<'w> PlacedSends<'w> {
    /// Those of the broker with this address, of each client the newest `most`.
    pub(super) fn of(world: &'w World, store_host: Host, most: usize) -> Self {
        let mut host = OffsetMsgId { host: store_host, physical_offset: 0 }.to_string();
        host.truncate(host.len().saturating_sub(OFFSET_DIGITS));
        let here = |sent: &SendOutcome| sent.offset_msg_id.as_deref().is_some_and(|id| id.starts_with(&host));
        let newest = |client: &'w Client| client.sent().iter().skip(client.sent().len().saturating_sub(most));
        let sends = clients(world).flat_map(newest).filter(|sent| here(sent));
        let mut sends: Vec<_> = sends.filter_map(|sent| Some((sent.physical_offset?, sent))).collect();
        sends.sort_by_key(|(place, sent)| (*place, sent.ended_us));
        Self(sends)
    }

    /// The newest send whose record begins at a place.
    pub(super) fn get(&self, physical_offset: i64) -> Option<&'w SendOutcome> {
        let behind = self.0.partition_point(|(place, _)| *place <= physical_offset);
        let (place, sent) = self.0.get(behind.checked_sub(1)?)?;
        (*place == physical_offset).then_some(*sent)
    }

    /// The newest send of each place, from the end of the log.
    pub(super) fn newest_places(&self) -> impl Iterator<Item = (i64, &'w SendOutcome)> + '_ {
        self.0.chunk_by(|(one, _), (other, _)| one == other).rev().filter_map(|sends| sends.last().copied())
    }
}

fn clients(world: &World) -> impl Iterator<Item = &Client> {
    world.nodes().filter_map(|node| match node.actor {
        NodeActor::Client(client) => Some(client.as_ref()),
        _ => None,
    })
}
