//! What a commit log file holds, in order.

use rocketscope_engine::view::store::{LogItem, RecordsWindow, StoreAnswer, StoreQuery};
use yew::{Callback, Html, Properties, component, html, use_effect_with, use_state_eq};

use super::context::{Num, Waiting, num, use_picture, use_store_context};
use crate::components::{Glyph, Icon};
use crate::i18n::{name_of, use_text};
use crate::route::Place;

/// Rows of a page of the list.
const PAGE: u32 = 100;

/// Properties of [`Records`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Where the list begins.
    pub from: i64,
}

/// The records from an offset on, a page at a time.
#[component]
pub fn Records(props: &Props) -> Html {
    let text = use_text();
    let context = use_store_context();
    // The starts of the pages before this one; the last is this page's.
    let pages = use_state_eq(|| vec![props.from]);
    use_effect_with(props.from, {
        let pages = pages.clone();
        move |from| pages.set(vec![*from])
    });
    let from = pages.last().copied().unwrap_or(props.from);
    let asked = use_picture(Some(StoreQuery::Records { from, limit: PAGE }));
    let Some(StoreAnswer::Records(window)) = asked.store() else { return html! { <Waiting {asked} /> } };
    let on_next = window.next.map(|next| {
        let pages = pages.clone();
        Callback::from(move |_: yew::MouseEvent| {
            let mut more = (*pages).clone();
            more.push(next);
            pages.set(more);
        })
    });
    let on_previous = (pages.len() > 1).then(|| {
        let pages = pages.clone();
        Callback::from(move |_: yew::MouseEvent| {
            let mut fewer = (*pages).clone();
            fewer.pop();
            pages.set(fewer);
        })
    });
    html! {
        <section class="detail" aria-labelledby="records-title" data-testid="records">
            <div class="detail-head">
                <h2 class="label" id="records-title">{ text.get("records.title") }</h2>
                <span class="row-end">
                    <button type="button" class="button tiny" disabled={on_previous.is_none()} onclick={on_previous}>
                        <Icon glyph={Glyph::Previous} />{ text.get("list.previous") }
                    </button>
                    <button type="button" class="button tiny" disabled={on_next.is_none()} onclick={on_next}>
                        <Icon glyph={Glyph::Next} />{ text.get("list.next") }
                    </button>
                </span>
            </div>
            <p class="narration">
                { text.rich("records.says", &[
                    ("min", num(context.position(window.min_offset), None)),
                    ("end", num(context.position(window.end_offset), None)),
                ]) }
            </p>
            { table(window, &context, &text) }
        </section>
    }
}

fn table(window: &RecordsWindow, context: &super::context::StoreContext, text: &crate::i18n::Text) -> Html {
    html! {
        <table class="table">
            <thead>
                <tr>
                    <th scope="col" class="right">{ text.get("records.offset") }</th>
                    <th scope="col" class="right">{ text.get("records.size") }</th>
                    <th scope="col">{ text.get("records.queue") }</th>
                    <th scope="col" class="right">{ text.get("records.queue-offset") }</th>
                </tr>
            </thead>
            <tbody>
                { for window.items.iter().map(|item| {
                    let at = item.physical_offset();
                    let offset = html! { <Num value={context.position(at)} to={Place::Record { at }} /> };
                    let other = |class: &'static str, words: Html| html! {
                        <tr key={at} {class}>
                            <td class="right num">{ context.position(at) }</td>
                            <td colspan="3">{ words }</td>
                        </tr>
                    };
                    match item {
                        LogItem::Record(row) => html! {
                            <tr key={at}>
                                <td class="right">{ offset }</td>
                                <td class="right num">{ row.size }</td>
                                <td>{ format!("{}/{}", row.topic, row.queue_id) }</td>
                                <td class="right">
                                    { num(row.queue_offset, Some(Place::Queues {
                                        queue: Some((row.topic.clone(), row.queue_id)),
                                        unit: Some(row.queue_offset),
                                    })) }
                                </td>
                            </tr>
                        },
                        LogItem::Blank { remaining, .. } => {
                            other("dim", text.rich("records.blank", &[("bytes", num(remaining, None))]))
                        }
                        LogItem::Unwritten { end, .. } => {
                            other("dim", text.rich("records.unwritten", &[("end", num(context.position(*end), None))]))
                        }
                        LogItem::Bad { problem, .. } => {
                            other("is-bad", html! { text.get(&format!("problem.{}", name_of(problem))) })
                        }
                        LogItem::MissingFile { end, .. } => {
                            other("is-bad", text.rich("records.missing", &[("end", num(context.position(*end), None))]))
                        }
                    }
                }) }
            </tbody>
        </table>
    }
}
