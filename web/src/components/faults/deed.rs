//! One thing to do, with what it means.

use yew::{Callback, Html, MouseEvent, Properties, component, html};

use crate::components::{Glyph, Icon};

/// Properties of [`Deed`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Its icon.
    pub glyph: Glyph,
    /// What it is.
    pub title: String,
    /// What it means.
    pub says: Html,
    /// Whether it cannot be done now.
    #[prop_or_default]
    pub off: bool,
    /// Do it.
    pub on_do: Callback<()>,
    /// Its name for tests.
    pub id: &'static str,
}

/// One thing to do.
#[component]
pub fn Deed(props: &Props) -> Html {
    html! {
        <button
            type="button"
            class="deed"
            disabled={props.off}
            onclick={props.on_do.reform(|_: MouseEvent| ())}
            data-testid={props.id}
        >
            <Icon glyph={props.glyph} />
            <span class="deed-title">{ props.title.clone() }</span>
            <span class="deed-says">{ props.says.clone() }</span>
        </button>
    }
}
