//! What the worker holds: the store that is open, the run, and the engine's answers about both.

use rocketscope_engine::view::store::{GivenLayout, StoreAnswer, StoreExplorer, StoreQuery, StoreViewError};
use rocketscope_engine::view::{Answer, Failure, FailureKind, Query, Source};

use super::folder::Folder;
use super::protocol::{OpenError, Opened};
use super::roots;

/// Problems that an answer lists; the search itself keeps counting.
const LISTED: u32 = 1000;

/// The worker's state.
#[derive(Default)]
pub(super) struct Desk {
    open: Option<Open>,
}

/// What was opened, and the one of its stores that is looked at.
struct Open {
    name: String,
    everything: Folder,
    roots: Vec<String>,
    directory: Folder,
    explorer: StoreExplorer,
}

impl Desk {
    /// Opens a folder in place of the one before.
    pub(super) fn open(&mut self, name: &str, folder: Folder) -> Result<Opened, OpenError> {
        let roots = roots::find(folder.paths());
        let root = roots.first().cloned().unwrap_or_default();
        let directory = folder.below(&root);
        let explorer = StoreExplorer::open(&directory, &GivenLayout::default());
        let open = Open { name: name.to_owned(), everything: folder, roots, directory, explorer };
        let opened = open.opened(root);
        self.open = Some(open);
        Ok(opened)
    }

    /// Looks at one of the stores found in the open folder.
    pub(super) fn choose(&mut self, root: String) -> Result<Opened, OpenError> {
        let open = self.open.as_mut().ok_or(OpenError::Empty)?;
        open.directory = open.everything.below(&root);
        open.explorer = StoreExplorer::open(&open.directory, &GivenLayout::default());
        Ok(open.opened(root))
    }

    /// Answers a question.
    pub(super) fn answer(&mut self, query: Query) -> Answer {
        match query {
            Query::Store { source: Source::Directory, query } => self.directory(|open| open.answer(&query)),
            Query::ScanProblems { source: Source::Directory, budget } => self.directory(|open| open.scan_on(budget)),
            _ => nothing_open(),
        }
    }

    fn directory(&mut self, answer: impl FnOnce(&mut Open) -> Answer) -> Answer {
        self.open.as_mut().map_or_else(nothing_open, answer)
    }
}

fn nothing_open() -> Answer {
    Answer::Failed(Failure { kind: FailureKind::NothingOpen, message: "nothing is open".to_owned() })
}

impl Open {
    fn opened(&self, root: String) -> Opened {
        Opened { name: self.name.clone(), roots: self.roots.clone(), root }
    }

    fn answer(&mut self, query: &StoreQuery) -> Answer {
        match self.explorer.answer(&self.directory, query) {
            Ok(answer) => Answer::Store(Box::new(answer)),
            Err(error) => {
                let kind = match error {
                    StoreViewError::Disk(_) => FailureKind::Store,
                    _ => FailureKind::NotFound,
                };
                Answer::Failed(Failure { kind, message: error.to_string() })
            }
        }
    }

    fn scan_on(&mut self, budget: u64) -> Answer {
        self.explorer.scan_on(&self.directory, budget);
        match self.answer(&StoreQuery::Problems { from: 0, limit: LISTED }) {
            Answer::Store(answer) => match *answer {
                StoreAnswer::Problems(window) => Answer::Problems(window),
                answer => Answer::Store(Box::new(answer)),
            },
            answer => answer,
        }
    }
}
