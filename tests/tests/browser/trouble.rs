//! When something is not as it should be: a refused action, no storage, a part of the page that breaks, a reader who
//! wants no motion.

use anyhow::{Result, ensure};
use rocketscope_tests::browser::{self, Key, Page};
use serde_json::json;

use super::bench::{go, look, open_in, same};

#[test]
fn a_refused_action_says_why_in_the_readers_language_and_changes_nothing() {
    browser::run(async |page| {
        for (lang, words) in [("en", "999999 is outside the CommitLog"), ("zh", "999999 不在 CommitLog 之内")] {
            open_in(page, lang, "#/sandbox").await?;
            page.wait("[data-testid=sandbox]").await?;
            let before = look(page).await?;
            let field = page.wait("[data-testid=reput-broker-a]").await?;
            field.send_keys("999999").await?;
            page.press(Key::Enter).await?;
            page.wait_text("[role=alert]", words).await?;
            same("the run", &look(page).await?, &before)?;
            // What can be done is done, and the message goes.
            page.press(Key::Tab).await?;
            page.click("[data-testid='service:reput']").await?;
            page.wait_gone("[role=alert]").await?;
            same("the event", &look(page).await?.position, &(before.position + 1))?;
        }
        page.no_console_errors().await
    });
}

/// What a browser does where site data is blocked: asking for the storage is itself refused.
const NO_STORAGE: &str = "
    Object.defineProperty(window, 'localStorage', {
        get() { throw new DOMException('Access is denied for this document.', 'SecurityError'); },
    });
";

#[test]
fn without_storage_the_page_works_and_remembers_nothing() {
    browser::run(async |page| {
        page.before_load(NO_STORAGE).await?;
        page.open("#/lesson/01").await?;
        page.wait("[data-testid=lesson]").await?;
        let refused = "try { localStorage; return false; } catch (cause) { return cause.name === 'SecurityError'; }";
        same("that the storage is off", &page.eval(refused).await?, &json!(true))?;
        page.click("[data-testid=lang]").await?;
        page.wait_text("#lesson-title", "三条消息").await?;
        page.click("[data-testid=theme]").await?;
        page.wait("html[data-theme=light]").await?;
        page.click("[data-testid=solution]").await?;
        page.wait("[data-testid=finished]").await?;
        page.wait("[data-testid^='goal:'].is-met").await?;
        page.no_console_errors().await?;

        page.reload().await?;
        page.wait_text("#lesson-title", "Three messages").await?;
        page.wait("html[data-theme=auto]").await?;
        same("the goals met", &page.count("[data-testid^='goal:'].is-met").await?, &0)?;
        page.no_console_errors().await
    });
}

async fn shows_its_failure(page: &Page, lang: &str, title: &str) -> Result<()> {
    open_broken(page, lang).await?;
    page.wait_text("[role=alertdialog] h1", title).await?;
    page.wait_text("[role=alertdialog] .fatal-cause", "worker").await?;
    // The link to where one was is kept, and the way on has the focus.
    ensure!(page.text(".fatal-link").await?.ends_with("#/lesson/01?tab=record&at=1200"), "the link is not kept");
    page.wait_true("return document.activeElement.matches('#fatal button');").await?;
    Ok(())
}

async fn open_broken(page: &Page, lang: &str) -> Result<()> {
    page.open("").await?;
    page.wait("#fatal").await?;
    let settings = json!({ "lang": lang, "theme": "light", "hexadecimal": false });
    page.store("rocketscope.settings", &settings.to_string()).await?;
    page.open("#/lesson/01?tab=record&at=1200").await?;
    page.reload().await
}

#[test]
fn a_worker_that_does_not_load_leads_to_the_page_of_last_resort() {
    let broken = |site: &std::path::Path| Ok(std::fs::write(site.join("worker.js"), "this is no script; worker")?);
    browser::run_changed(broken, async |page| {
        shows_its_failure(page, "en", "Something broke that must not break").await?;
        shows_its_failure(page, "zh", "页面出错了").await?;
        // Reload tries again.
        page.click("#fatal button").await?;
        page.wait("#fatal").await?;
        Ok(())
    });
}

#[test]
fn an_engine_that_fails_says_so_and_keeps_the_link() {
    // The worker answers that it has failed, as it does when the engine panics.
    let failing = |site: &std::path::Path| {
        let script = "self.postMessage({ fault: 'panicked in the worker: <made up>' });";
        Ok(std::fs::write(site.join("worker.js"), script)?)
    };
    browser::run_changed(failing, async |page| {
        shows_its_failure(page, "en", "Something broke that must not break").await?;
        // The cause is text, whatever stands in it.
        page.wait_text(".fatal-cause", "panicked in the worker: <made up>").await?;
        Ok(())
    });
}

#[test]
fn nothing_moves_for_a_reader_who_wants_no_motion() {
    browser::run(async |page| {
        // What begins to move, by the browser's own account: it may be over by the next look.
        const WATCH: &str = "
            window.moved = { anywhere: 0, stage: 0 };
            for (const kind of ['animationstart', 'transitionrun']) {
                document.addEventListener(kind, ({ target }) => {
                    window.moved.anywhere += 1;
                    window.moved.stage += target.closest('[data-testid=stage]') ? 1 : 0;
                }, true);
            }
        ";
        async fn moved(page: &Page, place: &str) -> Result<bool> {
            page.eval(WATCH).await?;
            page.click("[data-testid=send]").await?;
            for _ in 0..6 {
                go(page, Key::Right).await?;
            }
            // The browser tells what a frame brought with the next one.
            let later = "const done = arguments[arguments.length - 1];
                         requestAnimationFrame(() => requestAnimationFrame(done));";
            page.client().execute_async(later, Vec::new()).await?;
            Ok(page.eval(&format!("return window.moved.{place} > 0;")).await? == json!(true))
        }
        for (reduced, place, expected) in [(false, "stage", true), (true, "anywhere", false)] {
            page.prefer(false, reduced).await?;
            page.open("#/sandbox").await?;
            page.reload().await?;
            page.wait("[data-testid=sandbox]").await?;
            // The focus is on the button after the click, where the arrows still move the run.
            same(&format!("motion, reduced: {reduced}"), &moved(page, place).await?, &expected)?;
        }
        page.no_console_errors().await
    });
}
