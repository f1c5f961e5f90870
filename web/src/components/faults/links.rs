//! The network between two nodes.

use rocketscope_engine::sim::Action;
use yew::{Callback, Html, Properties, component, html, use_state_eq};

use super::deed::Deed;
use crate::components::Glyph;
use crate::components::form::Choice;
use crate::i18n::use_text;

/// Properties of [`Panel`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The node.
    pub node: String,
    /// The others.
    pub others: Vec<String>,
    /// Do something.
    pub on_act: Callback<Action>,
}

/// What can be done to a link.
#[component]
pub fn Panel(props: &Props) -> Html {
    let text = use_text();
    let chosen = use_state_eq(|| None::<String>);
    let other = chosen.as_ref().filter(|name| props.others.contains(name)).or(props.others.first()).cloned();
    let Some(other) = other else { return html! { <p class="dim">{ text.get("link.none") }</p> } };
    let act = |action: fn(String, String) -> Action| {
        let (a, b) = (props.node.clone(), other.clone());
        props.on_act.reform(move |()| action(a.clone(), b.clone()))
    };
    html! {
        <>
            <Choice
                label={text.fill("link.between", &[("node", &props.node)])}
                options={props.others.clone()}
                value={other.clone()}
                on_change={Callback::from({ let chosen = chosen.clone(); move |to| chosen.set(Some(to)) })}
            />
            <Deed
                glyph={Glyph::Cut}
                title={text.get("link.cut")}
                says={Html::from(text.get("link.cut-means"))}
                on_do={act(|a, b| Action::Cut { a, b })}
                id="link-cut"
            />
            <Deed
                glyph={Glyph::Pause}
                title={text.get("link.stall")}
                says={Html::from(text.get("link.stall-means"))}
                on_do={act(|a, b| Action::Stall { a, b })}
                id="link-stall"
            />
            <Deed
                glyph={Glyph::Mend}
                title={text.get("link.mend")}
                says={Html::from(text.get("link.mend-means"))}
                on_do={act(|a, b| Action::Mend { a, b })}
                id="link-mend"
            />
        </>
    }
}
