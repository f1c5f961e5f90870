//! A message is sent in a transaction, and the end of one is told by hand.

use rocketscope_engine::client::{ListenerResult, LocalTransactionState};
use rocketscope_engine::sim::{Action, EndTransaction, HalfAt, SendInTransaction};
use yew::{Html, Properties, component, html, use_state_eq};

use super::card::{Card, FormProps, More};
use super::changes::{ChangesDraft, ChangesFields};
use super::choices::{Choices, ListenerChoice};
use super::draft::{Bound, Reader, Wrong, fit, some};
use super::fields::Fields;
use super::message::{MessageDraft, MessageFields};
use crate::components::Glyph;
use crate::i18n::use_text;

/// What a listener's method comes to.
pub const RESULTS: [&str; 5] = ["commit", "rollback", "unknown", "null", "throw"];
/// What a broker is told about a transaction.
pub const STATES: [&str; 3] = ["commit", "rollback", "unknown"];
/// Which half message is ended.
pub const HALVES: [&str; 3] = ["newest", "message", "half"];

fn result(words: &str) -> Option<ListenerResult> {
    Some(match words {
        "commit" => ListenerResult::Commit,
        "rollback" => ListenerResult::Rollback,
        "unknown" => ListenerResult::Unknown,
        "null" => ListenerResult::Null,
        "throw" => ListenerResult::Throw,
        _ => return None,
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct TransactionDraft {
    message: MessageDraft,
    changes: ChangesDraft,
    local: String,
    ms: String,
    checks: String,
}

impl Default for TransactionDraft {
    fn default() -> Self {
        Self {
            message: MessageDraft::default(),
            changes: ChangesDraft::default(),
            local: "commit".to_owned(),
            ms: String::new(),
            checks: String::new(),
        }
    }
}

impl TransactionDraft {
    fn fit(&mut self, choices: &Choices, name: &str) {
        self.message.fit(choices, name);
        fit(&mut self.message.producer, &choices.transaction_producers());
        if let Some(database) = self.listener(choices).and_then(|listener| listener.database.as_ref()) {
            self.changes.fit(choices.tables(database));
        }
    }

    fn listener<'a>(&self, choices: &'a Choices) -> Option<&'a ListenerChoice> {
        choices.listeners.iter().find(|listener| listener.producer == self.message.producer)
    }

    fn read(&self, choices: &Choices) -> Result<Action, Wrong> {
        let mut read = Reader::default();
        let listener = self.listener(choices);
        let database = listener.and_then(|listener| listener.database.as_ref());
        let in_memory = listener.is_some_and(|listener| !listener.in_database);
        let what = SendInTransaction {
            send: read.part(self.message.read_unaimed()),
            changes: match database {
                Some(database) => read.part(self.changes.read(choices.tables(database))),
                None => Vec::new(),
            },
            local: result(&self.local).unwrap_or_default(),
            local_ms: read.some_number("localMs", &self.ms).unwrap_or(0),
            checks: if in_memory { read.words("checks", &self.checks, result) } else { Vec::new() },
        };
        read.done(Action::SendInTransaction(Box::new(what)))
    }
}

/// Properties of [`TransactionForm`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What every form has.
    pub form: FormProps,
    /// The next message's name.
    pub name: String,
}

/// The form of a transactional send.
#[component]
pub fn TransactionForm(props: &Props) -> Html {
    let text = use_text();
    let form = &props.form;
    let choices = &form.choices;
    let state = use_state_eq(TransactionDraft::default);
    let draft = Bound::to(&state, |draft| draft.fit(choices, &props.name));
    let now = &draft.value;
    let read = now.read(choices);
    let fields = Fields {
        id: "transaction",
        draft: &draft,
        wrong: read.as_ref().err(),
        refusal: form.refusal.as_ref(),
        text: &text,
    };
    let listener = now.listener(choices);
    let database = listener.and_then(|listener| listener.database.clone());
    let in_memory = listener.is_some_and(|listener| !listener.in_database);
    let set = [&now.ms, &now.checks].into_iter().filter(|words| some(words).is_some()).count();
    html! {
        <Card id="transaction" glyph={Glyph::Link} action={read.clone().ok()} form={form.clone()}>
            { fields.name("producer", |draft| &mut draft.message.producer, &choices.transaction_producers()) }
            <MessageFields
                id="transaction"
                draft={draft.part(|draft| &mut draft.message)}
                choices={choices.clone()}
                refusal={form.refusal.clone()}
                aimed=false
            />
            <h3 class="label">{ text.get("sandbox.local-transaction") }</h3>
            if let Some(database) = database {
                <ChangesFields
                    id="transaction"
                    draft={draft.part(|draft| &mut draft.changes)}
                    tables={choices.tables(&database).to_vec()}
                />
            }
            { fields.choice("local", |draft| &mut draft.local, &RESULTS) }
            <More id="transaction-local" {set}>
                { fields.line("localMs", |draft| &mut draft.ms).number().empty("0").html() }
                if in_memory {
                    { fields.line("checks", |draft| &mut draft.checks).words(&RESULTS.map(str::to_owned)).empty(text.get("sandbox.as-it-became")).html() }
                    <p class="dim small">{ text.rich("sandbox.checks-say", &[]) }</p>
                }
            </More>
        </Card>
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct EndDraft {
    producer: String,
    half: String,
    message: String,
    broker: String,
    offset: String,
    state: String,
}

impl Default for EndDraft {
    fn default() -> Self {
        let text = str::to_owned;
        Self {
            producer: String::new(),
            half: text("newest"),
            message: String::new(),
            broker: String::new(),
            offset: text("0"),
            state: text("commit"),
        }
    }
}

impl EndDraft {
    fn fit(&mut self, choices: &Choices) {
        fit(&mut self.producer, &choices.transaction_producers());
        fit(&mut self.broker, &choices.brokers);
    }

    fn read(&self) -> Result<Action, Wrong> {
        let mut read = Reader::default();
        let end = EndTransaction {
            producer: read.needed("producer", &self.producer),
            message: if self.half == "message" { Some(read.needed("message", &self.message)) } else { None },
            half: if self.half == "half" {
                let broker = read.needed("at-broker", &self.broker);
                Some(HalfAt { broker, queue_offset: read.number("halfQueueOffset", &self.offset) })
            } else {
                None
            },
            state: match self.state.as_str() {
                "rollback" => LocalTransactionState::Rollback,
                "unknown" => LocalTransactionState::Unknown,
                _ => LocalTransactionState::Commit,
            },
        };
        read.done(Action::EndTransaction(Box::new(end)))
    }
}

/// The form of a transaction that is ended by hand: once more, or late.
#[component]
pub fn EndForm(props: &FormProps) -> Html {
    let text = use_text();
    let state = use_state_eq(EndDraft::default);
    let choices = &props.choices;
    let draft = Bound::to(&state, |draft| draft.fit(choices));
    let read = draft.value.read();
    let fields =
        Fields { id: "end", draft: &draft, wrong: read.as_ref().err(), refusal: props.refusal.as_ref(), text: &text };
    let half = draft.value.half.as_str();
    html! {
        <Card id="end" glyph={Glyph::Tick} action={read.clone().ok()} form={props.clone()}>
            { fields.name("producer", |draft| &mut draft.producer, &choices.transaction_producers()) }
            <div class="form-row">
                { fields.choice("half", |draft| &mut draft.half, &HALVES) }
                if half == "message" {
                    { fields.line("message", |draft| &mut draft.message).empty("M1").html() }
                } else if half == "half" {
                    { fields.line("halfQueueOffset", |draft| &mut draft.offset).number().html() }
                } else {
                    <span />
                }
            </div>
            if half == "half" {
                { fields.name("at-broker", |draft| &mut draft.broker, &choices.brokers) }
            }
            { fields.choice("state", |draft| &mut draft.state, &STATES) }
        </Card>
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::client::{ListenerResult, LocalTransactionState};
    use rocketscope_engine::sim::{Action, HalfAt};

    use super::{EndDraft, TransactionDraft};
    use crate::components::sandbox::choices::{Choices, DatabaseChoice, ListenerChoice, TableChoice};

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn choices(database: Option<&str>, in_database: bool) -> Choices {
        let table = TableChoice { name: "orders".to_owned(), columns: names(&["id"]), key: names(&["id"]) };
        let listener =
            ListenerChoice { producer: "payer".to_owned(), database: database.map(str::to_owned), in_database };
        Choices {
            producers: names(&["plain", "payer"]),
            brokers: names(&["broker-a"]),
            listeners: vec![listener],
            databases: vec![DatabaseChoice { name: "shop-db".to_owned(), tables: vec![table] }],
            ..Choices::default()
        }
    }

    #[test]
    fn a_transaction_changes_what_its_listener_can_change_and_answers_what_it_keeps() {
        let draft = |choices: &Choices| {
            let mut draft = TransactionDraft {
                local: "unknown".to_owned(),
                ms: "250".to_owned(),
                checks: "unknown, commit".to_owned(),
                ..TransactionDraft::default()
            };
            draft.fit(choices, "M1");
            match draft.read(choices) {
                Ok(Action::SendInTransaction(what)) => *what,
                other => panic!("{other:?}"),
            }
        };
        let in_memory = draft(&choices(None, false));
        assert_eq!(in_memory.send.producer, "payer");
        assert_eq!((in_memory.changes.len(), in_memory.local, in_memory.local_ms), (0, ListenerResult::Unknown, 250));
        assert_eq!(in_memory.checks, [ListenerResult::Unknown, ListenerResult::Commit]);
        let kept = draft(&choices(Some("shop-db"), true));
        assert_eq!((kept.changes.len(), kept.checks.len()), (1, 0));
    }

    #[test]
    fn what_a_listener_cannot_say_is_in_the_way() {
        let choices = choices(None, false);
        let mut draft = TransactionDraft { checks: "perhaps".to_owned(), ..TransactionDraft::default() };
        draft.fit(&choices, "M1");
        assert!(draft.read(&choices).is_err());
    }

    #[test]
    fn the_end_names_its_half_message_in_three_ways() {
        let read = |half: &str| {
            let mut draft = EndDraft {
                half: half.to_owned(),
                message: "M1".to_owned(),
                offset: "2".to_owned(),
                state: "rollback".to_owned(),
                ..EndDraft::default()
            };
            draft.fit(&choices(None, false));
            match draft.read() {
                Ok(Action::EndTransaction(end)) => *end,
                other => panic!("{other:?}"),
            }
        };
        let newest = read("newest");
        assert_eq!((newest.producer.as_str(), newest.state), ("payer", LocalTransactionState::Rollback));
        assert_eq!((newest.message, newest.half), (None, None));
        assert_eq!(read("message").message.as_deref(), Some("M1"));
        assert_eq!(read("half").half, Some(HalfAt { broker: "broker-a".to_owned(), queue_offset: 2 }));
    }
}
