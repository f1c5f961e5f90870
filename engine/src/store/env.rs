//! Who runs the store: its clock, what work costs, and who watches.

use super::Step;

/// Work that takes time on a simulated clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// One message appended to the commit log.
    Append,
    /// One record dispatched to its ConsumeQueue and the index.
    Dispatch,
    /// One index file made. In reality this maps 420 MB, so two files are never named by the same millisecond.
    CreateIndexFile,
    /// Waiting this many milliseconds inside the work, as 4.9.8 sleeps between two tries.
    Sleep(i64),
}

/// What the store is handed by whoever runs it. It is a type parameter: an environment without trace costs nothing.
pub trait Env {
    /// The wall clock of the machine, milliseconds since the epoch.
    fn now(&self) -> i64;

    /// Lets time pass for a piece of work.
    fn spend(&mut self, _work: Work) {}

    /// Hears what the store does. The closure makes the description and is not called when nobody listens.
    fn step(&mut self, _step: impl FnOnce() -> Step)
    where
        Self: Sized,
    {
    }
}

/// A clock that stands still and nobody watching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StillEnv(
    /// What [`Env::now`] answers.
    pub i64,
);

impl Env for StillEnv {
    fn now(&self) -> i64 {
        self.0
    }
}
