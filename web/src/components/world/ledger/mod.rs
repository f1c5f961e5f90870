//! The ledger: what became of every message, filtered, each with its rule in words.

mod filters;
mod row;

use rocketscope_engine::view::ledger::LedgerFilter;
use rocketscope_engine::view::{Answer, Query};
use yew::{Callback, Html, component, html, use_state_eq};

use self::filters::Filters;
use self::row::Row;
use crate::backend::use_ask;
use crate::components::store::{Waiting, use_store_context};
use crate::i18n::use_text;

/// The messages of the run at its present position.
#[component]
pub fn LedgerPane() -> Html {
    let text = use_text();
    let context = use_store_context();
    let filter = use_state_eq(LedgerFilter::default);
    let asked = use_ask(Some(Query::Ledger { filter: (*filter).clone(), from: 0 }), context.revision);
    let Some(Answer::Ledger(picture)) = asked.answer.as_deref() else { return html! { <Waiting {asked} /> } };
    let on_filter = {
        let filter = filter.setter();
        Callback::from(move |to| filter.set(to))
    };
    let left_out = picture.matching.saturating_sub(u32::try_from(picture.rows.len()).unwrap_or(u32::MAX));
    html! {
        <div class="pane world" data-testid="ledger">
            <h2 class="label">{ text.get("ledger.title") }</h2>
            <p class="narration">{ text.get("ledger.says") }</p>
            if picture.total == 0 {
                <p class="small dim">{ text.get("ledger.empty") }</p>
            } else {
                <Filters filter={(*filter).clone()} picture={(**picture).clone()} {on_filter} />
                { for picture.down.iter().map(|broker| html! {
                    <p key={broker.clone()} class="small dim">{ text.fill("ledger.down", &[("broker", broker)]) }</p>
                }) }
                if picture.rows.is_empty() {
                    <p class="small dim">{ text.get("ledger.nothing-matches") }</p>
                }
                <ol class="world-list">
                    { for picture.rows.iter().map(|row| html! {
                        <Row key={format!("{}/{}/{}", row.account.producer, row.account.number, row.account.msg_id.clone().unwrap_or_default())} row={row.clone()} />
                    }) }
                </ol>
                if left_out > 0 {
                    <p class="small dim">{ text.fill("ledger.older", &[("count", &left_out)]) }</p>
                }
            }
        </div>
    }
}
