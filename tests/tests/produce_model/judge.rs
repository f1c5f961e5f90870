//! What a user would ask once everything has healed.

use rocketscope_engine::message::transaction::{DISCARD_TOPIC, HALF_TOPIC};

use crate::case::{BrokerShape, Case};
use crate::cluster::DELAYS_MS;
use crate::exception::{Exception, Tally};
use crate::ledger::{Acknowledged, End, Sent};
use crate::logs::{Found, Logs};
use crate::play::Play;

const SCHEDULE: &str = "SCHEDULE_TOPIC_XXXX";

/// Where half messages wait, and where those end that nobody decides.
const HALF_TOPICS: [&str; 2] = [HALF_TOPIC, DISCARD_TOPIC];

pub(crate) struct Judge<'a> {
    case: &'a Case,
    pub(crate) play: &'a Play,
    pub(crate) logs: Logs,
    pub(crate) tally: Tally,
}

/// Judges a case that has healed; what is wrong, if anything.
pub(crate) fn judge(case: &Case, play: &Play) -> Result<Tally, String> {
    if let Some(broken) = &play.ledger.broken {
        return Err(format!("{broken:?}"));
    }
    judge_logs(case, play, Logs::read(&play.world, &play.masters))
}

/// The same by what the masters' logs are said to hold.
pub(crate) fn judge_logs(case: &Case, play: &Play, logs: Logs) -> Result<Tally, String> {
    let tally = Tally { cases: 1, events: play.ledger.events, ..Tally::default() };
    let mut judge = Judge { case, play, logs, tally };
    for acknowledged in &play.ledger.acknowledged {
        judge.acknowledged(acknowledged)?;
    }
    for _ in 0..play.ledger.removed_files {
        judge.excuse(Some(Exception::StartRefused), || "a broker refuses to start".to_owned())?;
    }
    judge.contents()?;
    judge.times()?;
    judge.halves()?;
    Ok(judge.tally)
}

impl Judge<'_> {
    /// Is it stored, and can a consumer see it?
    fn acknowledged(&mut self, told: &Acknowledged) -> Result<(), String> {
        self.tally.acknowledged += 1;
        let copies = self.logs.by_id.get(&told.id).cloned().unwrap_or_default();
        let sent = told.key.as_ref().and_then(|key| self.play.ledger.sent.get(key));
        let name = told.key.clone().unwrap_or_else(|| told.id.clone());
        if copies.is_empty() {
            let why = self.why_lost(told, sent);
            let log = self.play.world.broker(&told.broker).and_then(|broker| broker.store()).map(|store| {
                let files: Vec<_> = store.commit_log_files().collect();
                format!("{files:?}, read to {}", store.max_phy_offset())
            });
            return self.excuse(why, || {
                format!("{name} was acknowledged by {} and is stored nowhere; its log is {log:?}", told.broker)
            });
        }
        if sent.is_some_and(|sent| sent.half) {
            return Ok(());
        }
        let delayed = sent.is_some_and(|sent| sent.level > 0);
        self.tally.delayed += u64::from(delayed);
        if copies.iter().any(|copy| copy.topic != SCHEDULE && copy.has_unit) {
            return Ok(());
        }
        let why = self.why_unseen(&copies, delayed);
        self.excuse(why, || format!("{name} is stored, and no consumer can see it: {copies:?}"))
    }

    fn shape(&self, broker: &str) -> Option<BrokerShape> {
        let number = self.play.masters.iter().position(|master| master == broker)?;
        self.case.shape.brokers.get(number).copied()
    }

    /// Whether the end of the log was taken since then: by a power loss, or by a kill while appends go through a buffer.
    pub(crate) fn loses(&self, broker: &str, since_us: i64) -> bool {
        let pools = self.shape(broker).is_some_and(BrokerShape::pools);
        let takes = |end| end == End::PowerLoss || pools && end == End::Kill;
        self.play.ledger.ended_since(broker, since_us, takes)
    }

    fn why_lost(&self, told: &Acknowledged, sent: Option<&Sent>) -> Option<Exception> {
        let lost_power = self.play.ledger.ended_since(&told.broker, told.began_us, |end| end == End::PowerLoss);
        let flushed = self.shape(&told.broker).is_some_and(|shape| shape.sync_flush);
        let waits = sent.is_none_or(|sent| sent.wait);
        if !lost_power {
            self.loses(&told.broker, told.began_us).then_some(Exception::OnlyInPool)
        } else if flushed && waits {
            let killed = self.play.ledger.ended_since(&told.broker, i64::MIN, |end| end == End::Kill);
            killed.then_some(Exception::BehindHole)
        } else {
            Some(Exception::NotFlushed)
        }
    }

    pub(crate) fn why_unseen(&self, copies: &[Found], delayed: bool) -> Option<Exception> {
        let ledger = &self.play.ledger;
        let lost_power = |broker: &str| self.loses(broker, i64::MIN);
        let broker = &copies.first()?.broker;
        if ledger.failed_disks.contains(broker) {
            return Some(Exception::UnitNotWritten);
        }
        let waits_with_unit = copies.iter().any(|copy| copy.topic == SCHEDULE && copy.has_unit);
        let crashed = |broker: &str| ledger.ended_since(broker, i64::MIN, |end| end != End::Stop);
        if !copies.iter().any(|copy| lost_power(&copy.broker)) {
            let set_back = ledger.clocks_set_back.contains(broker) && crashed(broker);
            set_back.then_some(Exception::RecoveryBeganLater)
        } else if delayed && waits_with_unit {
            Some(Exception::ProgressAhead)
        } else {
            Some(Exception::QueueBehindLog)
        }
    }

    /// Every record is the message that was sent.
    fn contents(&self) -> Result<(), String> {
        let copies = self.logs.by_id.iter().flat_map(|(id, copies)| copies.iter().map(move |copy| (id, copy)));
        for (id, copy) in copies {
            let Some(key) = &copy.key else { continue };
            let ledger = &self.play.ledger;
            let sent = ledger.sent.get(key).ok_or_else(|| format!("nobody sent {key}: {copy:?}"))?;
            let mistaken = ledger.said.mistaken.contains(&copy.broker);
            if sent.half && copy.topic == sent.topic && !ledger.said.is_committed(id) && !mistaken {
                return Err(format!("{key} can be consumed, and nobody has committed it: {copy:?}"));
            }
            let may_be = copy.topic == sent.topic
                || if sent.half { HALF_TOPICS.contains(&copy.topic.as_str()) } else { copy.topic == SCHEDULE };
            if sent.body != copy.body || !may_be {
                return Err(format!("{key} is another message than the one sent: {copy:?}"));
            }
        }
        Ok(())
    }

    /// No delayed message is where consumers look before its time.
    fn times(&mut self) -> Result<(), String> {
        let mut early = Vec::new();
        for copies in self.logs.by_id.values() {
            let Some(sent) = copies.first().and_then(|copy| self.play.ledger.sent.get(copy.key.as_ref()?)) else {
                continue;
            };
            let Some(delay_ms) = usize::from(sent.level).checked_sub(1).and_then(|at| DELAYS_MS.get(at)) else {
                continue;
            };
            for copy in copies.iter().filter(|copy| copy.topic != SCHEDULE) {
                // A retry may have stored it twice: it must be late enough for one of them.
                let waiting = copies.iter().filter(|other| other.broker == copy.broker && other.topic == SCHEDULE);
                let first = waiting.filter(|other| other.at < copy.at).map(|other| other.store_ms).min();
                if first.is_none_or(|first| copy.store_ms < first + delay_ms) {
                    early.push(copy.clone());
                }
            }
        }
        for copy in early {
            let crashed =
                self.play.ledger.ended_since(&copy.broker, i64::MIN, |end| matches!(end, End::Kill | End::PowerLoss));
            let set_back = self.play.ledger.clocks_set_back.contains(&copy.broker);
            let set_back = set_back.then_some(Exception::ClockSetBack);
            let why = set_back.or(crashed.then_some(Exception::DelayedWithoutTime));
            self.excuse(why, || format!("a delayed message was delivered before its time: {copy:?}"))?;
        }
        Ok(())
    }

    pub(crate) fn excuse(&mut self, why: Option<Exception>, what: impl Fn() -> String) -> Result<(), String> {
        match why {
            Some(exception) if !self.case.kind.forbids(exception) => {
                *self.tally.exceptions.entry((self.case.kind, exception)).or_default() += 1;
                Ok(())
            }
            Some(exception) => Err(format!("{} ({exception:?}, which such a case forbids)", what())),
            None => Err(what()),
        }
    }
}
