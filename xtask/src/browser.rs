//! Chromium and its driver, for the browser tests and the screenshots.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::apt;
use crate::command::{Cmd, Env};

const BROWSERS: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const MAC_BROWSER: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/// Makes sure of a browser and its driver; returns the variables that tell the tests where they are.
pub(crate) fn ensure() -> Result<Env> {
    let why = "the page is tested in a real browser, steered by WebDriver";
    let present = find_browser().is_some() && find_driver().is_some();
    apt::ensure(&["chromium", "chromium-driver"], present, why)?;

    let mut env = Env::new();
    if let Some(driver) = find_driver() {
        env.push(("CHROMEDRIVER".into(), driver.into()));
    }
    if let Some(browser) = find_browser() {
        env.push(("ROCKETSCOPE_CHROME".into(), browser.into()));
    }
    Ok(env)
}

/// Makes sure of a font with Chinese, without which a screenshot of the Chinese page shows boxes.
pub(crate) fn ensure_chinese_font() -> Result<()> {
    // Where there is no fontconfig (macOS, Windows), the system has such fonts.
    let present = Cmd::new("fc-list").arg(":lang=zh").probe().is_none_or(|fonts| !fonts.trim().is_empty());
    apt::ensure(&["fonts-noto-cjk"], present, "the Chinese page is photographed too")
}

fn find_browser() -> Option<PathBuf> {
    let named = std::env::var_os("ROCKETSCOPE_CHROME").map(PathBuf::from);
    named.or_else(|| BROWSERS.iter().find_map(|name| on_path(name))).or_else(|| existing(MAC_BROWSER))
}

fn find_driver() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMEDRIVER").map(PathBuf::from);
    // Where a build machine has several browsers, this variable names the folder of the driver that fits Chrome.
    let folder = std::env::var_os("CHROMEWEBDRIVER")
        .map(|folder| Path::new(&folder).join(format!("chromedriver{}", std::env::consts::EXE_SUFFIX)));
    named.or_else(|| folder.filter(|path| path.exists())).or_else(|| on_path("chromedriver"))
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|folder| folder.join(&file)).find(|candidate| candidate.is_file())
}

fn existing(path: &str) -> Option<PathBuf> {
    Some(PathBuf::from(path)).filter(|path| path.exists())
}
