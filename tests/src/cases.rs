//! Cases drawn from seeds: each a list of things that happen. They are run on every core, and one that fails is made
//! smaller.

use std::{
    cell::RefCell,
    fmt::{Debug, Display, Write as _},
    panic::{self, AssertUnwindSafe},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use crate::{rng::Rng, soak::Soak};

/// Runs of a failing case at most, to make it smaller.
const ATTEMPTS: usize = 400;

/// What is wrong, and the number of the last thing that happened.
pub type Failure = (usize, String);

/// A kind of case.
pub trait Case: Clone {
    /// Something that happens in it.
    type Op: Debug;
    /// What cases came to.
    type Tally: Default + Display + Send;
    /// How the environment steers the test.
    const SOAK: Soak;
    /// The test's name.
    const TEST: &'static str;

    /// The case of a seed.
    fn random(seed: u64) -> Self;

    /// Plays it and judges it.
    fn play(&self) -> Result<Self::Tally, Failure>;

    /// What happens.
    fn ops(&self) -> &[Self::Op];

    /// The same, to leave something out.
    fn ops_mut(&mut self) -> &mut Vec<Self::Op>;

    /// What it happens to.
    fn stage(&self) -> String;

    /// Adds what other cases came to.
    fn add(total: &mut Self::Tally, other: &Self::Tally);
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs as many cases as the environment says, or the one that it names.
pub fn run<C: Case>() -> Result<(), String> {
    // A panic is kept for the report instead of printed: a case that is made smaller panics again and again.
    panic::set_hook(Box::new(|info| PANIC.set(Some(info.to_string()))));
    C::SOAK.run(|seed| play(&C::random(seed)).map_err(|failure| report::<C>(failure, seed)), many::<C>)
}

/// Plays a case; a panic is a failure too.
fn play<C: Case>(case: &C) -> Result<C::Tally, Failure> {
    panic::catch_unwind(AssertUnwindSafe(|| case.play())).unwrap_or_else(|_| {
        let what = PANIC.take().unwrap_or_else(|| "panic".to_owned());
        Err((case.ops().len().saturating_sub(1), what))
    })
}

/// Runs so many cases, or until one fails. The n-th case is the same on every machine.
fn many<C: Case>(cases: u64, seed: u64) -> Result<C::Tally, String> {
    let next = AtomicU64::new(0);
    let total: Mutex<C::Tally> = Mutex::default();
    let failed: Mutex<Option<(u64, u64, Failure)>> = Mutex::default();
    let work = || {
        while failed.lock().is_ok_and(|failed| failed.is_none()) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= cases {
                return;
            }
            let case = Rng::new(seed.wrapping_mul(0x1_0000_0001).wrapping_add(number)).next();
            match play(&C::random(case)) {
                Ok(tally) => {
                    if let Ok(mut total) = total.lock() {
                        C::add(&mut total, &tally);
                    }
                }
                Err(failure) => {
                    if let Ok(mut failed) = failed.lock()
                        && failed.as_ref().is_none_or(|(other, ..)| number < *other)
                    {
                        *failed = Some((number, case, failure));
                    }
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    match failed.into_inner() {
        Ok(Some((_, case, failure))) => Err(report::<C>(failure, case)),
        _ => total.into_inner().map_err(|error| error.to_string()),
    }
}

/// What to tell: the failure, the smallest case found that fails too, and how to see it again.
fn report<C: Case>((at, what): Failure, seed: u64) -> String {
    let mut text = format!("case {seed:#x}: {what}\n");
    let (small, (_, what)) = shrink(C::random(seed), (at, what));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "the smallest case found, {}, fails with:", small.stage());
    let _ = writeln!(text, "  {what}");
    for (number, op) in small.ops().iter().enumerate() {
        let _ = writeln!(text, "  {number}: {op:?}");
    }
    let (variable, test) = (C::SOAK.case_variable(), C::TEST);
    let _ = write!(text, "again: {variable}={seed:#x} cargo test -p rocketscope-tests --test {test}");
    text
}

/// Leaves out whatever can be left out: what comes behind the failure, and then one thing after the other, the last first.
fn shrink<C: Case>(mut case: C, mut failure: Failure) -> (C, Failure) {
    case.ops_mut().truncate(failure.0 + 1);
    let mut attempts = 0;
    let mut at = case.ops().len();
    while at > 0 && attempts < ATTEMPTS {
        at -= 1;
        attempts += 1;
        let mut less = case.clone();
        less.ops_mut().remove(at);
        if let Err(why) = play(&less) {
            (case, failure) = (less, why);
            // What was needed before may not be needed any more.
            at = case.ops().len().min(at + 2);
        }
    }
    (case, failure)
}
