//! Inputs with their labels, and why what a form asked for was not done.

use yew::{AttrValue, Callback, Html, Properties, TargetCast, classes, component, html};

/// Why what a form asked for was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why, in a sentence.
    pub words: String,
    /// The field of the action that is at fault, by its serialised name.
    pub field: Option<String>,
}

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
    /// Why what it holds cannot be used.
    #[prop_or_default]
    pub error: Option<String>,
    /// Whether the label is only for those who do not see the field.
    #[prop_or_default]
    pub quiet: bool,
    /// Words to choose from while typing.
    #[prop_or_default]
    pub words: Vec<String>,
}

/// A line of text.
#[component]
pub fn Input(props: &InputProps) -> Html {
    let on_input = props
        .on_change
        .reform(|event: yew::InputEvent| event.target_unchecked_into::<web_sys::HtmlInputElement>().value());
    let bad = props.bad || props.error.is_some();
    let (said, list) = (format!("{}-error", props.id), format!("{}-words", props.id));
    html! {
        <label class="input" for={props.id.clone()}>
            <span class={props.quiet.then_some("hidden")}>{ props.label.clone() }</span>
            <input
                id={props.id.clone()}
                class="field mono"
                autocomplete="off"
                spellcheck="false"
                inputmode={if props.number { "numeric" } else { "text" }}
                value={props.value.clone()}
                placeholder={props.placeholder.clone()}
                aria-invalid={bad.to_string()}
                aria-describedby={props.error.as_ref().map(|_| said.clone())}
                list={(!props.words.is_empty()).then(|| list.clone())}
                oninput={on_input}
                data-testid={props.id.clone()}
            />
            if !props.words.is_empty() {
                <datalist id={list}>
                    { for props.words.iter().map(|word| html! { <option key={word.clone()} value={word.clone()} /> }) }
                </datalist>
            }
            if let Some(error) = &props.error {
                <span class="field-error" id={said}>{ error.clone() }</span>
            }
        </label>
    }
}

/// Properties of [`Area`].
#[derive(Clone, PartialEq, Properties)]
pub struct AreaProps {
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
    /// Why what it holds cannot be used.
    #[prop_or_default]
    pub error: Option<String>,
}

/// Several lines of text.
#[component]
pub fn Area(props: &AreaProps) -> Html {
    let on_input = props
        .on_change
        .reform(|event: yew::InputEvent| event.target_unchecked_into::<web_sys::HtmlTextAreaElement>().value());
    let said = format!("{}-error", props.id);
    let rows = props.value.lines().count().clamp(2, 8);
    html! {
        <label class="input" for={props.id.clone()}>
            <span>{ props.label.clone() }</span>
            <textarea
                id={props.id.clone()}
                class="field mono"
                spellcheck="false"
                rows={rows.to_string()}
                value={props.value.clone()}
                placeholder={props.placeholder.clone()}
                aria-invalid={props.error.is_some().to_string()}
                aria-describedby={props.error.as_ref().map(|_| said.clone())}
                oninput={on_input}
                data-testid={props.id.clone()}
            />
            if let Some(error) = &props.error {
                <span class="field-error" id={said}>{ error.clone() }</span>
            }
        </label>
    }
}

/// Properties of [`Choice`].
#[derive(Clone, PartialEq, Properties)]
pub struct ChoiceProps {
    /// Its id, also for tests.
    #[prop_or_default]
    pub id: Option<AttrValue>,
    /// What is chosen.
    pub label: String,
    /// The choices.
    pub options: Vec<String>,
    /// What they are called, where that is another thing.
    #[prop_or_default]
    pub names: Vec<String>,
    /// What none of them is called, where none can be chosen: it stands before them, and its value is empty.
    #[prop_or_default]
    pub none: Option<String>,
    /// The present one.
    pub value: String,
    /// Another one.
    pub on_change: Callback<String>,
    /// Whether the label is only for those who do not see the field.
    #[prop_or_default]
    pub quiet: bool,
}

/// One of several.
#[component]
pub fn Choice(props: &ChoiceProps) -> Html {
    let on_change =
        props.on_change.reform(|event: yew::Event| event.target_unchecked_into::<web_sys::HtmlSelectElement>().value());
    let name = |at: usize, option: &String| props.names.get(at).unwrap_or(option).clone();
    // Words are set as words, and what RocketMQ or the reader calls things as they are written.
    let mono = props.names.is_empty().then_some("mono");
    html! {
        <label class="input">
            <span class={props.quiet.then_some("hidden")}>{ props.label.clone() }</span>
            <select class={classes!("field", mono)} onchange={on_change} id={props.id.clone()} data-testid={props.id.clone()}>
                if let Some(none) = &props.none {
                    <option value="" selected={props.value.is_empty()}>{ none.clone() }</option>
                }
                { for props.options.iter().enumerate().map(|(at, option)| html! {
                    <option key={option.clone()} value={option.clone()} selected={*option == props.value}>{ name(at, option) }</option>
                }) }
            </select>
        </label>
    }
}

/// Properties of [`Tick`].
#[derive(Clone, PartialEq, Properties)]
pub struct TickProps {
    /// Its id, also for tests.
    pub id: AttrValue,
    /// What is or is not so.
    pub label: String,
    /// Whether it is.
    pub value: bool,
    /// It is otherwise now.
    pub on_change: Callback<bool>,
}

/// Yes or no.
#[component]
pub fn Tick(props: &TickProps) -> Html {
    let on_change = props
        .on_change
        .reform(|event: yew::Event| event.target_unchecked_into::<web_sys::HtmlInputElement>().checked());
    html! {
        <label class="tick" for={props.id.clone()}>
            <input
                type="checkbox"
                id={props.id.clone()}
                checked={props.value}
                onchange={on_change}
                data-testid={props.id.clone()}
            />
            <span>{ props.label.clone() }</span>
        </label>
    }
}

/// Properties of [`Segments`].
#[derive(Clone, PartialEq, Properties)]
pub struct SegmentsProps {
    /// What is chosen.
    pub label: String,
    /// The choices, each with what it is called. The first names the test's handle.
    pub options: Vec<(&'static str, String)>,
    /// The present one.
    pub value: &'static str,
    /// Another one.
    pub on_change: Callback<&'static str>,
}

/// One of a few, all in sight.
#[component]
pub fn Segments(props: &SegmentsProps) -> Html {
    html! {
        <div class="segments" role="group" aria-label={props.label.clone()}>
            { for props.options.iter().map(|(option, name)| {
                let option = *option;
                html! {
                    <button
                        key={option}
                        type="button"
                        class="segment"
                        aria-pressed={(option == props.value).to_string()}
                        onclick={props.on_change.reform(move |_| option)}
                        data-testid={format!("segment:{option}")}
                    >{ name.clone() }</button>
                }
            }) }
        </div>
    }
}
