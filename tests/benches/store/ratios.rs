//! The table at the end of a run: each case in percent of its limit.

use std::time::Duration;

/// Samples at the end of a series that count; those before them warmed up.
const COUNTED: usize = 10;

/// The samples of one benchmark, as seconds for one message.
#[derive(Clone, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn add(&mut self, count: u64, time: Duration) {
        self.0.push(time.as_secs_f64() / count as f64);
    }

    /// Rates of the median sample and of the best, in messages a second; `None` if the benchmark did not run.
    fn rates(&self) -> Option<Rates> {
        let mut counted = self.0.get(self.0.len().saturating_sub(COUNTED)..)?.to_vec();
        counted.sort_by(f64::total_cmp);
        let rate = |seconds: &f64| seconds.recip();
        Some(Rates { median: counted.get(counted.len() / 2).map(rate)?, best: counted.first().map(rate)? })
    }
}

struct Rates {
    median: f64,
    best: f64,
}

/// The rows of the table.
#[derive(Default)]
pub(crate) struct Ratios(Vec<(String, Rates, Rates)>);

impl Ratios {
    /// Adds a row, unless a filter left one of its benchmarks out.
    pub(crate) fn add(&mut self, title: String, limit: &Samples, case: &Samples) {
        if let (Some(limit), Some(case)) = (limit.rates(), case.rates()) {
            self.0.push((title, limit, case));
        }
    }

    pub(crate) fn print(&self) {
        if self.0.is_empty() {
            return;
        }
        println!("Millions a second by the median sample, and percent of the limit (by the best samples):\n");
        println!("| | limit | measured | of the limit |\n|---|---|---|---|");
        for (title, limit, case) in &self.0 {
            println!(
                "| {title} | {:.2} | {:.2} | {:.0} % ({:.0} %) |",
                limit.median / 1e6,
                case.median / 1e6,
                100.0 * case.median / limit.median,
                100.0 * case.best / limit.best
            );
        }
    }
}
