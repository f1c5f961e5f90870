//! Where things are: the repository, its build folder, the versions it is locked to.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::command::Cmd;

/// The repository this program was built from.
pub(crate) struct Workspace {
    /// The folder of the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Cargo's build folder (`CARGO_TARGET_DIR` and cargo's configuration included).
    pub(crate) target: PathBuf,
}

impl Workspace {
    /// Asks cargo, so that every way of moving the build folder is honoured.
    pub(crate) fn find() -> Result<Self> {
        // `cargo run` says where this package is; two checkouts that share a build folder share the program.
        let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&package).parent().context("xtask stands in no folder")?.to_owned();
        let json = Cmd::cargo().args(["metadata", "--no-deps", "--format-version=1"]).dir(&root).read()?;
        let metadata: serde_json::Value = serde_json::from_str(&json).context("cargo metadata is no JSON")?;
        let target = metadata["target_directory"].as_str().context("cargo metadata names no target directory")?.into();
        Ok(Self { root, target })
    }

    /// Where `cargo xtask` installs tools; `bin` below it goes on `PATH`.
    pub(crate) fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// The version of a package in `Cargo.lock`.
    pub(crate) fn locked_version(&self, package: &str) -> Result<String> {
        let path = self.root.join("Cargo.lock");
        let lock = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        version_in_lock(&lock, package).with_context(|| format!("{} holds no package {package}", path.display()))
    }
}

fn version_in_lock(lock: &str, package: &str) -> Option<String> {
    let mut lines = lock.lines();
    lines.find(|line| line.strip_prefix("name = ").is_some_and(|name| name.trim_matches('"') == package))?;
    Some(lines.next()?.strip_prefix("version = ")?.trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::version_in_lock;

    #[test]
    fn a_version_is_found_by_the_whole_name() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.50\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in_lock(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(version_in_lock(lock, "wasm"), None);
    }
}
