//! A run handed on as a link or a file, and one that is there again after a reload.

use std::io::Read;

use anyhow::{Context as _, Result, ensure};
use rocketscope_engine::disk::ReadAt;
use rocketscope_engine::link::Link;
use rocketscope_engine::sim::Imports;
use rocketscope_tests::browser::{self, Key, Page};
use serde_json::json;

use super::bench::{go, look, same, step_until};
use super::sandbox::send;

/// A browser that does not let a page copy.
const NO_CLIPBOARD: &str =
    "Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error('no')) } });";

/// A browser that takes down what a page copies.
const CLIPBOARD: &str = "
    window.copied = null;
    Object.defineProperty(navigator, 'clipboard', {
        value: { writeText: text => { window.copied = text; return Promise.resolve(); } },
    });
";

/// What a browser does where site data is blocked: asking for the storage is itself refused.
const NO_STORAGE: &str = "
    Object.defineProperty(window, 'localStorage', {
        get() { throw new DOMException('Access is denied for this document.', 'SecurityError'); },
    });
";

/// Opens Share and reads the address in it, from `#` on.
async fn shared(page: &Page) -> Result<String> {
    page.click("[data-testid=share]").await?;
    let field = page.wait("[data-testid=share-link]").await?;
    let address = field.prop("value").await?.context("the field has no value")?;
    page.press(Key::Escape).await?;
    page.wait_gone("[data-testid=share-dialog]").await?;
    let (_, route) = address.split_once('#').context("the address has no route")?;
    Ok(format!("#{route}"))
}

/// Waits until the run that is kept under a name stands at this event.
async fn kept_at(page: &Page, name: &str, position: u64) -> Result<String> {
    let key = format!("rocketscope.run.{name}");
    for _ in 0..100 {
        if let Some(text) = page.stored(&key).await? {
            let text: String = serde_json::from_str(&text)?;
            if Link::decode(&text)?.position == position {
                return Ok(text);
            }
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    anyhow::bail!("no run of {name} at event {position} is kept")
}

#[test]
fn a_link_opens_the_very_run_at_its_position() {
    browser::run(async |page| {
        page.before_load(CLIPBOARD).await?;
        page.open("#/lesson/01").await?;
        page.click("[data-testid=solution]").await?;
        page.wait("[data-testid=finished]").await?;
        let end = look(page).await?;
        let before = go(page, Key::Left).await?;
        page.click("[data-testid=share]").await?;
        page.wait_text("[data-testid=share-said]", "Copied").await?;
        let copied = page.eval("return window.copied;").await?;
        page.press(Key::Escape).await?;
        let route = shared(page).await?;
        ensure!(copied.as_str().is_some_and(|copied| copied.ends_with(&route)), "{copied} was copied");
        // What the engine reads out of it is what the page shows.
        let text = route.strip_prefix("#/lesson/01?r=").context("it is another route")?;
        let link = Link::decode(text)?;
        same("position and length", &(link.position, link.length), &(before.position, before.length))?;

        // Somebody else: nothing is kept.
        page.eval("localStorage.clear();").await?;
        page.open("#/explorer").await?;
        page.eval("localStorage.clear();").await?;
        page.open(&route).await?;
        page.wait_text("[data-testid=run-arrived]", "the run of the link").await?;
        same("the run", &look(page).await?, &before)?;
        same("the end", &go(page, Key::End).await?, &end)?;
        page.wait("[data-testid=finished]").await?;
        // The run is kept from now on, so the address does not ask for the old one any more.
        page.wait_true("return location.hash === '#/lesson/01';").await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_link_that_cannot_be_opened_says_why_in_both_languages_and_is_kept() {
    browser::run(async |page| {
        page.open("#/lesson/03").await?;
        page.wait("[data-testid=lesson]").await?;
        let route = shared(page).await?;
        let cut = &route[..route.len() - 8];
        page.open(cut).await?;
        page.wait_text("[data-testid=run-refused] [role=alert]", "It was cut off").await?;
        page.click("[data-testid=lang]").await?;
        page.wait_text("[data-testid=run-refused] [role=alert]", "它被截断了").await?;
        let text = page.wait("[data-testid=refused-text]").await?.prop("value").await?;
        same("the text", &text.as_deref(), &cut.split_once("r=").map(|(_, text)| text))?;
        page.click("[data-testid=refused-go-on]").await?;
        page.wait("[data-testid=lesson][data-lesson='03-rollover']").await?;
        page.wait_true("return location.hash === '#/lesson/03';").await?;
        page.no_console_errors().await
    });
}

#[test]
fn the_work_of_a_learner_survives_a_reload_and_can_be_begun_anew() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        let start = look(page).await?;
        send(page, "kept", 1).await?;
        let before = look(page).await?;
        kept_at(page, "sandbox", before.position).await?;
        page.reload().await?;
        page.wait_text("[data-testid=run-arrived]", "as you left it").await?;
        same("the run", &look(page).await?, &before)?;
        // So does another screen in between.
        page.open("#/lesson/01").await?;
        page.wait("[data-testid=lesson]").await?;
        page.open("#/sandbox").await?;
        page.wait("[data-testid=run-arrived]").await?;
        same("the run", &look(page).await?, &before)?;
        page.click("[data-testid=run-anew]").await?;
        page.wait_gone("[data-testid=run-arrived]").await?;
        page.wait_true("return document.querySelector('[data-testid=position]').innerText.includes('event 0 ');")
            .await?;
        same("the run", &look(page).await?, &start)?;
        page.no_console_errors().await
    });
}

/// A run with a branch that was left, as a reload, a file and an address hand it on.
#[test]
fn branches_survive_a_reload_and_go_into_the_file() {
    browser::run(async |page| {
        page.before_load(DOWNLOADS).await?;
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        send(page, "one", 1).await?;
        let left = look(page).await?;
        page.click("[data-testid='past.undo']").await?;
        page.wait_true("return document.querySelector('[data-testid=position]').innerText.includes('event 0 ');")
            .await?;
        send(page, "another one", 1).await?;
        let before = look(page).await?;
        let said = page.wait("[data-testid='branch:0']").await?.text().await?;
        kept_at(page, "sandbox", before.position).await?;

        // Under Share: the address has one branch, and the file both.
        page.click("[data-testid=share]").await?;
        page.wait_text("[data-testid=share-branches]", "The other one goes into the file only.").await?;
        let address = page.wait("[data-testid=share-link]").await?.prop("value").await?.context("no address")?;
        page.click("[data-testid=share-save]").await?;
        page.wait_true("return window.saved !== null;").await?;
        let file: String = serde_json::from_value(page.eval("return window.saved.text();").await?)?;
        let branches = |text: &str| anyhow::Ok(Link::decode(text)?.branches.len());
        let (_, text) = address.split_once("r=").context("no run is in the address")?;
        same("branches in the address and in the file", &[branches(text)?, branches(&file)?], &[0, 1])?;
        page.press(Key::Escape).await?;

        let both_are_here = async || {
            same("the run", &look(page).await?, &before)?;
            page.wait_text("[data-testid='branch:0']", &said).await?;
            page.click("[data-testid='branch:0']").await?;
            page.wait("[data-testid='branch:1']").await?;
            same("the branch that was left", &look(page).await?.marks, &left.marks)?;
            page.click("[data-testid='branch:1']").await?;
            page.wait("[data-testid='branch:0']").await?;
            anyhow::Ok(())
        };
        page.reload().await?;
        page.wait_text("[data-testid=run-arrived]", "as you left it").await?;
        both_are_here().await.context("after a reload")?;

        page.eval("localStorage.clear();").await?;
        page.reload().await?;
        page.wait("[data-testid=sandbox]").await?;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("both.rocketscope");
        std::fs::write(&path, file)?;
        page.drop_on("#main", &[&path]).await?;
        page.wait_text("[data-testid=run-arrived]", "the run of the file").await?;
        both_are_here().await.context("from the file")?;
        page.no_console_errors().await
    });
}

#[test]
fn a_run_that_was_kept_and_is_broken_is_told_and_begun_anew() {
    browser::run(async |page| {
        page.open("#/lesson/01").await?;
        page.click("[data-testid='offer:m1']").await?;
        let at = look(page).await?.position;
        let mut text = kept_at(page, "01-three-messages", at).await?;
        text.truncate(text.len() - 4);
        page.store("rocketscope.run.01-three-messages", &json!(text).to_string()).await?;
        page.reload().await?;
        page.wait_text("[data-testid=run-refused]", "cannot be gone on with").await?;
        page.wait_text("[data-testid=run-refused] [role=alert]", "It was cut off").await?;
        page.click("[data-testid=refused-go-on]").await?;
        page.wait("[data-testid='offer:m1']").await?;
        page.no_console_errors().await
    });
}

#[test]
fn without_storage_a_link_opens_and_stays_in_the_address() {
    browser::run(async |page| {
        page.before_load(NO_STORAGE).await?;
        page.open("#/lesson/01").await?;
        page.click("[data-testid='offer:m1']").await?;
        let before = go(page, Key::Right).await?;
        let route = shared(page).await?;
        page.open(&route).await?;
        for _ in 0..2 {
            page.wait("[data-testid=run-arrived]").await?;
            same("the run", &look(page).await?, &before)?;
            same("the address", &page.route().await?, &route)?;
            page.reload().await?;
        }
        page.no_console_errors().await
    });
}

#[test]
fn a_link_that_cannot_be_copied_is_shown() {
    browser::run(async |page| {
        page.before_load(NO_CLIPBOARD).await?;
        page.open("#/lesson/01").await?;
        page.wait("[data-testid=lesson]").await?;
        page.click("[data-testid=share]").await?;
        page.wait_text("[data-testid=share-said]", "did not let the page copy it").await?;
        page.wait("[data-testid=share-link]").await?.click().await?;
        page.wait_true(
            "const field = document.querySelector('[data-testid=share-link]');
             return field.selectionStart === 0 && field.selectionEnd === field.value.length;",
        )
        .await?;
        // Where no run is shown, the address is what there is to share.
        page.press(Key::Escape).await?;
        page.open("#/backlog?threads=100").await?;
        ensure!(shared(page).await? == "#/backlog?threads=100", "the address is another");
        page.no_console_errors().await
    });
}

#[test]
fn a_run_file_is_picked_or_dropped_anywhere() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        send(page, "filed", 1).await?;
        let before = look(page).await?;
        let route = shared(page).await?;
        let text = route.split_once("r=").map(|(_, text)| text).context("no run is in it")?;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("filed.rocketscope");
        std::fs::write(&path, format!("{text}\n"))?;
        page.eval("localStorage.clear();").await?;
        page.open("#/explorer").await?;
        page.wait("[data-testid=open-sample]").await?;
        page.drop_on("[data-testid=explorer]", &[&path]).await?;
        page.wait_text("[data-testid=run-arrived]", "the run of the file").await?;
        same("the run", &look(page).await?, &before)?;
        page.wait_true("return location.hash === '#/sandbox';").await?;

        // A file that holds no run leaves the one that is here as it is.
        let broken = folder.path().join("broken.rocketscope");
        std::fs::write(&broken, "no run")?;
        page.click("[data-testid=share]").await?;
        page.wait("[data-testid=share-link]").await?;
        page.choose("[data-testid=share-open]", &[&broken]).await?;
        page.wait_text("[data-testid=run-refused]", "This file cannot be opened").await?;
        page.click("[data-testid=refused-go-on]").await?;
        page.wait_gone("[data-testid=run-refused]").await?;
        same("the run", &look(page).await?, &before)?;
        page.no_console_errors().await
    });
}

/// Takes what the page hands to the reader as a download.
const DOWNLOADS: &str = "
    window.saved = null;
    URL.createObjectURL = blob => { window.saved = blob; return '#'; };
    URL.revokeObjectURL = () => {};
    HTMLAnchorElement.prototype.click = () => {};
";

#[test]
fn the_disk_of_a_broker_is_saved_as_a_store_directory() {
    browser::run(async |page| {
        page.before_load(DOWNLOADS).await?;
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        send(page, "exported", 1).await?;
        page.click("[data-testid=export-store]").await?;
        page.wait_text("[data-testid=export-said]", "Saved").await?;
        let read = "return window.saved.arrayBuffer().then(buffer => Array.from(new Uint8Array(buffer)));";
        let bytes: Vec<u8> = serde_json::from_value(page.eval(read).await?)?;
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes))?;

        // The same run natively has the same disk.
        let route = shared(page).await?;
        let (_, text) = route.split_once("r=").context("no run is in it")?;
        let opened = Link::decode(text)?.open(&Imports::default())?;
        let disk = opened.history().world().broker("broker-a").context("there is no broker")?.disk();
        same("the number of files", &archive.len(), &disk.files().len())?;
        for (path, file) in disk.files() {
            let mut expected = vec![0; usize::try_from(disk.meta(file)?.len)?];
            disk.read_at(file, 0, &mut expected)?;
            let mut found = Vec::new();
            archive.by_name(&path)?.read_to_end(&mut found)?;
            ensure!(found == expected, "{path} is another file");
        }
        page.no_console_errors().await
    });
}

#[test]
fn a_broker_of_the_sandbox_starts_on_the_store_that_is_open() {
    browser::run(async |page| {
        page.open("#/explorer").await?;
        page.click("[data-testid=open-sample]").await?;
        page.click("[data-testid=start-on-store]").await?;
        page.wait_text("[data-testid=run-arrived]", "a copy of your store").await?;
        same("the address", &page.route().await?, &"#/sandbox")?;
        same("the event", &look(page).await?.position, &0)?;
        step_until(page, "[data-testid='node:broker-a'].is-up").await?;
        ensure!(look(page).await?.written > 0, "the log of the store is not there");
        // A link of it says which store it needs, and opens where the store is open.
        let route = shared(page).await?;
        page.reload().await?;
        page.wait_text("[data-testid=run-refused] [role=alert]", "fingerprint").await?;
        page.click("[data-testid=run-refused] a[href='#/explorer']").await?;
        page.click("[data-testid=open-sample]").await?;
        page.wait("[data-testid=tree]").await?;
        page.open(&route).await?;
        page.wait_text("[data-testid=run-arrived]", "the run of the link").await?;
        page.wait("[data-testid='node:broker-a'].is-up").await?;
        page.no_console_errors().await
    });
}
