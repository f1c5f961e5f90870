//! What a listener does with certain messages, being described.

use rocketscope_engine::client::consumer::ListenerRule;
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::reading::{Reading, text, word};
use crate::components::cluster::tables::list;
use crate::i18n::name_of;

/// A rule of a listener being described.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Which messages.
    pub when: Condition,
    /// How long a call takes, milliseconds.
    pub takes: String,
    /// Whether the call never returns.
    pub hangs: bool,
    /// What calls come to, a list.
    pub results: String,
    /// The last message of a batch that was a success.
    pub ack_index: String,
    /// The delay level of what goes back.
    pub delay_level: String,
    /// How long the queue rests, milliseconds.
    pub suspend: String,
    /// Whether the application commits by itself.
    pub no_auto_commit: bool,
}

impl Rule {
    pub(super) fn of(rule: &ListenerRule) -> Self {
        Self {
            when: Condition::of(&rule.when),
            takes: text(rule.takes_ms.as_ref()),
            hangs: rule.hangs,
            results: rule.results.iter().map(name_of).collect::<Vec<_>>().join(", "),
            ack_index: text(rule.ack_index.as_ref()),
            delay_level: text(rule.delay_level_when_next_consume.as_ref()),
            suspend: text(rule.suspend_ms.as_ref()),
            no_auto_commit: rule.auto_commit == Some(false),
        }
    }

    pub(super) fn read(&self, at: usize, reading: &mut Reading) -> ListenerRule {
        let field = |name: &str| format!("push.rules.{at}.{name}");
        let when = self.when.read(&format!("push.rules.{at}"), reading);
        let results: Option<Vec<_>> = list(&self.results).iter().map(|result| word(result)).collect();
        if results.is_none() {
            reading.wrong.push((field("results"), "results"));
        }
        ListenerRule {
            when,
            takes_ms: reading.some_number(&field("takes"), &self.takes),
            hangs: self.hangs,
            results: results.unwrap_or_default(),
            ack_index: reading.some_number(&field("ack"), &self.ack_index),
            delay_level_when_next_consume: reading.some_number(&field("level"), &self.delay_level),
            suspend_ms: reading.some_number(&field("suspend"), &self.suspend),
            auto_commit: self.no_auto_commit.then_some(false),
        }
    }
}
