//! What becomes of half messages.

use rocketscope_engine::message::transaction::{DISCARD_TOPIC, GROUP, HALF_TOPIC};

use crate::cluster::TOPICS;
use crate::exception::Exception;
use crate::judge::Judge;
use crate::logs::Found;

impl Judge<'_> {
    /// Every half message is decided or given up in the end, and one that was committed can be consumed.
    pub(crate) fn halves(&mut self) -> Result<(), String> {
        for broker in self.play.ledger.said.mistaken.clone() {
            let why = self.loses(&broker, i64::MIN).then_some(Exception::EndOfAnother);
            self.excuse(why, || format!("{broker} lets consumers see a message that nobody has committed"))?;
        }
        for (id, copies) in self.logs.by_id.clone() {
            for broker in self.play.masters.clone() {
                let copies: Vec<Found> = copies.iter().filter(|copy| copy.broker == broker).cloned().collect();
                if copies.iter().any(|copy| copy.topic == HALF_TOPIC) {
                    self.half(&id, &broker, &copies)?;
                }
            }
        }
        Ok(())
    }

    /// A half message by all its records at a broker.
    fn half(&mut self, id: &str, broker: &str, copies: &[Found]) -> Result<(), String> {
        let halves = || copies.iter().filter(|copy| copy.topic == HALF_TOPIC);
        let Some(last) = halves().max_by_key(|copy| copy.at).cloned() else { return Ok(()) };
        let name = last.key.clone().unwrap_or_else(|| id.to_owned());
        let visible: Vec<Found> = copies.iter().filter(|copy| TOPICS.contains(&copy.topic.as_str())).cloned().collect();
        let given_up = copies.iter().any(|copy| copy.topic == DISCARD_TOPIC && copy.at > last.at);
        self.tally.halves += 1;
        self.tally.committed += u64::from(!visible.is_empty());
        self.tally.discarded += u64::from(given_up);
        if !self.is_decided(&last) && !given_up {
            let why = self.why_undecided(&last);
            self.excuse(why, || format!("{name} is neither decided nor given up: {copies:?}"))?;
        }
        let ends = &self.play.ledger.said;
        if !halves().any(|copy| self.is_decided(copy)) || !ends.is_committed(id) || ends.is_rolled_back(id) {
            return Ok(());
        }
        // The op message is written behind the one that consumers read.
        if visible.is_empty() {
            let why = self.loses(broker, i64::MIN).then_some(Exception::EndOfAnother);
            self.excuse(why, || format!("{name} is committed, and there is nothing to be consumed: {copies:?}"))
        } else if visible.iter().any(|copy| copy.has_unit) {
            Ok(())
        } else {
            let why = self.why_unseen(&visible, false);
            self.excuse(why, || format!("{name} is committed, and no consumer can see it: {copies:?}"))
        }
    }

    fn is_decided(&self, half: &Found) -> bool {
        let offsets = [Some(half.queue_offset), half.first_offset];
        offsets.into_iter().flatten().any(|offset| self.logs.decided.contains(&(half.broker.clone(), offset)))
    }

    fn why_undecided(&self, half: &Found) -> Option<Exception> {
        if !half.has_unit {
            return self.why_unseen(std::slice::from_ref(half), false);
        }
        let process = self.play.world.broker(&half.broker).and_then(|broker| broker.process())?;
        let checked = process.offsets().query(GROUP, HALF_TOPIC, 0).unwrap_or(0);
        if checked <= half.queue_offset {
            return None;
        }
        if self.play.ledger.failed_disks.contains(&half.broker) {
            return Some(Exception::DiscardNotPut);
        }
        self.loses(&half.broker, i64::MIN).then_some(Exception::HalfPassedOver)
    }
}
