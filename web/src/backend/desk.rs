//! What the worker holds: the engine's session, and what was opened, which may hold several stores.

use rocketscope_engine::view::{Answer, Query, Session};
use web_sys::Blob;

use super::export::export;
use super::folder::Folder;
use super::protocol::{ExportError, Exported, OpenError, Opened};
use super::roots;

/// The worker's state.
#[derive(Default)]
pub(super) struct Desk {
    session: Session,
    open: Option<Open>,
}

struct Open {
    name: String,
    everything: Folder,
    roots: Vec<String>,
}

impl Desk {
    /// Opens a folder in place of the one before, and looks at the first store in it.
    pub(super) fn open(&mut self, name: &str, folder: Folder) -> Result<Opened, OpenError> {
        let roots = roots::find(folder.paths());
        let root = roots.first().cloned().unwrap_or_default();
        self.open = Some(Open { name: name.to_owned(), everything: folder, roots });
        self.choose(root)
    }

    /// Looks at one of the stores found in the open folder.
    pub(super) fn choose(&mut self, root: String) -> Result<Opened, OpenError> {
        let open = self.open.as_ref().ok_or(OpenError::Empty)?;
        self.session.open(Box::new(open.everything.below(&root)));
        Ok(Opened { name: open.name.clone(), roots: open.roots.clone(), root })
    }

    /// Packs the disk of a broker of the running world.
    pub(super) fn export(&self, node: &str) -> Result<(Exported, Blob), ExportError> {
        export(node, self.session.broker_disk(node).ok_or(ExportError::NoBroker)?)
    }

    /// Answers a question.
    pub(super) fn answer(&mut self, query: Query) -> Answer {
        self.session.ask(query)
    }
}
