//! The directory of a store.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use rocketscope_engine::disk::native::ReadOnlyDir;
use rocketscope_engine::store::inspect::{StoreFiles, StoreLayout};

use crate::args::StoreArgs;
use crate::settings::Settings;

/// A store that was found.
pub(crate) struct StoreDir {
    pub(crate) disk: Arc<ReadOnlyDir>,
    pub(crate) files: StoreFiles,
    pub(crate) layout: StoreLayout,
    pub(crate) settings: Settings,
}

impl StoreDir {
    /// Lists the directory, which must hold something of a store, and works out its sizes.
    pub(crate) fn open(args: &StoreArgs) -> Result<Self> {
        let settings = Settings::read(args)?;
        let disk = ReadOnlyDir::open(&args.dir)?;
        let files = StoreFiles::list(&disk);
        if !files.is_store() {
            bail!("{}: {}", args.dir.display(), no_store(&args.dir));
        }
        let layout = StoreLayout::infer(&disk, &files, &settings.given());
        Ok(Self { disk: Arc::new(disk), files, layout, settings })
    }
}

fn no_store(dir: &Path) -> String {
    let below = dir.join("store");
    let inside = ReadOnlyDir::open(&below).is_ok_and(|disk| StoreFiles::list(&disk).is_store());
    let hint = if inside { format!("; there is one in {}", below.display()) } else { String::new() };
    format!("no store here: neither commitlog, consumequeue, index, checkpoint nor config{hint}")
}
