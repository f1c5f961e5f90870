//! A message being written, with everything that a producer can be told about it.

use std::rc::Rc;

use rocketscope_engine::client::{Selector, SendMode};
use rocketscope_engine::sim::Send;
use yew::{Html, Properties, component, html};

use super::card::More;
use super::choices::Choices;
use super::draft::{Bound, Offered, Reader, Wrong, fit, some};
use super::fields::Fields;
use crate::components::form::Refusal;
use crate::i18n::use_text;

/// How the queue is picked.
pub const SELECTORS: [&str; 4] = ["none", "hash", "random", "machineRoom"];
/// What a body is made of.
pub const BODIES: [&str; 4] = ["text", "letters", "random", "record"];
/// `WAIT`, or nothing said.
pub const WAITS: [&str; 3] = ["usual", "true", "false"];

/// What one of [`WAITS`] says.
pub fn wait_store(wait: &str) -> Option<bool> {
    match wait {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// A message being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageDraft {
    /// The producer.
    pub producer: String,
    name: Offered,
    topic: Offered,
    mode: String,
    queue: String,
    broker: String,
    selector: String,
    arg: String,
    tag: String,
    keys: String,
    delay: String,
    properties: String,
    made_of: String,
    body: String,
    length: String,
    record: String,
    flag: String,
    wait: String,
}

impl Default for MessageDraft {
    fn default() -> Self {
        let empty = String::new;
        Self {
            producer: empty(),
            name: Offered::default(),
            topic: Offered::default(),
            mode: "sync".to_owned(),
            queue: empty(),
            broker: empty(),
            selector: "none".to_owned(),
            arg: "order-1".to_owned(),
            tag: "TagA".to_owned(),
            keys: empty(),
            delay: empty(),
            properties: empty(),
            made_of: "text".to_owned(),
            body: "Hello RocketMQ".to_owned(),
            length: "4096".to_owned(),
            record: "200".to_owned(),
            flag: empty(),
            wait: "usual".to_owned(),
        }
    }
}

impl MessageDraft {
    /// Makes it fit what can be chosen, and gives it a name until it has one.
    pub fn fit(&mut self, choices: &Choices, name: &str) {
        fit(&mut self.producer, &choices.producers);
        self.topic.follow(choices.topic());
        self.name.follow(name);
    }

    /// The engine's message, or what is in the way.
    pub fn read(&self) -> Result<Send, Wrong> {
        let mut read = Reader::default();
        let selector = match self.selector.as_str() {
            "hash" => Some(Selector::Hash { arg: self.arg.clone() }),
            "random" => Some(Selector::Random),
            "machineRoom" => Some(Selector::MachineRoom),
            _ => None,
        };
        let by_number = selector.is_none();
        let made_of = self.made_of.as_str();
        let length = matches!(made_of, "letters" | "random");
        let send = Send {
            name: some(&self.name.value),
            producer: read.needed("producer", &self.producer),
            topic: read.needed("topic", &self.topic.value),
            mode: match self.mode.as_str() {
                "async" => SendMode::Async,
                "oneway" => SendMode::Oneway,
                _ => SendMode::Sync,
            },
            queue: if by_number { read.some_number("queue", &self.queue) } else { None },
            broker: some(&self.broker).filter(|_| by_number),
            selector,
            tag: some(&self.tag),
            keys: some(&self.keys),
            delay_level: read.some_number("delayLevel", &self.delay),
            properties: read.pairs("properties", &self.properties),
            body: (!length).then(|| self.body.clone()),
            body_length: if length { Some(read.number("bodyLength", &self.length)) } else { None },
            body_random: made_of == "random",
            record_size: if made_of == "record" { Some(read.number("recordSize", &self.record)) } else { None },
            flag: read.some_number("flag", &self.flag).unwrap_or_default(),
            wait_store: wait_store(&self.wait),
        };
        read.done(send)
    }

    /// The same without what only a plain send is told: its way and its queue.
    pub fn read_unaimed(&self) -> Result<Send, Wrong> {
        let plain = Self {
            mode: "sync".to_owned(),
            selector: "none".to_owned(),
            queue: String::new(),
            broker: String::new(),
            ..self.clone()
        };
        plain.read()
    }

    /// How many of the fields that are seldom needed hold something.
    fn set(&self) -> usize {
        let said = [&self.broker, &self.delay, &self.properties, &self.flag];
        let chosen = [(&self.mode, "sync"), (&self.selector, "none"), (&self.made_of, "text"), (&self.wait, "usual")];
        let said = said.into_iter().filter(|words| some(words).is_some()).count();
        said + chosen.into_iter().filter(|(now, usual)| now.as_str() != *usual).count()
    }
}

/// Properties of [`MessageFields`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// How the fields' ids begin.
    pub id: &'static str,
    /// The message.
    pub draft: Bound<MessageDraft>,
    /// What can be named.
    pub choices: Rc<Choices>,
    /// What the engine says about it.
    pub refusal: Option<Refusal>,
    /// Whether the application says how it is sent and to which queue.
    #[prop_or(true)]
    pub aimed: bool,
}

/// The fields of a message: what every message needs, and behind a fold everything else.
#[component]
pub fn MessageFields(props: &Props) -> Html {
    let text = use_text();
    let draft = &props.draft;
    let message = &draft.value;
    let wrong = message.read().err();
    let fields = Fields { id: props.id, draft, wrong: wrong.as_ref(), refusal: props.refusal.as_ref(), text: &text };
    let choices = &props.choices;
    let by_number = message.selector == "none";
    let aimed = props.aimed;
    let any = text.get("sandbox.any-queue");
    let picked = text.get(&format!("sandbox.selector.{}", message.selector));
    html! {
        <>
            { fields.name("producer", |draft| &mut draft.producer, &choices.producers) }
            <div class="form-row">
                { fields.line("topic", |draft| &mut draft.topic.value).words(&choices.topics).html() }
                if !aimed {
                    <span />
                } else if by_number {
                    { fields.line("queue", |draft| &mut draft.queue).number().empty(any).html() }
                } else {
                    <div class="input"><span>{ text.get("sandbox.field.queue") }</span><span class="field is-fixed">{ picked }</span></div>
                }
            </div>
            <div class="form-row">
                { fields.line("tag", |draft| &mut draft.tag).html() }
                { fields.line("keys", |draft| &mut draft.keys).empty(text.get("sandbox.keys-example")).html() }
            </div>
            if matches!(message.made_of.as_str(), "text" | "record") {
                { fields.line("body", |draft| &mut draft.body).html() }
            } else {
                { fields.line("bodyLength", |draft| &mut draft.length).number().html() }
            }
            <More id={props.id} set={message.set()}>
                if aimed {
                    <div class="input">
                        <span>{ text.get("sandbox.field.mode") }</span>
                        { fields.segments("mode", |draft| &mut draft.mode, &["sync", "async", "oneway"]) }
                    </div>
                    <div class="form-row">
                        { fields.choice("selector", |draft| &mut draft.selector, &SELECTORS) }
                        if message.selector == "hash" {
                            { fields.line("arg", |draft| &mut draft.arg).html() }
                        } else if by_number {
                            { fields.line("broker", |draft| &mut draft.broker).words(&choices.broker_names).empty(text.get("sandbox.first-broker")).html() }
                        } else {
                            <span />
                        }
                    </div>
                }
                <div class="form-row">
                    { fields.choice("made-of", |draft| &mut draft.made_of, &BODIES) }
                    if message.made_of == "record" {
                        { fields.line("recordSize", |draft| &mut draft.record).number().html() }
                    } else {
                        <span />
                    }
                </div>
                <div class="form-row">
                    { fields.line("delayLevel", |draft| &mut draft.delay).number().empty(text.get("sandbox.no-delay")).html() }
                    { fields.choice("wait", |draft| &mut draft.wait, &WAITS) }
                </div>
                { fields.area("properties", |draft| &mut draft.properties, "a=1") }
                <div class="form-row">
                    { fields.line("flag", |draft| &mut draft.flag).number().empty("0").html() }
                    { fields.line("name", |draft| &mut draft.name.value).html() }
                </div>
            </More>
        </>
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::client::{Selector, SendMode};
    use rocketscope_engine::sim::Send;

    use super::MessageDraft;
    use crate::components::sandbox::choices::Choices;

    fn draft() -> MessageDraft {
        let mut draft = MessageDraft::default();
        let choices = Choices { producers: vec!["producer".to_owned()], ..Choices::default() };
        draft.fit(&choices, "M1");
        draft
    }

    #[test]
    fn a_message_that_is_left_alone_is_a_plain_one() {
        let plain = Send {
            name: Some("M1".to_owned()),
            producer: "producer".to_owned(),
            topic: "OrderTopic".to_owned(),
            tag: Some("TagA".to_owned()),
            body: Some("Hello RocketMQ".to_owned()),
            ..Send::default()
        };
        assert_eq!(draft().read(), Ok(plain));
        assert_eq!(draft().set(), 0);
    }

    #[test]
    fn everything_that_can_be_said_is_said() {
        let text = str::to_owned;
        let full = MessageDraft {
            mode: text("async"),
            queue: text("3"),
            broker: text("broker-b"),
            delay: text("2"),
            properties: text("a=1\nb = 2"),
            made_of: text("random"),
            flag: text("-1"),
            wait: text("false"),
            ..draft()
        };
        let send = full.read().unwrap();
        assert_eq!((send.mode, send.queue, send.broker.as_deref()), (SendMode::Async, Some(3), Some("broker-b")));
        assert_eq!((send.delay_level, send.flag, send.wait_store), (Some(2), -1, Some(false)));
        let properties: Vec<_> = send.properties.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(properties, [("a", "1"), ("b", "2")]);
        assert_eq!((send.body, send.body_length, send.body_random), (None, Some(4096), true));
        assert_eq!(full.set(), 7);

        let by_hash = MessageDraft { selector: text("hash"), made_of: text("record"), ..full };
        let send = by_hash.read().unwrap();
        assert_eq!((send.queue, send.broker), (None, None));
        assert_eq!(send.selector, Some(Selector::Hash { arg: text("order-1") }));
        assert_eq!((send.body.as_deref(), send.record_size), (Some("Hello RocketMQ"), Some(200)));
        assert!(!send.body_random);
    }

    #[test]
    fn what_is_no_number_is_in_the_way() {
        let bad = MessageDraft { queue: "x".to_owned(), ..draft() };
        assert!(bad.read().is_err());
        // Behind another choice it counts for nothing.
        let hidden = MessageDraft { length: "x".to_owned(), record: "x".to_owned(), ..draft() };
        assert!(hidden.read().is_ok());
    }
}
