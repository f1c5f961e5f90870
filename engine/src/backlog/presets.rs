//! Plans to begin with.

use super::plan::{Arrival, Plan};

/// A plan with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name, for the command line and the catalogues of the page.
    pub name: &'static str,
    /// The plan.
    pub plan: Plan,
}

/// Plans to begin with, each of which shows one thing. Six million behind and 2000 a second in is where most begin.
pub fn presets() -> Vec<Preset> {
    let plan = Plan::default;
    let hundred_threads = || Plan { threads: 100, ..plan() };
    vec![
        // 120 threads of 80 ms: 1500 a second.
        Preset { name: "never", plan: plan() },
        // 400 threads of 80 ms: 5000 a second, 2000 s.
        Preset { name: "enough", plan: hundred_threads() },
        // 4 of 16 instances have a queue: 1500 a second, as with 4.
        Preset { name: "queues", plan: Plan { queues: 4, instances: 16, ..plan() } },
        // 117 connections, each held for 78 ms: 1500 a second, whatever the threads.
        Preset { name: "connections", plan: Plan { connections: Some(117), ..hundred_threads() } },
        // 4 cores of 4 instances, 8 ms each: 2000 a second with 40 threads in each instance, and with 100.
        Preset { name: "cores", plan: Plan { cpu_us: 8000, wait_us: 72_000, ..hundred_threads() } },
        // 3000 permits a second: net 1000, 6000 s.
        Preset { name: "throttled", plan: Plan { permits_per_s: Some(3000), horizon_s: 7200, ..hundred_threads() } },
        // One thread per queue: 16 of 80 ms are 200 a second, whatever the threads.
        Preset { name: "orderly", plan: Plan { orderly: true, ..hundred_threads() } },
        // A quarter of everything belongs to keys of one queue: of the four instances, the first has 43.75 percent of all
        // messages. 875 a second come in for it and it does 1250: 7000 s, where the formula says 2000.
        Preset { name: "skew", plan: Plan { skew_percent: 25, horizon_s: 7200, ..hundred_threads() } },
        // Nothing behind, then 9000 a second for ten minutes: 2,400,000 at 1200 s, and none at 2000 s.
        Preset {
            name: "burst",
            plan: Plan {
                behind: 0,
                arrival: Arrival::Bursts { peak_per_s: 9000, from_s: 600, lasts_s: 600, every_s: 0 },
                ..hundred_threads()
            },
        },
    ]
}
