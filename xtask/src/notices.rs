//! `THIRD_PARTY_NOTICES.txt`: whose work is in the page and in the command line, and under which licence.
//!
//! Made from cargo's own resolution, so that it cannot name too few; `cargo xtask test` checks that it is current.

mod expression;
mod shipped;
mod texts;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::say;
use crate::workspace::Workspace;
use shipped::Package;

const FILE: &str = "THIRD_PARTY_NOTICES.txt";

const HEAD: &str = "\
Third-party notices of RocketScope

The page and the command line `rocketscope` contain the Rust packages below, each used under the licence named
beside it; the licence texts follow. The source of every package is at the address given and on crates.io.

Both also contain the Rust standard library (https://github.com/rust-lang/rust, MIT OR Apache-2.0, used under
Apache-2.0). The page's start-up script is written by Trunk (https://github.com/trunk-rs/trunk, MIT OR Apache-2.0,
used under Apache-2.0) and wasm-bindgen, which is among the packages.

This file is written by `cargo xtask notices`.
";

/// Writes the file.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    let path = path(workspace);
    std::fs::write(&path, render(workspace)?).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

/// Fails if the file is not what [`write`] would make of it now.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    // A checkout on Windows may have changed the line ends.
    let written = std::fs::read_to_string(path(workspace)).unwrap_or_default().replace("\r\n", "\n");
    let current = render(workspace)?;
    if written != current {
        if let Some(line) = current.lines().zip(written.lines()).find(|(now, then)| now != then) {
            say::note(&format!("the first difference: `{}` where the file has `{}`", line.0, line.1));
        }
        bail!("{FILE} is not current: run `cargo xtask notices`");
    }
    println!("    {FILE} is current");
    Ok(())
}

fn path(workspace: &Workspace) -> PathBuf {
    workspace.root.join(FILE)
}

fn render(workspace: &Workspace) -> Result<String> {
    let apache = workspace.root.join("LICENSE");
    let apache = std::fs::read_to_string(&apache).with_context(|| format!("cannot read {}", apache.display()))?;
    let packages = shipped::packages(workspace)?;

    let mut out = HEAD.to_owned();
    // Text of a licence or notice, and the packages that it is of.
    let mut sections: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    rule(&mut out, "Packages");
    for package in &packages {
        let Package { name, version, licence, address, folder } = package;
        let chosen = expression::choose(licence).with_context(|| {
            format!("{name} {version}: no acceptable licence in `{licence}` (xtask/src/notices/expression.rs)")
        })?;
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{name} {version}\n    {} (offered: {licence})\n    {address}", chosen.join(" and "));
        for id in &chosen {
            for text in texts::of(id, folder).with_context(|| format!("{name} {version}"))? {
                // One Apache text serves all: it holds no names.
                let text = if *id == "Apache-2.0" { apache.replace("\r\n", "\n") } else { text };
                let users = sections.entry(((*id).to_owned(), text)).or_default();
                let user = format!("{name} {version}");
                if !users.contains(&user) {
                    users.push(user);
                }
            }
        }
        for notice in texts::notices(folder)? {
            sections.entry(("NOTICE".into(), notice)).or_default().push(format!("{name} {version}"));
        }
    }
    for ((id, text), users) in &sections {
        rule(&mut out, &format!("{id}, of:\n  {}", users.join("\n  ")));
        let _ = writeln!(out, "{}", text.trim_end());
    }
    Ok(out)
}

fn rule(out: &mut String, title: &str) {
    let _ = write!(out, "\n{}\n{title}\n\n", "-".repeat(80));
}
