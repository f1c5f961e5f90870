//! chromedriver, and how it is asked to start a browser.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::TEST_LIMIT;

/// How often a driver is started that ends before it listens: the port that it picks can be taken a moment later.
const STARTS: u32 = 3;

/// Runs the driver until standard input ends, which it does with the test process, however that ends; then ends the
/// driver and the browsers, which are in its process group, and removes the profile.
#[cfg(unix)]
const GUARD: &str = r#"
"$@" & exec > /dev/null
cat
trap "" TERM
kill 0
wait
for _ in 1 2 3 4 5; do rm -rf "$0" && exit; sleep 1; done
"#;

/// A running chromedriver with the folder of its browser's profile; dropped, it ends and the folder is removed.
pub(super) struct Driver {
    process: Child,
    port: u16,
    profile: TempDir,
}

impl Driver {
    /// Whether it and its browser end with the test process, even if it is not dropped.
    pub(super) const GUARDED: bool = cfg!(unix);

    /// Starts the driver on a port of its own choice.
    pub(super) fn start() -> Result<Self> {
        let first = (1..STARTS).find_map(|_| Self::launch().ok());
        first.map_or_else(Self::launch, Ok)
    }

    fn launch() -> Result<Self> {
        let program = std::env::var_os("CHROMEDRIVER").unwrap_or_else(|| "chromedriver".into());
        let shown = Path::new(&program).display().to_string();
        let profile = tempfile::tempdir()?;
        let mut process = command(&program, profile.path())
            .arg("--port=0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {shown}; `cargo xtask test` installs it where apt is"))?;
        let stdout = process.stdout.take().context("the driver's output is not piped")?;
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        let port = lines.find_map(|line| port_in(&line));
        let Some(port) = port else {
            // It has closed its output, so it is ending by itself.
            drop(process.stdin.take());
            let status = process.wait()?;
            anyhow::bail!("{shown} ended before it told its port ({status})");
        };
        // Whatever else it prints has to go somewhere, or it would block.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { process, port, profile })
    }

    /// The folder for the profile of its browser.
    pub(super) fn profile(&self) -> &Path {
        self.profile.path()
    }

    /// Where it listens.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It may have ended already.
        if Self::GUARDED {
            drop(self.process.stdin.take());
        } else {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

/// The driver's program, under its guard.
#[cfg(unix)]
fn command(program: &OsStr, profile: &Path) -> Command {
    use std::os::unix::process::CommandExt as _;
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(GUARD).arg(profile).arg(program).process_group(0);
    command
}

#[cfg(not(unix))]
fn command(program: &OsStr, _: &Path) -> Command {
    Command::new(program)
}

/// The port in `ChromeDriver was started successfully on port 41234.`
fn port_in(line: &str) -> Option<u16> {
    line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse().ok()
}

/// What the browser is asked for: no window, nothing of its own on the network, everything of the console.
pub(super) fn capabilities(profile: &Path) -> serde_json::Map<String, Value> {
    let mut args = vec![
        "--headless".to_owned(),
        "--disable-gpu".to_owned(),
        "--disable-quic".to_owned(),
        "--no-first-run".to_owned(),
        "--no-default-browser-check".to_owned(),
        "--disable-background-networking".to_owned(),
        "--disable-component-update".to_owned(),
        "--disable-sync".to_owned(),
        "--disable-dev-shm-usage".to_owned(),
        "--force-color-profile=srgb".to_owned(),
        "--lang=en-US".to_owned(),
        format!("--user-data-dir={}", profile.display()),
    ];
    if is_root() {
        // Chromium's sandbox refuses to run as root.
        args.push("--no-sandbox".to_owned());
    }
    let mut options = json!({ "args": args });
    if let Some(browser) = std::env::var_os("ROCKETSCOPE_CHROME") {
        options["binary"] = browser.to_string_lossy().into();
    }
    let mut capabilities = serde_json::Map::new();
    capabilities.insert("goog:chromeOptions".to_owned(), options);
    // A script may take as long as the whole test; that is watched anyhow.
    capabilities.insert("timeouts".to_owned(), json!({ "script": TEST_LIMIT.as_millis() }));
    capabilities.insert("goog:loggingPrefs".to_owned(), json!({ "browser": "ALL" }));
    capabilities
}

#[cfg(unix)]
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::port_in;

    #[test]
    fn the_driver_tells_its_port() {
        assert_eq!(port_in("ChromeDriver was started successfully on port 41234."), Some(41234));
        assert_eq!(port_in("Starting ChromeDriver 156.0 on port 0"), None);
    }
}
