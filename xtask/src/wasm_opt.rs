//! Binaryen's `wasm-opt`, when it can be had: the page works without it and is smaller with it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::command::Cmd;
use crate::say;
use crate::workspace::Workspace;

/// The npm package, which brings the tool itself compiled to JavaScript.
const PACKAGE: &str = "binaryen@132.0.0";

/// Shrinks every WebAssembly file in `site`, or says why it stays as it is.
pub(crate) fn shrink(workspace: &Workspace, site: &Path) -> Result<()> {
    for entry in std::fs::read_dir(site)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            shrink_file(workspace, &path)?;
        }
    }
    Ok(())
}

fn shrink_file(workspace: &Workspace, wasm: &Path) -> Result<()> {
    let name = wasm.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let before = std::fs::metadata(wasm)?.len();
    let smaller = wasm.with_extension("wasm-opt");
    // The one on PATH may be too old to read what today's compiler writes, so a failure is not the end.
    for tool in [on_path, from_npm] {
        let Some(command) = tool(workspace) else { continue };
        let (program, first) = command.split_first().context("no wasm-opt command")?;
        let ran = Cmd::new(program).args(first).arg("-O3").arg(wasm).arg("-o").arg(&smaller).run();
        match ran.and_then(|()| Ok(std::fs::metadata(&smaller)?.len())) {
            Ok(after) => {
                std::fs::rename(&smaller, wasm)?;
                println!("    {name}: {} → {}", say::bytes(before), say::bytes(after));
                return Ok(());
            }
            Err(error) => say::note(&format!("{error:#}")),
        }
    }
    say::note(&format!(
        "{name} stays at {}: no wasm-opt here that reads it (a recent binaryen, or npm to install {PACKAGE})",
        say::bytes(before)
    ));
    Ok(())
}

fn on_path(_: &Workspace) -> Option<Vec<OsString>> {
    Cmd::new("wasm-opt").arg("--version").probe()?;
    Some(vec!["wasm-opt".into()])
}

fn from_npm(workspace: &Workspace) -> Option<Vec<OsString>> {
    let node = Cmd::new("node").arg("--version").probe().is_some();
    let folder = workspace.tools().join("npm");
    let script = script(&folder);
    if node && !script.exists() {
        say::installing(PACKAGE, "its wasm-opt makes the page smaller and faster");
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        let installed = Cmd::new(npm)
            .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
            .arg(&folder)
            .arg(PACKAGE)
            .run();
        if let Err(error) = installed {
            say::note(&format!("{error:#}"));
        }
    }
    (node && script.exists()).then(|| vec!["node".into(), script.into()])
}

fn script(npm_folder: &Path) -> PathBuf {
    npm_folder.join("node_modules/binaryen/bin/wasm-opt")
}
