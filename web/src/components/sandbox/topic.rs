//! A topic is set up at a broker, with or without an administrator in the cluster.

use rocketscope_engine::sim::Action;
use yew::{Html, component, html, use_state_eq};

use super::card::{Card, FormProps};
use super::choices::Choices;
use super::draft::{Bound, Reader, Wrong, fit};
use super::fields::Fields;
use crate::components::Glyph;
use crate::i18n::use_text;

/// Permissions that can be chosen.
pub const PERMS: [&str; 4] = ["6", "4", "2", "0"];

#[derive(Clone, Debug, PartialEq, Eq)]
struct TopicDraft {
    broker: String,
    topic: String,
    read: String,
    write: String,
    perm: String,
}

impl Default for TopicDraft {
    fn default() -> Self {
        let text = str::to_owned;
        Self { broker: String::new(), topic: String::new(), read: text("4"), write: text("4"), perm: text("6") }
    }
}

impl TopicDraft {
    fn fit(&mut self, choices: &Choices) {
        fit(&mut self.broker, &choices.brokers);
    }

    fn read(&self) -> Result<Action, Wrong> {
        let mut read = Reader::default();
        let action = Action::SetTopic {
            broker: read.needed("broker", &self.broker),
            topic: read.needed("topic", &self.topic),
            read_queues: read.number("readQueues", &self.read),
            write_queues: read.number("writeQueues", &self.write),
            perm: read.number("perm", &self.perm),
        };
        read.done(action)
    }
}

/// The form of a topic.
#[component]
pub fn TopicForm(props: &FormProps) -> Html {
    let text = use_text();
    let state = use_state_eq(TopicDraft::default);
    let choices = &props.choices;
    let draft = Bound::to(&state, |draft| draft.fit(choices));
    let read = draft.value.read();
    let fields =
        Fields { id: "topic", draft: &draft, wrong: read.as_ref().err(), refusal: props.refusal.as_ref(), text: &text };
    html! {
        <Card id="topic" glyph={Glyph::Folder} action={read.clone().ok()} form={props.clone()}>
            { fields.name("at-broker", |draft| &mut draft.broker, &choices.brokers) }
            <div class="form-row">
                { fields.line("topic", |draft| &mut draft.topic).words(&choices.topics).html() }
                { fields.choice("perm", |draft| &mut draft.perm, &PERMS) }
            </div>
            <div class="form-row">
                { fields.line("readQueues", |draft| &mut draft.read).number().html() }
                { fields.line("writeQueues", |draft| &mut draft.write).number().html() }
            </div>
        </Card>
    }
}
