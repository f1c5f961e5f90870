//! Replays what the real RocketMQ 4.9.8 did and reads what it wrote: one test per case and kind of check.
//!
//! The cases are those in `tests/golden`, and with `ROCKETSCOPE_GOLDEN=FOLDER` also those under that folder (folders or
//! zip archives of the same form, see `tests/golden/README.md`), as `further::CASE::KIND`.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use rocketscope_tests::golden::archive::Case;
use rocketscope_tests::golden::discover::{VARIABLE, further_cases, own_cases};
use rocketscope_tests::golden::kinds::checks;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match own_cases().and_then(|own| Ok((own, further_cases()?))) {
        Ok((own, further)) => {
            let mut trials: Vec<Trial> = own.into_iter().flat_map(|path| trials_of(&path, "")).collect();
            trials.extend(further.into_iter().flat_map(|path| trials_of(&path, "further::")));
            libtest_mimic::run(&arguments, trials).exit_code()
        }
        Err(cause) => {
            eprintln!("{cause}");
            ExitCode::FAILURE
        }
    }
}

/// The tests of one case. One that cannot be read fails; one that is about something else is listed as ignored.
fn trials_of(path: &Path, prefix: &str) -> Vec<Trial> {
    let case = match Case::load(path) {
        Ok(case) => Arc::new(case),
        Err(text) => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            return vec![Trial::test(format!("{prefix}{name}::load"), move || Err(Failed::from(text)))];
        }
    };
    let checks = checks(&case);
    if checks.is_empty() && prefix.is_empty() {
        let text = "no check applies to a case of the project";
        return vec![Trial::test(format!("{}::load", case.name), move || Err(Failed::from(text)))];
    }
    if checks.is_empty() {
        eprintln!("{}: skipped, not about writing and reading ({VARIABLE})", path.display());
        return vec![Trial::test(format!("{prefix}{}::skipped", case.name), || Ok(())).with_ignored_flag(true)];
    }
    checks
        .into_iter()
        .map(|(kind, check)| {
            let case = Arc::clone(&case);
            let name = format!("{prefix}{}::{kind}", case.name);
            let place = name.clone();
            Trial::test(name, move || check(&case).map_err(|text| Failed::from(format!("{place}\n{text}"))))
        })
        .collect()
}
