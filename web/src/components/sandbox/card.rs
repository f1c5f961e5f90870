//! A form of the sandbox: a card that opens and closes, with one thing to do in it.

use std::rc::Rc;

use rocketscope_engine::sim::Action;
use yew::{AttrValue, Callback, Html, Properties, component, html};

use super::choices::Choices;
use crate::components::form::Refusal;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Properties of every form of the sandbox.
#[derive(Clone, PartialEq, Properties)]
pub struct FormProps {
    /// What can be named in it.
    pub choices: Rc<Choices>,
    /// Why what it asked for last was not done.
    pub refusal: Option<Refusal>,
    /// Do something, for the form of this name.
    pub on_act: Callback<(String, Action)>,
}

/// Properties of [`Card`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Its name for tests, and that of its button.
    pub id: &'static str,
    /// Its icon.
    pub glyph: Glyph,
    /// Whether it is open at first.
    #[prop_or_default]
    pub open: bool,
    /// What the form says, if it can be done.
    pub action: Option<Action>,
    /// The form that it belongs to.
    pub form: FormProps,
    /// Its fields.
    pub children: Html,
}

/// A card with a form. Its words are `sandbox.ID` and `sandbox.ID-button` of the catalogue.
#[component]
pub fn Card(props: &Props) -> Html {
    let text = use_text();
    let id = props.id;
    let title = format!("{id}-title");
    let disabled = props.action.is_none();
    let on_submit = {
        let (on_act, action) = (props.form.on_act.clone(), props.action.clone());
        Callback::from(move |event: yew::SubmitEvent| {
            event.prevent_default();
            if let Some(action) = action.clone() {
                on_act.emit((id.to_owned(), action));
            }
        })
    };
    html! {
        <details class="card act" open={props.open} data-testid={format!("{id}-card")}>
            <summary class="act-head" data-testid={format!("{id}-head")}>
                <Icon glyph={props.glyph} />
                <h2 id={title.clone()}>{ text.get(&format!("sandbox.{id}")) }</h2>
                <span class="act-mark"><Icon glyph={Glyph::Down} /></span>
            </summary>
            <form class="form" onsubmit={on_submit} aria-labelledby={title} data-testid={format!("{id}-form")}>
                { props.children.clone() }
                if let Some(refusal) = &props.form.refusal {
                    <p class="warning" role="alert" data-testid={format!("{id}-refused")}>
                        <Icon glyph={Glyph::Warn} /><span>{ refusal.words.clone() }</span>
                    </p>
                }
                <button type="submit" class="button" {disabled} data-testid={id}>
                    <Icon glyph={props.glyph} />{ text.get(&format!("sandbox.{id}-button")) }
                </button>
            </form>
        </details>
    }
}

/// Properties of [`More`].
#[derive(Clone, PartialEq, Properties)]
pub struct MoreProps {
    /// Its name for tests.
    pub id: AttrValue,
    /// How many of the fields in it hold something.
    pub set: usize,
    /// Its fields.
    pub children: Html,
}

/// The fields that are seldom needed. While it is closed it says how many of them hold something.
#[component]
pub fn More(props: &MoreProps) -> Html {
    let text = use_text();
    html! {
        <details class="more">
            <summary data-testid={format!("{}-more", props.id)}>
                <span>{ text.get("sandbox.more") }</span>
                if props.set > 0 {
                    <span class="pill">{ text.count("sandbox.more-set", props.set as i64) }</span>
                }
            </summary>
            <div class="form">{ props.children.clone() }</div>
        </details>
    }
}
