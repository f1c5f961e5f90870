//! `cargo xtask dist`: the static site, optimised, and how large it is.

mod size;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::page::{PageTools, SHIPPED};
use crate::workspace::Workspace;
use crate::{say, wasm_opt};

/// Texts that the licences ask to be handed on with the page.
const LEGAL: [&str; 3] = ["LICENSE", "NOTICE", "THIRD_PARTY_NOTICES.txt"];

/// Builds `dist/`, or the folder that is asked for, anew.
pub(crate) fn dist(workspace: &Workspace, out: Option<PathBuf>) -> Result<()> {
    let page = PageTools::ensure(workspace)?;
    let site = out.unwrap_or_else(|| workspace.root.join("dist"));
    build(workspace, &page, &site)?;
    say::heading("Size");
    print!("{}", size::report(&site)?);
    println!("\nThe site is in {}: any static host serves it, under any path.", site.display());
    Ok(())
}

/// Builds the optimised site into `site`, without saying how large it is.
pub(crate) fn build(workspace: &Workspace, page: &PageTools, site: &Path) -> Result<()> {
    say::heading("The page, optimised");
    page.build(SHIPPED, site)?;
    wasm_opt::shrink(workspace, site)?;
    for file in LEGAL {
        let from = workspace.root.join(file);
        std::fs::copy(&from, site.join(file)).with_context(|| format!("cannot copy {}", from.display()))?;
    }
    Ok(())
}
