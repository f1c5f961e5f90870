//! The page in a real Chromium. Every test has a browser of its own with an empty profile.

use rocketscope_tests::browser;

#[test]
fn page_loads_without_console_errors() {
    browser::run(async |page| {
        page.open("").await?;
        page.wait("main").await?;
        page.no_console_errors().await
    });
}
