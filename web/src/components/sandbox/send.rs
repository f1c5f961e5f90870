//! One message is sent.

use rocketscope_engine::sim::Action;
use yew::{Html, Properties, component, html, use_state_eq};

use super::card::{Card, FormProps};
use super::draft::Bound;
use super::message::{MessageDraft, MessageFields};
use crate::components::Glyph;

/// Properties of [`SendForm`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What every form has.
    pub form: FormProps,
    /// The next message's name.
    pub name: String,
}

/// The form of one message.
#[component]
pub fn SendForm(props: &Props) -> Html {
    let form = &props.form;
    let state = use_state_eq(MessageDraft::default);
    let draft = Bound::to(&state, |draft| draft.fit(&form.choices, &props.name));
    let action = draft.value.read().ok().map(|send| Action::Send(Box::new(send)));
    html! {
        <Card id="send" glyph={Glyph::Next} open=true {action} form={form.clone()}>
            <MessageFields id="send" {draft} choices={form.choices.clone()} refusal={form.refusal.clone()} />
        </Card>
    }
}
