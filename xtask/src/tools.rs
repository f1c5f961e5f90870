//! Trunk and wasm-bindgen: found where they are, installed into the build folder where they are not.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::command::Cmd;
use crate::say;
use crate::workspace::Workspace;

/// The Trunk that is installed; any other of the same minor version that is there already serves too.
const TRUNK: &str = "0.21.14";

/// A tool runs for seconds and compiles for minutes, so it is compiled quickly: the whole-program optimisation that
/// these packages ask for would more than double the wait before the first page.
const QUICK_PROFILE: [(&str, &str); 3] = [
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "0"),
];

/// Trunk mostly waits for others; wasm-bindgen walks through the whole program.
const OPTIMISATION: &str = "CARGO_PROFILE_RELEASE_OPT_LEVEL";

/// Makes sure of Trunk and of a wasm-bindgen that equals the one in `Cargo.lock`; returns the folder to put first on
/// `PATH`.
pub(crate) fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    let bin = workspace.tools().join("bin");

    let minor = TRUNK.rsplit_once('.').map_or(TRUNK, |(minor, _)| minor);
    let is_trunk = |version: String| version.strip_prefix(minor).is_some_and(|rest| rest.starts_with('.'));
    if !version_of("trunk", &bin).is_some_and(is_trunk) {
        say::installing(&format!("trunk {TRUNK}"), "it builds the page and serves it (some minutes, once)");
        install(workspace, "trunk", TRUNK, true, "0")?;
    }

    let wanted = workspace.locked_version("wasm-bindgen")?;
    if version_of("wasm-bindgen", &bin).as_ref() != Some(&wanted) {
        let why = "it joins the page's WebAssembly to JavaScript and must equal the version in Cargo.lock \
                   (some minutes, once)";
        say::installing(&format!("wasm-bindgen-cli {wanted}"), why);
        install(workspace, "wasm-bindgen-cli", &wanted, false, "1")?;
    }

    let build = build_folder(workspace);
    if build.exists() {
        std::fs::remove_dir_all(build)?;
    }
    Ok(bin)
}

/// Both installations share it, so that what they have in common is compiled once; removed afterwards.
fn build_folder(workspace: &Workspace) -> PathBuf {
    workspace.tools().join("build")
}

/// wasm-bindgen-cli is published without a lock file, hence `locked`.
fn install(workspace: &Workspace, package: &str, version: &str, locked: bool, optimisation: &str) -> Result<()> {
    let cmd = Cmd::cargo()
        .arg("install")
        .args(locked.then_some("--locked"))
        .arg("--root")
        .arg(workspace.tools())
        .arg(format!("{package}@{version}"))
        .env("CARGO_TARGET_DIR", build_folder(workspace))
        .env(OPTIMISATION, optimisation)
        .env("CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS", "fallback");
    QUICK_PROFILE.iter().fold(cmd, |cmd, (name, value)| cmd.env(name, value)).run()
}

/// The version that the program tells as its second word; our own folder comes before `PATH`.
fn version_of(program: &str, bin: &Path) -> Option<String> {
    let text = Cmd::new(find(program, bin)?).arg("--version").probe()?;
    Some(text.split_whitespace().nth(1)?.to_owned())
}

/// The program in our own folder, else on `PATH`.
pub(crate) fn find(program: &str, bin: &Path) -> Option<PathBuf> {
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::iter::once(bin.to_owned())
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(&file))
        .find(|candidate| candidate.is_file())
}
