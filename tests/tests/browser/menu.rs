//! The menu of lessons, by mouse and by keyboard.

use anyhow::Result;
use rocketscope_tests::browser::{self, Key, NARROW, Page};

use super::bench::{open_in, same};

const MENU: &str = "#lessons-menu";

async fn expanded(page: &Page) -> Result<Option<String>> {
    page.attribute("[data-testid=nav-lessons]", "aria-expanded").await
}

async fn has_focus(page: &Page, selector: &str) -> Result<()> {
    page.wait_true(&format!("return document.activeElement.matches(\"{selector}\");")).await
}

#[test]
fn the_lessons_are_chosen_from_a_menu_by_the_keyboard() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        page.tab_to("[data-testid=nav-lessons]", "Lessons").await?;
        same("the menu", &expanded(page).await?.as_deref(), &Some("false"))?;
        page.press(Key::Enter).await?;
        page.wait(MENU).await?;
        same("the menu", &expanded(page).await?.as_deref(), &Some("true"))?;
        has_focus(page, "[data-testid='lesson:01']").await?;
        page.wait_text(MENU, "Three messages, two queues, one log").await?;
        // Its part of the curriculum; capitals are the style's.
        let part = "return document.querySelector('#lessons-menu [role=group] .label').textContent;";
        same("the part", &page.eval(part).await?, &"The life of a message")?;

        // From the last round to the first; Escape gives the focus back, and the run under it has not moved.
        page.press(Key::End).await?;
        has_focus(page, "#lessons-menu .menu-part:last-child [role=menuitem]:last-child").await?;
        page.press(Key::Down).await?;
        has_focus(page, "[data-testid='lesson:01']").await?;
        page.press(Key::Escape).await?;
        page.wait_gone(MENU).await?;
        has_focus(page, "[data-testid=nav-lessons]").await?;
        page.wait_text("[data-testid=position]", "event 0 of").await?;

        page.press(Key::Down).await?;
        has_focus(page, "[data-testid='lesson:01']").await?;
        page.press(Key::Enter).await?;
        page.wait("[data-testid=lesson]").await?;
        page.wait_gone(MENU).await?;
        same("the address", &page.route().await?, &"#/lesson/01")?;
        page.no_console_errors().await
    });
}

#[test]
fn the_menu_closes_when_one_goes_elsewhere_and_knows_what_was_finished() {
    browser::run(async |page| {
        page.open("#/lesson/01").await?;
        page.click("[data-testid=solution]").await?;
        page.wait("[data-testid=finished]").await?;
        page.click("[data-testid=nav-lessons]").await?;
        page.wait("[data-testid='lesson:01'][aria-current=page] .menu-done").await?;
        page.click("#lesson-title").await?;
        page.wait_gone(MENU).await?;
        page.click("[data-testid=nav-lessons]").await?;
        page.wait(MENU).await?;
        page.click("[data-testid=nav-lessons]").await?;
        page.wait_gone(MENU).await?;
        // In another visit too.
        page.reload().await?;
        page.click("[data-testid=nav-lessons]").await?;
        page.wait("[data-testid='lesson:01'] .menu-done").await?;
        page.no_console_errors().await
    });
}

#[test]
fn the_menu_fits_a_phone_in_both_languages() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        for (lang, title) in [("en", "Three messages"), ("zh", "三条消息")] {
            open_in(page, lang, "#/lesson/01").await?;
            page.click("[data-testid=nav-lessons]").await?;
            page.wait_text(MENU, title).await?;
            page.wait_true(
                "const menu = document.querySelector('#lessons-menu').getBoundingClientRect();
                 return menu.left >= 0 && menu.right <= innerWidth && menu.top >= 0 && menu.bottom <= innerHeight;",
            )
            .await?;
            page.click("[data-testid='lesson:01']").await?;
            page.wait_gone(MENU).await?;
        }
        page.no_console_errors().await
    });
}
