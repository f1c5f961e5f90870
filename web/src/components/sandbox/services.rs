//! The services of a node: each can be stopped, and goes on where it stood. And what a broker can be told beside that.

use rocketscope_engine::sim::Action;
use rocketscope_engine::view::world::{NodeKind, NodePicture};
use yew::{Callback, Html, Properties, classes, component, html, use_state_eq};

use crate::components::form::{Input, Refusal};
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Properties of [`Services`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The node.
    pub node: NodePicture,
    /// Why what was asked for here last was not done.
    pub refusal: Option<Refusal>,
    /// The name under which it does something.
    pub id: String,
    /// Do something.
    pub on_act: Callback<(String, Action)>,
}

/// The services of a node.
#[component]
pub fn Services(props: &Props) -> Html {
    let text = use_text();
    let node = &props.node;
    let reput = use_state_eq(String::new);
    let offset = reput.trim().parse::<i64>();
    let bad = !reput.trim().is_empty() && offset.is_err();
    let on_act: Callback<Action> = {
        let id = props.id.clone();
        props.on_act.reform(move |action| (id.clone(), action))
    };
    let on_reput = {
        let (on_act, broker, offset) = (on_act.clone(), node.name.clone(), offset.clone().ok());
        Callback::from(move |event: yew::SubmitEvent| {
            event.prevent_default();
            if let Some(offset) = offset {
                on_act.emit(Action::ReputFrom { broker: broker.clone(), offset });
            }
        })
    };
    let on_text = {
        let reput = reput.setter();
        Callback::from(move |value| reput.set(value))
    };
    let is_broker = node.kind == NodeKind::Broker;
    let title = format!("services-{}", node.name);
    html! {
        <details class="card act" open={is_broker} data-testid={format!("services:{}", node.name)}>
            <summary class="act-head" data-testid={format!("services-head:{}", node.name)}>
                <Icon glyph={Glyph::Process} />
                <h2 id={title.clone()}>{ text.fill("sandbox.services", &[("node", &node.name)]) }</h2>
                if !node.paused.is_empty() {
                    <span class="pill">{ text.count("sandbox.paused", node.paused.len() as i64) }</span>
                }
                <span class="act-mark"><Icon glyph={Glyph::Down} /></span>
            </summary>
            <div class="form">
                <div class="services" role="group" aria-labelledby={title}>
                    { for node.services.iter().map(|service| {
                        let name = service.name();
                        let paused = node.paused.contains(service);
                        let (node, service) = (node.name.clone(), *service);
                        let on_click = on_act.reform(move |_: yew::MouseEvent| {
                            let (node, service) = (node.clone(), Some(service));
                            if paused { Action::Resume { node, service } } else { Action::Pause { node, service } }
                        });
                        html! {
                            <button
                                key={name}
                                type="button"
                                class={classes!("button", "tiny", paused.then_some("is-paused"))}
                                aria-pressed={paused.to_string()}
                                title={text.get(if paused { "sandbox.resume" } else { "sandbox.pause" })}
                                onclick={on_click}
                                data-testid={format!("service:{name}")}
                            >
                                <Icon glyph={if paused { Glyph::Step } else { Glyph::Pause }} />{ name }
                            </button>
                        }
                    }) }
                </div>
                if is_broker {
                    <form class="form-row is-uneven" onsubmit={on_reput}>
                        <Input
                            id={format!("reput-{}", node.name)}
                            label={text.get("sandbox.reput")}
                            value={(*reput).clone()}
                            on_change={on_text}
                            number=true
                            error={bad.then(|| text.get("sandbox.wrong.number"))}
                        />
                        <button type="submit" class="button" disabled={offset.is_err()}>{ text.get("sandbox.set") }</button>
                    </form>
                }
                if let Some(refusal) = &props.refusal {
                    <p class="warning" role="alert"><Icon glyph={Glyph::Warn} /><span>{ refusal.words.clone() }</span></p>
                }
            </div>
        </details>
    }
}
