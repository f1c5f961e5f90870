//! `cargo xtask test`: everything that has to hold before a change lands.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::command::{Background, Cmd, Env};
use crate::page::PageTools;
use crate::tally::{self, Tally};
use crate::workspace::Workspace;
use crate::{browser, notices, say, wasm_std};

/// How a stage ended, for the closing table.
struct Outcome {
    name: &'static str,
    time: Duration,
    tally: Tally,
    error: Option<anyhow::Error>,
}

/// Runs stage after stage; a failed one does not stop the others, so that one run tells all.
struct Stages<'a> {
    workspace: &'a Workspace,
    outcomes: Vec<Outcome>,
}

/// Runs all stages, or only those that need neither WebAssembly nor a browser.
pub(crate) fn test(workspace: &Workspace, native_only: bool) -> Result<()> {
    // What cannot be had is said now, not after minutes of compiling.
    let page = if native_only { None } else { Some((browser::ensure()?, PageTools::ensure(workspace)?)) };
    let site = workspace.target.join("site/test");
    // Optimising the page keeps one core busy for minutes, and the native stages leave that much.
    let built = page.as_ref().map(|_| build_page(workspace, &site)).transpose()?;

    let mut stages = Stages { workspace, outcomes: Vec::new() };
    stages.run("format", |_| Cmd::cargo().args(["fmt", "--all", "--check"]).dir(&workspace.root).run());
    stages.run("notices", |_| notices::check(workspace));
    stages.run("clippy", |_| clippy(Cmd::cargo().dir(&workspace.root), &["--workspace", "--all-targets"]));
    stages.run("native tests", |tally| {
        let args = ["test", "--workspace", "--locked", "--no-fail-fast"];
        Cmd::cargo().dir(&workspace.root).args(args).tee(|line| tally.see(line))
    });
    if let (Some((driver, page)), Some(built)) = (&page, built) {
        stages.with_page(driver, page, &site, built);
    }
    stages.close()
}

impl Stages<'_> {
    fn with_page(&mut self, driver: &Env, page: &PageTools, site: &Path, built: Background) {
        let workspace = self.workspace;
        self.run("clippy for the page", |_| page_clippy(page));
        let built = self.run("page", |_| built.finish());
        if !built {
            say::note("no page, so no browser tests");
            return;
        }
        self.run("browser tests", |tally| {
            Cmd::cargo()
                .dir(&workspace.root)
                .args(["test", "--workspace", "--locked", "--test", "browser"])
                .envs(driver)
                .env("ROCKETSCOPE_SITE", site)
                .tee(|line| tally.see(line))
        });
    }

    fn run(&mut self, name: &'static str, stage: impl FnOnce(&mut Tally) -> Result<()>) -> bool {
        say::heading(name);
        let start = Instant::now();
        let mut tally = Tally::default();
        let error = stage(&mut tally).err();
        if let Some(error) = &error {
            println!("{} {error:#}", say::bold("FAILED:"));
        }
        let passed = error.is_none();
        self.outcomes.push(Outcome { name, time: start.elapsed(), tally, error });
        passed
    }

    fn close(self) -> Result<()> {
        say::heading("Summary");
        let mut total = Tally::default();
        for Outcome { name, time, tally, error } in &self.outcomes {
            let verdict = if error.is_none() { "ok    " } else { "FAILED" };
            let tests = if tally.ran() > 0 {
                format!("{} passed, {} failed, {} ignored", tally.passed, tally.failed, tally.ignored)
            } else {
                String::new()
            };
            println!("{verdict}  {name:<28} {:>12}   {tests}", say::duration(*time));
            total.passed += tally.passed;
            total.failed += tally.failed;
            total.ignored += tally.ignored;
            total.traces += tally.traces;
        }
        let time = self.outcomes.iter().map(|outcome| outcome.time).sum();
        let failed: Vec<_> = self.outcomes.iter().filter(|outcome| outcome.error.is_some()).map(|o| o.name).collect();
        println!("in {}", say::duration(time));
        println!("{} passed, {} failed", total.passed, total.failed);
        if total.traces > 0 {
            println!("{}{}", total.traces, tally::TRACES);
        }
        if !failed.is_empty() {
            bail!("failed: {}", failed.join(", "));
        }
        Ok(())
    }
}

/// Builds the site beside everything else: `cargo xtask dist`, into a folder of its own.
fn build_page(workspace: &Workspace, site: &Path) -> Result<Background> {
    std::fs::create_dir_all(site)?;
    Cmd::new(std::env::current_exe()?)
        .args(["dist", "--out"])
        .arg(site)
        .env("CARGO_MANIFEST_DIR", workspace.root.join("xtask"))
        .start(&site.with_extension("log"))
}

fn clippy(cargo: Cmd, what: &[&str]) -> Result<()> {
    cargo.arg("clippy").args(what).args(["--locked", "--", "--deny", "warnings"]).run()
}

/// Sees the code that exists for WebAssembly only. Debian's compiler comes without this clippy; where it builds the
/// page, the native run has looked at the rest.
fn page_clippy(page: &PageTools) -> Result<()> {
    if page.source == wasm_std::Source::Debian {
        say::note("left out: Debian's compiler has no clippy of ours; `clippy` above has seen the page natively");
        return Ok(());
    }
    clippy(page.cargo(), &["--package", "rocketscope-web", "--all-targets", "--target", wasm_std::TARGET])
}
