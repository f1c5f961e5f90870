//! What became of each message in two runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    ledger::{Account, GroupDeliveries, Rule, Verdict, ledger},
    sim::World,
};

/// A message in both worlds: that which the same producer sent in the same place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountPair {
    /// The producer's node.
    pub producer: String,
    /// Which of its messages, from 0, in the order in which the application called.
    pub number: u32,
    /// The name that the scenario gave the message.
    pub name: Option<String>,
    /// The topic.
    pub topic: String,
    /// In the first world; absent: it was not sent there.
    pub first: Option<AccountEnd>,
    /// In the second.
    pub second: Option<AccountEnd>,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountEnd {
    /// What the application was told: `SendStatus`, or the exception's short name; empty: nothing.
    pub told: String,
    /// Records of it, on slaves too.
    pub copies: u32,
    /// What each group has had of it.
    pub groups: Vec<GroupDeliveries>,
    /// What it came to.
    pub verdict: Verdict,
    /// The rules by which it did.
    pub why: Vec<Rule>,
}

impl AccountEnd {
    fn of(account: &Account) -> Self {
        let verdict = account.verdict();
        let decisive = account.findings.iter().filter(|finding| finding.verdict == verdict);
        let mut why: Vec<Rule> = decisive.map(|finding| finding.why).collect();
        why.sort_unstable();
        why.dedup();
        Self {
            told: account.told.clone(),
            copies: u32::try_from(account.copies.len()).unwrap_or(u32::MAX),
            groups: account.groups.clone(),
            verdict,
            why,
        }
    }
}

/// The accounts of both worlds, in pairs.
pub(super) fn accounts(first: &World, second: &World) -> Vec<AccountPair> {
    let (first, second) = (ledger(first).accounts, ledger(second).accounts);
    let (one, other) = (in_order(&first), in_order(&second));
    // As the first world has its producers, then those of the second alone.
    let mut places: Vec<(&str, u32)> = Vec::new();
    for account in first.iter().chain(&second) {
        let sent = [&one, &other].into_iter().filter_map(|accounts| accounts.get(account.producer.as_str()));
        let most = sent.map(Vec::len).max().unwrap_or(0);
        if !places.iter().any(|(producer, _)| *producer == account.producer) {
            places.extend((0..u32::try_from(most).unwrap_or(u32::MAX)).map(|place| (account.producer.as_str(), place)));
        }
    }
    let pair = |(producer, number): (&str, u32)| {
        let at = |accounts: &BTreeMap<&str, Vec<&Account>>| {
            accounts.get(producer).and_then(|sent| sent.get(number as usize)).copied().cloned()
        };
        let (first, second) = (at(&one), at(&other));
        let either = first.as_ref().or(second.as_ref())?;
        Some(AccountPair {
            producer: producer.to_owned(),
            number,
            name: either.name.clone(),
            topic: either.topic.clone(),
            first: first.as_ref().map(AccountEnd::of),
            second: second.as_ref().map(AccountEnd::of),
        })
    };
    places.into_iter().filter_map(pair).collect()
}

/// The accounts by producer, in the order in which the application called: the ledger is in the order of the ends.
fn in_order(accounts: &[Account]) -> BTreeMap<&str, Vec<&Account>> {
    let mut by_producer: BTreeMap<&str, Vec<&Account>> = BTreeMap::new();
    for account in accounts {
        by_producer.entry(&account.producer).or_default().push(account);
    }
    for sent in by_producer.values_mut() {
        sent.sort_by_key(|account| account.sent_us);
    }
    by_producer
}
