//! The ledger: what became of every message that was sent, and the rule of 4.9.8 by which it did.
//!
//! An [`Account`] sets what the producer was told against the records that there are, what each group was handed, and
//! what that changed in the databases of applications. Everything is read from the world as it is: the logs of the brokers,
//! what clients keep as a record of the run, and how processes ended ([`crate::sim::Life`]). No trace is needed.
//!
//! Reading the logs takes one pass each (`copies`); who was handed what is in `deliveries`, and what that changed in
//! `effects`. The verdicts are in `stored`, for what was told against what is stored, `group`, for one group, and `order`.

mod copies;
mod deliveries;
mod effects;
mod group;
mod order;
mod redone;
mod repeats;
mod rule;
mod sends;
mod stored;
#[cfg(test)]
mod tests;
mod watch;

use serde::{Deserialize, Serialize};

use crate::sim::World;

pub use copies::{CopyState, StoredCopy};
pub use redone::redone;
pub use rule::Rule;
pub use watch::{Broken, Invariant, Watch, audit};

/// What became of every message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ledger {
    /// The messages, by producer and in the order of their sends' ends; those that nobody was told of come last.
    pub accounts: Vec<Account>,
    /// Brokers that do not run. Their messages are those that a start would find, dispatched.
    pub down: Vec<String>,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// The producer's node.
    pub producer: String,
    /// The number of its answer, from 0, as in `result.N`; behind those for sends without an answer.
    pub number: u32,
    /// The name that the script gave the message.
    pub name: Option<String>,
    /// The topic.
    pub topic: String,
    /// The keys, as far as a record of it says.
    pub keys: Option<String>,
    /// What the application was told: `SendStatus`, `ONEWAY`, or the exception's short name; empty as long as nothing.
    pub told: String,
    /// The id that it was told, or that it had chosen.
    pub msg_id: Option<String>,
    /// When the application called, microseconds.
    pub sent_us: i64,
    /// When it was told, microseconds.
    pub told_us: Option<i64>,
    /// Every record of it: copies on slaves, delayed ones, half messages, retries and dead letters too.
    pub copies: Vec<StoredCopy>,
    /// The groups that subscribe it, or were handed it, by name.
    pub groups: Vec<GroupDeliveries>,
    /// Rows of databases that listeners have changed for it.
    pub effects: Vec<Effect>,
    /// What is to be said of it, at least one thing.
    pub findings: Vec<Finding>,
}

/// What a group has had of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupDeliveries {
    /// The group.
    pub group: String,
    /// The consumer's node, where each gets everything (`BROADCASTING`).
    pub consumer: Option<String>,
    /// How often an application was handed it.
    pub delivered: u32,
    /// How often a listener said that it is done.
    pub consumed: u32,
    /// How often a listener said that it is not (`RECONSUME_LATER`, null, an exception and the like).
    pub refused: u32,
    /// Transactions that its listeners have committed for it and that changed rows; `None`: they have no database.
    pub effects: Option<u32>,
    /// Whether nothing that was sent after it, and belongs with it, was handed out before the group was done with it.
    /// Messages belong together that have the same keys; without keys, those of a queue that an orderly listener has.
    pub in_order: bool,
}

/// A row that listeners have changed for a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Effect {
    /// The database's node.
    pub database: String,
    /// The table.
    pub table: String,
    /// The row's key.
    pub key: String,
    /// In how many transactions.
    pub count: u32,
}

/// Something to be said of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// What it comes to.
    pub verdict: Verdict,
    /// The rule by which it does.
    pub why: Rule,
    /// The broker's node that it is about, if it is about one.
    pub broker: Option<String>,
    /// The group that it is about, if it is about one.
    pub group: Option<String>,
    /// The place among [`Ledger::accounts`] of the message that came before it out of turn.
    pub other: Option<usize>,
}

/// What a message came to; of several findings the last of these counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// What is there is what was told, and everybody has had it once.
    ExactlyRight,
    /// It is still on its way, and is not judged.
    Open,
    /// It is there twice, or somebody has had it twice.
    Duplicated,
    /// Something that was sent after it was handed out before it.
    OutOfOrder,
    /// It is gone although the producer was told that it is stored, or somebody will never have it.
    Lost,
}

impl Verdict {
    /// All of them, in their order.
    pub const ALL: [Self; 5] = [Self::ExactlyRight, Self::Open, Self::Duplicated, Self::OutOfOrder, Self::Lost];

    /// The name used in scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ExactlyRight => "exactlyRight",
            Self::Open => "open",
            Self::Duplicated => "duplicated",
            Self::OutOfOrder => "outOfOrder",
            Self::Lost => "lost",
        }
    }
}

impl Account {
    /// The worst of the findings.
    pub fn verdict(&self) -> Verdict {
        self.findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::ExactlyRight)
    }

    /// Whether the producer was told that it is stored (`SEND_OK`).
    pub fn is_acknowledged(&self) -> bool {
        self.told == "SEND_OK"
    }

    /// The records that consumers of its topic read, without those of slaves: more than one is one too many.
    pub fn originals(&self) -> impl Iterator<Item = &StoredCopy> {
        self.copies.iter().filter(|copy| !copy.slave && copy.topic == self.topic)
    }
}

impl Ledger {
    /// How many messages came to a verdict.
    pub fn count(&self, verdict: Verdict) -> u32 {
        self.number(|account| account.verdict() == verdict)
    }

    /// Messages that the producer was told `SEND_OK` of.
    pub fn acknowledged(&self) -> u32 {
        self.number(Account::is_acknowledged)
    }

    /// Messages of those that no broker holds.
    pub fn missing(&self) -> u32 {
        self.number(|account| account.is_acknowledged() && account.msg_id.is_some() && account.copies.is_empty())
    }

    fn number(&self, wanted: impl Fn(&Account) -> bool) -> u32 {
        u32::try_from(self.accounts.iter().filter(|account| wanted(account)).count()).unwrap_or(u32::MAX)
    }
}

/// Keeps the accounts of a world.
pub fn ledger(world: &World) -> Ledger {
    let logs = copies::Logs::read(world);
    let groups = deliveries::groups(world);
    let sends = sends::sends(world, &logs);
    let mut accounts: Vec<Account> = sends.iter().map(sends::Send::account).collect();
    for (account, send) in accounts.iter_mut().zip(&sends) {
        stored::judge(world, &logs, send, account);
        for group in &groups {
            group::judge(world, &logs, group, send, account);
        }
        group::settle_cleaned(&groups, account);
    }
    for group in &groups {
        order::judge(group, &sends, &mut accounts);
    }
    for account in &mut accounts {
        if account.findings.is_empty() {
            account.findings.push(Finding::of(Verdict::ExactlyRight, Rule::Once));
        }
    }
    Ledger { accounts, down: logs.down() }
}

impl Finding {
    const fn of(verdict: Verdict, why: Rule) -> Self {
        Self { verdict, why, broker: None, group: None, other: None }
    }

    fn at(self, broker: &str) -> Self {
        Self { broker: Some(broker.to_owned()), ..self }
    }

    fn in_group(self, group: &str) -> Self {
        Self { group: Some(group.to_owned()), ..self }
    }
}
