//! Which packages are shipped: what the page and the command line are linked with, build tools left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::command::Cmd;
use crate::wasm_std;
use crate::workspace::Workspace;

/// The programs that are shipped, and for which system: the page, and the command line as built on Linux.
const PROGRAMS: [(&str, &str); 2] =
    [("rocketscope-web", wasm_std::TARGET), ("rocketscope-cli", "x86_64-unknown-linux-gnu")];

/// A package that is not ours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// Its SPDX licence expression.
    pub(super) licence: String,
    /// Where its source is kept.
    pub(super) address: String,
    /// Where cargo has unpacked it.
    pub(super) folder: PathBuf,
}

/// All shipped packages, by name and version.
pub(super) fn packages(workspace: &Workspace) -> Result<BTreeSet<Package>> {
    let mut packages = BTreeSet::new();
    for (program, target) in PROGRAMS {
        let json = Cmd::cargo()
            .dir(&workspace.root)
            .args(["metadata", "--format-version=1", "--locked", "--filter-platform", target])
            .read()?;
        let metadata: Value = serde_json::from_str(&json).context("cargo metadata is no JSON")?;
        packages.append(&mut linked(&metadata, program).context("cargo metadata lacks what it promises")?);
    }
    Ok(packages)
}

/// What `program` is linked with, by walking cargo's graph; `None` if the metadata has another shape.
fn linked(metadata: &Value, program: &str) -> Option<BTreeSet<Package>> {
    let by_id = |list: &'static str| -> Option<BTreeMap<&str, &Value>> {
        let list = if list == "nodes" { &metadata["resolve"]["nodes"] } else { &metadata[list] };
        list.as_array()?.iter().map(|item| Some((item["id"].as_str()?, item))).collect()
    };
    let (described, nodes) = (by_id("packages")?, by_id("nodes")?);

    let root = described.iter().find(|(_, package)| package["name"] == program)?.0;
    let (mut seen, mut open) = (BTreeSet::new(), vec![*root]);
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        let package = described.get(id)?;
        if !seen.insert(id) || is_build_tool(package)? {
            continue;
        }
        // A package of this workspace has no source of its own.
        if !package["source"].is_null() {
            found.insert(describe(package)?);
        }
        for dependency in nodes.get(id)?["deps"].as_array()? {
            if dependency["dep_kinds"].as_array()?.iter().any(|kind| kind["kind"].is_null()) {
                open.push(dependency["pkg"].as_str()?);
            }
        }
    }
    Some(found)
}

/// Macros run in the compiler; what they write into the program is the program's own.
fn is_build_tool(package: &Value) -> Option<bool> {
    let targets = package["targets"].as_array()?;
    Some(
        targets
            .iter()
            .any(|target| target["kind"].as_array().is_some_and(|kinds| kinds.contains(&"proc-macro".into()))),
    )
}

fn describe(package: &Value) -> Option<Package> {
    let name = package["name"].as_str()?;
    let crates_io = format!("https://crates.io/crates/{name}");
    Some(Package {
        name: name.to_owned(),
        version: package["version"].as_str()?.to_owned(),
        licence: package["license"].as_str().unwrap_or("none stated").to_owned(),
        address: package["repository"].as_str().unwrap_or(&crates_io).to_owned(),
        folder: Path::new(package["manifest_path"].as_str()?).parent()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::linked;

    #[test]
    fn what_is_linked_is_found_and_what_builds_is_not() {
        let package = |name: &str, kind: &str, source: Option<&str>| {
            json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT", "source": source,
                    "manifest_path": format!("/registry/{name}/Cargo.toml"), "targets": [{ "kind": [kind] }] })
        };
        let needs = |id: &str, deps: &[(&str, Option<&str>)]| {
            let deps: Vec<_> =
                deps.iter().map(|(pkg, kind)| json!({ "pkg": pkg, "dep_kinds": [{ "kind": kind }] })).collect();
            json!({ "id": id, "deps": deps })
        };
        let registry = Some("registry");
        let metadata = json!({
            "packages": [
                package("ours", "bin", None), package("lib", "lib", registry), package("deep", "lib", registry),
                package("derive", "proc-macro", registry), package("under-derive", "lib", registry),
                package("tester", "lib", registry),
            ],
            "resolve": { "nodes": [
                needs("ours", &[("lib", None), ("derive", None), ("tester", Some("dev"))]),
                needs("lib", &[("deep", None)]), needs("deep", &[]), needs("derive", &[("under-derive", None)]),
                needs("under-derive", &[]), needs("tester", &[]),
            ] },
        });
        let names: Vec<_> = linked(&metadata, "ours").unwrap().into_iter().map(|package| package.name).collect();
        assert_eq!(names, ["deep", "lib"]);
        assert_eq!(linked(&metadata, "absent"), None);
    }
}
