//! Time passes.

use rocketscope_engine::sim::Action;
use yew::{Html, component, html, use_state_eq};

use super::card::{Card, FormProps};
use super::draft::{Bound, Reader};
use super::fields::Fields;
use crate::components::Glyph;
use crate::i18n::use_text;

/// The form of a while that passes.
#[component]
pub fn TimeForm(props: &FormProps) -> Html {
    let text = use_text();
    let state = use_state_eq(|| "1000".to_owned());
    let draft = Bound::to(&state, |_| ());
    let read = {
        let mut read = Reader::default();
        let ms = read.number("ms", &draft.value);
        read.done(Action::Wait { ms })
    };
    let fields =
        Fields { id: "time", draft: &draft, wrong: read.as_ref().err(), refusal: props.refusal.as_ref(), text: &text };
    html! {
        <Card id="time" glyph={Glyph::Clock} action={read.clone().ok()} form={props.clone()}>
            { fields.line("ms", |draft| draft).number().html() }
        </Card>
    }
}
