//! A batch is sent: a list of entries, or what the distribution's example cuts of it.

use std::rc::Rc;

use rocketscope_engine::sim::{Action, BatchMessage, SendBatch};
use yew::{Html, Properties, component, html, use_state_eq};

use super::card::{Card, FormProps, More};
use super::choices::Choices;
use super::draft::{Bound, Offered, Reader, Wrong, fit, some};
use super::fields::Fields;
use super::message::{WAITS, wait_store};
use crate::components::form::Refusal;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// What an entry's body is made of.
pub const BODIES: [&str; 2] = ["text", "letters"];

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// Its number in the draft; it never changes.
    id: u32,
    made_of: String,
    body: String,
    length: String,
    tag: String,
    keys: String,
    topic: String,
    delay: String,
    wait: String,
    properties: String,
}

impl Entry {
    fn new(id: u32, body: &str) -> Self {
        Self {
            id,
            made_of: "text".to_owned(),
            body: body.to_owned(),
            length: "1000".to_owned(),
            tag: String::new(),
            keys: String::new(),
            topic: String::new(),
            delay: String::new(),
            wait: "usual".to_owned(),
            properties: String::new(),
        }
    }

    fn read(&self) -> Result<BatchMessage, Wrong> {
        let mut read = Reader::default();
        let letters = self.made_of == "letters";
        let entry = BatchMessage {
            topic: some(&self.topic),
            tag: some(&self.tag),
            keys: some(&self.keys),
            delay_level: read.some_number("delayLevel", &self.delay),
            wait_store: wait_store(&self.wait),
            properties: read.pairs("properties", &self.properties),
            body: if letters { String::new() } else { self.body.clone() },
            body_length: if letters { Some(read.number("bodyLength", &self.length)) } else { None },
        };
        read.done(entry)
    }

    fn set(&self) -> usize {
        let said = [&self.keys, &self.topic, &self.delay, &self.properties];
        let chosen = [(&self.made_of, "text"), (&self.wait, "usual")];
        let said = said.into_iter().filter(|words| some(words).is_some()).count();
        said + chosen.into_iter().filter(|(now, usual)| now.as_str() != *usual).count()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct BatchDraft {
    producer: String,
    topic: Offered,
    queue: String,
    broker: String,
    split: bool,
    entries: Vec<Entry>,
    /// The next entry's number.
    next: u32,
}

impl Default for BatchDraft {
    fn default() -> Self {
        Self {
            producer: String::new(),
            topic: Offered::default(),
            queue: String::new(),
            broker: String::new(),
            split: false,
            entries: vec![Entry::new(0, "one"), Entry::new(1, "two"), Entry::new(2, "three")],
            next: 3,
        }
    }
}

impl BatchDraft {
    fn fit(&mut self, choices: &Choices) {
        fit(&mut self.producer, &choices.producers);
        self.topic.follow(choices.topic());
    }

    /// One more entry like the last.
    fn add(&mut self) {
        let like = self.entries.last().cloned().unwrap_or_else(|| Entry::new(0, "one"));
        self.entries.push(Entry { id: self.next, ..like });
        self.next += 1;
    }

    fn read(&self) -> Result<Action, Wrong> {
        let mut read = Reader::default();
        let batch = SendBatch {
            producer: read.needed("producer", &self.producer),
            topic: read.needed("topic", &self.topic.value),
            queue: read.some_number("queue", &self.queue),
            broker: some(&self.broker),
            messages: self.entries.iter().map(|entry| read.part(entry.read())).collect(),
            split: self.split,
        };
        read.done(Action::SendBatch(Box::new(batch)))
    }
}

/// The form of a batch.
#[component]
pub fn BatchForm(props: &FormProps) -> Html {
    let text = use_text();
    let state = use_state_eq(BatchDraft::default);
    let choices = &props.choices;
    let draft = Bound::to(&state, |draft| draft.fit(choices));
    let read = draft.value.read();
    let fields =
        Fields { id: "batch", draft: &draft, wrong: read.as_ref().err(), refusal: props.refusal.as_ref(), text: &text };
    let on_add = draft.set(|draft: &mut BatchDraft, _: yew::MouseEvent| draft.add());
    html! {
        <Card id="batch" glyph={Glyph::Twice} action={read.clone().ok()} form={props.clone()}>
            { fields.name("producer", |draft| &mut draft.producer, &choices.producers) }
            <div class="form-row">
                { fields.line("topic", |draft| &mut draft.topic.value).words(&choices.topics).html() }
                { fields.line("queue", |draft| &mut draft.queue).number().empty(text.get("sandbox.any-queue")).html() }
            </div>
            { fields.line("broker", |draft| &mut draft.broker).words(&choices.broker_names).empty(text.get("sandbox.first-broker")).html() }
            { for draft.value.entries.iter().enumerate().filter_map(|(at, entry)| {
                let part = draft.item(|draft| &mut draft.entries, at)?;
                let on_remove = draft.set(move |draft: &mut BatchDraft, ()| drop(draft.entries.remove(at)));
                Some(html! {
                    <EntryFields
                        key={entry.id}
                        place={at + 1}
                        draft={part}
                        choices={choices.clone()}
                        refusal={props.refusal.clone()}
                        {on_remove}
                    />
                })
            }) }
            <button type="button" class="button tiny" onclick={on_add} data-testid="batch-add">
                <Icon glyph={Glyph::Add} />{ text.get("sandbox.add-entry") }
            </button>
            { fields.tick("split", |draft| &mut draft.split) }
        </Card>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct EntryProps {
    /// Its place in the list, from 1.
    place: usize,
    draft: Bound<Entry>,
    choices: Rc<Choices>,
    refusal: Option<Refusal>,
    on_remove: yew::Callback<()>,
}

#[component]
fn EntryFields(props: &EntryProps) -> Html {
    let text = use_text();
    let draft = &props.draft;
    let entry = &draft.value;
    let wrong = entry.read().err();
    let id = format!("batch-{}", props.place);
    let fields = Fields { id: &id, draft, wrong: wrong.as_ref(), refusal: props.refusal.as_ref(), text: &text };
    let title = text.fill("sandbox.entry", &[("place", &props.place)]);
    html! {
        <fieldset class="part" aria-label={title.clone()} data-testid={id.clone()}>
            <div class="part-head">
                <span class="label">{ title }</span>
                <button
                    type="button"
                    class="button quiet icon-only tiny"
                    aria-label={text.fill("sandbox.remove-entry", &[("place", &props.place)])}
                    onclick={props.on_remove.reform(|_: yew::MouseEvent| ())}
                    data-testid={format!("{id}-remove")}
                ><Icon glyph={Glyph::Close} /></button>
            </div>
            <div class="form-row">
                if entry.made_of == "letters" {
                    { fields.line("bodyLength", |entry| &mut entry.length).number().html() }
                } else {
                    { fields.line("body", |entry| &mut entry.body).html() }
                }
                { fields.line("tag", |entry| &mut entry.tag).html() }
            </div>
            <More id={id.clone()} set={entry.set()}>
                <div class="form-row">
                    { fields.choice("made-of", |entry| &mut entry.made_of, &BODIES) }
                    { fields.line("keys", |entry| &mut entry.keys).empty(text.get("sandbox.keys-example")).html() }
                </div>
                <div class="form-row">
                    { fields.line("topic", |entry| &mut entry.topic).words(&props.choices.topics).empty(text.get("sandbox.batch-topic")).html() }
                    { fields.line("delayLevel", |entry| &mut entry.delay).number().empty(text.get("sandbox.no-delay")).html() }
                </div>
                { fields.choice("wait", |entry| &mut entry.wait, &WAITS) }
                { fields.area("properties", |entry| &mut entry.properties, "a=1") }
            </More>
        </fieldset>
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::sim::{Action, BatchMessage};

    use super::BatchDraft;

    fn draft() -> BatchDraft {
        let mut draft = BatchDraft { producer: "producer".to_owned(), ..BatchDraft::default() };
        draft.topic.follow("OrderTopic");
        draft
    }

    #[test]
    fn the_entries_are_sent_in_their_order() {
        let mut draft = draft();
        draft.split = true;
        draft.entries.remove(1);
        draft.entries[1].made_of = "letters".to_owned();
        draft.add();
        let Ok(Action::SendBatch(batch)) = draft.read() else { panic!("{:?}", draft.read()) };
        let one = BatchMessage { body: "one".to_owned(), ..BatchMessage::default() };
        let letters = BatchMessage { body_length: Some(1000), ..BatchMessage::default() };
        assert_eq!(batch.messages, [one, letters.clone(), letters]);
        assert!(batch.split);
        let ids: Vec<u32> = draft.entries.iter().map(|entry| entry.id).collect();
        assert_eq!(ids, [0, 2, 3]);
    }

    #[test]
    fn an_entry_that_cannot_be_read_is_in_the_way() {
        let mut draft = draft();
        assert!(draft.read().is_ok());
        draft.entries[0].delay = "x".to_owned();
        assert!(draft.read().is_err());
    }
}
