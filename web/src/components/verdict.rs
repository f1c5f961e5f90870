//! How a verdict on a message looks, and the rule behind it in words: a picture and a word, never a colour alone.

use rocketscope_engine::ledger::{Rule, Verdict};
use yew::{Html, classes, html};

use crate::components::{Glyph, Icon};
use crate::i18n::Text;

/// The picture of a verdict.
pub const fn glyph(verdict: Verdict) -> Glyph {
    match verdict {
        Verdict::ExactlyRight => Glyph::Tick,
        Verdict::Open => Glyph::Clock,
        Verdict::Duplicated => Glyph::Twice,
        Verdict::OutOfOrder => Glyph::Swap,
        Verdict::Lost => Glyph::Lost,
    }
}

/// The class that colours it.
pub const fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::ExactlyRight => "is-right",
        Verdict::Open => "is-open",
        Verdict::Duplicated => "is-twice",
        Verdict::OutOfOrder => "is-disorder",
        Verdict::Lost => "is-lost",
    }
}

/// Its word.
pub fn word(verdict: Verdict, text: &Text) -> String {
    text.get(&format!("verdict-of.{}", verdict.name()))
}

/// Picture and word.
pub fn mark(verdict: Verdict, text: &Text) -> Html {
    html! {
        <span class={classes!("verdict-mark", class(verdict))}><Icon glyph={glyph(verdict)} />{ word(verdict, text) }</span>
    }
}

/// The rule by which a message came to a verdict.
pub fn rule(rule: Rule, text: &Text) -> Html {
    text.rich(&format!("rule.{}", rule.name()), &[])
}
