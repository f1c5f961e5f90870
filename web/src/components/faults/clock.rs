//! The wall clock of a machine set to another time.

use rocketscope_engine::sim::Action;
use yew::{Callback, Html, MouseEvent, Properties, component, html, use_state_eq};

use super::survives::NumberField;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Jumps that people meet: a leap of NTP, a wrong time zone, a day. Seconds.
const USUAL: [(i64, &str); 6] = [
    (-3600, "clock.hour-back"),
    (-60, "clock.minute-back"),
    (60, "clock.minute-on"),
    (3600, "clock.hour-on"),
    (8 * 3600, "clock.zone-on"),
    (72 * 3600, "clock.three-days-on"),
];

/// Properties of [`Panel`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The node.
    pub node: String,
    /// Do something.
    pub on_act: Callback<Action>,
}

/// How far the clock jumps.
#[component]
pub fn Panel(props: &Props) -> Html {
    let text = use_text();
    let seconds = use_state_eq(String::new);
    let ms = seconds.trim().parse::<i64>().ok().and_then(|seconds| seconds.checked_mul(1000)).filter(|ms| *ms != 0);
    let jump = |ms: i64| {
        let node = props.node.clone();
        props.on_act.reform(move |_: MouseEvent| Action::JumpClock { node: node.clone(), ms })
    };
    html! {
        <>
            <p>{ text.rich("clock.means", &[]) }</p>
            <div class="fault-buttons">
                { for USUAL.iter().map(|(seconds, key)| html! {
                    <button
                        key={*key}
                        type="button"
                        class="button"
                        onclick={jump(seconds * 1000)}
                        data-testid={format!("clock:{seconds}")}
                    >
                        <Icon glyph={Glyph::Clock} />{ text.get(key) }
                    </button>
                }) }
            </div>
            <div class="choice-numbers">
                <NumberField
                    id="seconds"
                    label={text.get("clock.seconds")}
                    value={(*seconds).clone()}
                    bad={ms.is_none() && !seconds.is_empty()}
                    on_change={Callback::from({ let seconds = seconds.clone(); move |to| seconds.set(to) })}
                />
                <button
                    type="button"
                    class="button danger"
                    disabled={ms.is_none()}
                    onclick={jump(ms.unwrap_or_default())}
                    data-testid="fault-clock"
                >
                    <Icon glyph={Glyph::Clock} />{ text.get("clock.do") }
                </button>
            </div>
        </>
    }
}
