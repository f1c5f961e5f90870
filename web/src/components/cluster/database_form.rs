//! The tables that a database has at the start.

use yew::{Callback, Html, Properties, component, html};

use super::found::Found;
use super::node::{Node, What};
use super::tables::{Table, list};
use crate::components::form::{Area, Input};
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Properties of [`Tables`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The database.
    pub node: Node,
    /// What is wrong with it.
    pub found: Vec<Found>,
    /// It is otherwise now.
    pub on_change: Callback<Node>,
}

impl Props {
    fn with(&self, change: &dyn Fn(&mut Vec<Table>)) -> Node {
        let mut node = self.node.clone();
        if let What::Database(tables) = &mut node.what {
            change(tables);
        }
        node
    }

    fn set(&self, at: usize, put: fn(&mut Table, String)) -> Callback<String> {
        let props = self.clone();
        self.on_change.reform(move |value: String| {
            props.with(&|tables| {
                if let Some(table) = tables.get_mut(at) {
                    put(table, value.clone());
                }
            })
        })
    }

    fn error(&self, at: usize, field: &str) -> Option<String> {
        let field = format!("tables.{at}.{field}");
        self.found.iter().find(|found| found.field == field).map(|found| found.words.clone())
    }
}

/// The tables, one below the other.
#[component]
pub fn Tables(props: &Props) -> Html {
    let text = use_text();
    let What::Database(tables) = &props.node.what else { return html! { <></> } };
    let more = props.with(&|tables| {
        let taken = |name: &String| tables.iter().any(|table| table.name == *name);
        let name = (1..=tables.len() + 1).map(|n| format!("table{n}")).find(|name| !taken(name)).unwrap_or_default();
        tables.push(Table { name, ..Table::orders() });
    });
    html! {
        <section class="settings" aria-label={text.get("cluster.tables")}>
            <h3 class="label">{ text.get("cluster.tables") }</h3>
            <p class="dim small">{ text.get("cluster.tables-say") }</p>
            { for tables.iter().enumerate().map(|(at, table)| one(props, at, table, &text)) }
            <button type="button" class="button tiny" onclick={props.on_change.reform(move |_| more.clone())} data-testid="add-table">
                <Icon glyph={Glyph::Add} />{ text.get("cluster.add-table") }
            </button>
        </section>
    }
}

fn one(props: &Props, at: usize, table: &Table, text: &crate::i18n::Text) -> Html {
    let less = props.with(&|tables| drop(tables.remove(at)));
    let columns = list(&table.columns);
    let rows_example = columns.iter().map(|column| format!("{column} …")).collect::<Vec<_>>().join(", ");
    html! {
        <fieldset key={at} class="part" aria-label={text.fill("cluster.table-is", &[("table", &table.name)])}>
            <div class="table-head">
                <Input id={format!("table-{at}-name")} label={text.get("cluster.table")} value={table.name.clone()} on_change={props.set(at, |table, value| table.name = value)} error={props.error(at, "name")} />
                <button
                    type="button"
                    class="button quiet icon-only"
                    aria-label={text.fill("cluster.remove-table", &[("table", &table.name)])}
                    onclick={props.on_change.reform(move |_| less.clone())}
                ><Icon glyph={Glyph::Close} /></button>
            </div>
            <div class="form-row">
                <Input id={format!("table-{at}-columns")} label={text.get("cluster.columns")} value={table.columns.clone()} on_change={props.set(at, |table, value| table.columns = value)} />
                <Input id={format!("table-{at}-key")} label={text.get("cluster.key-columns")} value={table.key.clone()} on_change={props.set(at, |table, value| table.key = value)} words={columns.clone()} />
            </div>
            <Area
                id={format!("table-{at}-rows")}
                label={text.get("cluster.rows")}
                value={table.rows.clone()}
                on_change={props.set(at, |table, value| table.rows = value)}
                placeholder={rows_example}
                error={props.error(at, "rows")}
            />
            <div class="form-row">
                <Area id={format!("table-{at}-unique")} label={text.get("cluster.unique")} value={table.unique.clone()} on_change={props.set(at, |table, value| table.unique = value)} />
                <Area
                    id={format!("table-{at}-at-least")}
                    label={text.get("cluster.at-least")}
                    value={table.at_least.clone()}
                    on_change={props.set(at, |table, value| table.at_least = value)}
                    placeholder="balance=0"
                    error={props.error(at, "at-least")}
                />
            </div>
            <Input id={format!("table-{at}-auto")} label={text.get("cluster.auto")} value={table.auto.clone()} on_change={props.set(at, |table, value| table.auto = value)} words={columns} />
        </fieldset>
    }
}
