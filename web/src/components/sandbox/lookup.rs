//! Messages are looked up: by key, by the client's id, by the broker's.

use rocketscope_engine::sim::Action;
use rocketscope_engine::view::{Answer, Query};
use yew::{Html, Properties, component, html, use_state_eq};

use super::card::{Card, FormProps, More};
use super::choices::Choices;
use super::draft::{Bound, Offered, Reader, Wrong, fit, some};
use super::fields::Fields;
use crate::backend::use_ask;
use crate::components::Glyph;
use crate::i18n::use_text;

/// By what a message is looked up.
pub const WAYS: [&str; 3] = ["key", "unique", "id"];
/// Messages at most, where nothing is said.
const USUAL_MAX: i32 = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
struct LookupDraft {
    client: String,
    by: String,
    topic: Offered,
    key: String,
    unique: String,
    id: String,
    max: String,
    begin: String,
    end: String,
}

impl Default for LookupDraft {
    fn default() -> Self {
        let empty = String::new;
        Self {
            client: empty(),
            by: "key".to_owned(),
            topic: Offered::default(),
            key: empty(),
            unique: empty(),
            id: empty(),
            max: empty(),
            begin: empty(),
            end: empty(),
        }
    }
}

impl LookupDraft {
    fn fit(&mut self, choices: &Choices) {
        fit(&mut self.client, &choices.askers);
        self.topic.follow(choices.topic());
    }

    fn read(&self) -> Result<Action, Wrong> {
        let mut read = Reader::default();
        let client = read.needed("client", &self.client);
        if self.by == "id" {
            let id = read.needed("id", &self.id);
            return read.done(Action::ViewMessage { client, id });
        }
        let unique = self.by == "unique";
        let query = Action::QueryKey {
            client,
            topic: read.needed("topic", &self.topic.value),
            key: if unique { read.needed("uniqueKey", &self.unique) } else { read.needed("key", &self.key) },
            unique,
            max: read.some_number("max", &self.max).unwrap_or(USUAL_MAX),
            begin: read.some_number("begin", &self.begin),
            end: read.some_number("end", &self.end).unwrap_or(i64::MAX),
        };
        read.done(query)
    }

    fn set(&self) -> usize {
        [&self.max, &self.begin, &self.end].into_iter().filter(|words| some(words).is_some()).count()
    }
}

/// The ids that the applications were told: the clients' and the brokers'.
fn told(answer: Option<&Answer>) -> (Vec<String>, Vec<String>) {
    let sends = match answer {
        Some(Answer::Producer(producer)) => producer.sends.as_slice(),
        _ => &[],
    };
    let newest = || sends.iter().rev();
    (
        newest().filter_map(|send| send.msg_id.clone()).collect(),
        newest().filter_map(|send| send.offset_msg_id.clone()).collect(),
    )
}

/// Properties of [`LookupForm`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What every form has.
    pub form: FormProps,
    /// Changes with every picture of the run.
    pub revision: u64,
}

/// The form of a look-up.
#[component]
pub fn LookupForm(props: &Props) -> Html {
    let text = use_text();
    let state = use_state_eq(LookupDraft::default);
    let form = &props.form;
    let choices = &form.choices;
    let draft = Bound::to(&state, |draft| draft.fit(choices));
    let producer = choices.producers.first().map(|node| Query::Producer { node: node.clone() });
    let sends = use_ask(producer.filter(|_| draft.value.by != "key"), props.revision);
    let (unique, ids) = told(sends.answer.as_deref());
    let read = draft.value.read();
    let fields =
        Fields { id: "lookup", draft: &draft, wrong: read.as_ref().err(), refusal: form.refusal.as_ref(), text: &text };
    let by = draft.value.by.as_str();
    let usual_begin = if by == "unique" { text.get("sandbox.before-id") } else { "0".to_owned() };
    html! {
        <Card id="lookup" glyph={Glyph::Find} action={read.clone().ok()} form={form.clone()}>
            { fields.segments("by", |draft| &mut draft.by, &WAYS) }
            { fields.name("client", |draft| &mut draft.client, &choices.askers) }
            if by == "id" {
                { fields.line("id", |draft| &mut draft.id).words(&ids).html() }
            } else {
                { fields.line("topic", |draft| &mut draft.topic.value).words(&choices.readable).html() }
                if by == "unique" {
                    { fields.line("uniqueKey", |draft| &mut draft.unique).words(&unique).html() }
                } else {
                    { fields.line("key", |draft| &mut draft.key).html() }
                }
                <More id="lookup" set={draft.value.set()}>
                    { fields.line("max", |draft| &mut draft.max).number().empty(USUAL_MAX.to_string()).html() }
                    <div class="form-row">
                        { fields.line("begin", |draft| &mut draft.begin).number().empty(usual_begin).html() }
                        { fields.line("end", |draft| &mut draft.end).number().empty("∞").html() }
                    </div>
                </More>
            }
        </Card>
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::sim::Action;

    use super::LookupDraft;

    #[test]
    fn a_message_is_looked_up_in_three_ways() {
        let text = str::to_owned;
        let mut draft = LookupDraft { client: text("consumer"), key: text("order-1"), ..LookupDraft::default() };
        draft.topic.follow("OrderTopic");
        let query = |key: &str, unique, max| Action::QueryKey {
            client: text("consumer"),
            topic: text("OrderTopic"),
            key: text(key),
            unique,
            max,
            begin: None,
            end: i64::MAX,
        };
        assert_eq!(draft.read(), Ok(query("order-1", false, 32)));
        draft = LookupDraft { by: text("unique"), max: text("1"), ..draft };
        assert!(draft.read().is_err(), "the id is still to come");
        draft.unique = text("7F00");
        assert_eq!(draft.read(), Ok(query("7F00", true, 1)));
        draft = LookupDraft { by: text("id"), id: text("0A00"), topic: super::Offered::default(), ..draft };
        assert_eq!(draft.read(), Ok(Action::ViewMessage { client: text("consumer"), id: text("0A00") }));
    }
}
