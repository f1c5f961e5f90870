//! The process: kill it, stop it, start it, start another one beside it.

use rocketscope_engine::sim::{Action, NodeState};
use rocketscope_engine::view::world::{NodeKind, NodePicture};
use yew::{Callback, Html, Properties, component, html};

use super::deed::Deed;
use super::state_words;
use crate::components::Glyph;
use crate::i18n::use_text;

/// Properties of [`Panel`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The node.
    pub node: NodePicture,
    /// Do something.
    pub on_act: Callback<Action>,
}

/// What can be done to a process.
#[component]
pub fn Panel(props: &Props) -> Html {
    let text = use_text();
    let node = &props.node;
    let down = node.state == NodeState::Down;
    let act = |action: fn(String) -> Action| {
        let name = node.name.clone();
        props.on_act.reform(move |()| action(name.clone()))
    };
    let broker = node.kind == NodeKind::Broker;
    html! {
        <>
            <p class="dim small" data-testid="fault-life">
                { text.fill("life.says", &[("node", &node.name), ("state", &state_words(node, &text))]) }
            </p>
            <Deed
                glyph={Glyph::Kill}
                title={text.get("fault.kill")}
                says={text.rich(if broker { "fault.kill-broker" } else { "fault.kill-other" }, &[])}
                off={down}
                on_do={act(|node| Action::Kill { node })}
                id="fault-kill"
            />
            <Deed
                glyph={Glyph::Stop}
                title={text.get("fault.stop")}
                says={text.rich(if broker { "fault.stop-broker" } else { "fault.stop-other" }, &[])}
                off={down || node.state == NodeState::Stopping}
                on_do={act(|node| Action::Stop { node })}
                id="fault-stop"
            />
            <Deed
                glyph={Glyph::Step}
                title={text.get("fault.start")}
                says={text.rich(if broker { "fault.start-broker" } else { "fault.start-other" }, &[])}
                off={!down}
                on_do={act(|node| Action::Start { node })}
                id="fault-start"
            />
            if broker {
                <Deed
                    glyph={Glyph::Twice}
                    title={text.get("fault.second")}
                    says={text.rich("fault.second-means", &[])}
                    off={down}
                    on_do={act(|broker| Action::SecondProcess { broker })}
                    id="fault-second"
                />
            }
        </>
    }
}
