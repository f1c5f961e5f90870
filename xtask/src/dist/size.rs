//! How large the site is: as it lies on disk, and as a host sends it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::say;

/// Bytes of one file: raw, by gzip, by brotli.
#[derive(Clone, Copy, Default)]
struct Sizes {
    raw: u64,
    gzip: u64,
    brotli: u64,
}

/// A table of every file in `site` and their sum.
pub(crate) fn report(site: &Path) -> Result<String> {
    let mut files = Vec::new();
    collect(site, &mut files)?;
    files.sort();

    let mut table = format!("{:>12} {:>12} {:>12}  file\n", "raw", "gzip", "brotli");
    let mut total = Sizes::default();
    for file in &files {
        let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let sizes = measure(&bytes)?;
        total.raw += sizes.raw;
        total.gzip += sizes.gzip;
        total.brotli += sizes.brotli;
        row(&mut table, sizes, &file.strip_prefix(site)?.display().to_string());
    }
    row(&mut table, total, &format!("total of {} files", files.len()));
    Ok(table)
}

fn row(table: &mut String, sizes: Sizes, name: &str) {
    let Sizes { raw, gzip, brotli } = sizes;
    // Writing to a String cannot fail.
    let _ = writeln!(table, "{:>12} {:>12} {:>12}  {name}", say::bytes(raw), say::bytes(gzip), say::bytes(brotli));
}

/// What a host sends when it has compressed the file once, ahead of time: gzip 9 and brotli 11.
fn measure(bytes: &[u8]) -> Result<Sizes> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(bytes)?;
    let mut brotli = Vec::new();
    let params = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    brotli::BrotliCompress(&mut &bytes[..], &mut brotli, &params)?;
    Ok(Sizes { raw: bytes.len() as u64, gzip: gzip.finish()?.len() as u64, brotli: brotli.len() as u64 })
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::measure;

    #[test]
    fn what_repeats_is_sent_smaller() {
        let sizes = measure(&[b'a'; 10_000]).unwrap();
        assert_eq!(sizes.raw, 10_000);
        assert!(sizes.gzip < 100 && sizes.brotli < 100, "gzip {}, brotli {}", sizes.gzip, sizes.brotli);
    }
}
