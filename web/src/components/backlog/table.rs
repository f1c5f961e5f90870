//! The curve as a table: the same numbers for those who do not see the picture, or want them exactly.

use std::rc::Rc;

use rocketscope_engine::backlog::{Clearing, Outlook, Point};
use yew::{Html, Properties, classes, component, html};

use super::number::{grouped, seconds};
use crate::i18n::use_text;

/// Rows beside the first one and those at turns.
const ROWS: u64 = 12;

/// Properties of [`CurveTable`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What the plan comes to.
    pub outlook: Rc<Outlook>,
    /// Whether only those hear it who do not see the page.
    pub hidden: bool,
}

/// The table.
#[component]
pub fn CurveTable(props: &Props) -> Html {
    let text = use_text();
    html! {
        <div class={classes!("lab-table", props.hidden.then_some("hidden"))} data-testid="backlog-table">
            <table>
                <caption class="hidden">{ text.get("backlog.table.caption") }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ text.get("backlog.table.at") }</th>
                        <th scope="col">{ text.get("backlog.table.behind") }</th>
                        <th scope="col">{ text.get("backlog.table.formula") }</th>
                        <th scope="col">{ text.get("backlog.table.came") }</th>
                        <th scope="col">{ text.get("backlog.table.done") }</th>
                    </tr>
                </thead>
                <tbody>
                    { for rows(&props.outlook).into_iter().map(|point| html! {
                        <tr key={point.at_ms}>
                            <th scope="row" class="num">{ seconds(point.at_ms) }</th>
                            <td class="num">{ grouped(point.behind) }</td>
                            <td class="num">{ grouped(point.formula) }</td>
                            <td class="num">{ grouped(point.came) }</td>
                            <td class="num">{ grouped(point.done) }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

/// The points that the table shows.
fn rows(outlook: &Outlook) -> Vec<Point> {
    let horizon = outlook.points.last().map_or(1, |point| point.at_ms);
    let clears = |ms| outlook.clearing == Clearing::At { ms } || outlook.formula.clears_ms == Some(ms);
    let turn = |ms| clears(ms) || outlook.highest.at_ms == ms || ms == horizon;
    let mut next = 0;
    let mut rows = Vec::new();
    for point in &outlook.points {
        let at_even_distance = point.at_ms >= horizon * next / ROWS;
        if at_even_distance {
            next += 1;
        }
        if at_even_distance || turn(point.at_ms) {
            rows.push(*point);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::backlog::{Plan, outlook};

    use super::rows;

    /// An hour in twelfths is five minutes; 2000 s is where it clears.
    #[test]
    fn rows_are_few_and_have_every_turn() {
        let outlook = outlook(&Plan { threads: 100, ..Plan::default() }).unwrap();
        let seconds: Vec<u64> = rows(&outlook).iter().map(|point| point.at_ms / 1000).collect();
        assert_eq!(seconds, [0, 300, 600, 900, 1200, 1500, 1800, 2000, 2100, 2400, 2700, 3000, 3300, 3600]);
    }
}
