//! A consumer gives a message back.

use rocketscope_engine::sim::{Action, SendBack};
use yew::{Html, component, html, use_state_eq};

use super::card::{Card, FormProps, More};
use super::choices::Choices;
use super::draft::{Bound, Reader, Wrong, fit, some};
use super::fields::Fields;
use crate::components::Glyph;
use crate::i18n::use_text;

/// Which of the received messages.
pub const WHICH: [&str; 3] = ["newest", "index", "physicalOffset"];
/// How often a message may be given back, where nothing is said.
const USUAL_MAX: &str = "16";

#[derive(Clone, Debug, PartialEq, Eq)]
struct BackDraft {
    consumer: String,
    which: String,
    index: String,
    offset: String,
    delay: String,
    max: String,
}

impl Default for BackDraft {
    fn default() -> Self {
        Self {
            consumer: String::new(),
            which: "newest".to_owned(),
            index: "0".to_owned(),
            offset: "0".to_owned(),
            delay: "0".to_owned(),
            max: String::new(),
        }
    }
}

impl BackDraft {
    fn fit(&mut self, choices: &Choices) {
        fit(&mut self.consumer, &choices.consumers);
    }

    fn read(&self) -> Result<Action, Wrong> {
        let mut read = Reader::default();
        let which = self.which.as_str();
        let back = SendBack {
            consumer: read.needed("consumer", &self.consumer),
            index: if which == "index" { Some(read.number("index", &self.index)) } else { None },
            physical_offset: if which == "physicalOffset" {
                Some(read.number("physicalOffset", &self.offset))
            } else {
                None
            },
            delay_level: read.number("delayLevel", &self.delay),
            max_reconsume_times: read.some_number("maxReconsumeTimes", &self.max),
        };
        read.done(Action::SendBack(Box::new(back)))
    }
}

/// The form of a message that is given back.
#[component]
pub fn GiveBackForm(props: &FormProps) -> Html {
    let text = use_text();
    let state = use_state_eq(BackDraft::default);
    let choices = &props.choices;
    let draft = Bound::to(&state, |draft| draft.fit(choices));
    let read = draft.value.read();
    let fields = Fields {
        id: "give-back",
        draft: &draft,
        wrong: read.as_ref().err(),
        refusal: props.refusal.as_ref(),
        text: &text,
    };
    let which = draft.value.which.as_str();
    html! {
        <Card id="give-back" glyph={Glyph::Reset} action={read.clone().ok()} form={props.clone()}>
            { fields.name("consumer", |draft| &mut draft.consumer, &choices.consumers) }
            <div class="form-row">
                { fields.choice("which", |draft| &mut draft.which, &WHICH) }
                if which == "index" {
                    { fields.line("index", |draft| &mut draft.index).number().html() }
                } else if which == "physicalOffset" {
                    { fields.line("physicalOffset", |draft| &mut draft.offset).number().html() }
                } else {
                    <span />
                }
            </div>
            { fields.line("delayLevel", |draft| &mut draft.delay).number().html() }
            <p class="dim small">{ text.get("sandbox.give-back-says") }</p>
            <More id="give-back" set={usize::from(some(&draft.value.max).is_some())}>
                { fields.line("maxReconsumeTimes", |draft| &mut draft.max).number().empty(USUAL_MAX).html() }
            </More>
        </Card>
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::sim::{Action, SendBack};

    use super::BackDraft;

    #[test]
    fn one_message_is_named_or_the_newest_meant() {
        let text = str::to_owned;
        let newest = BackDraft { consumer: text("consumer"), index: text("x"), ..BackDraft::default() };
        let back = SendBack { consumer: text("consumer"), ..SendBack::default() };
        assert_eq!(newest.read(), Ok(Action::SendBack(Box::new(back.clone()))));
        let third = BackDraft { which: text("index"), index: text("2"), delay: text("-1"), max: text("3"), ..newest };
        let back = SendBack { index: Some(2), delay_level: -1, max_reconsume_times: Some(3), ..back };
        assert_eq!(third.read(), Ok(Action::SendBack(Box::new(back))));
    }
}
