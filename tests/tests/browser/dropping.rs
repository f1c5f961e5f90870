//! A store dropped on the page: a real drag of real files, as from a desktop.

use rocketscope_tests::browser;

use super::explorer::{archive, case, reads_the_first_record, store, unpack};

#[test]
fn a_directory_dropped_on_the_page_is_read_down_to_the_field() {
    browser::run(async |page| {
        let case = case()?;
        let folder = tempfile::tempdir()?;
        let root = folder.path().join("store");
        unpack(&store(&case)?, &root)?;
        page.open("#/explorer").await?;
        page.wait("[data-testid=open-sample]").await?;
        page.drop_on("[data-testid=explorer]", &[&root]).await?;
        page.wait("[data-testid=tree]").await?;
        page.wait_text(".opened-name", "store").await?;
        reads_the_first_record(page, &case).await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_zip_dropped_on_the_page_is_opened_in_place_of_what_was_open() {
    browser::run(async |page| {
        let case = case()?;
        page.open("#/explorer").await?;
        page.click("[data-testid=open-sample]").await?;
        page.wait_text(".opened-name", "4.9.8").await?;
        page.drop_on("[data-testid=explorer]", &[&archive()]).await?;
        page.wait_text(".opened-name", "basic.zip").await?;
        reads_the_first_record(page, &case).await?;
        page.no_console_errors().await
    });
}

#[test]
fn what_is_dropped_and_is_no_store_is_refused_in_words() {
    browser::run(async |page| {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("broken.zip");
        std::fs::write(&path, b"this is no zip archive")?;
        page.open("#/explorer").await?;
        page.wait("[data-testid=open-sample]").await?;
        page.drop_on("[data-testid=explorer]", &[&path]).await?;
        page.wait_text("[role=alert]", "not a zip archive").await?;
        page.no_console_errors().await
    });
}
