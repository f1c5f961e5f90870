//! The newest check: what it read of the op queue, and the row of the table that fired for each half message.

use rocketscope_engine::view::transactions::CheckPicture;
use yew::{Html, Properties, component, html};

use crate::components::store::format;
use crate::i18n::use_text;

/// Properties of [`LastCheck`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The check; there need not have been one.
    pub check: Option<CheckPicture>,
    /// From which age on a message is asked about, milliseconds.
    pub timeout_ms: i64,
    /// How often a message is asked about.
    pub max: i32,
}

/// The newest check.
#[component]
pub(super) fn LastCheck(props: &Props) -> Html {
    let text = use_text();
    let Some(check) = &props.check else {
        return html! { <p class="small dim" data-testid="no-check">{ text.get("transactions.no-check") }</p> };
    };
    html! {
        <section class="card item" aria-labelledby="check-title" data-testid="last-check">
            <div class="item-head">
                <h3 id="check-title">{ text.get("transactions.last-check") }</h3>
                <span class="small num item-end">{ format::time(check.start_ms) }</span>
            </div>
            <p class="small dim">
                { text.fill("transactions.check-span", &[("from", &check.half_from), ("to", &check.half_to), ("op", &check.op_from)]) }
            </p>
            <dl class="facts">
                <dt>{ "removeMap" }</dt>
                <dd data-testid="remove-map">
                    if check.remove_map.is_empty() {
                        <span class="dim">{ text.get("transactions.empty") }</span>
                    } else {
                        <ul class="chips">
                            { for check.remove_map.iter().map(|(half, op)| html! {
                                <li key={*half} class="chip">{ text.fill("transactions.removes", &[("half", half), ("op", op)]) }</li>
                            }) }
                        </ul>
                    }
                </dd>
                <dt>{ "doneOpOffset" }</dt>
                <dd data-testid="done-ops">
                    if check.done.is_empty() {
                        <span class="dim">{ text.get("transactions.empty") }</span>
                    } else {
                        <ul class="chips">{ for check.done.iter().enumerate().map(|(key, op)| html! { <li {key} class="chip">{ op }</li> }) }</ul>
                    }
                </dd>
            </dl>
            if check.earlier > 0 {
                <p class="small dim">{ text.fill("transactions.earlier", &[("count", &check.earlier)]) }</p>
            }
            <ol class="decisions" aria-label={text.get("transactions.decisions")}>
                { for check.decisions.iter().enumerate().map(|(key, decision)| html! {
                    <li {key} data-testid={format!("decision:{}", decision.half_offset)} data-row={decision.row.to_string()}>
                        <span class="row-number" title={text.fill("transactions.row", &[("row", &decision.row)])}>{ decision.row }</span>
                        <div>
                            <p class="small">
                                <b>{ text.fill("transactions.half-at", &[("half", &decision.half_offset)]) }</b>
                                if let Some(name) = &decision.name {
                                    { " " }<b>{ name.clone() }</b>
                                }
                            </p>
                            <p class="small">
                                { text.fill(&format!("transactions.row-{}", decision.row), &[
                                    ("timeout", &format::span(props.timeout_ms)),
                                    ("max", &props.max),
                                ]) }
                            </p>
                        </div>
                    </li>
                }) }
            </ol>
        </section>
    }
}
