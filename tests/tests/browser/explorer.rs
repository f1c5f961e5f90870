//! The explorer on a store that the real broker wrote: the golden case `basic`, whose `expected.json` was recorded from
//! the broker's own reading.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, ensure};
use rocketscope_engine::disk::MemoryDisk;
use rocketscope_engine::store::inspect::{GivenLayout, ProblemScan, StoreFiles, StoreLayout};
use rocketscope_tests::browser::{self, Key, Page};
use rocketscope_tests::golden::archive::{Case, Tree};
use serde_json::json;

use super::bench::same;

pub(crate) const LOG: &str = "commitlog/00000000000000000000";

pub(crate) fn archive() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/basic.zip")
}

pub(crate) fn case() -> Result<Case> {
    Case::load(&archive()).map_err(|cause| anyhow!(cause))
}

pub(crate) fn store(case: &Case) -> Result<Tree> {
    case.directory("store").context("the case has no store")
}

/// Writes a store to a folder, which the page may then open.
pub(crate) fn unpack(store: &Tree, folder: &Path) -> Result<()> {
    for (path, bytes) in store {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

/// What the engine finds natively in the same store, as the page writes it: file and offset.
fn problems(store: &Tree) -> Result<Vec<String>> {
    let disk = MemoryDisk::from_files(store.iter().map(|(path, bytes)| (path.clone(), bytes.clone(), 0)))?;
    let files = StoreFiles::list(&disk);
    let layout = StoreLayout::infer(&disk, &files, &GivenLayout::default());
    let mut scan = ProblemScan::new(&disk, &files, &layout);
    scan.finish(&disk, &files);
    Ok(scan.problems().iter().map(|problem| format!("{} @ {}", problem.file, problem.offset)).collect())
}

async fn open_archive(page: &Page) -> Result<()> {
    page.open("#/explorer").await?;
    page.wait("[data-testid=open-sample]").await?;
    page.choose("[data-testid=open-zip]", &[&archive()]).await?;
    page.wait("[data-testid=tree]").await?;
    Ok(())
}

pub(crate) async fn open_folder(page: &Page, folder: &Path) -> Result<()> {
    page.open("#/explorer").await?;
    page.wait("[data-testid=open-sample]").await?;
    page.choose("[data-testid=open-directory]", &[folder]).await?;
    page.wait("[data-testid=tree]").await?;
    Ok(())
}

async fn field(page: &Page, name: &str) -> Result<String> {
    Ok(page.text(&format!("[data-testid='field:{name}'] .value")).await?.trim().to_owned())
}

/// The first record, field by field.
pub(crate) async fn reads_the_first_record(page: &Page, case: &Case) -> Result<()> {
    page.click(&format!("[data-testid='file:{LOG}']")).await?;
    page.click("[data-testid=whole-file] a[href*='tab=record'][href$='at=0']").await?;
    page.wait("[data-testid=record]").await?;
    let wanted = [
        ("totalSize", "149"),
        // 1932557065
        ("bodyCrc", "0x73307B09"),
        ("queueId", "0"),
        ("queueOffset", "0"),
        ("physicalOffset", "0"),
        ("sysFlag", "0"),
        ("bornTimestamp", "1700000000000"),
        ("bornHost", "10.1.2.3:54321"),
        ("storeHost", "10.0.0.1:10911"),
        ("bodyLength", "14"),
        ("body", "14 bytes"),
        ("topic", "TopicA"),
        ("properties", "KEYS^Ak1 k2^BUNIQ_KEY^AUNIQ0001^BTAGS^ATagA"),
    ];
    for (name, value) in wanted {
        let found = field(page, name).await?;
        ensure!(found.contains(value), "{name} is {found:?}, and should be {value:?}");
    }
    let put = case.expected.puts.first().context("the case has no put")?;
    let stored = put.output.store_timestamp.context("the first put was stored")?;
    ensure!(field(page, "storeTimestamp").await?.contains(&stored.to_string()), "storeTimestamp is not {stored}");
    page.wait_text("[data-testid=record] .facts", "0A00000100002A9F0000000000000000").await?;
    page.wait_text("[data-testid=record] .facts", "TagA").await?;
    page.wait_text("[data-testid=record] pre", "hello rocketmq").await?;
    // TOTALSIZE and MAGICCODE in the hex view: 149, and the message's magic.
    page.wait_text("[data-testid=hex] .hex-row", "00 00 00 95").await?;
    page.wait_text("[data-testid=hex] .hex-row", "DA A3 20 A7").await
}

/// Every unit of every queue.
async fn reads_the_units(page: &Page, case: &Case) -> Result<()> {
    let snapshot = case.expected.snapshot.as_ref().context("the case has no snapshot")?;
    ensure!(snapshot.queues.len() == 6, "the case has six queues");
    page.click("[data-testid=tab-queues]").await?;
    for queue in &snapshot.queues {
        let name = format!("{}/{}", queue.topic, queue.queue_id);
        page.wait_text("[data-testid=queues]", &name).await?;
        page.click(&format!("[data-testid=queues] a[href*='topic={}&queue={}']", queue.topic, queue.queue_id)).await?;
        page.wait_text("[data-testid=units] h2", &name).await?;
        let units = "return [...document.querySelectorAll('[data-testid=units] .unit')]
                         .map(row => [...row.children].slice(0, 4).map(cell => Number(cell.innerText)));";
        let cells = 4 * queue.entries.len();
        page.wait_true(&format!("return document.querySelectorAll('.unit .num').length === {cells};")).await?;
        same(&format!("the units of {name}"), &page.eval(units).await?, &json!(queue.entries))?;
    }
    Ok(())
}

/// The chain of every key that the broker was asked for.
async fn walks_the_chains(page: &Page, case: &Case) -> Result<()> {
    page.click("[data-testid=tab-index]").await?;
    for query in &case.expected.index_query {
        let words = format!("{}#{}", query.topic, query.key);
        for (input, value) in [("index-topic", &query.topic), ("index-key", &query.key)] {
            let input = page.wait(&format!("[data-testid={input}]")).await?;
            input.clear().await?;
            input.send_keys(value).await?;
        }
        page.press(Key::Enter).await?;
        page.wait_text("[data-testid=chain]", &words).await?;
        page.wait_text("[data-testid=chain]", &query.key_hash.to_string()).await?;
        let found = "return [...document.querySelectorAll('[data-testid=chain] .chain-link.is-found')]
                         .map(entry => Number([...entry.querySelectorAll('dt')]
                             .find(name => name.innerText === 'phyOffset').nextElementSibling.innerText));";
        same(&format!("what {words} leads to"), &page.eval(found).await?, &json!(query.query_offset))?;
    }
    Ok(())
}

#[test]
fn a_zip_of_a_real_store_is_read_down_to_the_field() {
    browser::run(async |page| {
        let case = case()?;
        open_archive(page).await?;
        reads_the_first_record(page, &case).await?;
        reads_the_units(page, &case).await?;
        walks_the_chains(page, &case).await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_directory_is_read_too_and_nothing_leaves_the_machine() {
    browser::run(async |page| {
        let case = case()?;
        let folder = tempfile::tempdir()?;
        let root = folder.path().join("store");
        unpack(&store(&case)?, &root)?;
        // The worker answers, so all of the page is here.
        page.open("#/lesson/01").await?;
        page.wait("[data-testid=lesson]").await?;
        let before = page.requests();
        open_folder(page, &root).await?;
        reads_the_first_record(page, &case).await?;
        reads_the_units(page, &case).await?;

        page.click("[data-testid=tab-problems]").await?;
        page.wait("[data-testid=problems] .status").await?;
        same("what the page asked for", &page.requests(), &before)?;
        let asked = page.requests();
        ensure!(asked.iter().all(|request| request.starts_with("GET ")), "something was sent: {asked:?}");
        let elsewhere = "return performance.getEntriesByType('resource').map(entry => entry.name)
                             .filter(name => new URL(name).origin !== location.origin);";
        same("what came from elsewhere", &page.eval(elsewhere).await?, &json!([]))?;
        // The directory is as it was.
        for (path, bytes) in store(&case)? {
            ensure!(fs::read(root.join(&path))? == bytes, "{path} was changed");
        }
        page.no_console_errors().await
    });
}

#[test]
fn a_sound_store_shows_the_problems_that_the_engine_finds_and_no_others() {
    browser::run(async |page| {
        let store = store(&case()?)?;
        open_archive(page).await?;
        same("what the page finds", &listed(page).await?, &problems(&store)?)?;
        page.no_console_errors().await
    });
}

/// The problem list, when the search has come to its end.
async fn listed(page: &Page) -> Result<Vec<String>> {
    page.click("[data-testid=tab-problems]").await?;
    page.wait("[data-testid=problems] [role=progressbar][aria-valuenow='100']").await?;
    page.texts("[data-testid=problems] .problem a.num, [data-testid=problems] .problem p.small span.num").await
}

#[test]
fn a_flipped_byte_is_found_and_its_problem_leads_to_it() {
    browser::run(async |page| {
        let mut store = store(&case()?)?;
        // The second record begins at 149, and its body, `second`, 88 bytes behind that.
        let log = store.get_mut(LOG).context("the case has no commit log")?;
        let byte = log.get_mut(149 + 88).context("the log is too short")?;
        ensure!(*byte == b's', "the second record's body is not where it should be");
        *byte ^= 1;
        let folder = tempfile::tempdir()?;
        unpack(&store, folder.path())?;

        open_folder(page, folder.path()).await?;
        let listed = listed(page).await?;
        same("what the page finds", &listed, &problems(&store)?)?;
        let place = format!("{LOG} @ 149");
        ensure!(listed.contains(&place), "no problem at {place}: {listed:?}");
        page.wait_text(".problem", "Damaged body").await?;
        page.wait_text("[data-testid=tab-problems] .count", &listed.len().to_string()).await?;

        page.click(".problem a[href*='commitlog'][href$='at=149']").await?;
        // CRC-32 of `second` and of `recond`, the sign bit cleared, worked out with zlib.
        page.wait_text("[data-testid=record] .warning", "361F1169").await?;
        page.wait_text("[data-testid=record] .warning", "7D43C2CC").await?;
        page.no_console_errors().await
    });
}

#[test]
fn what_is_no_store_is_refused_in_words() {
    browser::run(async |page| {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("broken.zip");
        fs::write(&path, b"this is no zip archive")?;
        page.open("#/explorer").await?;
        page.wait("[data-testid=open-sample]").await?;
        page.choose("[data-testid=open-zip]", &[&path]).await?;
        page.wait_text("[role=alert]", "not a zip archive").await?;
        // Another one opens all the same.
        page.choose("[data-testid=open-zip]", &[&archive()]).await?;
        page.wait("[data-testid=tree]").await?;
        page.wait_gone("[role=alert]").await?;
        page.no_console_errors().await
    });
}
