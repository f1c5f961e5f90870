//! A change of a database being written: a statement over a table's columns.

use std::collections::BTreeMap;

use rocketscope_engine::wire::{Change, Values};
use serde::{Deserialize, Serialize};
use yew::{AttrValue, Callback, Html, Properties, component, html};

use super::card::More;
use super::choices::TableChoice;
use super::draft::{Bound, Reader, Wrong, fit, some};
use super::fields::Fields;
use crate::components::cells::{self, cell};
use crate::components::form::{Choice, Input};
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};

/// The statements, by their names in scripts.
pub const KINDS: [&str; 4] = ["insert", "insertIfAbsent", "update", "delete"];
/// What an update does to a column.
pub const DEEDS: [&str; 3] = ["keep", "set", "add"];

/// A change being written. Values stay while the statement or the table is another one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeDraft {
    /// Its number in its list; it never changes.
    pub id: u32,
    kind: String,
    table: String,
    /// What was typed for a column.
    values: BTreeMap<String, String>,
    /// What an update does to a column, where it is not kept.
    deeds: BTreeMap<String, String>,
    /// What a column has to hold for an update to be made.
    only_if: BTreeMap<String, String>,
}

fn typed<'a>(values: &'a BTreeMap<String, String>, column: &str) -> &'a str {
    values.get(column).map_or("", String::as_str)
}

impl ChangeDraft {
    /// An insertion, the first of its list or one after others.
    pub fn new(id: u32) -> Self {
        Self { id, kind: "insert".to_owned(), ..Self::default() }
    }

    /// A change as it is described.
    pub fn of(id: u32, change: &Change) -> Self {
        let typed = |values: &Values| -> BTreeMap<String, String> {
            values.iter().map(|(column, cell)| (column.clone(), cells::typed(cell))).collect()
        };
        let mut draft = Self { id, kind: name_of(change), ..Self::default() };
        match change {
            Change::Insert { table, row } | Change::InsertIfAbsent { table, row } => {
                draft.table.clone_from(table);
                draft.values = typed(row);
            }
            Change::Update { table, key, only_if, set, add } => {
                draft.table.clone_from(table);
                draft.values = typed(key);
                draft.values.extend(typed(set));
                draft.values.extend(add.iter().map(|(column, more)| (column.clone(), more.to_string())));
                let deeds = set.keys().map(|column| (column, "set")).chain(add.keys().map(|column| (column, "add")));
                draft.deeds = deeds.map(|(column, deed)| (column.clone(), deed.to_owned())).collect();
                draft.only_if = typed(only_if);
            }
            Change::Delete { table, key } => {
                draft.table.clone_from(table);
                draft.values = typed(key);
            }
        }
        draft
    }

    /// Makes it fit the tables that there are.
    pub fn fit(&mut self, tables: &[TableChoice]) {
        let names: Vec<String> = tables.iter().map(|table| table.name.clone()).collect();
        fit(&mut self.table, &names);
    }

    fn deed(&self, column: &str) -> &str {
        self.deeds.get(column).map_or("keep", String::as_str)
    }

    fn values<'a>(&self, columns: impl IntoIterator<Item = &'a String>) -> Values {
        let pairs = columns.into_iter();
        pairs.filter_map(|column| Some((column.clone(), cell(typed(&self.values, column))?))).collect()
    }

    fn key(&self, read: &mut Reader, table: &TableChoice) -> Values {
        for column in &table.key {
            read.needed(column, typed(&self.values, column));
        }
        self.values(&table.key)
    }

    /// The engine's change, or what is in the way.
    pub fn read(&self, tables: &[TableChoice]) -> Result<Change, Wrong> {
        let mut read = Reader::default();
        let Some(found) = tables.iter().find(|table| table.name == self.table) else {
            read.needed("table", "");
            return read.done(Change::Delete { table: String::new(), key: Values::new() });
        };
        let table = self.table.clone();
        let change = match self.kind.as_str() {
            "insertIfAbsent" => Change::InsertIfAbsent { table, row: self.values(&found.columns) },
            "update" => {
                let others = || found.columns.iter().filter(|column| !found.key.contains(column));
                let set = others().filter(|column| self.deed(column) == "set");
                let set = set.map(|column| (column.clone(), cell(typed(&self.values, column)).unwrap_or_default()));
                let set = set.collect();
                let add = others().filter(|column| self.deed(column) == "add");
                let add = add.map(|column| (column.clone(), read.number(column, typed(&self.values, column))));
                let add = add.collect();
                let only_if = self.only_if.iter().filter(|(column, _)| found.columns.contains(column));
                let only_if = only_if.filter_map(|(column, words)| Some((column.clone(), cell(words)?))).collect();
                Change::Update { table, key: self.key(&mut read, found), only_if, set, add }
            }
            "delete" => Change::Delete { table, key: self.key(&mut read, found) },
            _ => Change::Insert { table, row: self.values(&found.columns) },
        };
        read.done(change)
    }
}

/// Properties of [`ChangeFields`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// How the ids of the fields begin.
    pub id: AttrValue,
    /// Its place in the list, from 1.
    pub place: usize,
    /// The change.
    pub draft: Bound<ChangeDraft>,
    /// The tables of the database.
    pub tables: Vec<TableChoice>,
    /// It is taken out of the list.
    pub on_remove: Callback<()>,
}

/// The fields of a change: the statement, the table, and a field for each column that it is about.
#[component]
pub fn ChangeFields(props: &Props) -> Html {
    let text = use_text();
    let draft = &props.draft;
    let change = &draft.value;
    let tables = &props.tables;
    let wrong = change.read(tables).err();
    let id = format!("{}-change-{}", props.id, props.place);
    let fields = Fields { id: &id, draft, wrong: wrong.as_ref(), refusal: None, text: &text };
    let title = text.fill("sandbox.change", &[("place", &props.place)]);
    let mut names: Vec<String> = tables.iter().map(|table| table.name.clone()).collect();
    // A table that is gone is still what the change says.
    if !names.contains(&change.table) {
        names.push(change.table.clone());
    }
    let table = tables.iter().find(|table| table.name == change.table);
    let column = |column: &String| {
        let is_key = table.is_some_and(|table| table.key.contains(column));
        match change.kind.as_str() {
            "delete" if !is_key => None,
            "update" if !is_key => Some(updated(&id, draft, column, wrong.as_ref(), &text)),
            _ => Some(valued(&id, draft, column, is_key, &text)),
        }
    };
    let columns = table.map_or(&[] as &[String], |table| &table.columns);
    html! {
        <fieldset class="part" aria-label={title.clone()} data-testid={id.clone()}>
            <div class="part-head">
                <span class="label">{ title }</span>
                <button
                    type="button"
                    class="button quiet icon-only tiny"
                    aria-label={text.fill("sandbox.remove-change", &[("place", &props.place)])}
                    onclick={props.on_remove.reform(|_: yew::MouseEvent| ())}
                    data-testid={format!("{id}-remove")}
                ><Icon glyph={Glyph::Close} /></button>
            </div>
            <div class="form-row">
                { fields.choice("kind", |change| &mut change.kind, &KINDS) }
                <Choice
                    id={format!("{id}-table")}
                    label={text.get("sandbox.field.table")}
                    options={names}
                    value={change.table.clone()}
                    on_change={draft.set(|change: &mut ChangeDraft, table| change.table = table)}
                />
            </div>
            <div class="columns-of">
                { for columns.iter().filter_map(column) }
            </div>
            if change.kind == "update" {
                <More id={id.clone()} set={change.only_if.values().filter(|words| some(words).is_some()).count()}>
                    <p class="dim small">{ text.get("sandbox.only-if") }</p>
                    <div class="columns-of">
                        { for columns.iter().map(|column| {
                            let name = column.clone();
                            let on_change = draft.set(move |change: &mut ChangeDraft, words| {
                                change.only_if.insert(name.clone(), words);
                            });
                            html! {
                                <Input
                                    key={column.clone()}
                                    id={format!("{id}-if-{column}")}
                                    label={column.clone()}
                                    value={typed(&change.only_if, column).to_owned()}
                                    {on_change}
                                />
                            }
                        }) }
                    </div>
                </More>
            }
        </fieldset>
    }
}

fn on_value(draft: &Bound<ChangeDraft>, column: &str) -> Callback<String> {
    let column = column.to_owned();
    draft.set(move |change: &mut ChangeDraft, words| {
        change.values.insert(column.clone(), words);
    })
}

/// A column that is given a value.
fn valued(id: &str, draft: &Bound<ChangeDraft>, column: &str, is_key: bool, text: &Text) -> Html {
    let label = if is_key { text.fill("sandbox.key-column", &[("column", &column)]) } else { column.to_owned() };
    html! {
        <Input
            key={column.to_owned()}
            id={format!("{id}-{column}")}
            {label}
            value={typed(&draft.value.values, column).to_owned()}
            on_change={on_value(draft, column)}
        />
    }
}

/// A column that an update keeps, sets or adds to.
fn updated(id: &str, draft: &Bound<ChangeDraft>, column: &str, wrong: Option<&Wrong>, text: &Text) -> Html {
    let deed = draft.value.deed(column).to_owned();
    let kept = deed == "keep";
    let name = column.to_owned();
    let on_deed = draft.set(move |change: &mut ChangeDraft, deed| {
        change.deeds.insert(name.clone(), deed);
    });
    html! {
        <div class="form-row" key={column.to_owned()}>
            <Choice
                id={format!("{id}-deed-{column}")}
                label={column.to_owned()}
                options={DEEDS.map(str::to_owned).to_vec()}
                names={DEEDS.map(|deed| text.get(&format!("sandbox.deed.{deed}"))).to_vec()}
                value={deed.clone()}
                on_change={on_deed}
            />
            if kept {
                <span />
            } else {
                <Input
                    id={format!("{id}-{column}")}
                    label={text.get(&format!("sandbox.deed-value.{deed}"))}
                    value={typed(&draft.value.values, column).to_owned()}
                    on_change={on_value(draft, column)}
                    number={deed == "add"}
                    error={wrong.and_then(|wrong| wrong.words(column, text))}
                />
            }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::wire::{Cell, Change, Values};

    use super::{ChangeDraft, TableChoice};

    fn accounts() -> [TableChoice; 1] {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        [TableChoice {
            name: "accounts".to_owned(),
            columns: words(&["id", "balance", "state", "version"]),
            key: words(&["id"]),
        }]
    }

    fn draft(kind: &str) -> ChangeDraft {
        let mut draft = ChangeDraft { kind: kind.to_owned(), ..ChangeDraft::default() };
        draft.fit(&accounts());
        let pair = |(column, words): (&str, &str)| (column.to_owned(), words.to_owned());
        draft.values = [("id", "a-1"), ("balance", "-30"), ("state", "paid")].map(pair).into();
        draft.deeds = [("balance", "add"), ("state", "set")].map(pair).into();
        draft.only_if = [("version", "7"), ("state", "")].map(pair).into();
        draft
    }

    fn values<const N: usize>(values: [(&str, Cell); N]) -> Values {
        values.into_iter().map(|(column, cell)| (column.to_owned(), cell)).collect()
    }

    #[test]
    fn each_statement_takes_of_what_was_typed_what_it_is_about() {
        let (table, key) = ("accounts".to_owned(), values([("id", Cell::from("a-1"))]));
        let row = values([("id", Cell::from("a-1")), ("balance", Cell::Int(-30)), ("state", Cell::from("paid"))]);
        let insert = Change::Insert { table: table.clone(), row: row.clone() };
        assert_eq!(draft("insert").read(&accounts()), Ok(insert));
        let if_absent = Change::InsertIfAbsent { table: table.clone(), row };
        assert_eq!(draft("insertIfAbsent").read(&accounts()), Ok(if_absent));
        let update = Change::Update {
            table: table.clone(),
            key: key.clone(),
            only_if: values([("version", Cell::Int(7))]),
            set: values([("state", Cell::from("paid"))]),
            add: [("balance".to_owned(), -30)].into(),
        };
        assert_eq!(draft("update").read(&accounts()), Ok(update));
        assert_eq!(draft("delete").read(&accounts()), Ok(Change::Delete { table, key }));
    }

    #[test]
    fn a_change_that_is_described_comes_back() {
        for kind in super::KINDS {
            let change = draft(kind).read(&accounts()).unwrap();
            assert_eq!(ChangeDraft::of(3, &change).read(&accounts()), Ok(change));
        }
    }

    #[test]
    fn a_row_is_named_by_all_of_its_key_and_only_numbers_are_added() {
        let mut nameless = draft("delete");
        nameless.values.remove("id");
        assert!(nameless.read(&accounts()).is_err());
        let mut words = draft("update");
        words.values.insert("balance".to_owned(), "much".to_owned());
        assert!(words.read(&accounts()).is_err());
        assert!(draft("insert").read(&[]).is_err(), "there is no such table any more");
    }
}
