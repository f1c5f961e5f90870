//! Where cases are found: the project's own in `tests/golden`, and those under the folder that the environment
//! variable `ROCKETSCOPE_GOLDEN` names.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::archive::is_case;

/// The environment variable that names a folder of further cases.
pub const VARIABLE: &str = "ROCKETSCOPE_GOLDEN";

/// The cases of the project, sorted by name.
pub fn own_cases() -> Result<Vec<PathBuf>, String> {
    cases_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("golden"))
}

/// The cases under the folder named by [`VARIABLE`], sorted by name; none when it is not set or empty. A folder that
/// is not there, or that holds no case, is an error: a test that runs nothing must not look like success.
pub fn further_cases() -> Result<Vec<PathBuf>, String> {
    let Some(value) = env::var_os(VARIABLE).filter(|value| !value.is_empty()) else { return Ok(Vec::new()) };
    let named = PathBuf::from(value);
    let folder = bases()
        .into_iter()
        .map(|base| base.join(&named))
        .find(|folder| folder.exists())
        .ok_or_else(|| format!("{VARIABLE}={}: no such folder", named.display()))?;
    if is_case(&folder) {
        return Ok(vec![folder]);
    }
    let cases = cases_in(&folder)?;
    if cases.is_empty() {
        return Err(format!("{VARIABLE}={}: no case in it", named.display()));
    }
    Ok(cases)
}

/// What a relative path may be relative to: cargo runs tests in the package's folder, but whoever set the variable
/// stood somewhere else, most likely at the workspace's root.
fn bases() -> Vec<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shell = env::var_os("PWD").map(PathBuf::from);
    shell.into_iter().chain(package.parent().map(Path::to_path_buf)).chain([package.to_path_buf()]).collect()
}

fn cases_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let fail = |cause: std::io::Error| format!("{}: {cause}", folder.display());
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if is_case(&path) {
            cases.push(path);
        }
    }
    cases.sort();
    Ok(cases)
}
