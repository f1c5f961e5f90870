//! The cluster editor: worlds begun from templates and by hand, what is wrong told at its field, nothing typed lost.

use anyhow::{Context as _, Result, ensure};
use rocketscope_tests::browser::{self, Key, NARROW, Page};

use super::bench::{look, open_in, same};
use super::sandbox::fill;

const EDITOR: &str = "[data-testid=cluster-editor]";

/// Opens the editor of the sandbox's cluster.
pub(crate) async fn open_editor(page: &Page) -> Result<()> {
    page.click("[data-testid=edit-cluster]").await?;
    page.wait(EDITOR).await?;
    page.wait("[data-testid=node-form]").await?;
    Ok(())
}

/// Begins the run with the cluster that the editor holds.
pub(crate) async fn begin(page: &Page) -> Result<()> {
    page.wait("[data-testid=cluster-begin]:enabled").await?;
    page.click("[data-testid=cluster-begin]").await?;
    page.wait_gone(EDITOR).await
}

/// Begins a world from a template of the editor.
pub(crate) async fn begin_template(page: &Page, template: &str) -> Result<()> {
    open_editor(page).await?;
    page.click(&format!("[data-testid='template:{template}']")).await?;
    begin(page).await
}

/// The tables on a database's card with what it says of their rows.
pub(crate) async fn tables_of(page: &Page, database: &str) -> Result<Vec<(String, String)>> {
    let lines = format!(
        "return [...document.querySelectorAll(\"[data-testid='node:{database}'] .table-line\")]
             .map(line => [line.querySelector('title').textContent, line.querySelector('.rows').textContent]);"
    );
    serde_json::from_value(page.eval(&lines).await?).context("the database does not say what it holds")
}

#[test]
fn every_template_begins_and_its_nodes_are_on_the_stage() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        let templates = [
            ("two-masters", "broker-b", "2 brokers"),
            ("master-slave", "broker-a-s", "2 brokers"),
            ("two-name-servers", "namesrv-2", "2 NameServers"),
            ("shop", "shop-db", "a database"),
            ("transactions", "shop-db", "a database"),
            ("shop-consumers", "safe", "a database"),
            ("administered", "admin", "an administrator"),
            ("one-master", "broker-a", "a NameServer, a broker, a producer and a consumer"),
        ];
        for (template, node, said) in templates {
            begin_template(page, template).await?;
            page.wait(&format!("[data-testid='node:{node}']")).await?;
            page.wait_text("[data-testid=sandbox-lead]", said).await?;
        }
        page.no_console_errors().await
    });
}

#[test]
fn a_database_is_described_by_hand_and_is_there() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        open_editor(page).await?;
        page.click("[data-testid='add:database']").await?;
        fill(page, "node-name", "bank").await?;
        fill(page, "table-0-name", "accounts").await?;
        fill(page, "table-0-columns", "owner, balance").await?;
        // The key names a column that is gone: the engine says so at the table, and nothing can begin.
        page.wait("[data-testid=table-0-name][aria-invalid=true]").await?;
        page.wait("[data-testid=cluster-begin]:disabled").await?;
        fill(page, "table-0-key", "owner").await?;
        fill(page, "table-0-rows", "alice, 100\nbob, 30").await?;
        page.wait("[data-testid=cluster-begin]:enabled").await?;

        // The producer gets its outbox there.
        page.click("[data-testid='edit:producer']").await?;
        super::actions::choose(page, "outbox-database", "bank").await?;
        fill(page, "outbox-period", "soon").await?;
        page.wait("[data-testid=outbox-period][aria-invalid=true]").await?;
        fill(page, "outbox-period", "500").await?;

        // Closed and opened again, everything is still there; so it is after a reload.
        page.press(Key::Escape).await?;
        page.wait_gone(EDITOR).await?;
        page.reload().await?;
        open_editor(page).await?;
        page.click("[data-testid='edit:bank']").await?;
        let rows = page.wait("[data-testid=table-0-rows]").await?.prop("value").await?;
        same("the rows", &rows.as_deref(), &Some("alice, 100\nbob, 30"))?;
        begin(page).await?;
        let tables = [("accounts", "2 rows"), ("outbox", "0 rows")].map(|(table, rows)| (table.into(), rows.into()));
        same("the tables", &tables_of(page, "bank").await?, &tables)?;
        page.no_console_errors().await
    });
}

#[test]
fn a_name_that_is_taken_is_told_at_its_field_and_the_run_goes_on() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        let before = look(page).await?;
        open_editor(page).await?;
        page.click("[data-testid='add:administrator']").await?;
        fill(page, "node-name", "producer").await?;
        page.wait_text("#node-name-error", "Another node has this name").await?;
        page.wait("[data-testid=cluster-begin]:disabled").await?;
        page.click("[data-testid=remove-node]").await?;
        page.wait("[data-testid=cluster-begin]:enabled").await?;
        page.press(Key::Escape).await?;
        page.wait_gone(EDITOR).await?;
        same("the run", &look(page).await?, &before)?;
        page.no_console_errors().await
    });
}

#[test]
fn the_editor_fits_a_phone_in_both_languages() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        for lang in ["en", "zh"] {
            open_in(page, lang, "#/sandbox").await?;
            page.click("[data-testid='column.text']").await?;
            open_editor(page).await?;
            page.click("[data-testid='template:shop']").await?;
            for node in ["namesrv", "broker-a", "producer", "consumer", "shop-db"] {
                page.click(&format!("[data-testid='edit:{node}']")).await?;
                page.wait_true(
                    "const editor = document.querySelector('[data-testid=cluster-editor]').getBoundingClientRect();
                     const form = document.querySelector('.cluster-form');
                     return editor.left >= 0 && editor.right <= innerWidth && form.scrollWidth <= form.clientWidth + 1;",
                )
                .await?;
                let said = page.text(EDITOR).await?;
                ensure!(!said.contains('⟦'), "words are missing of {node} ({lang}): {said}");
            }
            page.press(Key::Escape).await?;
            page.wait_gone(EDITOR).await?;
        }
        page.no_console_errors().await
    });
}
