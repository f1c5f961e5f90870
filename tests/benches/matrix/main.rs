//! Worlds per second of the crash matrix, on one thread: each is a fork of the run, a crash, a start, the way to rest and
//! the verdict. The reference is lesson 1: three messages, its broker killed, its power lost, its writes torn. Run by
//! `cargo xtask bench`. Times are processor time of this thread.

#[path = "../store/clock.rs"]
mod clock;

use std::{hint::black_box, sync::Arc};

use rocketscope_engine::lesson::LessonSource;
use rocketscope_engine::matrix::{Matrix, Plan};

use self::clock::timed;

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const REFERENCE: &str = "01-three-messages";

/// Worlds per second that a core must play.
const LIMIT: f64 = 10_000.0;

/// Matrices that are played; the first ones warm up.
const ROUNDS: usize = 220;
const WARM_UP: usize = 20;

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    if filter.is_some_and(|filter| !"matrix".contains(filter.as_str())) {
        return;
    }
    let lesson = LessonSource::find(REFERENCE).expect("the lesson is there").load().expect("it can be read");
    let plan = Plan::of_lesson(&Arc::new(lesson)).expect("it can be solved");
    let matrix = Matrix::new(plan).expect("its run is that of its log");
    let mut rates: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let time = timed(|| {
                black_box(matrix.clone().flatten().count());
            });
            matrix.cells() as f64 / time.as_secs_f64()
        })
        .skip(WARM_UP)
        .collect();
    rates.sort_by(f64::total_cmp);
    let rate = |place: usize| rates.get(place).copied().unwrap_or_default();
    println!(
        "\n| worlds of {REFERENCE}, {} in the matrix | limit, /s | median, /s | best, /s |\n|---|---|---|---|",
        matrix.cells()
    );
    println!("| per second and core | {LIMIT:.0} | {:.0} | {:.0} |", rate(rates.len() / 2), rate(rates.len() - 1));
}
