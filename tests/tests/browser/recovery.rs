//! The Recovery tab: the newest start of a broker walked on its bytes, and what a start would do to an opened store.

use anyhow::{Context as _, Result, ensure};
use rocketscope_tests::browser::{self, Key, NARROW, Page};

use super::bench::{look, same};
use super::explorer::{LOG, case, open_folder, store, unpack};
use super::faults::{fault, start, write_unflushed};

/// How many steps the walk has, by its own account.
async fn steps(page: &Page) -> Result<usize> {
    let said = page.text("[data-testid=recovery-position]").await?;
    let count = said.rsplit(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty());
    Ok(count.context("the walk does not say how long it is")?.parse()?)
}

async fn walks_to_the_end(page: &Page) -> Result<()> {
    let count = steps(page).await?;
    ensure!(count > 8, "a recovery of {count} steps is none");
    page.wait_text("[data-testid=recovery-position]", &format!("1 of {count}")).await?;
    page.click("[data-testid=recovery-next]").await?;
    page.wait_text("[data-testid=recovery-position]", &format!("2 of {count}")).await?;
    // By the keyboard: from the chosen item to the last.
    page.eval("document.querySelector('[data-item].phase-number[tabindex=\"0\"]').focus();").await?;
    page.press(Key::Down).await?;
    page.wait_text("[data-testid=recovery-position]", &format!("3 of {count}")).await?;
    page.press(Key::End).await?;
    page.wait_text("[data-testid=recovery-position]", &format!("{count} of {count}")).await?;
    page.wait("[data-testid=recovery-next]:disabled").await?;
    page.click("[data-testid=recovery-previous]").await?;
    page.wait_text("[data-testid=recovery-position]", &format!("{} of {count}", count - 1)).await
}

#[test]
fn a_recovery_after_a_power_loss_is_walked_on_the_bytes() {
    browser::run(async |page| {
        page.open("#/sandbox?tab=recovery").await?;
        page.wait("[data-testid=no-recovery]").await?;
        let end = write_unflushed(page).await?;
        fault(page, "process", "fault-kill").await?;
        start(page).await?;
        page.click("[data-testid=tab-recovery]").await?;
        page.wait_text("[data-testid=recovery-how]", "The last stop was not clean").await?;
        page.wait_text("[data-testid=recovery-scan]", &format!("ended at {end}")).await?;
        page.wait_text("[data-testid=verdict] [data-kind=kept]", &format!("to {end}, 1 record.")).await?;
        for phase in ["abortFile", "commitLogLoad", "checkpoint", "firstFile", "logScan", "truncation", "reputStart"] {
            page.wait(&format!("[data-phase='{phase}'] .phase-item")).await?;
        }
        walks_to_the_end(page).await?;

        // The record that was found good, on its bytes.
        page.eval(
            "document.querySelector(\"[data-phase=logScan] .phase-item:has(a[href$='at=0']) [data-item]\").focus();",
        )
        .await?;
        page.wait("[data-phase=logScan] .phase-item.is-here").await?;

        // To just before it, and the tab knows of no start any more.
        page.click(".recovery-actions button").await?;
        page.wait("[data-testid=no-recovery]").await?;

        // With the power gone the record is, too.
        page.click("[data-testid=reset]").await?;
        write_unflushed(page).await?;
        fault(page, "power", "fault-power").await?;
        start(page).await?;
        page.open("#/sandbox?tab=recovery").await?;
        page.wait_text("[data-testid=recovery-scan]", "ended at 0").await?;
        same("the log", &look(page).await?.written, &0)?;
        page.no_console_errors().await
    });
}

#[test]
fn the_explorer_says_what_a_start_would_do_and_writes_nothing() {
    browser::run(async |page| {
        let mut store = store(&case()?)?;
        // The third byte of the second record's body, so that a scan ends there; and no clean stop before.
        let log = store.get_mut(LOG).context("the case has no commit log")?;
        *log.get_mut(149 + 90).context("the log is too short")? ^= 1;
        store.insert("abort".to_owned(), Vec::new());
        let folder = tempfile::tempdir()?;
        unpack(&store, folder.path())?;
        open_folder(page, folder.path()).await?;
        page.click("[data-testid=tab-recovery]").await?;
        page.click("[data-testid=dry-run]").await?;
        page.wait_text("[data-testid=recovery-how]", "The last stop was not clean").await?;
        page.wait_text("[data-testid=recovery-scan]", "ended at 149").await?;
        page.wait_text("[data-testid=verdict] [data-kind=endsAtDamage]", "The log ends at 149").await?;
        page.wait_text("[data-testid=verdict] [data-kind=recordsLost]", "Lost").await?;
        walks_to_the_end(page).await?;
        // A number of the verdict leads to its bytes.
        page.click("[data-testid=verdict] [data-kind=endsAtDamage] a[href*='at=149']").await?;
        page.wait("[data-testid=hex]").await?;
        // The answer is still there when one comes back, and the directory is as it was.
        page.click("[data-testid=tab-recovery]").await?;
        page.wait("[data-testid=recovery]").await?;
        for (path, bytes) in &store {
            ensure!(std::fs::read(folder.path().join(path))? == *bytes, "{path} was changed");
        }
        page.no_console_errors().await
    });
}

#[test]
fn a_phone_walks_a_recovery_too() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        page.open("#/explorer").await?;
        page.click("[data-testid=open-sample]").await?;
        page.click("[data-testid=tab-recovery]").await?;
        page.click("[data-testid=dry-run]").await?;
        page.wait("[data-testid=verdict] .finding").await?;
        ensure!(!page.overflows_sideways().await?, "the Recovery tab is wider than the window");
        page.click("[data-testid=recovery-next]").await?;
        page.wait_text("[data-testid=recovery-position]", "2 of").await?;
        let said = page.text("[data-testid=recovery]").await?;
        ensure!(!said.contains('⟦') && !said.contains('{'), "words are missing: {said}");
        page.no_console_errors().await
    });
}
