//! A process is killed right before a turn of one of its services.

use rocketscope_engine::node::Service;
use rocketscope_engine::sim::{Action, CrashWhen};
use rocketscope_engine::view::world::NodePicture;
use yew::{Callback, Html, MouseEvent, Properties, component, html, use_state_eq};

use super::survives::NumberField;
use crate::components::form::Choice;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Services that people set traps at first: what an application does with its database, and what a broker stores.
const USUAL: [Service; 2] = [Service::Application, Service::Put];

/// Properties of [`Panel`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The node.
    pub node: NodePicture,
    /// Do something.
    pub on_act: Callback<Action>,
}

/// Before which turn.
#[component]
pub fn Panel(props: &Props) -> Html {
    let text = use_text();
    let services = &props.node.services;
    let usual = USUAL.into_iter().find(|service| services.contains(service)).or(services.first().copied());
    let chosen = use_state_eq(|| usual);
    let entered = use_state_eq(|| "1".to_owned());
    let service = chosen.filter(|service| services.contains(service)).or(usual);
    let turn = entered.trim().parse::<u32>().ok().filter(|turn| *turn > 0);
    let action = service
        .zip(turn)
        .map(|(service, turn)| Action::CrashWhen(Box::new(CrashWhen { node: props.node.name.clone(), service, turn })));
    let disabled = action.is_none();
    let on_click = {
        let on_act = props.on_act.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(action) = action.clone() {
                on_act.emit(action);
            }
        })
    };
    let on_service = {
        let (services, chosen) = (services.clone(), chosen.setter());
        Callback::from(move |name: String| {
            chosen.set(services.iter().copied().find(|service| service.name() == name));
        })
    };
    html! {
        <>
            <p>{ text.rich("fault.before-means", &[]) }</p>
            <div class="choice-numbers">
                <Choice
                    id="fault-before-service"
                    label={text.get("fault.before-service")}
                    options={services.iter().map(|service| service.name().to_owned()).collect::<Vec<_>>()}
                    value={service.map(|service| service.name().to_owned()).unwrap_or_default()}
                    on_change={on_service}
                />
                <NumberField
                    id="before"
                    label={text.get("fault.before-number")}
                    value={(*entered).clone()}
                    bad={turn.is_none()}
                    on_change={Callback::from({ let entered = entered.clone(); move |to| entered.set(to) })}
                />
            </div>
            <button type="button" class="button danger" {disabled} onclick={on_click} data-testid="fault-before-trap">
                <Icon glyph={Glyph::Kill} />{ text.get("fault.trap-do") }
            </button>
        </>
    }
}
