//! Tabs that are addresses: links, so that history and new windows work; the present one is marked.

use yew::{Html, Properties, classes, component, html};

/// One tab.
#[derive(Clone, Debug, PartialEq)]
pub struct Tab {
    /// What it says.
    pub name: String,
    /// Where it leads.
    pub href: String,
    /// Whether it is the present one.
    pub here: bool,
    /// A number beside the name; 0 is not shown.
    pub count: Option<u64>,
    /// Its name for tests.
    pub id: &'static str,
}

/// Properties of [`Tabs`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What they choose between.
    pub label: String,
    /// The tabs.
    pub tabs: Vec<Tab>,
}

/// A row of tabs.
#[component]
pub fn Tabs(props: &Props) -> Html {
    html! {
        <nav class="tabs" aria-label={props.label.clone()}>
            { for props.tabs.iter().map(|tab| html! {
                <a
                    key={tab.id}
                    class={classes!("tab", tab.here.then_some("is-here"))}
                    href={tab.href.clone()}
                    aria-current={tab.here.then_some("true")}
                    data-testid={tab.id}
                >
                    { tab.name.clone() }
                    if let Some(count) = tab.count.filter(|count| *count > 0) {
                        <span class="count">{ count }</span>
                    }
                </a>
            }) }
        </nav>
    }
}
