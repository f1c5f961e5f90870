//! Every screen, wide and narrow, in both languages.

use anyhow::{Result, bail, ensure};
use rocketscope_tests::browser::{self, NARROW, Page, WIDE};

use super::bench::{open_in, same};

/// The page's addresses, and what is there when the screen is complete.
const ROUTES: [(&str, &str); 7] = [
    ("#/", "[data-testid=lesson]"),
    ("#/lesson/01", "[data-testid=lesson]"),
    ("#/sandbox", "[data-testid=sandbox]"),
    ("#/explorer", "[data-testid=explorer]"),
    ("#/backlog", "[data-testid=backlog-verdict]"),
    ("#/matrix", "[data-testid=matrix-begin]"),
    ("#/compare?preset=flush", "[data-testid=compare-ends]"),
];

/// The screens that are no workbench: without columns and transport bar.
const PLAIN: [&str; 4] = ["#/explorer", "#/backlog", "#/matrix", "#/compare?preset=flush"];

/// The columns of the workbench: the button of each on a narrow screen, and the column.
const COLUMNS: [(&str, &str); 3] = [
    ("[data-testid='column.text']", ".column-text"),
    ("[data-testid='column.stage']", ".column-stage"),
    ("[data-testid='column.inspector']", ".column-inspector"),
];

/// Nothing sticks out, and no words are missing in the catalogue.
async fn is_tidy(page: &Page, place: &str) -> Result<()> {
    if page.overflows_sideways().await? {
        let widest = "const width = document.documentElement.clientWidth;
                      return [...document.querySelectorAll('body *')]
                          .filter(e => e.getBoundingClientRect().right > width + 0.5)
                          .slice(0, 8).map(e => `${e.tagName}.${e.getAttribute('class')}`);";
        bail!("{place} is wider than the window: {}", page.eval(widest).await?);
    }
    // Its parts scroll, and the page as a whole does not: what is found or focused in them stays under the header.
    let below = page.eval("return document.documentElement.scrollHeight - innerHeight;").await?;
    ensure!(below.as_i64().is_some_and(|below| below <= 1), "{place} is {below} px higher than the window");
    let text = page.text("body").await?;
    ensure!(!text.contains('⟦'), "words are missing at {place}: {text}");
    Ok(())
}

/// The transport bar lies whole in the window.
async fn transport_is_in_sight(page: &Page) -> Result<()> {
    page.wait("[data-testid=transport]").await?;
    page.wait_true(
        "const bar = document.querySelector('[data-testid=transport]').getBoundingClientRect();
         const step = document.querySelector(\"[data-testid='transport.step']\").getBoundingClientRect();
         return bar.top >= 0 && bar.bottom <= innerHeight + 0.5 && step.left >= 0 && step.right <= innerWidth;",
    )
    .await
}

#[test]
fn every_route_loads_without_console_errors() {
    browser::run(async |page| {
        for size in [WIDE, NARROW] {
            page.resize(size).await?;
            for (route, landmark) in ROUTES {
                page.open(route).await?;
                page.reload().await?;
                page.wait_true(&format!("return document.querySelector(\"{landmark}\") !== null;")).await?;
                page.no_console_errors().await?;
            }
        }
        Ok(())
    });
}

#[test]
fn routes_lead_from_one_to_the_other_and_back() {
    browser::run(async |page| {
        page.open("").await?;
        page.wait("[data-testid=lesson]").await?;
        for (link, landmark, route) in [
            ("nav-backlog", "backlog", "#/backlog"),
            ("nav-explorer", "explorer", "#/explorer"),
            ("nav-sandbox", "sandbox", "#/sandbox"),
        ] {
            page.click(&format!("[data-testid={link}]")).await?;
            page.wait(&format!("[data-testid={landmark}]")).await?;
            same("the address", &page.route().await?, &route)?;
        }
        page.client().back().await?;
        page.wait("[data-testid=explorer]").await?;
        // An address that names nothing says so and leads on.
        page.open("#/lesson/99").await?;
        page.wait_text("main", "99").await?;
        page.click("main a[href='#/lesson/01']").await?;
        page.wait("[data-testid=lesson]").await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_phone_shows_one_column_at_a_time_and_nothing_sticks_out() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        for lang in ["en", "zh"] {
            for (route, landmark) in ROUTES {
                open_in(page, lang, route).await?;
                page.wait_true(&format!("return document.querySelector(\"{landmark}\") !== null;")).await?;
                is_tidy(page, &format!("{route} ({lang})")).await?;
                if PLAIN.contains(&route) {
                    continue;
                }
                transport_is_in_sight(page).await?;
                for (button, column) in COLUMNS {
                    page.click(button).await?;
                    page.wait(column).await?;
                    for (_, other) in COLUMNS {
                        if other != column {
                            page.wait_gone(other).await?;
                        }
                    }
                    same("the chosen tab", &page.attribute(button, "aria-pressed").await?.as_deref(), &Some("true"))?;
                    is_tidy(page, &format!("{column} of {route} ({lang})")).await?;
                    transport_is_in_sight(page).await?;
                }
            }
        }
        page.no_console_errors().await
    });
}

#[test]
fn a_phone_shows_a_whole_run_and_a_whole_store() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        open_in(page, "en", "#/lesson/01").await?;
        page.click("[data-testid='column.text']").await?;
        page.click("[data-testid=solution]").await?;
        page.wait("[data-testid=finished]").await?;
        for (button, column) in COLUMNS {
            page.click(button).await?;
            is_tidy(page, &format!("{column} at the end of the lesson")).await?;
            transport_is_in_sight(page).await?;
        }
        for tab in ["tab-queues", "tab-index", "tab-log", "tab-disk"] {
            page.click(&format!("[data-testid={tab}]")).await?;
            page.wait_true("return document.querySelector('.inspector-body .waiting') === null;").await?;
            is_tidy(page, tab).await?;
        }
        // A number leads into the store, and so to the column that shows it.
        page.click("[data-testid='column.stage']").await?;
        page.click(".ruler .mark[href*='at=1350']").await?;
        page.wait("[data-testid=record]").await?;
        is_tidy(page, "a record").await?;

        page.open("#/explorer").await?;
        page.click("[data-testid=open-sample]").await?;
        page.wait("[data-testid=tree]").await?;
        is_tidy(page, "the sample's files").await?;
        for tab in ["tab-queues", "tab-index", "tab-problems", "tab-disk"] {
            page.click(&format!("[data-testid={tab}]")).await?;
            page.wait_true("return document.querySelector('.inspector-body .waiting') === null;").await?;
            is_tidy(page, &format!("{tab} of the sample")).await?;
        }
        page.no_console_errors().await
    });
}

#[test]
fn a_wide_window_shows_all_columns_at_once() {
    browser::run(async |page| {
        for lang in ["en", "zh"] {
            for (route, landmark) in ROUTES {
                open_in(page, lang, route).await?;
                page.wait(landmark).await?;
                is_tidy(page, &format!("{route} ({lang})")).await?;
                if PLAIN.contains(&route) {
                    continue;
                }
                for (button, column) in COLUMNS {
                    page.wait(column).await?;
                    page.wait_gone(button).await?;
                }
                let beside = "const lefts = [...document.querySelectorAll('.column')]
                                  .map(column => column.getBoundingClientRect().left);
                              return lefts.length === 3 && lefts[0] < lefts[1] && lefts[1] < lefts[2];";
                page.wait_true(beside).await?;
                transport_is_in_sight(page).await?;
            }
        }
        page.no_console_errors().await
    });
}
