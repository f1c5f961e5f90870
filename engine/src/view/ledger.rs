//! A window of the ledger, filtered, with the events that a row leads to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    ledger::{Account, Ledger, Verdict, ledger},
    sim::{History, World},
};

/// Accounts that one picture holds at most.
const ACCOUNTS_MAX: u32 = 200;

/// Which accounts are asked for: those that are all of this.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LedgerFilter {
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// The topic.
    pub topic: Option<String>,
    /// A group that was handed it, or is to be.
    pub group: Option<String>,
    /// Part of its name, its keys or its id.
    pub text: String,
}

/// What became of the messages of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerPicture {
    /// Messages in all.
    pub total: u32,
    /// How many came to each verdict.
    pub counts: Vec<(Verdict, u32)>,
    /// Messages that pass the filter.
    pub matching: u32,
    /// Number of the first of `rows` among those.
    pub from: u32,
    /// The rows, 200 at most.
    pub rows: Vec<LedgerRow>,
    /// All topics that messages were sent to.
    pub topics: Vec<String>,
    /// All groups that have to do with any of them.
    pub groups: Vec<String>,
    /// Brokers that do not run, which are judged by what a start would find.
    pub down: Vec<String>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerRow {
    /// What became of it.
    pub account: Account,
    /// What that comes to.
    pub verdict: Verdict,
    /// The messages that its findings name, each by its name, or by producer and number.
    pub others: Vec<Option<String>>,
    /// The event in which the application sent it.
    pub sent_at: Option<u64>,
    /// The event in which it was told.
    pub told_at: Option<u64>,
}

/// The ledger of one moment of a run. In a long run keeping the accounts takes longer than everything else that is shown,
/// and whoever scrolls or filters asks about the same moment again and again.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Events and trace hash of the moment.
    moment: (u64, u64),
    ledger: Option<Ledger>,
}

impl Kept {
    fn of(&mut self, world: &World) -> &Ledger {
        let moment = (world.events(), world.trace_hash());
        if self.moment != moment {
            *self = Self { moment, ledger: None };
        }
        self.ledger.get_or_insert_with(|| ledger(world))
    }
}

/// The accounts of a run at its present position that pass a filter, from number `from` on. What is kept is of this run.
pub(super) fn ledger_picture(history: &History, kept: &mut Kept, filter: &LedgerFilter, from: u32) -> LedgerPicture {
    let ledger = kept.of(history.world());
    let all = ledger.accounts.iter();
    let topics: BTreeSet<&String> = all.clone().map(|account| &account.topic).collect();
    let groups: BTreeSet<&String> =
        all.clone().flat_map(|account| account.groups.iter().map(|has| &has.group)).collect();
    let matching: Vec<&Account> = all.filter(|account| filter.passes(account)).collect();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let rows = matching.iter().skip(from as usize).take(ACCOUNTS_MAX as usize);
    LedgerPicture {
        total: count(ledger.accounts.len()),
        counts: Verdict::ALL.into_iter().map(|verdict| (verdict, ledger.count(verdict))).collect(),
        matching: count(matching.len()),
        from,
        rows: rows.map(|account| row(history, ledger, account)).collect(),
        topics: topics.into_iter().cloned().collect(),
        groups: groups.into_iter().cloned().collect(),
        down: ledger.down.clone(),
    }
}

fn row(history: &History, ledger: &Ledger, account: &Account) -> LedgerRow {
    let title =
        |account: &Account| account.name.clone().unwrap_or_else(|| format!("{} #{}", account.producer, account.number));
    let others = account.findings.iter().map(|finding| ledger.accounts.get(finding.other?).map(title)).collect();
    LedgerRow {
        account: account.clone(),
        verdict: account.verdict(),
        others,
        sent_at: event_at(history, &account.producer, account.sent_us),
        told_at: account.told_us.and_then(|told_us| event_at(history, &account.producer, told_us)),
    }
}

/// The event of a node in which a moment lies.
fn event_at(history: &History, node: &str, at_us: i64) -> Option<u64> {
    let (mut low, mut high) = (0, history.len());
    while low < high {
        let middle = low.midpoint(high);
        if history.event(middle).is_some_and(|event| event.at_us <= at_us) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let mut before = (0..low).rev().take(EVENTS_SEARCHED).filter_map(|seq| history.event(seq));
    let here = before.find(|event| event.node == node && event.at_us.saturating_add(event.took_us) >= at_us);
    here.map(|event| event.seq)
}

/// Events before a moment that are searched for the one it lies in.
const EVENTS_SEARCHED: usize = 256;

impl LedgerFilter {
    fn passes(&self, account: &Account) -> bool {
        let has = |what: &Option<String>| what.as_ref().is_some_and(|what| what.contains(self.text.trim()));
        self.verdict.is_none_or(|verdict| account.verdict() == verdict)
            && self.topic.as_ref().is_none_or(|topic| account.topic == *topic)
            && self.group.as_ref().is_none_or(|group| account.groups.iter().any(|has| has.group == *group))
            && (self.text.trim().is_empty() || has(&account.name) || has(&account.keys) || has(&account.msg_id))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::*, *};
    use crate::{
        ledger::Invariant,
        planted::PlantedFault,
        sim::{Action, Send},
    };

    fn sent(name: &str) -> Action {
        let (producer, topic) = ("producer".to_owned(), "OrderTopic".to_owned());
        Action::Send(Box::new(Send { name: Some(name.to_owned()), producer, topic, ..Send::default() }))
    }

    fn asked(session: &mut Session, filter: LedgerFilter) -> LedgerPicture {
        match session.ask(Query::Ledger { filter, from: 0 }) {
            Answer::Ledger(picture) => *picture,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn rows_are_filtered_and_lead_to_their_events() {
        let mut session = Session::new();
        session.ask(Query::StartSandbox { cluster: None, seed: 1 });
        for name in ["M1", "M2"] {
            session.ask(Query::Act { action: sent(name) });
            session.ask(Query::Run { events: 1000 });
        }
        let all = asked(&mut session, LedgerFilter::default());
        assert_eq!(
            (all.total, all.matching, all.rows.len(), all.topics.as_slice()),
            (2, 2, 2, &["OrderTopic".to_owned()][..])
        );
        assert_eq!(all.counts[0], (Verdict::ExactlyRight, 2));
        // The first thing that happened was the first send.
        assert_eq!(all.rows[0].sent_at, Some(0));
        let told = all.rows[0].told_at.unwrap();
        let Answer::Event(event) = session.ask(Query::Event { seq: told }) else { panic!("no event {told}") };
        assert_eq!((event.node.as_str(), event.at_us <= all.rows[0].account.told_us.unwrap()), ("producer", true));
        let one = asked(&mut session, LedgerFilter { text: "M2".to_owned(), ..LedgerFilter::default() });
        assert_eq!((one.total, one.matching, one.rows[0].account.name.as_deref()), (2, 1, Some("M2")));
        let lost = LedgerFilter { verdict: Some(Verdict::Lost), ..LedgerFilter::default() };
        assert_eq!(asked(&mut session, lost).matching, 0);
    }

    /// What was asked before is of no weight: neither at another moment, nor on another branch at the same event, nor in
    /// another run at its own.
    #[test]
    fn each_moment_has_its_own_ledger() {
        let names = |session: &mut Session| -> Vec<Option<String>> {
            let picture = asked(session, LedgerFilter::default());
            picture.rows.into_iter().map(|row| row.account.name).collect()
        };
        let named =
            |names: &[&str]| -> Vec<Option<String>> { names.iter().map(|name| Some((*name).to_owned())).collect() };
        let mut session = Session::new();
        session.ask(Query::StartSandbox { cluster: None, seed: 1 });
        assert_eq!(names(&mut session), []);
        session.ask(Query::Act { action: sent("M1") });
        assert_eq!(names(&mut session), named(&["M1"]));
        session.ask(Query::Seek { position: 0 });
        assert_eq!(names(&mut session), []);
        session.ask(Query::Act { action: sent("M2") });
        assert_eq!(names(&mut session), named(&["M2"]));
        session.ask(Query::Switch { branch: 0 });
        assert_eq!(names(&mut session), named(&["M1"]));
        // A cluster with one node less: its world after no event has the hash of every other's.
        let mut cluster = sandbox_cluster();
        cluster.consumers.clear();
        session.ask(Query::StartSandbox { cluster: Some(Box::new(cluster)), seed: 1 });
        assert_eq!(names(&mut session), []);
    }

    /// The put is answered before the flush: the event of the put is the one that breaks the promise.
    #[test]
    fn a_run_stops_where_an_invariant_is_broken_and_says_so_there() {
        let mut cluster = sandbox_cluster();
        cluster.brokers[0].config.insert("flushDiskType".to_owned(), "SYNC_FLUSH".to_owned());
        cluster.planted = vec![PlantedFault::ReplyBeforeFlush];
        let mut session = Session::new();
        session.ask(Query::StartSandbox { cluster: Some(Box::new(cluster)), seed: 1 });
        session.ask(Query::Act { action: sent("M1") });
        let Answer::Workbench(bench) = session.ask(Query::Run { events: 1000 }) else { panic!("no workbench") };
        let broken = &bench.broken[0];
        assert_eq!((bench.broken.len(), broken.invariant), (1, Invariant::FlushedBeforeAnswer));
        assert_eq!((broken.seq + 1, broken.node.as_str()), (bench.run.position, "broker-a"));
        assert!(!bench.run.at_rest, "the answer is on its way");
        // Before that event nothing is broken; behind it, it is.
        let Answer::Workbench(before) = session.ask(Query::StepBack) else { panic!("no workbench") };
        assert_eq!(before.broken.len(), 0);
        session.ask(Query::Step);
        let Answer::Workbench(on) = session.ask(Query::Run { events: 1000 }) else { panic!("no workbench") };
        assert_eq!((on.broken.len(), on.run.at_rest), (1, true), "the flush comes, later");
    }
}
