//! Building the page: everything it needs is made sure of first, then Trunk builds it.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::command::{Cmd, Env};
use crate::workspace::Workspace;
use crate::{say, tools, wasm_std};

/// The profile of what is published, and so of what is tested.
pub(crate) const SHIPPED: &str = "wasm";

/// The profile for looking at the page while changing it: compiles soon, runs well enough.
pub(crate) const QUICK: &str = "wasm-quick";

/// What is needed to compile the page, found or installed.
pub(crate) struct PageTools {
    /// For every command that compiles to or handles WebAssembly.
    pub(crate) env: Env,
    /// Which standard library compiles it.
    pub(crate) source: wasm_std::Source,
    bin: PathBuf,
    root: PathBuf,
}

impl PageTools {
    /// Makes sure of a wasm32 standard library, Trunk and wasm-bindgen.
    pub(crate) fn ensure(workspace: &Workspace) -> Result<Self> {
        say::heading("What the page is built with");
        let wasm_std::WasmStd { source, mut env } = wasm_std::ensure(workspace)?;
        let bin = tools::ensure(workspace)?;

        let after = env.iter().position(|(name, _)| name == "PATH").map(|at| env.remove(at).1);
        let after = after.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(bin.clone()).chain(std::env::split_paths(&after)))?;
        env.push(("PATH".into(), path));
        println!("    {} from {source:?}, Trunk, wasm-bindgen: ready", wasm_std::TARGET);
        Ok(Self { env, source, bin, root: workspace.root.clone() })
    }

    /// A cargo command for WebAssembly.
    pub(crate) fn cargo(&self) -> Cmd {
        let cmd = match self.source {
            wasm_std::Source::Toolchain | wasm_std::Source::Rustup => Cmd::cargo(),
            // The libraries of the toolchain that runs this program are not Debian's.
            wasm_std::Source::Debian => Cmd::new("/usr/bin/cargo").env_remove("LD_LIBRARY_PATH"),
        };
        cmd.envs(&self.env).dir(&self.root)
    }

    /// A Trunk command.
    pub(crate) fn trunk(&self) -> Cmd {
        let trunk = tools::find("trunk", &self.bin).unwrap_or_else(|| "trunk".into());
        // Trunk wants `true` or `false` in NO_COLOR, where everyone else takes any value.
        Cmd::new(trunk).envs(&self.env).env_remove("LD_LIBRARY_PATH").env_remove("NO_COLOR").dir(&self.root)
    }

    /// Builds the whole site into `dist`.
    pub(crate) fn build(&self, profile: &str, dist: &Path) -> Result<()> {
        self.trunk().args(["build", "--skip-version-check", "--cargo-profile", profile, "--dist"]).arg(dist).run()
    }
}
