//! What every picture of a store needs to know: which store, and how links into it are written.

use std::fmt::Display;

use rocketscope_engine::view::store::{StoreAnswer, StoreQuery};
use rocketscope_engine::view::{Answer, Query, Source};
use yew::{Html, Properties, component, hook, html, use_context};

use crate::backend::{AskError, Asked, use_ask};
use crate::i18n::use_text;
use crate::route::{Place, Route};

/// The store that is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreContext {
    /// Which.
    pub source: Source,
    /// Changes whenever its bytes may have.
    pub revision: u64,
    /// Where the page is; links keep its screen.
    pub route: Route,
    /// Positions in hexadecimal.
    pub hexadecimal: bool,
}

impl StoreContext {
    /// The address of a place in this store.
    pub fn link(&self, place: Place) -> String {
        self.route.to(place).to_string()
    }

    /// The broker's node, where the store is a simulated one.
    pub fn node(&self) -> Option<&str> {
        match &self.source {
            Source::Broker { node } => Some(node),
            Source::Directory => None,
        }
    }

    /// A position as the reader likes it.
    pub fn position(&self, at: impl Into<i128>) -> String {
        let at: i128 = at.into();
        if self.hexadecimal && at >= 0 { format!("0x{at:X}") } else { at.to_string() }
    }
}

/// The store around this component. Pictures of a store are only drawn inside one.
#[hook]
pub fn use_store_context() -> StoreContext {
    use_context::<StoreContext>().unwrap_or_else(|| StoreContext {
        source: Source::Directory,
        revision: 0,
        route: Route::default(),
        hexadecimal: false,
    })
}

/// Asks for a picture of the store around this component.
#[hook]
pub fn use_picture(query: Option<StoreQuery>) -> Asked {
    let context = use_store_context();
    let source = context.source.clone();
    use_ask(query.map(|query| Query::Store { source, query }), context.revision)
}

impl Asked {
    /// The answer, where it is a picture of a store.
    pub fn store(&self) -> Option<&StoreAnswer> {
        match self.answer.as_deref() {
            Some(Answer::Store(answer)) => Some(answer),
            _ => None,
        }
    }
}

/// Properties of [`Waiting`].
#[derive(Clone, PartialEq, Properties)]
pub struct WaitingProps {
    /// The question that has no answer to show.
    pub asked: Asked,
}

/// What stands where an answer will be: that it is on its way, or why there is none.
#[component]
pub fn Waiting(props: &WaitingProps) -> Html {
    let text = use_text();
    match &props.asked.error {
        Some(AskError::Failed(failure)) => {
            let kind = crate::i18n::name_of(&failure.kind);
            html! {
                <div class="notice" role="status">
                    <p>{ text.get(&format!("failure.{kind}")) }</p>
                    <p class="dim small mono">{ failure.message.clone() }</p>
                </div>
            }
        }
        _ => {
            html! { <div class="waiting" aria-busy="true"><span class="hidden">{ text.get("page.loading") }</span></div> }
        }
    }
}

/// Properties of [`Num`].
#[derive(Clone, PartialEq, Properties)]
pub struct NumProps {
    /// The number as shown.
    pub value: String,
    /// Where it leads.
    #[prop_or_default]
    pub to: Option<Place>,
    /// What it is, for those who do not see the row it stands in.
    #[prop_or_default]
    pub title: Option<String>,
}

/// A number, which leads to what it speaks of.
#[component]
pub fn Num(props: &NumProps) -> Html {
    let context = use_store_context();
    match &props.to {
        Some(place) => html! {
            <a class="num" href={context.link(place.clone())} title={props.title.clone()}>{ props.value.clone() }</a>
        },
        None => html! { <span class="num" title={props.title.clone()}>{ props.value.clone() }</span> },
    }
}

/// [`Num`] without ceremony.
pub fn num(value: impl Display, to: Option<Place>) -> Html {
    html! { <Num value={value.to_string()} {to} /> }
}
