//! Case after case, on every core.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use rocketscope_tests::rng::Rng;

use crate::case::Case;
use crate::exception::Tally;
use crate::shrink::{self, Failure};

/// Runs cases until there were so many rounds, or one fails. The n-th case is the same on every machine.
pub(crate) fn soak(rounds: u64, seed: u64) -> Result<Tally, String> {
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let total: Mutex<Tally> = Mutex::default();
    let failed: Mutex<Option<(u64, u64, Failure)>> = Mutex::default();
    let work = || {
        while done.load(Ordering::Relaxed) < rounds && failed.lock().is_ok_and(|failed| failed.is_none()) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let case = Rng::new(seed.wrapping_mul(0x1_0000_0001).wrapping_add(number)).next();
            match shrink::run(&Case::random(case)) {
                Ok(tally) => {
                    done.fetch_add(tally.rounds, Ordering::Relaxed);
                    if let Ok(mut total) = total.lock() {
                        total.add(&tally);
                    }
                }
                Err(failure) => {
                    if let Ok(mut failed) = failed.lock() {
                        let first = failed.as_ref().is_none_or(|(other, ..)| number < *other);
                        if first {
                            *failed = Some((number, case, failure));
                        }
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
        Ok(Some((_, case, failure))) => Err(failure.report(case)),
        _ => total.into_inner().map_err(|error| error.to_string()),
    }
}
