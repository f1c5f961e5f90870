//! Running the command, and the stores that it is run on.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

use serde_json::Value;
use tempfile::TempDir;
use zip::ZipArchive;

/// The command with these arguments.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rocketscope"));
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

/// Runs the command.
pub(crate) fn rocketscope(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

/// What the command prints; it must succeed and say nothing else.
#[track_caller]
pub(crate) fn stdout_of(args: &[&str]) -> String {
    let run = rocketscope(args);
    let error = String::from_utf8(run.stderr).unwrap();
    assert_eq!((run.status.code(), error.as_str()), (Some(0), ""), "{args:?}");
    String::from_utf8(run.stdout).unwrap()
}

/// The JSON that the command prints.
#[track_caller]
pub(crate) fn json_of(args: &[&str]) -> Value {
    serde_json::from_str(&stdout_of(&[args, &["--json"]].concat())).unwrap()
}

/// A store in a directory of its own, that is gone at the end.
pub(crate) struct Store {
    directory: TempDir,
    path: PathBuf,
    /// What its case recorded; null where nothing was.
    pub(crate) expected: Value,
}

impl Store {
    /// The store of a golden case.
    pub(crate) fn golden(name: &str) -> Self {
        Self::case(name, "store")
    }

    /// One of the directories of a golden case; the others lie beside it.
    pub(crate) fn case(name: &str, folder: &str) -> Self {
        Self::unpack(&format!("../tests/golden/{name}.zip"), folder)
    }

    /// One of the two whole stores.
    pub(crate) fn base(name: &str) -> Self {
        Self::unpack(&format!("../tests/stores/{name}.zip"), "store")
    }

    fn unpack(archive: &str, folder: &str) -> Self {
        let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join(archive);
        let mut archive = ZipArchive::new(fs::File::open(archive).unwrap()).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let mut expected = Value::Null;
        for number in 0..archive.len() {
            let mut entry = archive.by_index(number).unwrap();
            let name = entry.name().unwrap().into_owned();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            if name == "expected.json" {
                expected = serde_json::from_slice(&content).unwrap();
                continue;
            }
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let path = directory.path().join(folder);
        Self { directory, path, expected }
    }

    /// The store's directory.
    pub(crate) fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }

    /// The directory that it lies in.
    pub(crate) fn parent(&self) -> &str {
        self.directory.path().to_str().unwrap()
    }

    /// A file of it.
    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    /// Every file with content and time of the last write.
    pub(crate) fn state(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let mut state = BTreeMap::new();
        let mut open = vec![self.path.clone()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let modified = fs::metadata(&path).unwrap().modified().unwrap();
                    state.insert(path.clone(), (fs::read(&path).unwrap(), modified));
                }
            }
        }
        state
    }
}
