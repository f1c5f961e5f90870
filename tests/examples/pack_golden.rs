//! Packs folders of the goldens' form into `tests/golden/NAME.zip`:
//! `cargo run -p rocketscope-tests --example pack_golden -- FOLDER...`

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use rocketscope_tests::golden::archive::{EXPECTED, pack, read_files};

fn main() -> ExitCode {
    let folders: Vec<String> = env::args().skip(1).collect();
    if folders.is_empty() {
        eprintln!("usage: pack_golden FOLDER...");
        return ExitCode::FAILURE;
    }
    for folder in folders {
        match pack_one(Path::new(&folder)) {
            Ok(line) => println!("{line}"),
            Err(cause) => {
                eprintln!("{cause}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn pack_one(folder: &Path) -> Result<String, String> {
    let files = read_files(folder)?;
    if !files.contains_key(EXPECTED) {
        return Err(format!("{}: no {EXPECTED} in it", folder.display()));
    }
    let name = folder.file_name().ok_or_else(|| format!("{}: a folder without a name", folder.display()))?;
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name).with_added_extension("zip");
    let bytes = pack(&files).map_err(|cause| format!("{}: {cause}", target.display()))?;
    fs::write(&target, &bytes).map_err(|cause| format!("{}: {cause}", target.display()))?;
    Ok(format!("{}: {} files, {} bytes", target.display(), files.len(), bytes.len()))
}
