//! A change in a sentence.

use rocketscope_engine::compare::Change;
use yew::{Html, html};

use crate::i18n::Text;

/// What the second run has otherwise, in a sentence.
pub fn sentence(change: &Change, text: &Text) -> Html {
    let code = |words: &str| html! { <code>{ words.to_owned() }</code> };
    match change {
        Change::Config { node, key, value: Some(value) } => {
            text.rich("compare.change.config", &[("node", code(node)), ("key", code(key)), ("value", code(value))])
        }
        Change::Config { node, key, value: None } => {
            text.rich("compare.change.unset", &[("node", code(node)), ("key", code(key))])
        }
        Change::AddSlave { master } => text.rich("compare.change.add-slave", &[("master", code(master))]),
        Change::AddConsumer { like } => text.rich("compare.change.add-consumer", &[("like", code(like))]),
        Change::RemoveNode { node } => text.rich("compare.change.remove-node", &[("node", code(node))]),
        Change::RecordKey { consumer, key } => {
            text.rich("compare.change.record-key", &[("consumer", code(consumer)), ("key", code(key))])
        }
        Change::Seed { seed } => text.rich("compare.change.seed", &[("seed", code(&seed.to_string()))]),
    }
}
