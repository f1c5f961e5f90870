//! A consumer pulls, and commits.

use rocketscope_engine::sim::Action;
use yew::{Html, component, html, use_state_eq};

use super::card::{Card, FormProps, More};
use super::choices::Choices;
use super::draft::{Bound, Offered, Reader, Wrong, fit, some};
use super::fields::Fields;
use crate::components::Glyph;
use crate::i18n::use_text;

/// Messages that a pull asks for at most.
const USUAL_MAX: i32 = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
struct PullDraft {
    consumer: String,
    topic: Offered,
    queue: String,
    offset: String,
    max: String,
    tags: String,
    sql: String,
    suspend: String,
    commit: String,
    broker: String,
}

impl Default for PullDraft {
    fn default() -> Self {
        let (zero, empty) = (|| "0".to_owned(), String::new);
        Self {
            consumer: empty(),
            topic: Offered::default(),
            queue: zero(),
            offset: zero(),
            max: empty(),
            tags: empty(),
            sql: empty(),
            suspend: empty(),
            commit: empty(),
            broker: empty(),
        }
    }
}

impl PullDraft {
    fn fit(&mut self, choices: &Choices) {
        fit(&mut self.consumer, &choices.consumers);
        self.topic.follow(choices.topic());
    }

    fn read(&self) -> Result<Action, Wrong> {
        let mut read = Reader::default();
        let pull = Action::Pull {
            consumer: read.needed("consumer", &self.consumer),
            topic: read.needed("topic", &self.topic.value),
            queue: read.number("queue", &self.queue),
            offset: read.number("offset", &self.offset),
            max: read.some_number("max", &self.max).unwrap_or(USUAL_MAX),
            tags: some(&self.tags),
            sql: some(&self.sql),
            suspend_ms: read.some_number("suspendMs", &self.suspend),
            commit: read.some_number("commit", &self.commit),
            broker: some(&self.broker),
        };
        read.done(pull)
    }

    fn set(&self) -> usize {
        let said = [&self.max, &self.tags, &self.sql, &self.suspend, &self.commit, &self.broker];
        said.into_iter().filter(|words| some(words).is_some()).count()
    }
}

/// The form of one pull.
#[component]
pub fn PullForm(props: &FormProps) -> Html {
    let text = use_text();
    let state = use_state_eq(PullDraft::default);
    let choices = &props.choices;
    let draft = Bound::to(&state, |draft| draft.fit(choices));
    let read = draft.value.read();
    let fields =
        Fields { id: "pull", draft: &draft, wrong: read.as_ref().err(), refusal: props.refusal.as_ref(), text: &text };
    let more = html! {
        <More id="pull" set={draft.value.set()}>
            <div class="form-row">
                { fields.line("max", |draft| &mut draft.max).number().empty(USUAL_MAX.to_string()).html() }
                { fields.line("tags", |draft| &mut draft.tags).empty("*").html() }
            </div>
            { fields.line("sql", |draft| &mut draft.sql).empty(text.get("sandbox.no-sql")).html() }
            <div class="form-row">
                { fields.line("suspendMs", |draft| &mut draft.suspend).number().empty(text.get("sandbox.no-suspend")).html() }
                { fields.line("commit", |draft| &mut draft.commit).number().empty(text.get("sandbox.no-commit")).html() }
            </div>
            { fields.line("broker", |draft| &mut draft.broker).words(&choices.broker_names).empty(text.get("sandbox.first-broker")).html() }
        </More>
    };
    html! {
        <Card id="pull" glyph={Glyph::Previous} open=true action={read.clone().ok()} form={props.clone()}>
            { fields.name("consumer", |draft| &mut draft.consumer, &choices.consumers) }
            { fields.line("topic", |draft| &mut draft.topic.value).words(&choices.readable).html() }
            <div class="form-row">
                { fields.line("queue", |draft| &mut draft.queue).number().html() }
                { fields.line("offset", |draft| &mut draft.offset).number().html() }
            </div>
            { more }
        </Card>
    }
}
