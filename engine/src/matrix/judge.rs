//! What became of each message, briefly.

use serde::{Deserialize, Serialize};

use crate::{
    ledger::{Account, Rule, Verdict, ledger},
    sim::World,
};

/// A message of a cell, and what it came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Judged {
    /// The producer's node.
    pub producer: String,
    /// The number of its answer, from 0, as in `result.N`.
    pub number: u32,
    /// The name that the script gave the message.
    pub name: Option<String>,
    /// What the application was told; empty as long as nothing.
    pub told: String,
    /// What it came to.
    pub verdict: Verdict,
    /// The rules by which it came to that.
    pub why: Vec<Rule>,
}

impl Judged {
    fn of(account: Account) -> Self {
        let verdict = account.verdict();
        let mut why: Vec<Rule> =
            account.findings.iter().filter(|finding| finding.verdict == verdict).map(|finding| finding.why).collect();
        why.sort_unstable();
        why.dedup();
        let Account { producer, number, name, told, .. } = account;
        Self { producer, number, name, told, verdict, why }
    }

    /// What it is called: its name, or its producer and number.
    pub fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("{}#{}", self.producer, self.number))
    }
}

/// Judges every message of a world.
pub(super) fn judge(world: &World) -> Vec<Judged> {
    ledger(world).accounts.into_iter().map(Judged::of).collect()
}
