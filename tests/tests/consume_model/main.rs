//! Consuming, whatever goes wrong: random groups of push consumers, messages that fail, faults, and then everything heals.
//!
//! A case is a cluster and a list of things that happen to it. At the end, when all nodes run and all links stand again,
//! the judge asks what a user would: has every group consumed every message that was acknowledged, unless it was given up
//! after its retries; is everything that was consumed what somebody sent; has a message had one effect in the database,
//! where its listener notes it in the same transaction; has each queue one owner, and is nothing left in hand; does the
//! broker know that; and of orderly listeners, was each queue consumed in order, by one at a time?
//!
//! Everything comes from a seed. A failure is shrunk and printed with the command that replays it. `cargo xtask soak`
//! runs more of them.

mod case;
mod cluster;
mod faults;
mod judge;
mod play;
mod record;
mod tally;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use rocketscope_tests::cases;

use crate::case::Case;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = vec![
        Trial::test("acknowledged_is_consumed", || cases::run::<Case>().map_err(Failed::from)),
        Trial::test("wrong_runs_are_found", || faults::are_found().map_err(Failed::from)),
        Trial::test("what_4_9_8_allows_is_excused", || faults::are_excused().map_err(Failed::from)),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}
