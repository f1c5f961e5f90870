//! Running one case, and making a case that fails smaller.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::panic::{self, AssertUnwindSafe};

use crate::SOAK;
use crate::case::Case;
use crate::exception::Tally;
use crate::rig;

/// Runs of a failing case at most, to make it smaller.
const ATTEMPTS: usize = 3000;

/// A case that fails.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The round it fails in, from 0.
    round: usize,
    what: String,
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Lets a panic be kept for the report instead of printed: a case that is made smaller panics again and again.
pub(crate) fn keep_panics_quiet() {
    panic::set_hook(Box::new(|info| PANIC.set(Some(info.to_string()))));
}

/// Runs a case; a panic is a failure too.
pub(crate) fn run(case: &Case) -> Result<Tally, Failure> {
    let Ok(result) = panic::catch_unwind(AssertUnwindSafe(|| rig::run(case))) else {
        let what = PANIC.take().unwrap_or_else(|| "panic".to_owned());
        return Err(Failure { round: case.rounds.len().saturating_sub(1), what });
    };
    result.map_err(|(round, what)| Failure { round, what })
}

impl Failure {
    /// What to tell: the failure, the smallest case found that fails too, and how to see it again.
    pub(crate) fn report(self, seed: u64) -> String {
        let case = Case::random(seed);
        let mut text = format!("case {seed:#x}, round {}: {}\n", self.round + 1, self.what);
        let (small, failure) = shrink(case, self);
        let _ = writeln!(text, "the smallest case found, a case {:?} with {:?}, fails with:", small.kind, small.shape);
        let _ = writeln!(text, "  {}", failure.what);
        for (number, round) in small.rounds.iter().enumerate() {
            let _ = writeln!(text, "  round {}: {round:?}", number + 1);
        }
        let _ = write!(
            text,
            "again: {}={seed:#x} cargo test -p rocketscope-tests --test crash_model",
            SOAK.case_variable()
        );
        text
    }
}

/// Leaves out whatever can be left out: first the rounds behind the failure, then rounds, then what is in them.
fn shrink(mut case: Case, mut failure: Failure) -> (Case, Failure) {
    case.rounds.truncate(failure.round + 1);
    let mut attempts = 0;
    loop {
        let left = ATTEMPTS.saturating_sub(attempts);
        let mut tried = candidates(&case).take(left).inspect(|_| attempts += 1);
        let smaller = tried.find_map(|candidate| run(&candidate).err().map(|why| (candidate, why)));
        drop(tried);
        let Some((found, why)) = smaller else { return (case, failure) };
        case = found;
        case.rounds.truncate(why.round + 1);
        failure = why;
    }
}

/// The case with one thing less.
fn candidates(case: &Case) -> impl Iterator<Item = Case> + '_ {
    let without_round = (0..case.rounds.len().saturating_sub(1)).map(|round| {
        let mut less = case.clone();
        less.rounds.remove(round);
        less
    });
    let within = (0..case.rounds.len()).flat_map(move |round| {
        let full = &case.rounds[round];
        let without_op = (0..full.ops.len()).map(move |op| {
            let mut less = case.clone();
            less.rounds[round].ops.remove(op);
            less
        });
        let without_start = (0..full.starts.len()).map(move |start| {
            let mut less = case.clone();
            less.rounds[round].starts.remove(start);
            less
        });
        let without_damage = full.damage.is_some().then(|| {
            let mut less = case.clone();
            less.rounds[round].damage = None;
            less
        });
        without_op.chain(without_start).chain(without_damage)
    });
    without_round.chain(within)
}
