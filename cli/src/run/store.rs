//! Real stores that runs begin on, and stores that they leave.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use rocketscope_engine::disk::native::ReadOnlyDir;
use rocketscope_engine::sim::{Cluster, History, ImportSpec, Imports, NodeActor, StoreSpec};
use rocketscope_engine::store::inspect::{GivenLayout, StoreFiles, StoreLayout};

use crate::copy::{Copied, Target};
use crate::output::{NAME, Out, TITLE, count};

/// A store that was brought.
pub(crate) struct Brought {
    imports: Imports,
    spec: ImportSpec,
    layout: StoreLayout,
}

impl Brought {
    /// Copies the store of a directory.
    pub(super) fn open(dir: &Path) -> Result<Self> {
        let place = || format!("--store {}", dir.display());
        let disk = ReadOnlyDir::open(dir).with_context(place)?;
        let files = StoreFiles::list(&disk);
        if !files.is_store() {
            bail!("{}: no store here: neither commitlog, consumequeue, index, checkpoint nor config", place());
        }
        let layout = StoreLayout::infer(&disk, &files, &GivenLayout::default());
        let mut imports = Imports::default();
        let fingerprint = imports.add(&disk).with_context(place)?;
        Ok(Self { imports, spec: ImportSpec { name: dir.display().to_string(), fingerprint }, layout })
    }

    /// Lets the first broker of a cluster begin on it, with the sizes that it was written with.
    pub(super) fn put_under(&self, cluster: &mut Cluster) -> Result<()> {
        let broker = cluster.brokers.first_mut().context("the cluster has no broker for --store")?;
        for (key, size) in [
            ("mappedFileSizeCommitLog", self.layout.commit_log_file_size),
            ("mappedFileSizeConsumeQueue", self.layout.consume_queue_file_size),
            ("maxHashSlotNum", i64::from(self.layout.hash_slots)),
            ("maxIndexNum", i64::from(self.layout.index_capacity)),
        ] {
            broker.config.insert(key.to_owned(), size.to_string());
        }
        broker.store = StoreSpec { import: Some(self.spec.clone()), ..StoreSpec::default() };
        Ok(())
    }
}

/// The stores that were brought.
pub(super) fn imports(brought: Option<&Brought>) -> Imports {
    brought.map(|brought| brought.imports.clone()).unwrap_or_default()
}

/// Writes the disk of each broker to a directory of its name.
pub(super) fn export(history: &History, target: &Target) -> Result<Vec<Copied>> {
    let brokers = history.world().nodes().filter_map(|node| match node.actor {
        NodeActor::Broker(broker) => Some((node.name, broker)),
        _ => None,
    });
    brokers.map(|(name, broker)| target.below(name).write(broker.disk())).collect()
}

/// Says what was written.
pub(super) fn print(exported: &[Copied], out: &mut Out) -> Result<()> {
    if !exported.is_empty() {
        writeln!(out, "\n{TITLE}Stores{TITLE:#}")?;
    }
    for copied in exported {
        let files = count(copied.files, "file", "files");
        let (path, len, written) = (&copied.path, copied.len, copied.written);
        writeln!(out, "{NAME}{path}{NAME:#}  {files}, {len} bytes, {written} of them not zeros")?;
    }
    Ok(())
}
