//! Names within headings.

use yew::{Html, html};

/// A name as it is: in a heading that is set in capitals its own stay the only ones.
pub fn name(name: &str) -> Html {
    html! { <span class="name">{ name.to_owned() }</span> }
}
