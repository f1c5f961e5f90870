//! A real Chromium with the built page in it, steered by WebDriver.
//!
//! A test is one asynchronous closure over a fresh [`Page`]: a browser that has nothing open and keeps nothing of the
//! site, which is served from below a path, as a project's page on a static host is.
//!
//! ```no_run
//! use rocketscope_tests::browser::{self, Key};
//!
//! browser::run(async |page| {
//!     page.open("#/lesson/01").await?;
//!     page.press(Key::Right).await?;
//!     page.no_console_errors().await
//! });
//! ```
//!
//! The site is the folder that `ROCKETSCOPE_SITE` names, else `dist/`; the browser and its driver are those that
//! `ROCKETSCOPE_CHROME` and `CHROMEDRIVER` name, else what is found on `PATH`. `cargo xtask test` sets all three.

mod chromium;
mod command;
mod driver;
mod keys;
mod look;
mod page;
mod server;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

pub use fantoccini::key::Key;
pub use look::{NARROW, Picture, WIDE};
pub use page::Page;

use chromium::Chromium;
use server::Server;

/// How long a whole test may take before it counts as hanging.
const TEST_LIMIT: Duration = Duration::from_mins(3);

/// Runs one browser test.
///
/// # Panics
///
/// When the test fails: with its error, its own panic, or because no browser could be started. The last sight of the
/// page is kept as a picture, and the message says where.
pub fn run(test: impl AsyncFnOnce(&Page) -> Result<()>) {
    if let Err(error) = try_run(test) {
        panic!("{error:#}");
    }
}

/// [`run`], on a copy of the site that `change` has changed: how the page behaves when a part of it is broken, or
/// watched.
///
/// # Panics
///
/// As [`run`], and when the site cannot be copied or changed.
pub fn run_changed(change: impl FnOnce(&Path) -> Result<()>, test: impl AsyncFnOnce(&Page) -> Result<()>) {
    let changed = || -> Result<()> {
        let copy = tempfile::tempdir()?;
        copy_folder(&site()?, copy.path())?;
        change(copy.path())?;
        try_run_on(copy.path().to_owned(), test)
    };
    if let Err(error) = changed() {
        panic!("{error:#}");
    }
}

/// [`run`], with the failure as a value; a panic of `test` still goes on.
pub fn try_run<T>(test: impl AsyncFnOnce(&Page) -> Result<T>) -> Result<T> {
    try_run_on(site()?, test)
}

fn try_run_on<T>(site: PathBuf, test: impl AsyncFnOnce(&Page) -> Result<T>) -> Result<T> {
    let server = Server::start(site)?;
    let browser = Chromium::take(&server.origin())?;
    let runtime = browser.runtime();
    let page = runtime.block_on(Page::new(browser.client().clone(), &server))?;

    // A panic must not leave a browser behind.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            tokio::time::timeout(TEST_LIMIT, test(&page))
                .await
                .with_context(|| format!("still running after {} s", TEST_LIMIT.as_secs()))?
        })
    }));
    let failed = !matches!(outcome, Ok(Ok(_)));
    let sight = failed.then(|| runtime.block_on(keep_sight(&page)));
    if failed {
        browser.end();
    } else {
        browser.give_back();
    }
    match (outcome, sight) {
        (Ok(Err(error)), Some(sight)) => Err(error.context(sight)),
        (Ok(outcome), _) => outcome,
        (Err(panic), sight) => {
            eprintln!("{}", sight.unwrap_or_default());
            resume_unwind(panic)
        }
    }
}

/// Photographs a failed test's page and says where the picture is.
async fn keep_sight(page: &Page) -> String {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("test").replace("::", "-");
    let path = std::env::temp_dir().join("rocketscope-browser").join(format!("{name}.png"));
    let console = page.console().await.map(|lines| lines.join("\n")).unwrap_or_default();
    match page.shoot(&path, Picture::Window).await {
        Ok(()) => format!("the page is to be seen in {}; its console said: [{console}]", path.display()),
        Err(error) => format!("no picture of the page: {error:#}"),
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            std::fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

fn site() -> Result<PathBuf> {
    let site = std::env::var_os("ROCKETSCOPE_SITE")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist"), PathBuf::from);
    let index = site.join("index.html");
    ensure!(index.exists(), "there is no {}: `cargo xtask dist` builds the page", index.display());
    Ok(site)
}
