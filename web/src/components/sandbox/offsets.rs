//! Questions about a queue, and the commit of an offset.

use rocketscope_engine::sim::{Action, Question};
use yew::{Html, component, html, use_state_eq};

use super::card::{Card, FormProps};
use super::choices::Choices;
use super::draft::{Bound, Offered, Reader, Wrong, fit};
use super::fields::Fields;
use crate::components::Glyph;
use crate::i18n::use_text;

/// What can be asked, and `commit`, which is told.
pub const KINDS: [&str; 5] = ["maxOffset", "minOffset", "consumerOffset", "offsetAt", "commit"];

#[derive(Clone, Debug, PartialEq, Eq)]
struct OffsetsDraft {
    what: String,
    client: String,
    consumer: String,
    topic: Offered,
    queue: String,
    at: String,
    offset: String,
}

impl Default for OffsetsDraft {
    fn default() -> Self {
        Self {
            what: "maxOffset".to_owned(),
            client: String::new(),
            consumer: String::new(),
            topic: Offered::default(),
            queue: "0".to_owned(),
            at: String::new(),
            offset: "0".to_owned(),
        }
    }
}

impl OffsetsDraft {
    fn fit(&mut self, choices: &Choices) {
        fit(&mut self.client, &choices.askers);
        fit(&mut self.consumer, &choices.consumers);
        self.topic.follow(choices.topic());
    }

    /// Whether only a consumer, with its group, can say it.
    fn of_group(&self) -> bool {
        matches!(self.what.as_str(), "consumerOffset" | "commit")
    }

    fn read(&self) -> Result<Action, Wrong> {
        let mut read = Reader::default();
        let who = if self.of_group() { &self.consumer } else { &self.client };
        let client = read.needed("client", who);
        let topic = read.needed("topic", &self.topic.value);
        let queue = read.number("queue", &self.queue);
        let what = match self.what.as_str() {
            "minOffset" => Question::MinOffset,
            "consumerOffset" => Question::ConsumerOffset,
            "offsetAt" => Question::OffsetAt { timestamp_ms: read.number("timestampMs", &self.at) },
            "commit" => {
                let offset = read.number("offset", &self.offset);
                return read.done(Action::Commit { consumer: client, topic, queue, offset });
            }
            _ => Question::MaxOffset,
        };
        read.done(Action::Ask { client, topic, queue, what })
    }
}

/// The form of a question about a queue.
#[component]
pub fn OffsetsForm(props: &FormProps) -> Html {
    let text = use_text();
    let state = use_state_eq(OffsetsDraft::default);
    let choices = &props.choices;
    let draft = Bound::to(&state, |draft| draft.fit(choices));
    let read = draft.value.read();
    let fields = Fields {
        id: "offsets",
        draft: &draft,
        wrong: read.as_ref().err(),
        refusal: props.refusal.as_ref(),
        text: &text,
    };
    let now = &draft.value;
    html! {
        <Card id="offsets" glyph={Glyph::Help} action={read.clone().ok()} form={props.clone()}>
            { fields.choice("what", |draft| &mut draft.what, &KINDS) }
            if now.of_group() {
                { fields.name("consumer", |draft| &mut draft.consumer, &choices.consumers) }
            } else {
                { fields.name("client", |draft| &mut draft.client, &choices.askers) }
            }
            <div class="form-row">
                { fields.line("topic", |draft| &mut draft.topic.value).words(&choices.readable).html() }
                { fields.line("queue", |draft| &mut draft.queue).number().html() }
            </div>
            if now.what == "offsetAt" {
                { fields.line("timestampMs", |draft| &mut draft.at).number().html() }
            } else if now.what == "commit" {
                { fields.line("offset", |draft| &mut draft.offset).number().html() }
            } else {
                <></>
            }
        </Card>
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::sim::{Action, Question};

    use super::{KINDS, OffsetsDraft};
    use crate::components::sandbox::choices::Choices;

    #[test]
    fn each_question_is_asked_by_who_can_ask_it() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let choices = Choices { askers: names(&["admin"]), consumers: names(&["consumer"]), ..Choices::default() };
        let asked = KINDS.map(|what| {
            let mut draft = OffsetsDraft { what: what.to_owned(), at: "7".to_owned(), ..OffsetsDraft::default() };
            draft.fit(&choices);
            draft.read().unwrap()
        });
        let ask = |client: &str, what| Action::Ask {
            client: client.to_owned(),
            topic: "OrderTopic".to_owned(),
            queue: 0,
            what,
        };
        let commit =
            Action::Commit { consumer: "consumer".to_owned(), topic: "OrderTopic".to_owned(), queue: 0, offset: 0 };
        let wanted = [
            ask("admin", Question::MaxOffset),
            ask("admin", Question::MinOffset),
            ask("consumer", Question::ConsumerOffset),
            ask("admin", Question::OffsetAt { timestamp_ms: 7 }),
            commit,
        ];
        assert_eq!(asked, wanted);
    }
}
