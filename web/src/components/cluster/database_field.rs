//! Which of the databases of a draft something is in.

use yew::{AttrValue, Callback, Html, Properties, component, html};

use crate::components::form::Choice;

/// Properties of [`DatabaseField`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// Its id, also for tests.
    pub id: AttrValue,
    /// What is chosen.
    pub label: String,
    /// What none of them is called.
    pub none: String,
    /// The databases that there are.
    pub databases: Vec<String>,
    /// The present one; empty: none.
    pub value: String,
    /// Another one.
    pub on_change: Callback<String>,
}

/// One of the databases, or none.
#[component]
pub(super) fn DatabaseField(props: &Props) -> Html {
    let mut options = props.databases.clone();
    // One that is gone is still what is described.
    if !props.value.is_empty() && !options.contains(&props.value) {
        options.push(props.value.clone());
    }
    html! {
        <Choice
            id={props.id.clone()}
            label={props.label.clone()}
            {options}
            none={props.none.clone()}
            value={props.value.clone()}
            on_change={props.on_change.clone()}
        />
    }
}
