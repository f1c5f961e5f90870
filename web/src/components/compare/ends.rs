//! What two runs came to, as a table.

use rocketscope_engine::compare::{AccountEnd, Ends, LogEnd};
use rocketscope_engine::ledger::Rule;
use yew::{Html, Properties, classes, component, html};

use crate::components::verdict;
use crate::i18n::{Text, name_of, use_text};

/// Properties of [`EndsTable`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What they came to.
    pub ends: Ends,
}

/// A row: what it is, and what it is in either run.
struct Row {
    key: String,
    what: Html,
    first: Html,
    second: Html,
    differs: bool,
}

/// The table.
#[component]
pub fn EndsTable(props: &Props) -> Html {
    let text = use_text();
    let rows = rows(&props.ends, &text);
    let differ = rows.iter().filter(|row| row.differs).count();
    html! {
        <section class="compare-ends" aria-labelledby="compare-ends" data-testid="compare-ends">
            <h2 id="compare-ends">{ text.get("compare.ends.title") }</h2>
            <p class="dim">{ text.count("compare.ends.differ", differ as i64) }</p>
            <div class="compare-scroll">
                <table class="table">
                    <caption class="hidden">{ text.get("compare.ends.title") }</caption>
                    <thead>
                        <tr>
                            <th scope="col">{ text.get("compare.ends.what") }</th>
                            <th scope="col">{ text.get("compare.side.first") }</th>
                            <th scope="col">{ text.get("compare.side.second") }</th>
                        </tr>
                    </thead>
                    <tbody>
                        { for rows.into_iter().map(|row| html! {
                            <tr key={row.key} class={classes!(row.differs.then_some("differs"))}>
                                <th scope="row">
                                    { row.what }
                                    if row.differs {
                                        <span class="hidden">{ text.get("compare.ends.differs") }</span>
                                    }
                                </th>
                                <td>{ row.first }</td>
                                <td>{ row.second }</td>
                            </tr>
                        }) }
                    </tbody>
                </table>
            </div>
        </section>
    }
}

fn rows(ends: &Ends, text: &Text) -> Vec<Row> {
    let code = |words: &str| html! { <code>{ words.to_owned() }</code> };
    let absent = || html! { <span class="dim">{ text.get("compare.ends.absent") }</span> };
    let accounts = ends.accounts.iter().map(|pair| Row {
        key: format!("account {} {}", pair.producer, pair.number),
        what: text.rich(
            "compare.ends.account",
            &[
                ("producer", code(&pair.producer)),
                ("number", Html::from((pair.number + 1).to_string())),
                ("name", Html::from(pair.name.as_ref().map_or_else(String::new, |name| format!(" ({name})")))),
                ("topic", code(&pair.topic)),
            ],
        ),
        first: pair.first.as_ref().map_or_else(absent, |end| account(end, text)),
        second: pair.second.as_ref().map_or_else(absent, |end| account(end, text)),
        differs: pair.first != pair.second,
    });
    let logs = ends.logs.iter().map(|pair| Row {
        key: format!("log {}", pair.broker),
        what: text.rich("compare.ends.log", &[("broker", code(&pair.broker))]),
        first: pair.first.as_ref().map_or_else(absent, |end| log(end, text)),
        second: pair.second.as_ref().map_or_else(absent, |end| log(end, text)),
        differs: pair.first != pair.second,
    });
    let tables = ends.tables.iter().map(|pair| {
        let rows = |count: Option<u64>| match count {
            Some(count) => Html::from(text.count("compare.ends.rows", count.cast_signed())),
            None => absent(),
        };
        let other = !pair.same && pair.first == pair.second;
        let second = html! {
            <>
                { rows(pair.second) }
                if other {
                    { " " }<span class="dim">{ text.get("compare.ends.other-rows") }</span>
                }
            </>
        };
        Row {
            key: format!("table {} {}", pair.database, pair.table),
            what: text.rich("compare.ends.table", &[("database", code(&pair.database)), ("table", code(&pair.table))]),
            first: rows(pair.first),
            second,
            differs: !pair.same,
        }
    });
    accounts.chain(logs).chain(tables).collect()
}

/// What became of a message: the verdict, its rules, and what it follows from.
fn account(end: &AccountEnd, text: &Text) -> Html {
    let told = if end.told.is_empty() { text.get("compare.found.told-nothing") } else { end.told.clone() };
    let mut parts = vec![
        text.fill("compare.ends.told", &[("told", &told)]),
        text.count("compare.ends.copies", i64::from(end.copies)),
    ];
    parts.extend(end.groups.iter().map(|group| {
        let handed = text.count("compare.ends.handed", i64::from(group.delivered));
        match group.effects {
            Some(effects) => {
                let effects = text.count("compare.ends.effects", i64::from(effects));
                format!("{}: {handed}, {effects}", group.group)
            }
            None => format!("{}: {handed}", group.group),
        }
    }));
    // That everything went as it should goes without saying.
    let why = end.why.iter().filter(|rule| **rule != Rule::Once);
    html! {
        <>
            <p>{ verdict::mark(end.verdict, text) }</p>
            { for why.map(|rule| html! { <p data-rule={rule.name()}>{ verdict::rule(*rule, text) }</p> }) }
            <p class="small dim">{ parts.join(" · ") }</p>
        </>
    }
}

fn log(end: &LogEnd, text: &Text) -> Html {
    match (end.max, end.flushed, end.dispatched) {
        (Some(max), Some(flushed), Some(dispatched)) => Html::from(
            text.fill("compare.ends.log-at", &[("max", &max), ("flushed", &flushed), ("dispatched", &dispatched)]),
        ),
        _ => Html::from(text.get(&format!("compare.ends.{}", name_of(&end.state)))),
    }
}
