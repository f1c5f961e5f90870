//! A standard library for `wasm32-unknown-unknown`: the toolchain's own, else rustup's, else one built from Debian's
//! packages. Only what is missing is installed.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::apt;
use crate::command::{Cmd, Env};
use crate::say;
use crate::workspace::Workspace;

/// The target that the page is compiled for.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Names one source, so that the others are not tried: `toolchain`, `rustup` or `debian`.
pub(crate) const VARIABLE: &str = "ROCKETSCOPE_WASM_STD";

/// Debian's compiler for web browsers: recent, and its library comes as source.
const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// Where a wasm32 standard library can come from, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The active toolchain has it already.
    Toolchain,
    /// `rustup target add`.
    Rustup,
    /// Debian's rustc, which builds the library from its source.
    Debian,
}

/// What was found on this machine.
#[derive(Clone, Copy, Debug)]
struct Facts {
    toolchain_has_it: bool,
    rustup: bool,
    apt: bool,
}

/// What compiles the page: the source that served and the variables that make cargo use it.
pub(crate) struct WasmStd {
    pub(crate) source: Source,
    pub(crate) env: Env,
}

impl Source {
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "toolchain" => Some(Self::Toolchain),
            "rustup" => Some(Self::Rustup),
            "debian" => Some(Self::Debian),
            _ => None,
        }
    }
}

/// The sources worth trying here, in order. A forced one is tried alone, even where it looks hopeless, so that its own
/// error is seen.
fn candidates(facts: Facts, forced: Option<Source>) -> Vec<Source> {
    if let Some(source) = forced {
        return vec![source];
    }
    if facts.toolchain_has_it {
        return vec![Source::Toolchain];
    }
    let mut sources = Vec::new();
    if facts.rustup {
        sources.push(Source::Rustup);
    }
    if facts.apt {
        sources.push(Source::Debian);
    }
    sources
}

/// Finds or installs a wasm32 standard library.
pub(crate) fn ensure(workspace: &Workspace) -> Result<WasmStd> {
    let forced = match std::env::var(VARIABLE) {
        Ok(name) => Some(
            Source::from_name(&name)
                .with_context(|| format!("{VARIABLE}={name}: expected toolchain, rustup or debian"))?,
        ),
        Err(_) => None,
    };
    let facts = Facts {
        toolchain_has_it: toolchain_has_it(),
        rustup: Cmd::new("rustup").arg("--version").probe().is_some(),
        apt: apt::exists(),
    };
    for source in candidates(facts, forced) {
        let tried = match source {
            Source::Toolchain if facts.toolchain_has_it => Ok(Env::new()),
            Source::Toolchain => Err(anyhow::anyhow!("the active toolchain has no {TARGET}")),
            Source::Rustup => rustup().map(|()| Env::new()),
            Source::Debian => debian(workspace),
        };
        match tried {
            Ok(env) => return Ok(WasmStd { source, env }),
            Err(error) => say::note(&format!("{source:?} gives no {TARGET} here: {error:#}")),
        }
    }
    bail!(
        "no standard library for {TARGET}: run `rustup target add {TARGET}` or, on Debian, `apt-get install {}`",
        DEBIAN_PACKAGES.join(" ")
    )
}

fn toolchain_has_it() -> bool {
    let dir = Cmd::new("rustc").args(["--print=target-libdir", "--target", TARGET]).probe();
    let Some(entries) = dir.and_then(|dir| std::fs::read_dir(dir.trim()).ok()) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libstd-") && name.ends_with(".rlib")
    })
}

fn rustup() -> Result<()> {
    say::installing(TARGET, "the page is WebAssembly, and the active toolchain lacks that target's standard library");
    Cmd::new("rustup").args(["target", "add", TARGET]).run()
}

fn debian(workspace: &Workspace) -> Result<Env> {
    let why = "the page is WebAssembly; Debian's compiler builds that target's standard library from source";
    apt::ensure(&DEBIAN_PACKAGES, Path::new("/usr/lib/rustlib/src/rust/library/std").exists(), why)?;
    let version = Cmd::new("/usr/bin/rustc").arg("-vV").probe().context("/usr/bin/rustc does not run")?;
    let llvm = llvm_major(&version).context("/usr/bin/rustc does not tell its LLVM version")?;
    let linker = format!("wasm-ld-{llvm}");
    let lld = format!("lld-{llvm}");
    apt::ensure(&[&lld], Path::new("/usr/bin").join(&linker).exists(), "it links WebAssembly")?;

    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once("/usr/bin".into()).chain(std::env::split_paths(&path)))?;
    let pairs: [(&str, OsString); 6] = [
        ("PATH", path),
        ("CARGO", "/usr/bin/cargo".into()),
        // Build-std is an unstable feature of cargo, so a stable compiler has to be told that it is meant.
        ("RUSTC_BOOTSTRAP", "1".into()),
        ("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort".into()),
        ("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker.into()),
        // A folder of its own: two compilers in one would rebuild each other's work.
        ("CARGO_TARGET_DIR", workspace.target.join("debian").into()),
    ];
    Ok(pairs.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

fn llvm_major(rustc_version: &str) -> Option<u32> {
    let version = rustc_version.lines().find_map(|line| line.strip_prefix("LLVM version: "))?;
    version.split('.').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Facts, Source, candidates, llvm_major};

    const NOTHING: Facts = Facts { toolchain_has_it: false, rustup: false, apt: false };

    #[test]
    fn the_toolchain_comes_first_and_alone() {
        let facts = Facts { toolchain_has_it: true, rustup: true, apt: true };
        assert_eq!(candidates(facts, None), [Source::Toolchain]);
    }

    #[test]
    fn debian_is_tried_after_rustup() {
        assert_eq!(candidates(Facts { rustup: true, apt: true, ..NOTHING }, None), [Source::Rustup, Source::Debian]);
        assert_eq!(candidates(Facts { apt: true, ..NOTHING }, None), [Source::Debian]);
        assert!(candidates(NOTHING, None).is_empty());
    }

    #[test]
    fn a_forced_source_is_tried_alone() {
        let facts = Facts { toolchain_has_it: true, rustup: true, apt: true };
        assert_eq!(candidates(facts, Some(Source::Debian)), [Source::Debian]);
    }

    #[test]
    fn the_linker_follows_the_compilers_llvm() {
        let version = "rustc 1.96.0\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nLLVM version: 22.1.8\n";
        assert_eq!(llvm_major(version), Some(22));
        assert_eq!(llvm_major("rustc 1.96.0"), None);
    }
}
