//! An application works with its database, and sends messages about it.

use rocketscope_engine::sim::{Action, ChangeAndSend, Transact};
use rocketscope_engine::wire::Change;
use yew::{Html, Properties, component, html, use_state_eq};

use super::card::{Card, FormProps};
use super::change::{ChangeDraft, ChangeFields};
use super::choices::Choices;
use super::draft::{Bound, Reader, Wrong, fit};
use super::fields::Fields;
use super::message::{MessageDraft, MessageFields};
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// What the application does.
pub const BUSINESSES: [&str; 4] = ["transact", "commitThenSend", "sendThenCommit", "writeOutbox"];

#[derive(Clone, Debug, PartialEq, Eq)]
struct DatabaseDraft {
    business: String,
    client: String,
    database: String,
    changes: Vec<ChangeDraft>,
    /// The next change's number.
    next: u32,
    message: MessageDraft,
}

impl Default for DatabaseDraft {
    fn default() -> Self {
        Self {
            business: "commitThenSend".to_owned(),
            client: String::new(),
            database: String::new(),
            changes: vec![ChangeDraft::new(0)],
            next: 1,
            message: MessageDraft::default(),
        }
    }
}

impl DatabaseDraft {
    fn fit(&mut self, choices: &Choices, name: &str) {
        fit(&mut self.client, &choices.clients());
        fit(&mut self.database, &choices.database_names());
        for change in &mut self.changes {
            change.fit(choices.tables(&self.database));
        }
        self.message.fit(choices, name);
    }

    fn add(&mut self) {
        self.changes.push(ChangeDraft::new(self.next));
        self.next += 1;
    }

    fn read(&self, choices: &Choices) -> Result<Action, Wrong> {
        let mut read = Reader::default();
        let database = read.needed("database", &self.database);
        let tables = choices.tables(&self.database);
        let mut changes: Vec<Change> = Vec::new();
        for change in &self.changes {
            changes.extend(read.part(change.read(tables).map(Some)));
        }
        if self.business == "transact" {
            let client = read.needed("client", &self.client);
            return read.done(Action::Transact(Box::new(Transact { client, database, changes })));
        }
        let send = read.part(self.message.read());
        let what = Box::new(ChangeAndSend { database, changes, send });
        read.done(match self.business.as_str() {
            "sendThenCommit" => Action::SendThenCommit(what),
            "writeOutbox" => Action::WriteOutbox(what),
            _ => Action::CommitThenSend(what),
        })
    }
}

/// Properties of [`DatabaseForm`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What every form has.
    pub form: FormProps,
    /// The next message's name.
    pub name: String,
}

/// The form of an application's business.
#[component]
pub fn DatabaseForm(props: &Props) -> Html {
    let text = use_text();
    let form = &props.form;
    let choices = &form.choices;
    let state = use_state_eq(DatabaseDraft::default);
    let draft = Bound::to(&state, |draft| draft.fit(choices, &props.name));
    let now = &draft.value;
    let read = now.read(choices);
    let fields = Fields {
        id: "database",
        draft: &draft,
        wrong: read.as_ref().err(),
        refusal: form.refusal.as_ref(),
        text: &text,
    };
    let sends = now.business != "transact";
    let on_add = draft.set(|draft: &mut DatabaseDraft, _: yew::MouseEvent| draft.add());
    html! {
        <Card id="database" glyph={Glyph::Disk} action={read.clone().ok()} form={form.clone()}>
            { fields.choice("business", |draft| &mut draft.business, &BUSINESSES) }
            <p class="dim small">{ text.get(&format!("sandbox.business-says.{}", now.business)) }</p>
            if !sends {
                { fields.name("application", |draft| &mut draft.client, &choices.clients()) }
            }
            { fields.name("database", |draft| &mut draft.database, &choices.database_names()) }
            { for now.changes.iter().enumerate().filter_map(|(at, change)| {
                let part = draft.item(|draft| &mut draft.changes, at)?;
                let on_remove = draft.set(move |draft: &mut DatabaseDraft, ()| drop(draft.changes.remove(at)));
                Some(html! {
                    <ChangeFields
                        key={change.id}
                        place={at + 1}
                        draft={part}
                        database={now.database.clone()}
                        choices={choices.clone()}
                        {on_remove}
                    />
                })
            }) }
            <button type="button" class="button tiny" onclick={on_add} data-testid="database-add">
                <Icon glyph={Glyph::Add} />{ text.get("sandbox.add-change") }
            </button>
            if sends {
                <h3 class="label">{ text.get("sandbox.message") }</h3>
                <MessageFields
                    id="database"
                    draft={draft.part(|draft| &mut draft.message)}
                    choices={choices.clone()}
                    refusal={form.refusal.clone()}
                />
            }
        </Card>
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::sim::Action;

    use super::{BUSINESSES, DatabaseDraft};
    use crate::components::sandbox::choices::{Choices, DatabaseChoice, TableChoice};

    #[test]
    fn each_business_is_the_action_of_its_name() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let table = TableChoice { name: "orders".to_owned(), columns: names(&["id"]), key: names(&["id"]) };
        let choices = Choices {
            producers: names(&["producer"]),
            databases: vec![DatabaseChoice { name: "shop-db".to_owned(), tables: vec![table] }],
            ..Choices::default()
        };
        for business in BUSINESSES {
            let mut draft = DatabaseDraft { business: business.to_owned(), ..DatabaseDraft::default() };
            draft.add();
            draft.fit(&choices, "M1");
            let action = draft.read(&choices).unwrap();
            let (kind, changes) = match &action {
                Action::Transact(what) => ("transact", what.changes.len()),
                Action::CommitThenSend(what) => ("commitThenSend", what.changes.len()),
                Action::SendThenCommit(what) => ("sendThenCommit", what.changes.len()),
                Action::WriteOutbox(what) => ("writeOutbox", what.changes.len()),
                other => panic!("{other:?}"),
            };
            assert_eq!((kind, changes), (business, 2));
        }
        // Without a database there is nothing to do.
        let mut draft = DatabaseDraft::default();
        draft.fit(&Choices::default(), "M1");
        assert!(draft.read(&Choices::default()).is_err());
    }
}
