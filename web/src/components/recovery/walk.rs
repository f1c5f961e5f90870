//! The steps of a recovery, one after the other, each on its bytes.

use rocketscope_engine::view::recovery::{RecoveryItem, RecoveryPhase};
use yew::{
    Callback, Html, KeyboardEvent, Properties, classes, component, html, use_callback, use_effect_with, use_node_ref,
    use_state_eq,
};

use super::bytes::Bytes;
use super::items;
use crate::components::menu::rove;
use crate::components::{Glyph, Icon, narrate};
use crate::i18n::{Text, name_of, use_text};

/// Properties of [`Walk`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What was done.
    pub phases: Vec<RecoveryPhase>,
}

/// The steps by phase; the chosen one with its bytes.
#[component]
pub fn Walk(props: &Props) -> Html {
    let text = use_text();
    let list = use_node_ref();
    let chosen = use_state_eq(|| 0_usize);
    let all = items(&props.phases);
    let Some(last) = all.len().checked_sub(1) else { return html! {} };
    let at = (*chosen).min(last);
    let on_item = use_callback((), {
        let chosen = chosen.setter();
        move |to: usize, ()| chosen.set(to)
    });
    // Walking by buttons keeps the item in sight without taking the focus from the button.
    use_effect_with(at, {
        let list = list.clone();
        move |at| {
            let item = list
                .cast::<web_sys::Element>()
                .and_then(|list| list.query_selector(&format!("[data-item='{at}']")).ok().flatten());
            if let Some(item) = item {
                let options = web_sys::ScrollIntoViewOptions::new();
                options.set_block(web_sys::ScrollLogicalPosition::Nearest);
                item.scroll_into_view_with_scroll_into_view_options(&options);
            }
        }
    });
    let step = |to: Option<usize>, key: &str, glyph: Glyph, id: &'static str| {
        let name = text.get(key);
        let on_click = to.map(|to| on_item.reform(move |_: yew::MouseEvent| to));
        html! {
            <button
                type="button"
                class="button tiny icon-only"
                aria-label={name.clone()}
                title={name}
                disabled={to.is_none()}
                onclick={on_click}
                data-testid={id}
            >
                <Icon {glyph} />
            </button>
        }
    };
    let on_key = {
        let list = list.clone();
        Callback::from(move |event: KeyboardEvent| {
            let key = event.key();
            if matches!(key.as_str(), "ArrowDown" | "ArrowUp" | "Home" | "End") && rove(&list, "[data-item]", &key) {
                event.prevent_default();
            }
        })
    };
    let mut first = 0;
    html! {
        <section class="walk" aria-labelledby="walk-title">
            <div class="walk-head">
                <h3 class="label" id="walk-title">{ text.get("recovery.walk") }</h3>
                <span class="dim small mono" aria-live="polite" data-testid="recovery-position">
                    { text.fill("recovery.position", &[("item", &(at + 1)), ("count", &all.len())]) }
                </span>
                { step(at.checked_sub(1), "recovery.previous", Glyph::Back, "recovery-previous") }
                { step((at < last).then_some(at + 1), "recovery.next", Glyph::Step, "recovery-next") }
            </div>
            <div class="phases" ref={list.clone()} onkeydown={on_key}>
                { for props.phases.iter().map(|phase| {
                    let from = first;
                    first += phase.items.len();
                    draw_phase(phase, from, at, &on_item, &text)
                }) }
            </div>
            if let Some((_, item)) = all.get(at) {
                <Bytes item={(*item).clone()} />
            }
        </section>
    }
}

/// A phase and its items, whose numbers begin with `from`.
fn draw_phase(phase: &RecoveryPhase, from: usize, at: usize, on_item: &Callback<usize>, text: &Text) -> Html {
    let name = name_of(&phase.kind);
    html! {
        <section key={name.clone()} class="phase" data-phase={name.clone()}>
            <h4>{ text.get(&format!("phase.{name}")) }</h4>
            <ol class="phase-items" start={(from + 1).to_string()}>
                { for phase.items.iter().enumerate().map(|(index, item)| draw_item(item, from + index, at, on_item, text)) }
            </ol>
            if phase.left_out > 0 {
                <p class="dim small">{ text.fill("recovery.left-out", &[("count", &phase.left_out)]) }</p>
            }
        </section>
    }
}

fn draw_item(item: &RecoveryItem, number: usize, at: usize, on_item: &Callback<usize>, text: &Text) -> Html {
    let here = number == at;
    html! {
        <li
            key={number}
            class={classes!("phase-item", here.then_some("is-here"))}
            aria-current={here.then_some("step")}
            onclick={on_item.reform(move |_: yew::MouseEvent| number)}
        >
            <button
                type="button"
                class="phase-number mono"
                tabindex={if here { "0" } else { "-1" }}
                aria-label={text.fill("recovery.position", &[("item", &(number + 1)), ("count", &"…")])}
                onfocus={on_item.reform(move |_: yew::FocusEvent| number)}
                data-item={number.to_string()}
            >
                { number + 1 }
            </button>
            <span>{ narrate::fact(&item.what, text) }</span>
        </li>
    }
}
