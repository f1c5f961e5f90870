//! Debian's packages, where apt and the rights to use it exist.

use std::path::Path;
use std::sync::OnceLock;

use anyhow::{Result, bail};

use crate::command::Cmd;
use crate::say;

/// Whether this is a system with apt.
pub(crate) fn exists() -> bool {
    Path::new("/usr/bin/apt-get").exists()
}

/// Installs `packages` unless they are `present`; the error says what to install by hand.
pub(crate) fn ensure(packages: &[&str], present: bool, why: &str) -> Result<()> {
    if present {
        return Ok(());
    }
    let list = packages.join(" ");
    if !exists() {
        bail!("missing: {list} (names of Debian's packages); there is no apt here, so install them by hand");
    }
    say::installing(&list, why);
    let installed = refresh_lists()
        .and_then(|()| apt_get()?.args(["install", "--yes", "--no-install-recommends"]).args(packages).run());
    match installed {
        Ok(()) => Ok(()),
        Err(error) => bail!("{error:#}; install by hand: apt-get install --no-install-recommends {list}"),
    }
}

/// Brings the package lists up to date, once per run.
fn refresh_lists() -> Result<()> {
    static DONE: OnceLock<()> = OnceLock::new();
    if DONE.get().is_none() {
        apt_get()?.args(["update", "--quiet"]).run()?;
        let _ = DONE.set(());
    }
    Ok(())
}

/// `apt-get` as root: directly, or by sudo, which asks for a password only where someone can type it.
fn apt_get() -> Result<Cmd> {
    let cmd = if is_root() {
        Cmd::new("apt-get")
    } else if Path::new("/usr/bin/sudo").exists() {
        let can_ask = std::io::IsTerminal::is_terminal(&std::io::stdin());
        let sudo = Cmd::new("sudo");
        if can_ask { sudo } else { sudo.arg("-n") }.arg("apt-get")
    } else {
        bail!("apt-get needs root, and there is no sudo");
    };
    Ok(cmd.env("DEBIAN_FRONTEND", "noninteractive"))
}

#[cfg(unix)]
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}
