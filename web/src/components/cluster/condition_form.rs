//! Which messages are meant: a field for each thing that can be asked of them.

use yew::{Html, Properties, component, html};

use super::node_form::Props as FormProps;
use super::push::Condition;
use crate::components::form::Input;
use crate::components::sandbox::draft::Bound;
use crate::i18n::use_text;

/// Properties of [`ConditionFields`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// How the ids of the fields begin.
    pub id: String,
    /// How the names of the fields begin, by which what is wrong is told.
    pub place: String,
    /// The condition.
    pub when: Bound<Condition>,
    /// The form that it stands in.
    pub form: FormProps,
}

impl Props {
    fn field(&self, name: &'static str, of: fn(&mut Condition) -> &mut String, number: bool, text: &str) -> Html {
        html! {
            <Input
                id={format!("{}-{name}", self.id)}
                label={text.to_owned()}
                value={of(&mut self.when.value.clone()).clone()}
                on_change={self.when.set(move |when, value| *of(when) = value)}
                error={self.form.error(&format!("{}.{name}", self.place))}
                {number}
            />
        }
    }
}

/// The fields of a condition; what is left empty may be anything.
#[component]
pub fn ConditionFields(props: &Props) -> Html {
    let text = use_text();
    let field = |name: &'static str, of: fn(&mut Condition) -> &mut String, number: bool| {
        props.field(name, of, number, &text.get(&format!("cluster.push.field.{name}")))
    };
    html! {
        <div class="rule-fields">
            { field("topic", |when| &mut when.topic, false) }
            { field("tag", |when| &mut when.tag, false) }
            { field("keys", |when| &mut when.keys, false) }
            { field("body", |when| &mut when.body, false) }
            { field("queue", |when| &mut when.queue_id, true) }
            { field("offset", |when| &mut when.queue_offset, true) }
            { field("at-least", |when| &mut when.at_least, true) }
            { field("at-most", |when| &mut when.at_most, true) }
        </div>
    }
}
