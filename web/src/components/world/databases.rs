//! The databases of applications: what is committed, what is only pending, what was written twice.

use rocketscope_engine::sim::NodeState;
use rocketscope_engine::view::databases::{CommitPicture, DatabasePicture, PendingChange, RowPicture, TablePicture};
use rocketscope_engine::view::{Answer, Query};
use rocketscope_engine::wire::Cell;
use yew::{Html, Properties, classes, component, html};

use crate::backend::use_ask;
use crate::components::store::{Waiting, format, use_store_context};
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};

/// The column of an outbox that says whether its message was sent.
const SENT: &str = "sent";

/// All databases.
#[component]
pub fn DatabasesPane() -> Html {
    let text = use_text();
    let context = use_store_context();
    let asked = use_ask(Some(Query::Databases), context.revision);
    let Some(Answer::Databases(picture)) = asked.answer.as_deref() else { return html! { <Waiting {asked} /> } };
    html! {
        <div class="pane world" data-testid="databases">
            <h2 class="label">{ text.get("databases.title") }</h2>
            <p class="narration">{ text.get("databases.says") }</p>
            { for picture.nodes.iter().map(|database| html! {
                <Database key={database.node.clone()} database={database.clone()} />
            }) }
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct DatabaseProps {
    database: DatabasePicture,
}

#[component]
fn Database(props: &DatabaseProps) -> Html {
    let text = use_text();
    let database = &props.database;
    let name = &database.node;
    html! {
        <section class="card item" aria-label={name.clone()} data-testid={format!("database:{name}")}>
            <div class="item-head">
                <h3 class="mono">{ name.clone() }</h3>
                <span class="small item-end">
                    if database.state != NodeState::Up {
                        { text.get(&format!("life.{}", name_of(&database.state))) }{ " · " }
                    }
                    { text.count("databases.commits", i64::try_from(database.commits).unwrap_or(i64::MAX)) }
                </span>
            </div>
            if !database.open_transactions.is_empty() {
                <ul class="notes" data-testid="open-transactions">
                    { for database.open_transactions.iter().map(|open| html! {
                        <li key={open.transaction} class="note is-pending">
                            <Icon glyph={Glyph::Clock} />
                            <span>
                                { text.rich("databases.open", &[
                                    ("transaction", html! { <b class="num">{ open.transaction }</b> }),
                                    ("by", html! { <b class="mono">{ open.by.clone() }</b> }),
                                    ("rows", html! { <span class="num">{ open.rows }</span> }),
                                ]) }
                            </span>
                        </li>
                    }) }
                </ul>
            }
            { for database.tables.iter().map(|table| html! {
                <Table key={table.name.clone()} table={table.clone()} />
            }) }
            <Commits log={database.log.clone()} commits={database.commits} />
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct TableProps {
    table: TablePicture,
}

#[component]
fn Table(props: &TableProps) -> Html {
    let text = use_text();
    let table = &props.table;
    let sent = table.outbox.then(|| table.columns.iter().position(|column| column == SENT)).flatten();
    let noted = sent.is_some() || table.rows.iter().any(|row| row.pending.is_some() || row.same_as.is_some());
    let shown = table.rows.iter().filter(|row| !is_new(row)).count() as u64;
    let left_out = u64::from(table.total).saturating_sub(shown);
    html! {
        <div class="db-table" data-testid={format!("table:{}", table.name)}>
            <h4>
                <span class="mono">{ table.name.clone() }</span>
                <span class="small dim">{ text.count("databases.rows", i64::from(table.total)) }</span>
                if table.outbox {
                    <span class="chip">{ text.get("databases.outbox") }</span>
                }
            </h4>
            <p class="small dim">{ constraints(table, &text) }</p>
            if table.rows.is_empty() {
                <p class="small dim">{ text.get("databases.empty") }</p>
            } else {
                <div class="wide" tabindex="0" role="region" aria-label={text.fill("databases.rows-of", &[("table", &table.name)])}>
                    <table class="table cells">
                        <thead>
                            <tr>
                                if noted {
                                    <th key="note" scope="col"><span class="hidden">{ text.get("databases.note") }</span></th>
                                }
                                { for table.columns.iter().map(|column| html! {
                                    <th key={column.clone()} scope="col" class={classes!(table.key.contains(column).then_some("is-key"))}>
                                        { column.clone() }
                                    </th>
                                }) }
                            </tr>
                        </thead>
                        <tbody>
                            { for table.rows.iter().enumerate().map(|(key, row)| html! {
                                <tr {key} class={row_class(row)} data-key={key_of(table, row)}>
                                    if noted {
                                        <td key="note" class="row-notes">{ notes(row, sent, &text) }</td>
                                    }
                                    { for row.cells.iter().enumerate().map(|(column, cell)| html! {
                                        <td key={format!("cell-{column}")} class={classes!(is_number(cell).then_some("right"))}>
                                            { value(row, column, cell) }
                                        </td>
                                    }) }
                                </tr>
                            }) }
                        </tbody>
                    </table>
                </div>
            }
            if left_out > 0 {
                <p class="small dim">{ text.fill("databases.left-out", &[("count", &left_out)]) }</p>
            }
        </div>
    }
}

fn is_new(row: &RowPicture) -> bool {
    row.pending.as_ref().is_some_and(|pending| pending.change == PendingChange::Inserted)
}

fn is_number(cell: &Cell) -> bool {
    matches!(cell, Cell::Int(_))
}

fn key_of(table: &TablePicture, row: &RowPicture) -> String {
    let cells = table.columns.iter().zip(&row.cells).filter(|(column, _)| table.key.contains(column));
    cells.map(|(_, cell)| cell.to_string()).collect::<Vec<_>>().join(",")
}

fn row_class(row: &RowPicture) -> yew::Classes {
    let pending = row.pending.as_ref().map(|pending| match pending.change {
        PendingChange::Inserted => "is-pending is-inserted",
        PendingChange::Updated { .. } => "is-pending",
        PendingChange::Deleted => "is-pending is-deleted",
    });
    classes!(pending, row.same_as.is_some().then_some("is-twin"))
}

/// What there is to say about a row before its values.
fn notes(row: &RowPicture, sent: Option<usize>, text: &Text) -> Html {
    let was_sent = sent.and_then(|column| row.cells.get(column)).map(|cell| *cell == Cell::Int(1));
    let pending = row.pending.as_ref().map(|pending| {
        let change = format!("databases.{}", name_of(&pending.change));
        html! {
            <span key="pending" class="note is-pending"><Icon glyph={Glyph::Clock} />{ text.fill(&change, &[("transaction", &pending.transaction)]) }</span>
        }
    });
    let twin = row.same_as.as_ref().map(|other| {
        html! {
            <span key="twin" class="note is-bad"><Icon glyph={Glyph::Twice} />{ text.fill("databases.twin", &[("other", other)]) }</span>
        }
    });
    let sent = was_sent.filter(|_| !is_new(row)).map(|sent| {
        let (glyph, class, key) = if sent {
            (Glyph::Tick, "is-good", "databases.sent")
        } else {
            (Glyph::Todo, "is-waiting", "databases.unsent")
        };
        html! { <span key="sent" class={classes!("note", class)}><Icon {glyph} />{ text.get(key) }</span> }
    });
    html! { <span class="row-note">{ for pending.into_iter().chain(twin).chain(sent) }</span> }
}

/// A value, and what an open transaction makes of it.
fn value(row: &RowPicture, column: usize, cell: &Cell) -> Html {
    let after = match row.pending.as_ref().map(|pending| &pending.change) {
        Some(PendingChange::Updated { after }) => after.get(column).filter(|after| *after != cell),
        _ => None,
    };
    let plain = |cell: &Cell| match cell {
        Cell::Null => html! { <span class="dim">{ "NULL" }</span> },
        cell => html! { <span>{ cell.to_string() }</span> },
    };
    match after {
        Some(after) => html! { <><del>{ plain(cell) }</del>{ " " }<ins>{ plain(after) }</ins></> },
        None => plain(cell),
    }
}

/// Key, unique constraints and the column that counts up by itself.
fn constraints(table: &TablePicture, text: &Text) -> String {
    let mut said = vec![text.fill("databases.key", &[("columns", &table.key.join(", "))])];
    said.extend(table.unique.iter().map(|columns| text.fill("databases.unique", &[("columns", &columns.join(", "))])));
    said.extend(table.auto_increment.iter().map(|column| text.fill("databases.counts-up", &[("column", column)])));
    said.join(" · ")
}

#[derive(Clone, PartialEq, Properties)]
struct CommitsProps {
    log: Vec<CommitPicture>,
    commits: u64,
}

/// The newest commits, newest first.
#[component]
fn Commits(props: &CommitsProps) -> Html {
    let text = use_text();
    html! {
        <details class="more" data-testid="commits">
            <summary>{ text.get("databases.log") }</summary>
            if props.log.is_empty() {
                <p class="small dim">{ text.get("databases.no-commits") }</p>
            } else {
                <ol class="queue-list">
                    { for props.log.iter().rev().map(|commit| html! {
                        <li key={commit.number}>
                            <span class="num">{ commit.number }</span>
                            <div class="small">
                                <p class="dim">
                                    <span class="num">{ format::clock(commit.at_us) }</span>
                                    { " · " }<span class="mono">{ commit.by.clone() }</span>
                                </p>
                                { for commit.rows.iter().enumerate().map(|(key, row)| html! {
                                    <p {key} class="mono">
                                        { format!("{}[{}] ", row.table, row.key) }
                                        { match &row.row {
                                            Some(values) => values.iter().map(|(column, cell)| format!("{column} = {cell}")).collect::<Vec<_>>().join(", "),
                                            None => text.get("databases.gone"),
                                        } }
                                    </p>
                                }) }
                            </div>
                        </li>
                    }) }
                </ol>
            }
        </details>
    }
}
