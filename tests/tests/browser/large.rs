//! A commit log file of the true default size, 1 GiB: what is shown costs what is in sight.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use rocketscope_tests::browser::{self, Key, Page};

use super::explorer::{LOG, open_folder};

/// 1 GiB: `mapedFileSizeCommitLog` of 4.9.8.
const LEN: u64 = 1 << 30;

/// Goes before the worker's own script: every slice read is counted, and the page is told the sum.
const COUNT: &str = "
    const told = new BroadcastChannel('bytes read');
    const read = FileReaderSync.prototype.readAsArrayBuffer;
    let sum = 0;
    FileReaderSync.prototype.readAsArrayBuffer = function (blob) {
        sum += blob.size;
        told.postMessage(sum);
        return read.call(this, blob);
    };
";

/// Keeps the sum where the test finds it.
const LISTEN: &str = "
    window.bytesRead = 0;
    new BroadcastChannel('bytes read').onmessage = event => { window.bytesRead = event.data; };
";

/// Does something, and answers how many bytes had been read when `shown` became true. It looks at
/// every frame: what the search for problems reads afterwards is not counted.
fn watch(act: &str, shown: &str) -> String {
    format!(
        "const done = arguments[arguments.length - 1];
         const before = window.bytesRead;
         const look = () => {{
             if ({shown}) done(window.bytesRead - before);
             else requestAnimationFrame(look);
         }};
         {act}
         look();"
    )
}

async fn measure(page: &Page, act: &str, shown: &str) -> Result<u64> {
    let bytes = page.client().execute_async(&watch(act, shown), Vec::new()).await?;
    bytes.as_f64().map(|bytes| bytes as u64).context("no bytes were counted")
}

fn count_reads(site: &Path) -> Result<()> {
    let worker = site.join("worker.js");
    let script = fs::read_to_string(&worker)?;
    Ok(fs::write(worker, format!("{COUNT}{script}"))?)
}

/// A store with one file of 1 GiB that takes no room: zeros, and a mark in its last sixteen bytes.
fn sparse_store(folder: &Path) -> Result<()> {
    use std::io::{Seek as _, SeekFrom, Write as _};
    let path = folder.join(LOG);
    fs::create_dir_all(path.parent().context("the log has a folder")?)?;
    let mut file = fs::File::create(path)?;
    file.set_len(LEN)?;
    file.seek(SeekFrom::Start(LEN - 16))?;
    Ok(file.write_all(b"the very last 16")?)
}

#[test]
fn the_hex_view_reaches_the_end_of_a_gibibyte_at_once_and_without_reading_it() {
    browser::run_changed(count_reads, async |page| {
        let folder = tempfile::tempdir()?;
        sparse_store(folder.path())?;
        page.before_load(LISTEN).await?;
        open_folder(page, folder.path()).await?;
        page.wait_text(&format!("[data-testid='file:{LOG}']"), "1 GiB").await?;
        page.wait("[data-testid=hex] [data-at='0']").await?;

        // By scrolling, as far as it goes.
        let scroll = "const list = document.querySelector('[data-testid=hex] .scroller');
                      list.scrollTop = list.scrollHeight;";
        let end = "document.querySelector('[data-testid=hex]').innerText.includes('the very last 16')";
        let bytes = measure(page, scroll, end).await?;
        // The search for problems goes on beside it, 4 MiB at a time, so some more than the window is read.
        ensure!(bytes < LEN / 4, "{bytes} bytes to scroll to the end");

        // By keyboard, there and back.
        page.eval("document.querySelector('[data-testid=hex] .scroller').focus();").await?;
        page.press(Key::Home).await?;
        page.wait("[data-testid=hex] [data-at='0']").await?;
        page.press(Key::End).await?;
        page.wait_text("[data-testid=hex]", "the very last 16").await?;

        // By an address.
        page.press(Key::Home).await?;
        page.wait("[data-testid=hex] [data-at='0']").await?;
        let at = LEN - 16;
        let link = format!("location.hash = '#/explorer?tab=disk&file={LOG}&at={at}';");
        let bytes = measure(page, &link, end).await?;
        ensure!(bytes < LEN / 4, "{bytes} bytes to jump to the end");
        page.wait_true("return window.bytesRead > 0;").await.context("nothing was counted at all")?;
        page.no_console_errors().await
    });
}
