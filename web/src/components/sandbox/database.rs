//! An application works with its database, and sends messages about it.

use rocketscope_engine::sim::{Action, ChangeAndSend, Transact};
use yew::{Html, Properties, component, html, use_state_eq};

use super::card::{Card, FormProps};
use super::changes::{ChangesDraft, ChangesFields};
use super::choices::Choices;
use super::draft::{Bound, Reader, Wrong, fit};
use super::fields::Fields;
use super::message::{MessageDraft, MessageFields};
use crate::components::Glyph;
use crate::i18n::use_text;

/// What the application does.
pub const BUSINESSES: [&str; 4] = ["transact", "commitThenSend", "sendThenCommit", "writeOutbox"];

#[derive(Clone, Debug, PartialEq, Eq)]
struct DatabaseDraft {
    business: String,
    client: String,
    database: String,
    changes: ChangesDraft,
    message: MessageDraft,
}

impl Default for DatabaseDraft {
    fn default() -> Self {
        Self {
            business: "commitThenSend".to_owned(),
            client: String::new(),
            database: String::new(),
            changes: ChangesDraft::default(),
            message: MessageDraft::default(),
        }
    }
}

impl DatabaseDraft {
    fn fit(&mut self, choices: &Choices, name: &str) {
        fit(&mut self.client, &choices.clients());
        fit(&mut self.database, &choices.database_names());
        self.changes.fit(choices.tables(&self.database));
        self.message.fit(choices, name);
    }

    fn read(&self, choices: &Choices) -> Result<Action, Wrong> {
        let mut read = Reader::default();
        let database = read.needed("database", &self.database);
        let changes = read.part(self.changes.read(choices.tables(&self.database)));
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
    html! {
        <Card id="database" glyph={Glyph::Disk} action={read.clone().ok()} form={form.clone()}>
            { fields.choice("business", |draft| &mut draft.business, &BUSINESSES) }
            <p class="dim small">{ text.get(&format!("sandbox.business-says.{}", now.business)) }</p>
            if !sends {
                { fields.name("application", |draft| &mut draft.client, &choices.clients()) }
            }
            { fields.name("database", |draft| &mut draft.database, &choices.database_names()) }
            <ChangesFields
                id="database"
                draft={draft.part(|draft| &mut draft.changes)}
                tables={choices.tables(&now.database).to_vec()}
            />
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
            draft.changes.add(&[]);
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
