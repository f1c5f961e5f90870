//! A database on the stage: its tables with their rows, and what is there twice.

use rocketscope_engine::view::world::TableFact;
use yew::{Html, classes, html};

use super::stage_layout::{Card, LID, TABLES};
use super::stage_nodes::cut;
use crate::i18n::Text;

/// How wide a letter of a table's name is, pixels.
const NAME_LETTER: f64 = 6.6;

/// How wide a letter of what its rows come to is, pixels.
const ROWS_LETTER: f64 = 5.6;

/// How wide and high the sign of rows that are there twice is.
const TWICE: f64 = 11.0;

/// A table in words.
pub fn in_words(table: &TableFact, text: &Text) -> String {
    match twice_means(table, text) {
        None => format!("{} × {}", table.name, table.rows),
        Some(_) => format!("{}: {}", table.name, rows_of(table, text)),
    }
}

/// How many rows a table has, and how many of them say what an earlier one says, or how many messages were done again in
/// it where those are more.
fn rows_of(table: &TableFact, text: &Text) -> String {
    let rows = text.count("stage.rows", i64::from(table.rows));
    match (table.twins, table.redone) {
        (0, 0) => rows,
        (twins, redone) if redone > twins => text.fill("stage.rows-redone", &[("rows", &rows), ("redone", &redone)]),
        (twins, _) => text.fill("stage.rows-twice", &[("rows", &rows), ("twins", &twins)]),
    }
}

/// What that means, if anything is there twice.
fn twice_means(table: &TableFact, text: &Text) -> Option<String> {
    match (table.twins, table.redone) {
        (0, 0) => None,
        (twins, redone) if redone > twins => Some(text.count("stage.redone", i64::from(redone))),
        (twins, _) => Some(text.count("stage.twins", i64::from(twins))),
    }
}

/// The tables that a card has room for, in their order: before all others those in which something is there twice.
fn drawn(tables: &[TableFact]) -> Vec<&TableFact> {
    let mut shown: Vec<(usize, &TableFact)> = tables.iter().enumerate().collect();
    shown.sort_by_key(|(_, table)| table.twins == 0 && table.redone == 0);
    shown.truncate(TABLES);
    shown.sort_by_key(|(at, _)| *at);
    shown.into_iter().map(|(_, table)| table).collect()
}

/// The tables of a database with their rows, and its commits.
pub fn draw_database(card: Card, tables: &[TableFact], commits: u64, text: &Text) -> Html {
    let (cx, _) = card.middle();
    let (left, right) = (card.x + 12.0, card.x + card.w - 12.0);
    let first = card.y + 2.0 * LID + 35.0;
    let shown = drawn(tables);
    let below = first + 15.0 * shown.len() as f64 + 2.0;
    let commits = text.count("stage.commits", i64::try_from(commits).unwrap_or(i64::MAX));
    let hidden = tables.len() - shown.len();
    let last = if hidden > 0 { format!("{commits} · +{hidden}") } else { commits };
    html! {
        <>
            { for shown.iter().enumerate().map(|(at, table)| {
                let y = first + 15.0 * at as f64;
                let rows = rows_of(table, text);
                let twice = twice_means(table, text);
                // Letters of other scripts are as wide as two.
                let letters: usize = rows.chars().map(|letter| if letter.is_ascii() { 1 } else { 2 }).sum();
                let taken = letters as f64 * ROWS_LETTER;
                let sign = if twice.is_some() { TWICE + 4.0 } else { 0.0 };
                html! {
                    <g key={table.name.clone()} class={classes!("table-line", twice.is_some().then_some("is-twice"))} data-table={table.name.clone()}>
                        <text x={left.to_string()} y={y.to_string()}>
                            <title>{ table.name.clone() }</title>
                            { cut(&table.name, ((right - left - taken - sign) / NAME_LETTER) as usize) }
                        </text>
                        if let Some(twice) = twice {
                            <g
                                class="twice"
                                role="img"
                                aria-label={twice.clone()}
                                transform={format!("translate({:.1},{:.1})", right - taken - TWICE - 2.0, y - TWICE + 1.0)}
                            >
                                <title>{ twice }</title>
                                <rect x="0.5" y="3" width="7" height="7.5" />
                                <path d="M3 3V0.5H10.5V8H7.5" />
                            </g>
                        }
                        <text class="rows" x={right.to_string()} y={y.to_string()}>{ rows }</text>
                    </g>
                }
            }) }
            <text class="node-fact" x={cx.to_string()} y={below.to_string()}>{ last }</text>
        </>
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::view::world::TableFact;

    use super::{drawn, in_words};
    use crate::i18n::{Lang, Text};

    fn table(name: &str, rows: u32, twins: u32, redone: u32) -> TableFact {
        TableFact { name: name.to_owned(), rows, twins, redone }
    }

    #[test]
    fn a_table_says_what_is_there_twice() {
        let tables = [table("orders", 1, 0, 0), table("parcels", 2, 1, 1), table("sums", 1, 0, 2)];
        let said = |lang| tables.each_ref().map(|table| in_words(table, &Text::new(lang)));
        assert_eq!(said(Lang::En), ["orders × 1", "parcels: 2 rows, 1 twice", "sums: 1 row, 2 redone"]);
        assert_eq!(said(Lang::Zh), ["orders × 1", "parcels: 2 行，1 行重复", "sums: 1 行，2 条重做"]);
    }

    #[test]
    fn a_card_has_room_for_every_table_with_something_twice() {
        let tables = [
            table("a", 2, 0, 0),
            table("b", 2, 1, 1),
            table("c", 2, 0, 0),
            table("d", 2, 0, 0),
            table("e", 2, 0, 0),
            table("f", 2, 0, 1),
            table("g", 2, 0, 0),
        ];
        let names: Vec<&str> = drawn(&tables).iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d", "f"]);
    }
}
