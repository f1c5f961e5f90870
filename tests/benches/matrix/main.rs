//! Worlds per second of the crash matrix, on one thread: each is a fork of the run, a crash, a start, the way to rest and
//! the verdict. The reference is lesson 1: three messages, its broker killed, its power lost, its writes torn. Run by
//! `cargo xtask bench`; the elements that criterion counts are worlds.

use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use rocketscope_engine::lesson::LessonSource;
use rocketscope_engine::matrix::{Matrix, Plan};

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const REFERENCE: &str = "01-three-messages";

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    let lesson = LessonSource::find(REFERENCE).expect("the lesson is there").load().expect("it can be read");
    let plan = Plan::of_lesson(&Arc::new(lesson)).expect("it can be solved");
    let matrix = Matrix::new(plan).expect("its run is that of its log");
    let mut group = criterion.benchmark_group("matrix");
    group.throughput(Throughput::Elements(matrix.cells()));
    group.bench_function(REFERENCE, |bencher| bencher.iter(|| matrix.clone().flatten().count()));
    group.finish();
    criterion.final_summary();
}
