//! Running one case, and making a case that fails smaller.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::panic::{self, AssertUnwindSafe};

use crate::SOAK;
use crate::case::Case;
use crate::exception::Tally;
use crate::play;

/// Runs of a failing case at most, to make it smaller.
const ATTEMPTS: usize = 400;

/// What is wrong, and the number of the last thing that happened.
pub(crate) type Failure = (usize, String);

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Lets a panic be kept for the report instead of printed: a case that is made smaller panics again and again.
pub(crate) fn keep_panics_quiet() {
    panic::set_hook(Box::new(|info| PANIC.set(Some(info.to_string()))));
}

/// Runs a case; a panic is a failure too.
pub(crate) fn run(case: &Case) -> Result<Tally, Failure> {
    panic::catch_unwind(AssertUnwindSafe(|| play::run(case))).unwrap_or_else(|_| {
        let what = PANIC.take().unwrap_or_else(|| "panic".to_owned());
        Err((case.ops.len().saturating_sub(1), what))
    })
}

/// What to tell: the failure, the smallest case found that fails too, and how to see it again.
pub(crate) fn report((at, what): Failure, seed: u64) -> String {
    let case = Case::random(seed);
    let mut text = format!("case {seed:#x}: {what}\n");
    let (small, (_, what)) = shrink(case, (at, what));
    let _ = writeln!(text, "the smallest case found, a case {:?} with {:?}, fails with:", small.kind, small.shape);
    let _ = writeln!(text, "  {what}");
    for (number, op) in small.ops.iter().enumerate() {
        let _ = writeln!(text, "  {number}: {op:?}");
    }
    let _ =
        write!(text, "again: {}={seed:#x} cargo test -p rocketscope-tests --test produce_model", SOAK.case_variable());
    text
}

/// Leaves out whatever can be left out: what comes behind the failure, and then one thing after the other, the last first.
fn shrink(mut case: Case, mut failure: Failure) -> (Case, Failure) {
    case.ops.truncate(failure.0 + 1);
    let mut attempts = 0;
    let mut at = case.ops.len();
    while at > 0 && attempts < ATTEMPTS {
        at -= 1;
        attempts += 1;
        let mut less = case.clone();
        less.ops.remove(at);
        if let Err(why) = run(&less) {
            (case, failure) = (less, why);
            // What was needed before may not be needed any more.
            at = case.ops.len().min(at + 2);
        }
    }
    (case, failure)
}
