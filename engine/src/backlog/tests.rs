//! Every expected number is a calculation by hand, from the rates of the plan.

use super::{Arrival, Clearing, Outlook, Plan, PlanError, ResourceKind, WhatIfKind, outlook, presets};

fn of(plan: &Plan) -> Outlook {
    outlook(plan).unwrap()
}

fn preset(name: &str) -> Plan {
    presets().into_iter().find(|preset| preset.name == name).unwrap().plan
}

fn bounds(outlook: &Outlook) -> Vec<ResourceKind> {
    outlook.resources.iter().filter(|resource| resource.bounds).map(|resource| resource.kind).collect()
}

fn with(outlook: &Outlook, kind: WhatIfKind) -> u64 {
    outlook.what_if.iter().find(|what| what.kind == kind).unwrap().out_milli_per_s / 1000
}

/// Four instances of one thread that needs 100 ms: ten a second each, of plenty of cores.
fn small() -> Plan {
    Plan {
        behind: 1200,
        in_per_s: 0,
        queues: 4,
        instances: 4,
        threads: 1,
        cores: 4,
        cpu_us: 0,
        wait_us: 100_000,
        horizon_s: 600,
        ..Plan::default()
    }
}

/// 120 threads / 80 ms = 1500 a second, and 2000 come in: 500 more every second.
#[test]
fn six_million_behind_never_clear_at_1500_a_second() {
    let never = of(&preset("never"));
    assert_eq!(never.clearing, Clearing::Never);
    assert_eq!((never.out_milli_per_s, never.formula.out_milli_per_s), (1_500_000, 1_500_000));
    assert_eq!(never.formula.clears_ms, None);
    assert_eq!((never.left, never.highest.behind, never.highest.at_ms), (7_800_000, 7_800_000, 3_600_000));
    assert_eq!(bounds(&never), [ResourceKind::Threads]);
    let hour = never.points.last().unwrap();
    assert_eq!((hour.came, hour.done), (7_200_000, 5_400_000));
}

/// 400 threads / 80 ms = 5000 a second: 6,000,000 / (5000 - 2000) = 2000 s, in which 10,000,000 are done.
#[test]
fn six_million_behind_clear_in_2000_seconds_at_5000_a_second() {
    let enough = of(&preset("enough"));
    assert_eq!(enough.clearing, Clearing::At { ms: 2_000_000 });
    assert_eq!(enough.formula.clears_ms, Some(2_000_000));
    assert_eq!(enough.formula.out_milli_per_s - enough.formula.in_milli_per_s, 3_000_000);
    assert_eq!(enough.out_milli_per_s, 5_000_000);
    assert_eq!(enough.left, 0);
    // Whoever comes last waits for 6,000,000 / 5000.
    assert_eq!(enough.longest_wait_ms, 1_200_000);
    let at = |ms| enough.points.iter().find(|point| point.at_ms == ms).unwrap();
    assert_eq!((at(0).behind, at(1_500_000).behind, at(2_000_000).behind), (6_000_000, 1_500_000, 0));
    assert_eq!(at(2_000_000).done, 10_000_000);
    // The simulated curve lies on the formula.
    assert!(enough.points.iter().all(|point| point.behind == point.formula));
    assert_eq!(enough.uneven_from_ms, None);
}

/// 4 queues: 4 of 16 instances work, at 4 * 30 / 80 ms = 1500 a second. Twice the queues are twice that.
#[test]
fn consumers_beyond_the_queues_add_nothing() {
    let queues = of(&preset("queues"));
    assert_eq!((queues.allocation.working, queues.allocation.idle), (4, 12));
    assert_eq!(queues.formula.out_milli_per_s, 1_500_000);
    assert_eq!(with(&queues, WhatIfKind::Instances), 1500);
    assert_eq!(with(&queues, WhatIfKind::Queues), 3000);
    assert_eq!(queues.points, of(&Plan { instances: 4, ..preset("queues") }).points);
}

/// 117 connections / 78 ms = 1500 a second, with 400 threads as with 800; 234 connections are 3000.
#[test]
fn connections_bound_whatever_the_threads() {
    let connections = of(&preset("connections"));
    assert_eq!(connections.clearing, Clearing::Never);
    assert_eq!(connections.out_milli_per_s, 1_500_000);
    assert_eq!(bounds(&connections), [ResourceKind::Connections]);
    assert_eq!(with(&connections, WhatIfKind::Threads), 1500);
    assert_eq!(with(&connections, WhatIfKind::Connections), 3000);
    // 1500 * 2 ms compute and 1500 * 78 ms wait; the other 280 of 400 wait for a connection.
    let threads = connections.threads;
    assert_eq!((threads.computing_milli, threads.waiting_milli, threads.blocked_milli), (3000, 117_000, 280_000));
    // Held for half of T2 only, they allow 3000.
    let half = of(&Plan { held_percent: 50, ..preset("connections") });
    assert_eq!(half.formula.out_milli_per_s, 3_000_000);
    assert_eq!(half.clearing, Clearing::Later { ms: 6_000_000 });
}

/// C = 4, T1 = 8 ms, T2 = 72 ms: 4 * 80 / 8 = 40 threads are best, and one instance does 4 / 8 ms = 500 a second.
#[test]
fn threads_beyond_the_best_number_add_nothing() {
    let cores = of(&preset("cores"));
    assert_eq!(cores.formula.best_milli_threads, Some(40_000));
    assert_eq!((cores.formula.node_milli_per_s, cores.formula.out_milli_per_s), (500_000, 2_000_000));
    assert_eq!(bounds(&cores), [ResourceKind::Cores]);
    // Just as much goes out as comes in: what is behind stays behind.
    assert_eq!((cores.clearing, cores.left, cores.highest.at_ms), (Clearing::Never, 6_000_000, 0));
    let best = of(&Plan { threads: 40, ..preset("cores") });
    assert_eq!(best.points, cores.points);
    assert_eq!(bounds(&best), [ResourceKind::Threads, ResourceKind::Cores]);
    assert_eq!(of(&Plan { threads: 20, ..preset("cores") }).formula.out_milli_per_s, 1_000_000);
    // 2000 a second at most come in: four instances of 500. With 100 more it takes a fifth.
    assert_eq!(cores.formula.nodes, 4);
    assert_eq!(of(&Plan { in_per_s: 2100, ..preset("cores") }).formula.nodes, 5);
    // Nothing computes: cores never bound.
    assert_eq!(of(&Plan { cpu_us: 0, ..preset("cores") }).formula.best_milli_threads, None);
}

/// 3000 permits a second: 6,000,000 / 1000 = 6000 s.
#[test]
fn a_throttled_recovery_takes_longer_and_spares_the_database() {
    let throttled = of(&preset("throttled"));
    assert_eq!(throttled.clearing, Clearing::At { ms: 6_000_000 });
    assert_eq!(bounds(&throttled), [ResourceKind::Throttle]);
    let used = |kind| throttled.resources.iter().find(|resource| resource.kind == kind).unwrap().used_permille;
    assert_eq!((used(ResourceKind::Threads), used(ResourceKind::Throttle)), (600, 1000));
}

/// 16 queues / 80 ms = 200 a second, although each of the four instances has 100 threads.
#[test]
fn an_orderly_listener_has_a_thread_per_queue() {
    let orderly = of(&preset("orderly"));
    assert_eq!(orderly.out_milli_per_s, 200_000);
    assert_eq!(bounds(&orderly), [ResourceKind::Queues]);
    assert_eq!(with(&orderly, WhatIfKind::Threads), 200);
    assert_eq!(with(&orderly, WhatIfKind::Queues), 400);
    // Three threads for the four queues of an instance: 12 / 80 ms.
    assert_eq!(of(&Plan { threads: 3, ..preset("orderly") }).out_milli_per_s, 150_000);
}

/// 16 queues with 4.6875 percent each, and the first with 25 more: the first instance has 43.75 percent. It does 1250 and
/// gets 875, so its 2,625,000 take 7000 s. The others do 3750, get 1125 and are done after 3,375,000 / 2625 s.
#[test]
fn one_full_queue_takes_longer_than_the_formula_says() {
    let skew = of(&preset("skew"));
    assert_eq!(skew.formula.clears_ms, Some(2_000_000));
    assert_eq!(skew.clearing, Clearing::At { ms: 7_000_000 });
    let at_formula = skew.points.iter().find(|point| point.at_ms == 2_000_000).unwrap();
    assert_eq!((at_formula.formula, at_formula.behind), (0, 1_875_000));
    assert_eq!(skew.uneven_from_ms, Some(1_285_714));
    // Half of everything: 1250 a second for the first instance, all that it can do.
    assert_eq!(of(&Plan { skew_percent: 50, ..preset("skew") }).clearing, Clearing::Never);
}

/// 600 s of 9000 against 5000 leave 2,400,000; then 3000 more go than come: 800 s.
#[test]
fn a_burst_leaves_a_backlog_that_clears() {
    let burst = of(&preset("burst"));
    assert_eq!((burst.highest.at_ms, burst.highest.behind), (1_200_000, 2_400_000));
    assert_eq!(burst.clearing, Clearing::At { ms: 2_000_000 });
    // 9000 a second, and an instance does 1250: eight of them.
    assert_eq!((burst.formula.peak_milli_per_s, burst.formula.nodes), (9_000_000, 8));
    assert_eq!(burst.longest_wait_ms, 480_000);
}

/// 600 behind at 40 a second: 30 s for the even one. With 8 queues for 3 instances, two have 3 queues of 75, 225 messages,
/// and do 10 a second: 22.5 s; the third is done after 15 s.
#[test]
fn an_uneven_allocation_is_counted_instance_by_instance() {
    let uneven = of(&Plan { behind: 600, queues: 8, instances: 3, ..small() });
    assert_eq!(uneven.formula.clears_ms, Some(20_000));
    assert_eq!(uneven.clearing, Clearing::At { ms: 22_500 });
    assert_eq!(uneven.uneven_from_ms, Some(15_000));
}

/// Connections for 20 a second are shared evenly, 5 for each of four instances; once three are done with their queues, the
/// fourth has as many as its thread can use, 10. First queue 400 of 1000, the others 200 each: 40 s, then 200 / 10 = 20 s.
#[test]
fn what_others_leave_goes_to_those_who_are_behind() {
    let plan = Plan { behind: 1000, skew_percent: 20, connections: Some(2), ..small() };
    let shared = of(&plan);
    assert_eq!(shared.clearing, Clearing::At { ms: 60_000 });
    assert_eq!(shared.uneven_from_ms, Some(40_000));
    assert_eq!(shared.formula.clears_ms, Some(50_000));
}

/// A call handles 10 messages: 10 * 1 ms + 90 ms, so one thread does 100 a second instead of 1 / 91 ms.
#[test]
fn a_batch_waits_once() {
    let plan = Plan { cpu_us: 1000, wait_us: 90_000, instances: 1, queues: 1, ..small() };
    assert_eq!(of(&plan).formula.out_milli_per_s, 10_989);
    let batch = of(&Plan { batch: 10, ..plan });
    assert_eq!(batch.formula.out_milli_per_s, 100_000);
    // 4 * (10 + 90) / 10.
    assert_eq!(batch.formula.best_milli_threads, Some(40_000));
}

/// A third of a second each: 1200 messages on one thread need 400 s, not one microsecond more or less for dividing.
#[test]
fn what_division_cuts_off_does_not_show() {
    let plan = Plan { instances: 1, wait_us: 333_333, cpu_us: 0, ..small() };
    assert_eq!(of(&plan).clearing, Clearing::At { ms: 400_000 });
    // 700 a second in and out over seven queues, 100 for each: neither grows nor shrinks, for a week.
    let even = Plan { in_per_s: 700, queues: 7, instances: 7, threads: 7, wait_us: 70_000, ..plan };
    let week = of(&Plan { horizon_s: 604_800, ..even.clone() });
    assert_eq!((week.clearing, week.left), (Clearing::Never, 1200));
    // The same where a seventh of the rate cannot be written down.
    let odd = of(&Plan { in_per_s: 100, instances: 1, threads: 7, horizon_s: 604_800, ..even });
    assert_eq!((odd.clearing, odd.left), (Clearing::Never, 1200));
}

/// Beyond the horizon the mean rate counts: 1200 / 40 = 30 s, of which 10 s are looked at.
#[test]
fn what_clears_beyond_the_horizon_is_told_too() {
    let later = of(&Plan { horizon_s: 10, ..small() });
    assert_eq!((later.clearing, later.left), (Clearing::Later { ms: 30_000 }, 800));
    assert_eq!(later.points.last().unwrap().at_ms, 10_000);
}

#[test]
fn a_group_that_keeps_up_is_never_behind() {
    let calm = of(&Plan { behind: 0, in_per_s: 20, ..small() });
    assert_eq!((calm.clearing, calm.highest.behind, calm.left), (Clearing::At { ms: 0 }, 0, 0));
    assert_eq!(calm.out_milli_per_s, 20_000);
    // 20 of 40 a second: half of the threads.
    assert_eq!(calm.threads.waiting_milli, 2000);
    let idle = of(&Plan { behind: 0, ..small() });
    assert_eq!((idle.out_milli_per_s, idle.formula.nodes), (0, 0));
}

/// The mean of the draws is 20 a second, within 1 (see the draws' own test); 1200 / 20 = 60 s give or take.
#[test]
fn a_random_rate_moves_the_curve_about_the_formula() {
    let plan = |seed| Plan { in_per_s: 20, arrival: Arrival::Random { swing_percent: 50, seed }, ..small() };
    let Clearing::At { ms } = of(&plan(1)).clearing else { panic!("it clears") };
    assert!((50_000..70_000).contains(&ms), "{ms}");
    assert_eq!(of(&plan(1)), of(&plan(1)));
    assert_ne!(of(&plan(1)).points, of(&plan(2)).points);
}

#[test]
fn points_are_in_order_and_nothing_is_lost_between_them() {
    for preset in presets() {
        let outlook = of(&preset.plan);
        assert!(outlook.points.windows(2).all(|pair| pair[0].at_ms < pair[1].at_ms), "{}", preset.name);
        for point in &outlook.points {
            // Each of the three is rounded.
            let sum = preset.plan.behind + point.came;
            assert!(sum.abs_diff(point.behind + point.done) <= 1, "{} at {}", preset.name, point.at_ms);
        }
        assert_eq!(outlook.points.last().unwrap().at_ms, u64::from(preset.plan.horizon_s) * 1000);
        let busy = outlook.threads;
        let all = u64::from(outlook.allocation.working * preset.plan.threads) * 1000;
        assert_eq!(busy.computing_milli + busy.waiting_milli + busy.blocked_milli, all, "{}", preset.name);
    }
}

#[test]
fn a_number_outside_its_range_is_named() {
    let refused = |plan: Plan| outlook(&plan).unwrap_err().to_string();
    let plan = Plan::default;
    assert_eq!(refused(Plan { queues: 0, ..plan() }), "queues must be between 1 and 1024, not 0");
    assert_eq!(refused(Plan { threads: 1001, ..plan() }), "threads must be between 1 and 1000, not 1001");
    assert_eq!(refused(Plan { connections: Some(0), ..plan() }), "connections must be between 1 and 100000, not 0");
    let bursts = Arrival::Bursts { peak_per_s: 1, from_s: 0, lasts_s: 90, every_s: 80 };
    assert_eq!(refused(Plan { arrival: bursts, ..plan() }), "everyS must be between 90 and 604800, not 80");
    assert_eq!(outlook(&Plan { cpu_us: 0, wait_us: 0, ..plan() }), Err(PlanError::NoTime));
}

/// The largest numbers that are allowed do not overflow.
#[test]
fn the_largest_plans_are_looked_into() {
    let large = Plan {
        behind: 10_000_000_000,
        in_per_s: 10_000_000,
        queues: 1024,
        instances: 1000,
        threads: 1000,
        cores: 256,
        cpu_us: 1,
        wait_us: 0,
        batch: 1024,
        connections: Some(100_000),
        held_percent: 1,
        permits_per_s: Some(10_000_000),
        horizon_s: 604_800,
        ..Plan::default()
    };
    assert_eq!(of(&large).clearing, Clearing::Never);
    let free = Plan { permits_per_s: None, connections: None, cpu_us: 0, wait_us: 1, ..large.clone() };
    assert!(matches!(of(&free).clearing, Clearing::At { .. }));
    let slow = Plan { cpu_us: 60_000_000, threads: 1, batch: 1, instances: 1, permits_per_s: Some(1), ..large.clone() };
    assert_eq!(of(&slow).clearing, Clearing::Never);
    let bursts = Arrival::Bursts { peak_per_s: 10_000_000, from_s: 0, lasts_s: 1, every_s: 60 };
    of(&Plan { arrival: bursts, skew_percent: 33, ..large });
}

#[test]
fn a_plan_says_only_what_it_sets() {
    let plan: Plan =
        toml::from_str("threads = 100\narrival = { kind = 'random', swingPercent = 20, seed = 7 }").unwrap();
    let arrival = Arrival::Random { swing_percent: 20, seed: 7 };
    assert_eq!(plan, Plan { threads: 100, arrival, ..Plan::default() });
    assert!(toml::from_str::<Plan>("thread = 100").unwrap_err().message().contains("unknown field"));
    let json = serde_json::to_string(&preset("burst")).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), preset("burst"));
}
