//! What a lesson offers to do.

use rocketscope_engine::view::lesson::{LessonTextPicture, OfferPicture, TextItem};
use yew::{Callback, Html, Properties, classes, component, html};

use crate::components::{Glyph, Icon};

/// The words of an id; the id itself where there are none.
pub fn title_of<'a>(items: &'a [TextItem], id: &'a str) -> &'a str {
    items.iter().find(|item| item.id == id).map_or(id, |item| item.title.as_str())
}

/// The prose of an id.
pub fn prose_of(items: &[TextItem], id: &str) -> String {
    items.iter().find(|item| item.id == id).map(|item| item.prose.clone()).unwrap_or_default()
}

/// Properties of [`Offers`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What is offered.
    pub offers: Vec<OfferPicture>,
    /// The lesson's words.
    pub text: LessonTextPicture,
    /// One is taken up, by its place in the list.
    pub on_take: Callback<u32>,
}

/// The offers, as buttons.
#[component]
pub fn Offers(props: &Props) -> Html {
    html! {
        <div class="offers">
            { for props.offers.iter().zip(0..).map(|(offer, index)| html! {
                <button
                    key={offer.id.clone()}
                    type="button"
                    class={classes!("button", "offer", offer.taken.then_some("is-taken"))}
                    onclick={props.on_take.reform(move |_| index)}
                    data-testid={format!("offer:{}", offer.id)}
                >
                    <Icon glyph={if offer.taken { Glyph::Tick } else { Glyph::Right }} />
                    <span>{ title_of(&props.text.offers, &offer.id).to_owned() }</span>
                </button>
            }) }
        </div>
    }
}
