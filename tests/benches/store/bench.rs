//! Benchmarks in groups: first the limit, then what has to be measured against it.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};

use super::ratios::{Ratios, Samples};

/// Messages in one iteration: enough for the clock, and for fair samples even where criterion has taken the first
/// iteration, which prepares the store, for the measure of all.
const BATCH: u64 = 1024;

/// All benchmarks of a run, and the table of what they came to.
pub(crate) struct Bench {
    criterion: Criterion,
    ratios: Ratios,
}

/// One limit and the cases that are held against it.
pub(crate) struct Group<'b> {
    title: String,
    benches: BenchmarkGroup<'b, WallTime>,
    ratios: &'b mut Ratios,
    limit: Samples,
}

impl Bench {
    pub(crate) fn new(criterion: Criterion) -> Self {
        Self { criterion, ratios: Ratios::default() }
    }

    /// A group whose limit is `run`: it does a number of messages and answers how long they took.
    pub(crate) fn group(&mut self, title: &str, run: impl FnMut(u64) -> Duration) -> Group<'_> {
        let group = self.criterion.benchmark_group(title);
        Group::new(title, group, &mut self.ratios, run)
    }

    /// A group whose samples are short, because each of them costs memory.
    pub(crate) fn short_group(&mut self, title: &str, run: impl FnMut(u64) -> Duration) -> Group<'_> {
        let mut group = self.criterion.benchmark_group(title);
        group.warm_up_time(Duration::from_millis(20)).measurement_time(Duration::from_millis(100));
        Group::new(title, group, &mut self.ratios, run)
    }

    /// Prints the table.
    pub(crate) fn finish(self) {
        self.ratios.print();
        self.criterion.final_summary();
    }
}

impl<'b> Group<'b> {
    fn new(
        title: &str,
        mut benches: BenchmarkGroup<'b, WallTime>,
        ratios: &'b mut Ratios,
        run: impl FnMut(u64) -> Duration,
    ) -> Self {
        benches.throughput(Throughput::Elements(BATCH)).sampling_mode(SamplingMode::Flat);
        let limit = sample(&mut benches, "limit", run);
        Self { title: title.to_owned(), benches, ratios, limit }
    }

    /// Measures one case against the group's limit.
    pub(crate) fn case(&mut self, name: &str, run: impl FnMut(u64) -> Duration) -> &mut Self {
        let samples = sample(&mut self.benches, name, run);
        self.ratios.add(format!("{}, {name}", self.title), &self.limit, &samples);
        self
    }
}

/// Lets criterion measure `run`, and keeps the samples too.
fn sample(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut run: impl FnMut(u64) -> Duration) -> Samples {
    let mut samples = Samples::default();
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let messages = iterations * BATCH;
            let time = run(messages);
            samples.add(messages, time);
            time
        });
    });
    samples
}
