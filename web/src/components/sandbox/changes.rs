//! Changes of a database that belong together, in order.

use rocketscope_engine::wire::Change;
use serde::{Deserialize, Serialize};
use yew::{AttrValue, Html, Properties, component, html};

use super::change::{ChangeDraft, ChangeFields};
use super::choices::TableChoice;
use super::draft::{Bound, Reader, Wrong};
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Changes being written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Changes as they are described.
    pub fn of(changes: &[Change]) -> Self {
        let list: Vec<ChangeDraft> = (0..).zip(changes).map(|(id, change)| ChangeDraft::of(id, change)).collect();
        Self { next: list.len() as u32, list }
    }

    /// Makes them fit the tables that there are.
    pub fn fit(&mut self, tables: &[TableChoice]) {
        for change in &mut self.list {
            change.fit(tables);
        }
    }

    /// One more, of the first of these tables.
    pub fn add(&mut self, tables: &[TableChoice]) {
        let mut change = ChangeDraft::new(self.next);
        change.fit(tables);
        self.list.push(change);
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
    pub id: AttrValue,
    /// The changes.
    pub draft: Bound<ChangesDraft>,
    /// The tables of the database.
    pub tables: Vec<TableChoice>,
}

/// The changes, one below the other, and the way to one more.
#[component]
pub fn ChangesFields(props: &Props) -> Html {
    let text = use_text();
    let draft = &props.draft;
    let tables = props.tables.clone();
    let on_add = draft.set(move |draft: &mut ChangesDraft, _: yew::MouseEvent| draft.add(&tables));
    html! {
        <>
            { for draft.value.list.iter().enumerate().filter_map(|(at, change)| {
                let part = draft.item(|draft| &mut draft.list, at)?;
                let on_remove = draft.set(move |draft: &mut ChangesDraft, ()| drop(draft.list.remove(at)));
                Some(html! {
                    <ChangeFields
                        key={change.id}
                        id={props.id.clone()}
                        place={at + 1}
                        draft={part}
                        tables={props.tables.clone()}
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
