//! What the reader knows of the store's configuration.

use std::fs;

use anyhow::{Context, Result, anyhow, bail};
use rocketscope_engine::store::inspect::{GivenLayout, StoreLayout};
use rocketscope_engine::store::{ConfigErrorKind, StoreConfig, properties_file};
use rocketscope_engine::view::recovery::layout_config;

use crate::args::StoreArgs;

/// Keys and values of the store, in the order in which they count: the file first, the command line over it.
pub(crate) struct Settings {
    pairs: Vec<(String, String)>,
}

impl Settings {
    /// Reads the file of `-c` and the pairs of `--set`. In the file keys that are not the store's are passed over, as
    /// a broker does; on the command line they are an error.
    pub(crate) fn read(args: &StoreArgs) -> Result<Self> {
        let mut pairs = Vec::new();
        let mut known = StoreConfig::default();
        if let Some(path) = &args.config {
            let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
            for entry in properties_file::parse(&text) {
                match known.set(&entry.key, &entry.value) {
                    Ok(()) => pairs.push((entry.key, entry.value)),
                    Err(error) if error.kind == ConfigErrorKind::UnknownKey => {}
                    Err(error) => bail!("{}: line {}: {error}", path.display(), entry.line),
                }
            }
        }
        for pair in &args.set {
            let (key, value) = pair.split_once('=').ok_or_else(|| anyhow!("--set {pair}: expected KEY=VALUE"))?;
            known.set(key.trim(), value).map_err(|error| anyhow!("--set {pair}: {error}"))?;
            pairs.push((key.trim().to_owned(), value.to_owned()));
        }
        Ok(Self { pairs })
    }

    /// The sizes among them.
    pub(crate) fn given(&self) -> GivenLayout {
        let config = self.over(StoreConfig::default());
        let has = |key: &str| self.pairs.iter().any(|(known, _)| known == key);
        GivenLayout {
            commit_log_file_size: has("mappedFileSizeCommitLog").then(|| config.mapped_file_size_commit_log.into()),
            consume_queue_file_size: has("mappedFileSizeConsumeQueue")
                .then(|| config.mapped_file_size_consume_queue.into()),
            hash_slots: has("maxHashSlotNum").then_some(config.max_hash_slot_num),
            index_capacity: has("maxIndexNum").then_some(config.max_index_num),
        }
    }

    /// The configuration of a broker that would run on a store of this layout.
    pub(crate) fn broker(&self, layout: &StoreLayout) -> StoreConfig {
        self.over(layout_config(layout))
    }

    fn over(&self, mut config: StoreConfig) -> StoreConfig {
        for (key, value) in &self.pairs {
            // Each pair was taken once already.
            let _ = config.set(key, value);
        }
        config
    }
}
