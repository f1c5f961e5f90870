//! Running other programs: every command is shown before it runs, and a failure names it.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// Variables for a child process, in the order in which they are set.
pub(crate) type Env = Vec<(OsString, OsString)>;

/// One command line, not yet run.
pub(crate) struct Cmd {
    inner: Command,
    shown: String,
}

impl Cmd {
    /// A program found on `PATH` or named by its path.
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let program = program.as_ref();
        let shown = Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned();
        let mut inner = Command::new(program);
        // `cargo run` describes this package in the environment. Build scripts that watch these variables would
        // otherwise run again each time the same build is asked for from here and from a shell.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            let about_us = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"];
            if about_us.iter().any(|prefix| text.starts_with(prefix)) {
                inner.env_remove(&name);
            }
        }
        Self { inner, shown }
    }

    /// The cargo that runs this program.
    pub(crate) fn cargo() -> Self {
        Self::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        // Writing to a String cannot fail.
        let _ = write!(self.shown, " {}", arg.as_ref().to_string_lossy());
        self.inner.arg(arg);
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(self, args: impl IntoIterator<Item = A>) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    pub(crate) fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.inner.env(name, value);
        self
    }

    pub(crate) fn envs(mut self, env: &Env) -> Self {
        self.inner.envs(env.iter().map(|(name, value)| (name, value)));
        self
    }

    pub(crate) fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.inner.env_remove(name);
        self
    }

    pub(crate) fn dir(mut self, dir: &Path) -> Self {
        self.inner.current_dir(dir);
        self
    }

    /// Runs with our own standard streams, so that its progress is seen.
    pub(crate) fn run(mut self) -> Result<()> {
        println!("    $ {}", self.shown);
        let status = self.inner.status().with_context(|| format!("cannot start `{}`", self.shown))?;
        if !status.success() {
            bail!("`{}` ended with {status}", self.shown);
        }
        Ok(())
    }

    /// Starts it beside what goes on here; its output is shown when it is waited for.
    pub(crate) fn start(mut self, log: &Path) -> Result<Background> {
        println!("    $ {} &", self.shown);
        let output = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        let errors = output.try_clone()?;
        let child = self.inner.stdin(Stdio::null()).stdout(output).stderr(errors).spawn();
        let child = child.with_context(|| format!("cannot start `{}`", self.shown))?;
        Ok(Background { child, log: log.to_owned(), shown: self.shown })
    }

    /// Runs quietly and returns its standard output; standard error stays ours.
    pub(crate) fn read(mut self) -> Result<String> {
        let output =
            self.inner.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start `{}`", self.shown))?;
        if !output.status.success() {
            bail!("`{}` ended with {}", self.shown, output.status);
        }
        String::from_utf8(output.stdout).with_context(|| format!("`{}` did not print UTF-8", self.shown))
    }

    /// What it prints on standard output, or `None` if it cannot be started or fails: for asking whether a tool is
    /// there and which.
    pub(crate) fn probe(mut self) -> Option<String> {
        let output = self.inner.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs and shows every line of standard output, handing each to `see` too.
    pub(crate) fn tee(mut self, mut see: impl FnMut(&str)) -> Result<()> {
        println!("    $ {}", self.shown);
        let mut child =
            self.inner.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start `{}`", self.shown))?;
        let stdout = child.stdout.take().context("the child's standard output is not piped")?;
        for line in BufReader::new(stdout).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            see(&line);
        }
        let status = child.wait()?;
        if !status.success() {
            bail!("`{}` ended with {status}", self.shown);
        }
        Ok(())
    }
}

/// A command that runs beside us. Dropped before its end, it is ended.
pub(crate) struct Background {
    child: Child,
    log: PathBuf,
    shown: String,
}

impl Background {
    /// Waits for its end, and shows what it printed.
    pub(crate) fn finish(mut self) -> Result<()> {
        println!("    $ {}", self.shown);
        let status = self.child.wait()?;
        let mut log = File::open(&self.log).with_context(|| format!("cannot read {}", self.log.display()))?;
        std::io::copy(&mut log, &mut std::io::stdout())?;
        if !status.success() {
            bail!("`{}` ended with {status}", self.shown);
        }
        Ok(())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // It has ended already where it was waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
