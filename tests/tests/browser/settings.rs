//! Language, theme, help, and keys that rest while one types.

use anyhow::{Result, ensure};
use rocketscope_tests::browser::{self, Key, Page};
use serde_json::json;

use super::bench::{look, same};

async fn lang(page: &Page) -> Result<Option<String>> {
    page.attribute("html", "lang").await
}

async fn ground(page: &Page) -> Result<String> {
    page.style("html", "background-color").await
}

/// Red, green and blue together: 0 is black, 765 white.
fn brightness(colour: &str) -> u32 {
    let digits = colour.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    digits.take(3).filter_map(|part| part.parse::<u32>().ok()).sum()
}

#[test]
fn the_page_speaks_chinese_and_english_and_remembers_which() {
    browser::run(async |page| {
        page.open("#/lesson/01").await?;
        page.wait_text("#lesson-title", "Three messages, two queues, one log").await?;
        same("the language", &lang(page).await?.as_deref(), &Some("en"))?;

        page.click("[data-testid=lang]").await?;
        page.wait_text("#lesson-title", "三条消息").await?;
        page.wait_text("[data-testid=nav-explorer]", "存储浏览").await?;
        page.wait_text("[data-testid='transport.step']", "下一步").await?;
        same("the language", &lang(page).await?.as_deref(), &Some("zh-CN"))?;
        ensure!(page.client().title().await?.contains("逐字节"), "the title is not Chinese");

        page.reload().await?;
        page.wait_text("#lesson-title", "三条消息").await?;
        same("the language after a reload", &lang(page).await?.as_deref(), &Some("zh-CN"))?;
        for (route, word) in [("#/sandbox", "沙盒"), ("#/explorer", "打开")] {
            page.open(route).await?;
            page.wait_text("main", word).await?;
        }

        page.click("[data-testid=lang]").await?;
        page.wait_text("[data-testid=nav-explorer]", "Store explorer").await?;
        same("the language", &lang(page).await?.as_deref(), &Some("en"))?;
        page.reload().await?;
        page.wait_text("[data-testid=nav-explorer]", "Store explorer").await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_change_of_language_keeps_the_run() {
    browser::run(async |page| {
        page.open("#/lesson/01").await?;
        page.click("[data-testid=solution]").await?;
        page.wait("[data-testid=finished]").await?;
        let before = look(page).await?;
        page.click("[data-testid=lang]").await?;
        page.wait_text("#lesson-title", "三条消息").await?;
        let after = look(page).await?;
        same("where the run stands", &(after.position, after.written), &(before.position, before.written))?;
        page.no_console_errors().await
    });
}

#[test]
fn the_page_is_light_or_dark_as_the_system_or_the_reader_says_and_remembers_it() {
    browser::run(async |page| {
        page.prefer(false, true).await?;
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        let paper = ground(page).await?;
        page.prefer(true, true).await?;
        let night = ground(page).await?;
        ensure!(brightness(&paper) > 600 && brightness(&night) < 150, "paper is {paper}, night is {night}");

        // Round the circle: as the system says, light, dark.
        for (theme, colour) in [("light", &paper), ("dark", &night)] {
            page.click("[data-testid=theme]").await?;
            page.wait(&format!("html[data-theme={theme}]")).await?;
            // The choice counts whatever the system says.
            page.prefer(theme == "light", true).await?;
            same(&format!("the ground of {theme}"), &ground(page).await?, colour)?;
            page.reload().await?;
            page.wait("[data-testid=sandbox]").await?;
            same(&format!("the ground of {theme} after a reload"), &ground(page).await?, colour)?;
        }
        page.click("[data-testid=theme]").await?;
        page.wait("html[data-theme=auto]").await?;
        page.prefer(false, true).await?;
        same("the ground as the system says", &ground(page).await?, &paper)?;
        page.no_console_errors().await
    });
}

#[test]
fn a_question_mark_opens_the_help_and_escape_closes_it() {
    browser::run(async |page| {
        page.open("#/lesson/01").await?;
        page.wait("[data-testid=lesson]").await?;
        let before = look(page).await?;
        page.type_text("?").await?;
        page.wait("[data-testid=help-dialog]").await?;
        page.wait_text("[data-testid=help-dialog]", "Space").await?;
        // The run rests under the dialog, and the focus stays inside.
        page.press(Key::Right).await?;
        page.press(Key::Tab).await?;
        page.wait_true(
            "return document.activeElement.closest('dialog') !== null || document.activeElement === document.body;",
        )
        .await?;
        page.press(Key::Escape).await?;
        page.wait_gone("[data-testid=help-dialog]").await?;
        same("the run", &look(page).await?, &before)?;
        // Again, and by the button.
        page.type_text("?").await?;
        page.wait("[data-testid=help-dialog]").await?;
        page.press(Key::Escape).await?;
        page.wait_gone("[data-testid=help-dialog]").await?;
        page.click("[data-testid=help]").await?;
        page.click("[data-testid=help-dialog] button").await?;
        page.wait_gone("[data-testid=help-dialog]").await?;
        page.no_console_errors().await
    });
}

#[test]
fn no_key_acts_while_one_types() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        let before = look(page).await?;
        let field = page.wait("[data-testid=send-keys]").await?;
        field.click().await?;
        page.type_text("a? b/").await?;
        for key in [Key::Home, Key::Right, Key::Left, Key::End] {
            page.press(key).await?;
        }
        page.type_text("c ").await?;
        same("what was typed", &field.prop("value").await?.as_deref(), &Some("a? b/c "))?;
        same("the run", &look(page).await?, &before)?;
        page.wait_gone("[data-testid=help-dialog]").await?;
        same("running", &page.count("[data-testid='transport.pause']").await?, &0)?;

        // Outside of the field the same keys act.
        page.tab_to("[data-testid=send]", "").await?;
        page.type_text("?").await?;
        page.wait("[data-testid=help-dialog]").await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_slash_leads_to_the_box_for_offsets() {
    browser::run(async |page| {
        page.open("#/explorer").await?;
        page.click("[data-testid=open-sample]").await?;
        page.wait("[data-testid=tree]").await?;
        page.type_text("/").await?;
        page.wait_true("return document.activeElement.matches('[data-testid=find]');").await?;
        same("what is in the box", &page.eval("return document.activeElement.value;").await?, &json!(""))?;
        page.type_text("0").await?;
        page.press(Key::Enter).await?;
        page.wait("[data-testid=record]").await?;
        ensure!(page.route().await?.ends_with("tab=record&at=0"), "the address is {}", page.route().await?);
        page.no_console_errors().await
    });
}
