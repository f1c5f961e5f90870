//! Reading the workbench, and stepping through its run by the keyboard.

use std::fmt::Debug;

use anyhow::{Context as _, Result, bail, ensure};
use rocketscope_tests::browser::{Key, Page};
use serde::Deserialize;
use serde_json::json;

/// More events than any run of these tests has between two stops.
const EVENTS: usize = 200;

/// What the transport bar and the ruler of the first broker say at one moment; offsets are -1 while no broker runs.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(crate) struct Sight {
    /// Events taken.
    pub(crate) position: u64,
    /// Events known.
    pub(crate) length: u64,
    /// World time as shown.
    pub(crate) clock: String,
    /// End of the log.
    pub(crate) written: i64,
    /// Up to where it is flushed.
    pub(crate) flushed: i64,
    /// Where reput stands.
    pub(crate) dispatched: i64,
    /// The records' names and physical offsets, in the order of the log.
    pub(crate) marks: Vec<(String, i64)>,
}

const SEE: &str = "
    const one = (root, selector) => root.querySelector(selector)?.innerText ?? '';
    const ruler = document.querySelector('.ruler');
    const position = one(document, '[data-testid=position]').match(/\\d+/g) ?? [];
    if (position.length !== 2) return null;
    const state = name => Number(ruler?.querySelector(`[data-state=${name}] .ruler-at`)?.innerText ?? -1);
    return {
        position: Number(position[0]),
        length: Number(position[1]),
        clock: one(document, '[data-testid=clock]'),
        written: state('written'),
        flushed: state('flushed'),
        dispatched: state('dispatched'),
        marks: [...ruler?.querySelectorAll('.mark') ?? []].map(mark => [one(mark, 'b'), Number(one(mark, 'span'))]),
    };";

/// Looks at the workbench, which is on the screen.
pub(crate) async fn look(page: &Page) -> Result<Sight> {
    page.wait("[data-testid=position]").await?;
    serde_json::from_value(page.eval(SEE).await?).context("ruler and transport bar do not say where things stand")
}

/// Presses a key that moves the run, and waits until it has moved and every panel has followed.
pub(crate) async fn go(page: &Page, key: Key) -> Result<Sight> {
    let before = look(page).await?.position;
    page.press(key).await?;
    let moved = format!(
        "return Number(document.querySelector('[data-testid=position]').innerText.match(/\\d+/)[0]) !== {before};"
    );
    page.wait_true(&moved).await.with_context(|| format!("no way on from event {before}"))?;
    page.wait_settled().await?;
    look(page).await
}

/// Presses → until a CSS selector finds something, and returns what was to be seen at every stop, the first included.
pub(crate) async fn step_until(page: &Page, selector: &str) -> Result<Vec<Sight>> {
    let mut sights = vec![look(page).await?];
    while page.count(selector).await? == 0 {
        ensure!(sights.len() < EVENTS, "{EVENTS} events bring no `{selector}`");
        sights.push(go(page, Key::Right).await.with_context(|| format!("waiting for `{selector}`"))?);
    }
    Ok(sights)
}

/// Runs, as fast as it is shown, until nothing is left to do.
pub(crate) async fn rest(page: &Page) -> Result<()> {
    // What was done before it is seen first: until then the page still says that it rests.
    page.wait_settled().await?;
    page.eval(
        "const speed = document.querySelector('.transport .speed');
         speed.selectedIndex = speed.options.length - 1;
         speed.dispatchEvent(new Event('change', { bubbles: true }));",
    )
    .await?;
    page.click("[data-testid='transport.run']").await?;
    // A slow machine may take longer than anything is waited for, as long as it goes on.
    let mut before = look(page).await?.position;
    while let Err(error) = page.wait_true("return document.querySelector('.transport .pill') !== null;").await {
        let position = look(page).await?.position;
        ensure!(position > before, "{error:#}; the run stands at event {position}");
        before = position;
    }
    page.wait_settled().await
}

/// The values of a row without its repetitions.
pub(crate) fn changes<T: PartialEq>(row: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut changes: Vec<T> = row.into_iter().collect();
    changes.dedup();
    changes
}

/// Fails unless both are equal; `assert_eq!` as an error, so that the page is photographed.
pub(crate) fn same<T: PartialEq<U> + Debug, U: Debug>(what: &str, found: &T, wanted: &U) -> Result<()> {
    if found != wanted {
        bail!("{what} is {found:?}, and should be {wanted:?}");
    }
    Ok(())
}

/// Opens a route with a language chosen in an earlier visit.
pub(crate) async fn open_in(page: &Page, lang: &str, route: &str) -> Result<()> {
    page.open("").await?;
    // Once it is here the page has kept its own settings, and does not write over these.
    page.wait("main").await?;
    let settings = json!({ "lang": lang, "theme": "light", "hexadecimal": false });
    page.store("rocketscope.settings", &settings.to_string()).await?;
    page.open(route).await?;
    page.reload().await?;
    page.wait("main").await?;
    Ok(())
}
