//! What the newest start of a broker found in its store.

use crate::{
    node::{StepKind, TraceStep},
    store::{
        Step,
        step::{DeleteCause, RecoveryEnd},
    },
};

/// The newest start of a broker, as far as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastStart {
    /// The event in which it loaded and recovered; `None` if that was before the first event.
    pub seq: Option<u64>,
    /// Whether there was no `abort` file; `None` if it failed before it looked.
    pub clean: Option<bool>,
    /// First offset of the file in which recovery of the CommitLog began, bytes.
    pub began_in: Option<i64>,
    /// Where recovery of the CommitLog ended, bytes.
    pub end: Option<i64>,
    /// Why it ended.
    pub why: Option<RecoveryEnd>,
    /// Records found good.
    pub records: u64,
    /// Those of them that were dispatched on the way.
    pub dispatched: u64,
    /// Index files destroyed since they are newer than the checkpoint.
    pub index_files_destroyed: u64,
}

impl LastStart {
    /// What the steps of event `seq` tell.
    pub fn of(seq: u64, steps: &[TraceStep]) -> Self {
        let mut start = Self { seq: Some(seq), ..Self::default() };
        for step in steps {
            if let StepKind::Store(step) = &step.what {
                start.hear(step);
            }
        }
        start
    }

    fn hear(&mut self, step: &Step) {
        match step {
            Step::AbortChecked { clean } => self.clean = Some(*clean),
            Step::RecoveryBegins { file, .. } => {
                self.began_in = file.rsplit('/').next().and_then(|name| name.parse().ok());
            }
            Step::RecordAccepted { dispatched, .. } => {
                self.records += 1;
                self.dispatched += u64::from(*dispatched);
            }
            Step::RecoveryEnds { physical_offset, why } => {
                self.end = Some(*physical_offset);
                self.why = Some(*why);
            }
            Step::FileDeleted { why: DeleteCause::NewerThanCheckpoint, .. } => self.index_files_destroyed += 1,
            _ => {}
        }
    }
}
