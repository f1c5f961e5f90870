//! What stands above the page where it is embedded in another.

use yew::{Html, Properties, component, html};

use super::{Glyph, Icon};
use crate::i18n::use_text;
use crate::route::Route;

/// Properties of [`EmbedBar`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Where the reader is.
    pub route: Route,
}

/// The name, and the way to the same place on the page alone.
#[component]
pub fn EmbedBar(props: &Props) -> Html {
    let text = use_text();
    // Without the part that embeds it, the address is the page's own.
    let path = gloo::utils::window().location().pathname().unwrap_or_default();
    html! {
        <header class="embed-bar" data-testid="embed-bar">
            <span class="embed-name">{ "Rocket" }<b>{ "Scope" }</b></span>
            <a href={format!("{path}{}", props.route)} target="_blank" rel="noopener" data-testid="embed-open">
                { text.get("embed.open") }<Icon glyph={Glyph::Next} />
            </a>
        </header>
    }
}
