//! Which messages of the ledger are shown.

use rocketscope_engine::ledger::Verdict;
use rocketscope_engine::view::ledger::{LedgerFilter, LedgerPicture};
use yew::{Callback, Html, Properties, component, html};

use crate::components::Icon;
use crate::components::form::{Choice, Input};
use crate::components::verdict::{glyph, word};
use crate::i18n::use_text;

/// Properties of [`Filters`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// What is asked for now.
    pub filter: LedgerFilter,
    /// What there is.
    pub picture: LedgerPicture,
    /// Something else is asked for.
    pub on_filter: Callback<LedgerFilter>,
}

/// A button for each verdict that occurs, lists of topics and groups, and a field to search in.
#[component]
pub(super) fn Filters(props: &Props) -> Html {
    let text = use_text();
    let (filter, picture) = (&props.filter, &props.picture);
    let to = |change: fn(&mut LedgerFilter, String)| {
        let filter = filter.clone();
        props.on_filter.reform(move |value: String| {
            let mut filter = filter.clone();
            change(&mut filter, value);
            filter
        })
    };
    let matching = text.fill("ledger.count", &[("matching", &picture.matching), ("total", &picture.total)]);
    html! {
        <section class="ledger-filters" aria-label={text.get("ledger.filter")}>
            <div class="chips" role="group" aria-label={text.get("ledger.verdict")}>
                { verdict_button(None, picture.total, props, &text.get("ledger.any-verdict")) }
                { for picture.counts.iter().filter(|(verdict, count)| *count > 0 || filter.verdict == Some(*verdict)).map(|(verdict, count)| {
                    verdict_button(Some(*verdict), *count, props, &word(*verdict, &text))
                }) }
            </div>
            <div class="ledger-lists">
                if picture.topics.len() > 1 {
                    <Choice
                        id="ledger-topic"
                        label={text.get("ledger.topic")}
                        options={picture.topics.clone()}
                        none={text.get("ledger.any-topic")}
                        value={filter.topic.clone().unwrap_or_default()}
                        on_change={to(|filter, value| filter.topic = Some(value).filter(|value| !value.is_empty()))}
                    />
                }
                if picture.groups.len() > 1 {
                    <Choice
                        id="ledger-group"
                        label={text.get("ledger.group")}
                        options={picture.groups.clone()}
                        none={text.get("ledger.any-group")}
                        value={filter.group.clone().unwrap_or_default()}
                        on_change={to(|filter, value| filter.group = Some(value).filter(|value| !value.is_empty()))}
                    />
                }
                <Input
                    id="ledger-search"
                    label={text.get("ledger.search")}
                    value={filter.text.clone()}
                    on_change={to(|filter, value| filter.text = value)}
                />
            </div>
            <p class="small dim" role="status" data-testid="ledger-count">{ matching }</p>
        </section>
    }
}

fn verdict_button(verdict: Option<Verdict>, count: u32, props: &Props, words: &str) -> Html {
    let here = props.filter.verdict == verdict;
    let filter = props.filter.clone();
    let onclick = props.on_filter.reform(move |_: yew::MouseEvent| LedgerFilter { verdict, ..filter.clone() });
    let name = verdict.map_or("all", Verdict::name);
    html! {
        <button
            key={name}
            type="button"
            class="button tiny"
            aria-pressed={here.to_string()}
            {onclick}
            data-testid={format!("ledger-verdict:{name}")}
        >
            if let Some(verdict) = verdict {
                <Icon glyph={glyph(verdict)} />
            }
            { words }{ " " }<span class="num">{ count }</span>
        </button>
    }
}
