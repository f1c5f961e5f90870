//! What became of each message over all crashes.

use std::collections::BTreeMap;

use rocketscope_engine::ledger::Verdict;
use yew::{Html, Properties, classes, component, html};

use super::pick::{is_of, verdict_of};
use crate::components::verdict;
use crate::i18n::use_text;
use crate::screens::Results;

/// Properties of [`Summary`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The matrix.
    pub results: Results,
    /// Only this fault.
    pub fault: Option<String>,
    /// Only this node.
    pub target: Option<String>,
}

/// Worlds by verdict.
type Counts = [u32; Verdict::ALL.len()];

fn count(counts: &mut Counts, verdict: Verdict) {
    if let Some(count) = counts.get_mut(verdict as usize) {
        *count += 1;
    }
}

/// The table of sums: all worlds by their worst message, then each message.
#[component]
pub fn Summary(props: &Props) -> Html {
    let text = use_text();
    let mut worlds = Counts::default();
    let mut messages: BTreeMap<(String, u32), (String, Counts)> = BTreeMap::new();
    for cell in props.results.cells().iter() {
        if !is_of(cell, props.fault.as_deref(), props.target.as_deref()) {
            continue;
        }
        count(&mut worlds, verdict_of(cell));
        for message in &cell.messages {
            let key = (message.producer.clone(), message.number);
            let (_, counts) = messages.entry(key).or_insert_with(|| (message.label(), Counts::default()));
            count(counts, message.verdict);
        }
    }
    let row = |name: String, counts: &Counts| {
        html! {
            <tr key={name.clone()}>
                <th scope="row">{ name }</th>
                { for Verdict::ALL.iter().zip(counts).map(|(verdict, count)| {
                    let class = classes!("num", (*count > 0).then(|| verdict::class(*verdict)), (*count == 0).then_some("dim"));
                    html! { <td {class}>{ *count }</td> }
                }) }
            </tr>
        }
    };
    html! {
        <section class="card mx-summary" aria-label={text.get("matrix.summary")}>
            <table data-testid="matrix-summary">
                <caption class="hidden">{ text.get("matrix.summary") }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ text.get("matrix.worlds") }</th>
                        { for Verdict::ALL.iter().map(|verdict| html! {
                            <th scope="col">{ verdict::mark(*verdict, &text) }</th>
                        }) }
                    </tr>
                </thead>
                <tbody>
                    { row(text.get("matrix.all-worlds"), &worlds) }
                    { for messages.values().map(|(name, counts)| row(name.clone(), counts)) }
                </tbody>
            </table>
        </section>
    }
}
