//! Inputs with their labels.

use yew::{AttrValue, Callback, Html, Properties, TargetCast, component, html};

/// Properties of [`Input`].
#[derive(Clone, PartialEq, Properties)]
pub struct InputProps {
    /// Its id, also for tests.
    pub id: AttrValue,
    /// What it is.
    pub label: String,
    /// What it holds.
    pub value: String,
    /// It holds something else now.
    pub on_change: Callback<String>,
    /// What it shows while it is empty.
    #[prop_or_default]
    pub placeholder: Option<String>,
    /// Whether a whole number is wanted.
    #[prop_or_default]
    pub number: bool,
    /// Whether what it holds cannot be used.
    #[prop_or_default]
    pub bad: bool,
}

/// A line of text.
#[component]
pub fn Input(props: &InputProps) -> Html {
    let on_input = props
        .on_change
        .reform(|event: yew::InputEvent| event.target_unchecked_into::<web_sys::HtmlInputElement>().value());
    html! {
        <label class="input" for={props.id.clone()}>
            <span>{ props.label.clone() }</span>
            <input
                id={props.id.clone()}
                class="field mono"
                autocomplete="off"
                spellcheck="false"
                inputmode={if props.number { "numeric" } else { "text" }}
                value={props.value.clone()}
                placeholder={props.placeholder.clone()}
                aria-invalid={props.bad.to_string()}
                oninput={on_input}
                data-testid={props.id.clone()}
            />
        </label>
    }
}

/// Properties of [`Choice`].
#[derive(Clone, PartialEq, Properties)]
pub struct ChoiceProps {
    /// What is chosen.
    pub label: String,
    /// The choices.
    pub options: Vec<String>,
    /// The present one.
    pub value: String,
    /// Another one.
    pub on_change: Callback<String>,
}

/// One of several.
#[component]
pub fn Choice(props: &ChoiceProps) -> Html {
    let on_change =
        props.on_change.reform(|event: yew::Event| event.target_unchecked_into::<web_sys::HtmlSelectElement>().value());
    html! {
        <label class="input">
            <span>{ props.label.clone() }</span>
            <select class="field mono" onchange={on_change}>
                { for props.options.iter().map(|option| html! {
                    <option key={option.clone()} value={option.clone()} selected={*option == props.value}>{ option.clone() }</option>
                }) }
            </select>
        </label>
    }
}
