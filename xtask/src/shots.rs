//! `cargo xtask shots`: the README's picture and those that a reviewer looks at.

use anyhow::Result;

use crate::command::Cmd;
use crate::page::PageTools;
use crate::workspace::Workspace;
use crate::{browser, dist, say};

/// Builds the page and photographs it into the build folder's `shots`, the README's picture into `docs`.
pub(crate) fn shots(workspace: &Workspace) -> Result<()> {
    let driver = browser::ensure()?;
    browser::ensure_chinese_font()?;
    let page = PageTools::ensure(workspace)?;
    let site = workspace.target.join("site/test");
    dist::build(workspace, &page, &site)?;

    say::heading("Screenshots");
    Cmd::cargo()
        .dir(&workspace.root)
        .args(["run", "--locked", "--package", "rocketscope-tests", "--example", "shots", "--"])
        .arg(workspace.target.join("shots"))
        .arg(workspace.root.join("docs"))
        .envs(&driver)
        .env("ROCKETSCOPE_SITE", &site)
        .run()
}
