//! Cases as they lie on disk: a folder, or a zip archive of one.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::expected::Expected;

/// Files below a directory: path relative to it, `/`-separated, to content.
pub type Tree = BTreeMap<String, Vec<u8>>;

/// The file that makes a folder a case.
pub const EXPECTED: &str = "expected.json";

/// One case: its name, what it recorded, and the directories it speaks of (`store`, `before`, `after`, `phase-2` ...).
#[derive(Debug)]
pub struct Case {
    /// The folder's or archive's name.
    pub name: String,
    /// `expected.json`, read.
    pub expected: Expected,
    files: Tree,
}

impl Case {
    /// Reads a case from a folder or a `.zip` of one. The error is a sentence that names the file.
    pub fn load(path: &Path) -> Result<Self, String> {
        let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
        let name = name.unwrap_or_default().to_string_lossy().into_owned();
        Self::new(name, read_files(path)?).map_err(|cause| format!("{}: {cause}", path.display()))
    }

    /// A case of these files.
    pub fn new(name: String, files: Tree) -> Result<Self, String> {
        let text = files.get(EXPECTED).ok_or_else(|| format!("{EXPECTED}: missing"))?;
        let expected = serde_json::from_slice(text).map_err(|cause| format!("{EXPECTED}: {cause}"))?;
        Ok(Self { name, expected, files })
    }

    /// A file of the case itself.
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// The files of the case's directory `name`; `None` when the case has no file there.
    pub fn directory(&self, name: &str) -> Option<Tree> {
        let prefix = format!("{name}/");
        let tree: Tree = self
            .files
            .iter()
            .filter_map(|(path, content)| Some((path.strip_prefix(&prefix)?.to_owned(), content.clone())))
            .collect();
        (!tree.is_empty()).then_some(tree)
    }
}

/// Whether `path` looks like a case: a folder that holds `expected.json`, or a zip archive.
pub fn is_case(path: &Path) -> bool {
    if path.is_dir() { path.join(EXPECTED).is_file() } else { is_zip(path) }
}

fn is_zip(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip"))
}

/// Every file below a folder, or in a zip archive (whose files may stand below one common folder).
pub fn read_files(path: &Path) -> Result<Tree, String> {
    let mut files = Tree::new();
    if path.is_dir() {
        walk(path, "", &mut files)?;
        return Ok(files);
    }
    let fail = |cause: &dyn std::fmt::Display| format!("{}: {cause}", path.display());
    let bytes = fs::read(path).map_err(|cause| fail(&cause))?;
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|cause| fail(&cause))?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|cause| fail(&cause))?;
        if entry.is_dir() {
            continue;
        }
        let name = entry.name().map_err(|cause| fail(&cause))?.into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(|cause| fail(&format!("{name}: {cause}")))?;
        files.insert(name, content);
    }
    Ok(without_common_folder(files))
}

/// An archive made of the folder itself rather than of its content has one folder more: take it away.
fn without_common_folder(files: Tree) -> Tree {
    if files.contains_key(EXPECTED) {
        return files;
    }
    let Some(prefix) = files.keys().find_map(|path| path.strip_suffix(EXPECTED)).map(str::to_owned) else {
        return files;
    };
    files.into_iter().filter_map(|(path, content)| Some((path.strip_prefix(&prefix)?.to_owned(), content))).collect()
}

fn walk(folder: &Path, prefix: &str, files: &mut Tree) -> Result<(), String> {
    let fail = |cause: std::io::Error| format!("{}: {cause}", folder.display());
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            walk(&path, &format!("{name}/"), files)?;
        } else {
            files.insert(name, fs::read(&path).map_err(|cause| format!("{}: {cause}", path.display()))?);
        }
    }
    Ok(())
}

/// A zip archive of `files` that depends on nothing but them: sorted, deflated, one fixed date.
pub fn pack(files: &Tree) -> Result<Vec<u8>, zip::result::ZipError> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(DateTime::default());
    for (path, content) in files {
        writer.start_file(path, options)?;
        writer.write_all(content)?;
    }
    Ok(writer.finish()?.into_inner())
}

/// Writes `tree` below `folder`, which must be there.
pub fn extract(tree: &Tree, folder: &Path) -> Result<(), String> {
    for (path, content) in tree {
        let target = folder.join(path);
        let written = match target.parent() {
            Some(parent) => fs::create_dir_all(parent).and_then(|()| fs::write(&target, content)),
            None => fs::write(&target, content),
        };
        written.map_err(|cause| format!("{}: {cause}", target.display()))?;
    }
    Ok(())
}
