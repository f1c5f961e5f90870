//! The first thing that an application was told otherwise.

use serde::{Deserialize, Serialize};

use crate::{
    client::Client,
    sim::{NodeActor, World},
};

/// A result of a send or a pull that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToldDifference {
    /// The client.
    pub client: String,
    /// Which of its sends, or of its pulls, from 0, in the order in which the application called.
    pub number: u32,
    /// It pulled; else it sent.
    pub pull: bool,
    /// The name that the scenario gave the message.
    pub name: Option<String>,
    /// What it was told in the first run; absent: nothing.
    pub first: Option<Told>,
    /// What it was told in the second run; absent: nothing.
    pub second: Option<Told>,
}

/// What an application was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Told {
    /// `SendStatus` or `PullStatus`, or the exception's short name.
    pub status: String,
    /// Messages that came with it.
    pub messages: u32,
    /// When, microseconds.
    pub at_us: i64,
}

impl Told {
    fn same(&self, other: &Self) -> bool {
        (&self.status, self.messages) == (&other.status, other.messages)
    }
}

/// The earliest of all clients that both worlds have.
pub(super) fn difference(first: &World, second: &World) -> Option<ToldDifference> {
    let clients = first.nodes().filter_map(|node| match node.actor {
        NodeActor::Client(client) => Some((node.name, client.as_ref(), second.client(node.name)?)),
        _ => None,
    });
    let all = clients.flat_map(|(name, one, other)| {
        let sends = pair(name, false, &sends(one), &sends(other));
        let pulls = pair(name, true, &pulls(one), &pulls(other));
        sends.into_iter().chain(pulls)
    });
    all.min_by_key(|difference| {
        difference.first.iter().chain(&difference.second).map(|told| told.at_us).min().unwrap_or(i64::MAX)
    })
}

/// A result by its message's name.
type Named = (Option<String>, Told);

fn pair(client: &str, pull: bool, one: &[Named], other: &[Named]) -> Option<ToldDifference> {
    (0..one.len().max(other.len())).find_map(|at| {
        let (first, second) = (one.get(at), other.get(at));
        let same = first.zip(second).is_some_and(|((_, first), (_, second))| first.same(second));
        (!same).then(|| ToldDifference {
            client: client.to_owned(),
            number: u32::try_from(at).unwrap_or(u32::MAX),
            pull,
            name: first.or(second).and_then(|(name, _)| name.clone()),
            first: first.map(|(_, told)| told.clone()),
            second: second.map(|(_, told)| told.clone()),
        })
    })
}

/// In the order in which the application called; the record is in the order of the ends.
fn sends(client: &Client) -> Vec<Named> {
    let mut sent: Vec<_> = client.sent().iter().collect();
    sent.sort_by_key(|sent| sent.began_us);
    let told = |status: &String, at_us| Told { status: status.clone(), messages: 0, at_us };
    sent.into_iter().map(|sent| (sent.name.clone(), told(&sent.status, sent.ended_us))).collect()
}

fn pulls(client: &Client) -> Vec<Named> {
    if client.push().is_some() {
        return Vec::new();
    }
    let told = client
        .pulls()
        .iter()
        .map(|pull| (None, Told { status: pull.status.clone(), messages: pull.received, at_us: pull.ended_us }));
    told.collect()
}
