//! The fault menu: by keyboard, on a phone, in both languages; and that what it does is done.

use anyhow::{Result, ensure};
use rocketscope_tests::browser::{self, Key, NARROW, Page};

use super::bench::{go, look, open_in, same, step_until};
use super::sandbox::{fill, send};

const MENU: &str = "[data-testid=fault-menu]";

/// Opens a part of the menu.
pub(crate) async fn open_menu(page: &Page, section: &str) -> Result<()> {
    page.click("[data-testid=fault]").await?;
    page.click(&format!("[data-testid='fault:{section}']")).await?;
    page.wait(&format!("[data-testid='fault:{section}'][aria-selected=true]")).await?;
    Ok(())
}

/// Does something of a part of the menu, and waits until it is done.
pub(crate) async fn fault(page: &Page, section: &str, deed: &str) -> Result<()> {
    open_menu(page, section).await?;
    page.click(&format!("[data-testid='{deed}']")).await?;
    page.wait_gone(MENU).await
}

/// Sends one message and steps to where it is appended and nothing of it is flushed; the end of the log.
pub(crate) async fn write_unflushed(page: &Page) -> Result<i64> {
    page.open("#/sandbox").await?;
    page.wait("[data-testid=sandbox]").await?;
    fill(page, "send-queue", "0").await?;
    page.click("[data-testid=send]").await?;
    page.wait_text("[data-testid='node:producer']", "1").await?;
    for _ in 0..40 {
        let sight = look(page).await?;
        if sight.written > sight.flushed {
            return Ok(sight.written);
        }
        go(page, Key::Right).await?;
    }
    anyhow::bail!("nothing is written that is not flushed")
}

/// Starts the broker and steps until it takes requests.
pub(crate) async fn start(page: &Page) -> Result<()> {
    fault(page, "process", "fault-start").await?;
    step_until(page, "[data-testid='node:broker-a'].is-up").await?;
    Ok(())
}

async fn has_focus(page: &Page, selector: &str) -> Result<()> {
    page.wait_true(&format!("return document.activeElement.matches(\"{selector}\");")).await
}

#[test]
fn the_menu_is_used_by_the_keyboard_alone() {
    browser::run(async |page| {
        write_unflushed(page).await?;
        let before = look(page).await?;
        page.eval("document.activeElement.blur();").await?;
        page.type_text("c").await?;
        page.wait(MENU).await?;
        has_focus(page, "[data-testid='fault:process']").await?;
        page.press(Key::Down).await?;
        has_focus(page, "[data-testid='fault:power']").await?;
        page.wait("[data-testid=fault-power]").await?;
        page.press(Key::End).await?;
        has_focus(page, "[data-testid='fault:links']").await?;
        page.wait("[data-testid=link-cut]").await?;
        page.press(Key::Escape).await?;
        page.wait_gone(MENU).await?;
        same("the run", &look(page).await?, &before)?;

        // Kill it: the second Tab from the part leads to its first deed.
        page.type_text("C").await?;
        page.wait(MENU).await?;
        page.press(Key::Home).await?;
        page.tab_to("[data-testid=fault-kill]", "Kill").await?;
        page.press(Key::Enter).await?;
        page.wait_gone(MENU).await?;
        page.wait("[data-testid='node:broker-a'].is-down").await?;
        page.wait_text("[data-testid=saying]", "killed").await?;
        page.wait("[data-testid='down-broker-a']").await?;

        // While one types, the letter is a letter.
        page.click("[data-testid=send-keys]").await?;
        page.type_text("c").await?;
        page.wait_gone(MENU).await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_kill_leaves_the_page_cache_and_a_power_loss_does_not() {
    browser::run(async |page| {
        let end = write_unflushed(page).await?;
        page.wait("[data-testid='ruler-is-cached']").await?;
        fault(page, "process", "fault-kill").await?;
        start(page).await?;
        same("the log after a kill", &look(page).await?.written, &end)?;

        page.click("[data-testid=reset]").await?;
        write_unflushed(page).await?;
        fault(page, "power", "fault-power").await?;
        page.wait_text("[data-testid=saying]", "The power is gone").await?;
        // The bytes that were lost are crossed out.
        page.wait("[data-testid=hex] .is-lost").await?;
        start(page).await?;
        same("the log after a power loss", &look(page).await?.written, &0)?;
        page.no_console_errors().await
    });
}

#[test]
fn a_power_loss_leaves_what_its_policy_says() {
    browser::run(async |page| {
        let end = write_unflushed(page).await?;
        open_menu(page, "power").await?;
        // What is no number cannot be done.
        page.click("[data-testid='survives:torn']").await?;
        fill(page, "fault-sectors", "9").await?;
        page.wait("[data-testid=fault-power]:disabled").await?;
        page.click("[data-testid='survives:prefix']").await?;
        page.click("[data-testid=fault-power]").await?;
        page.wait_gone(MENU).await?;
        // One page is more than the log holds.
        page.wait_text("[data-testid=saying]", "commitlog").await?;
        start(page).await?;
        same("the log", &look(page).await?.written, &end)?;
        page.no_console_errors().await
    });
}

#[test]
fn the_present_event_crashes_at_the_write_that_was_chosen() {
    browser::run(async |page| {
        write_unflushed(page).await?;
        let before = look(page).await?;
        open_menu(page, "write").await?;
        page.wait("[data-testid='turn:present']:checked").await?;
        page.click("[data-testid='cut:0']").await?;
        page.click("[data-testid=fault-crash]").await?;
        page.wait_gone(MENU).await?;
        // One event back, the trap, and the event once more.
        let position = "return Number(document.querySelector('[data-testid=position]').innerText.match(/\\d+/)[0]);";
        same("the event", &page.eval(position).await?, &serde_json::json!(before.position + 1))?;
        page.wait_text("[data-testid=saying]", "crashes here").await?;
        page.wait("[data-testid='node:broker-a'].is-down").await?;
        // Nothing of the message had been written.
        start(page).await?;
        same("the log", &look(page).await?.written, &0)?;
        page.no_console_errors().await
    });
}

#[test]
fn the_disk_goes_wrong_and_is_mended_and_what_cannot_be_is_refused_in_words() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        open_menu(page, "disk").await?;
        page.wait("[data-testid=fault-mend]:disabled").await?;
        page.click("[data-testid='disk:writeError']").await?;
        page.click("[data-testid=fault-break]").await?;
        page.wait_gone(MENU).await?;
        open_menu(page, "disk").await?;
        page.wait_text("[data-testid=fault-disk]", "Writing fails: all files.").await?;
        page.click("[data-testid=fault-mend]").await?;
        page.wait_gone(MENU).await?;

        open_menu(page, "disk").await?;
        fill(page, "fault-percent", "101").await?;
        page.click("[data-testid=fault-size]").await?;
        page.wait_text("[data-testid=fault-refused]", "percent").await?;
        fill(page, "fault-percent", "91").await?;
        page.click("[data-testid=fault-size]").await?;
        page.wait_gone(MENU).await?;
        open_menu(page, "disk").await?;
        page.wait_text("[data-testid=fault-disk]", "91 % full").await?;
        page.no_console_errors().await
    });
}

#[test]
fn the_byte_that_is_looked_at_is_damaged_and_files_wait_for_the_broker_to_be_down() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        send(page, "hello", 1).await?;
        // The body begins at 88 of the first record; `h` is 0x68.
        page.open("#/sandbox?tab=disk&file=commitlog/00000000000000000000&at=88").await?;
        page.click("[data-testid=flip-here]").await?;
        page.wait_text("[data-testid=fault-byte]", "68 → 69").await?;
        page.wait("[data-testid=fault-truncate]:disabled").await?;
        page.wait("[data-testid=fault-delete]:disabled").await?;
        page.click("[data-testid=fault-flip]").await?;
        page.wait_gone(MENU).await?;
        page.wait_text("[data-testid=hex] [data-at='88']", "69").await?;
        page.wait("[data-testid=record] .warning").await?;

        fault(page, "process", "fault-kill").await?;
        open_menu(page, "files").await?;
        page.click("[data-testid=fault-delete]").await?;
        page.wait_gone(MENU).await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_link_is_cut_and_mended() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        fault(page, "links", "link-cut").await?;
        page.wait_text("[data-testid=saying]", "cut").await?;
        // Cut is cut: once more is refused, and the reader is told.
        open_menu(page, "links").await?;
        page.click("[data-testid=link-cut]").await?;
        page.wait_text("[data-testid=fault-refused]", "is cut already").await?;
        page.click("[data-testid=link-mend]").await?;
        page.wait_gone(MENU).await?;
        page.no_console_errors().await
    });
}

#[test]
fn the_menu_fits_a_phone_in_both_languages() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        for (lang, title) in [("en", "What goes wrong?"), ("zh", "让什么出故障？")] {
            open_in(page, lang, "#/sandbox").await?;
            page.click("[data-testid=fault]").await?;
            page.wait_text(MENU, title).await?;
            for section in ["process", "power", "write", "before", "disk", "files", "clock", "links"] {
                page.click(&format!("[data-testid='fault:{section}']")).await?;
                page.wait_true(
                    "const menu = document.querySelector('[data-testid=fault-menu]').getBoundingClientRect();
                     const panel = document.querySelector('#fault-panel');
                     return menu.left >= 0 && menu.right <= innerWidth && menu.top >= 0 && menu.bottom <= innerHeight + 1
                         && panel.scrollWidth <= panel.clientWidth + 1 && panel.clientHeight > 200;",
                )
                .await?;
                let said = page.text(MENU).await?;
                ensure!(!said.contains('⟦'), "words are missing in {section} ({lang}): {said}");
            }
            page.press(Key::Escape).await?;
            page.wait_gone(MENU).await?;
        }
        page.no_console_errors().await
    });
}

#[test]
fn what_is_sent_to_a_broker_that_is_down_fails_and_it_comes_back() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        send(page, "one", 1).await?;
        fault(page, "process", "fault-stop").await?;
        step_until(page, "[data-testid='node:broker-a'].is-down").await.ok();
        page.wait("[data-testid='node:broker-a'].is-down").await?;
        start(page).await?;
        // A clean stop: `abort` was gone.
        page.click("[data-testid=tab-recovery]").await?;
        page.wait_text("[data-testid=recovery-how]", "The last stop was clean").await?;
        page.no_console_errors().await
    });
}
