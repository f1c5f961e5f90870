//! Changes of a database that belong together, in order.

use std::rc::Rc;

use rocketscope_engine::wire::Change;
use yew::{Html, Properties, component, html};

use super::change::{ChangeDraft, ChangeFields};
use super::choices::{Choices, TableChoice};
use super::draft::{Bound, Reader, Wrong};
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Changes being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangesDraft {
    list: Vec<ChangeDraft>,
    /// The next change's number.
    next: u32,
}

impl Default for ChangesDraft {
    fn default() -> Self {
        Self { list: vec![ChangeDraft::new(0)], next: 1 }
    }
}

impl ChangesDraft {
    /// Makes them fit the tables that there are.
    pub fn fit(&mut self, tables: &[TableChoice]) {
        for change in &mut self.list {
            change.fit(tables);
        }
    }

    /// One more.
    pub fn add(&mut self) {
        self.list.push(ChangeDraft::new(self.next));
        self.next += 1;
    }

    /// The engine's changes, or what is in the way.
    pub fn read(&self, tables: &[TableChoice]) -> Result<Vec<Change>, Wrong> {
        let mut read = Reader::default();
        let mut changes = Vec::new();
        for change in &self.list {
            changes.extend(read.part(change.read(tables).map(Some)));
        }
        read.done(changes)
    }
}

/// Properties of [`ChangesFields`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// How the ids of the fields begin.
    pub id: &'static str,
    /// The changes.
    pub draft: Bound<ChangesDraft>,
    /// The database.
    pub database: String,
    /// What can be named.
    pub choices: Rc<Choices>,
}

/// The changes, one below the other, and the way to one more.
#[component]
pub fn ChangesFields(props: &Props) -> Html {
    let text = use_text();
    let draft = &props.draft;
    let on_add = draft.set(|draft: &mut ChangesDraft, _: yew::MouseEvent| draft.add());
    html! {
        <>
            { for draft.value.list.iter().enumerate().filter_map(|(at, change)| {
                let part = draft.item(|draft| &mut draft.list, at)?;
                let on_remove = draft.set(move |draft: &mut ChangesDraft, ()| drop(draft.list.remove(at)));
                Some(html! {
                    <ChangeFields
                        key={change.id}
                        id={props.id}
                        place={at + 1}
                        draft={part}
                        database={props.database.clone()}
                        choices={props.choices.clone()}
                        {on_remove}
                    />
                })
            }) }
            <button type="button" class="button tiny" onclick={on_add} data-testid={format!("{}-add", props.id)}>
                <Icon glyph={Glyph::Add} />{ text.get("sandbox.add-change") }
            </button>
        </>
    }
}
