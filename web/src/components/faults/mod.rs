//! The fault menu: everything that can go wrong with a node, its machine and its links.

mod at_turn;
mod at_write;
mod clock;
mod deed;
mod disk;
mod files;
mod links;
mod power;
mod process;
mod survives;

use rocketscope_engine::sim::{Action, NodeState, TraceEvent};
use rocketscope_engine::view::Query;
use rocketscope_engine::view::world::{NodeKind, NodePicture, Ruler, Stage};
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;
use yew::{
    Callback, Html, KeyboardEvent, MouseEvent, Properties, classes, component, html, use_effect_with, use_mut_ref,
    use_node_ref, use_state_eq,
};

use super::menu::{focus_first, rove};
use super::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};

pub use super::aim::{Aim, FaultContext, Section};

/// Properties of [`FaultMenu`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What it is opened for; closed without.
    pub aim: Option<Aim>,
    /// The reader closed it, or what they wanted is done.
    pub on_close: Callback<()>,
    /// The nodes.
    pub stage: Stage,
    /// One per broker that runs.
    pub rulers: Vec<Ruler>,
    /// The present event.
    pub event: Option<TraceEvent>,
    /// Events taken.
    pub position: u64,
    /// Changes with every picture of the run.
    pub revision: u64,
    /// Why the last question was not done.
    pub refused: Option<String>,
    /// Do these, one after the other.
    pub on_do: Callback<Vec<Query>>,
}

/// The fault menu: a dialog that leaves the stage in sight. It closes when what was asked for is done, and says why where
/// it is refused.
#[component]
pub fn FaultMenu(props: &Props) -> Html {
    let dialog = use_node_ref();
    let node = use_state_eq(|| None::<String>);
    let section = use_state_eq(|| Section::Process);
    let asked = use_state_eq(|| false);
    // The revision at which something was asked for.
    let since = use_mut_ref(|| None::<u64>);
    use_effect_with(props.aim.clone(), {
        let (dialog, node, section) = (dialog.clone(), node.clone(), section.clone());
        let (asked, since) = (asked.setter(), since.clone());
        move |aim| {
            let Some(element) = dialog.cast::<HtmlDialogElement>() else { return };
            match aim {
                Some(aim) => {
                    if let Some(wanted) = &aim.node {
                        node.set(Some(wanted.clone()));
                    }
                    section.set(aim.section);
                    asked.set(false);
                    *since.borrow_mut() = None;
                    if !element.open() {
                        // It fails only on a dialog that is open already or has left the document.
                        let _ = element.show_modal();
                    }
                    let tab = format!("#fault-tab-{}", aim.section.name());
                    focus_first(&dialog, &[tab.as_str(), "[role=tab]"]);
                }
                None if element.open() => element.close(),
                None => {}
            }
        }
    });
    use_effect_with(props.revision, {
        let (since, on_close) = (since.clone(), props.on_close.clone());
        move |revision| {
            let asked_at = *since.borrow();
            if asked_at.is_some_and(|asked_at| asked_at != *revision) {
                *since.borrow_mut() = None;
                on_close.emit(());
            }
        }
    });
    let on_do = {
        let (on_do, asked, revision) = (props.on_do.clone(), asked.setter(), props.revision);
        Callback::from(move |queries| {
            asked.set(true);
            *since.borrow_mut() = Some(revision);
            on_do.emit(queries);
        })
    };
    // A press beside the dialog is one on its backdrop, which belongs to the dialog itself.
    let on_click = {
        let (dialog, on_close) = (dialog.clone(), props.on_close.clone());
        Callback::from(move |event: MouseEvent| {
            let target = event.target().and_then(|target| target.dyn_into::<HtmlDialogElement>().ok());
            if target.is_some() && target == dialog.cast() {
                on_close.emit(());
            }
        })
    };
    let chosen = node.as_ref().and_then(|name| props.stage.nodes.iter().find(|node| node.name == *name));
    let first = props.stage.nodes.iter().find(|node| node.kind == NodeKind::Broker).or(props.stage.nodes.first());
    html! {
        <dialog
            ref={dialog}
            class="dialog faults"
            aria-labelledby="fault-title"
            onclose={props.on_close.reform(|_: yew::Event| ())}
            onclick={on_click}
            data-testid="fault-menu"
        >
            if let (Some(aim), Some(chosen)) = (&props.aim, chosen.or(first)) {
                <Inside
                    aim={aim.clone()}
                    node={chosen.clone()}
                    section={*section}
                    on_node={Callback::from({ let node = node.clone(); move |name| node.set(Some(name)) })}
                    on_section={Callback::from({ let section = section.clone(); move |to| section.set(to) })}
                    menu={Props { on_do, refused: props.refused.clone().filter(|_| *asked), ..props.clone() }}
                />
            }
        </dialog>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct InsideProps {
    aim: Aim,
    node: NodePicture,
    section: Section,
    on_node: Callback<String>,
    on_section: Callback<Section>,
    menu: Props,
}

#[component]
fn Inside(props: &InsideProps) -> Html {
    let text = use_text();
    let menu = &props.menu;
    let tabs = use_node_ref();
    let sections: Vec<Section> = Section::of(props.node.kind).collect();
    let section = if sections.contains(&props.section) { props.section } else { Section::Process };
    let on_key = {
        let tabs = tabs.clone();
        Callback::from(move |event: KeyboardEvent| {
            let key = match event.key().as_str() {
                "ArrowRight" => "ArrowDown".to_owned(),
                "ArrowLeft" => "ArrowUp".to_owned(),
                key => key.to_owned(),
            };
            if key.len() > 1 && rove(&tabs, "[role=tab]", &key) {
                event.prevent_default();
            }
        })
    };
    html! {
        <div class="fault-inside">
            <div class="dialog-head">
                <h2 id="fault-title" class="dialog-title"><Icon glyph={Glyph::Fault} />{ text.get("fault.title") }</h2>
                <button
                    type="button"
                    class="button quiet icon-only"
                    aria-label={text.get("fault.close")}
                    onclick={menu.on_close.reform(|_| ())}
                >
                    <Icon glyph={Glyph::Close} />
                </button>
            </div>
            <div class="fault-nodes" role="group" aria-label={text.get("fault.node")}>
                { for menu.stage.nodes.iter().map(|node| node_button(node, &props.node, &props.on_node, &text)) }
            </div>
            if let Some(refused) = &menu.refused {
                <p class="warning" role="alert" data-testid="fault-refused">
                    <Icon glyph={Glyph::Warn} /><span>{ refused.clone() }</span>
                </p>
            }
            <div class="fault-body">
                <div
                    ref={tabs}
                    class="fault-sections"
                    role="tablist"
                    aria-orientation="vertical"
                    aria-label={text.get("fault.sections")}
                    onkeydown={on_key}
                >
                    { for sections.iter().map(|to| {
                        let (to, here) = (*to, *to == section);
                        let on_section = props.on_section.reform(move |_: yew::FocusEvent| to);
                        html! {
                            <button
                                key={to.name()}
                                type="button"
                                id={format!("fault-tab-{}", to.name())}
                                class={classes!("fault-tab", here.then_some("is-here"))}
                                role="tab"
                                aria-selected={here.to_string()}
                                aria-controls="fault-panel"
                                tabindex={if here { "0" } else { "-1" }}
                                onfocus={on_section}
                                onclick={props.on_section.reform(move |_| to)}
                                data-testid={format!("fault:{}", to.name())}
                            >
                                <Icon glyph={to.glyph()} /><span>{ text.get(&format!("fault.{}", to.name())) }</span>
                            </button>
                        }
                    }) }
                </div>
                <div
                    id="fault-panel"
                    class="fault-panel"
                    role="tabpanel"
                    aria-labelledby={format!("fault-tab-{}", section.name())}
                    key={format!("{} {}", props.node.name, section.name())}
                >
                    { panel(props, section) }
                </div>
            </div>
        </div>
    }
}

fn panel(props: &InsideProps, section: Section) -> Html {
    let (menu, node) = (&props.menu, &props.node);
    let on_act: Callback<Action> = menu.on_do.reform(|action| vec![Query::Act { action }]);
    match section {
        Section::Process => html! { <process::Panel node={node.clone()} {on_act} /> },
        Section::Power => {
            let ruler = menu.rulers.iter().find(|ruler| ruler.broker == node.name).cloned();
            html! { <power::Panel node={node.clone()} {ruler} {on_act} /> }
        }
        Section::Write => html! {
            <at_write::Panel
                node={node.clone()}
                event={menu.event.clone().filter(|event| event.node == node.name)}
                position={menu.position}
                on_do={menu.on_do.clone()}
            />
        },
        Section::Turn => html! { <at_turn::Panel node={node.clone()} {on_act} /> },
        Section::Disk => html! { <disk::Panel node={node.clone()} {on_act} /> },
        Section::Files => html! {
            <files::Panel
                node={node.clone()}
                revision={menu.revision}
                file={props.aim.file.clone()}
                at={props.aim.at}
                {on_act}
            />
        },
        Section::Clock => html! { <clock::Panel node={node.name.clone()} {on_act} /> },
        Section::Links => {
            let others = menu.stage.nodes.iter().map(|other| other.name.clone()).filter(|other| *other != node.name);
            html! { <links::Panel node={node.name.clone()} others={others.collect::<Vec<_>>()} {on_act} /> }
        }
    }
}

fn node_button(node: &NodePicture, chosen: &NodePicture, on_node: &Callback<String>, text: &Text) -> Html {
    let name = node.name.clone();
    let state = state_words(node, text);
    html! {
        <button
            key={node.name.clone()}
            type="button"
            class="button tiny"
            aria-pressed={(node.name == chosen.name).to_string()}
            title={state.clone()}
            onclick={on_node.reform(move |_| name.clone())}
            data-testid={format!("fault-node:{}", node.name)}
        >
            <i class={classes!("life", name_of(&node.state))} />
            { node.name.clone() }
            if node.state != NodeState::Up {
                <span class="dim">{ state }</span>
            }
        </button>
    }
}

/// Where a node's process is in its life, in words.
pub fn state_words(node: &NodePicture, text: &Text) -> String {
    text.get(&format!("life.{}", name_of(&node.state)))
}
