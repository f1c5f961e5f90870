//! The answer: the curve, when it clears, and what bounds it.

use serde::{Deserialize, Serialize};

use super::{
    allocation::{Allocation, allocation},
    arrival,
    formula::{Formula, Resource, WhatIf, formula, rate_out, resources, what_if},
    plan::{Plan, PlanError},
    rate::{Amount, MESSAGE, Rate, SECOND_US, messages, milli, millis, time_us},
    simulation::{Simulation, Stretch},
};

/// Points of the curve, beside the first one and those at turns.
const POINTS: u64 = 240;

/// What a plan comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outlook {
    /// The curve from the start to the horizon: points at even distances, where it is highest, and where it and the formula
    /// clear.
    pub points: Vec<Point>,
    /// The highest point, the first of them if there are several.
    pub highest: Point,
    /// Messages behind at the horizon.
    pub left: u64,
    /// When nothing is behind for the first time after the highest point.
    pub clearing: Clearing,
    /// What was done per second until then, or until the horizon, on average; thousandths of a message.
    pub out_milli_per_s: u64,
    /// How long a message that comes in at the highest point waits until its turn comes, in milliseconds, where all queues
    /// are equally full: at the rate out of the formula.
    pub longest_wait_ms: u64,
    /// Since when an instance that has queues is done with them while others are behind, in milliseconds; `None` if that
    /// is never so before the backlog clears.
    pub uneven_from_ms: Option<u64>,
    /// How the queues are given out.
    pub allocation: Allocation,
    /// Where the threads of the instances that have queues are while every queue is behind, or at the mean rate if
    /// nothing ever is.
    pub threads: Threads,
    /// What bounds the rate out.
    pub resources: Vec<Resource>,
    /// What the formulas say.
    pub formula: Formula,
    /// What changes would make of the rate out.
    pub what_if: Vec<WhatIf>,
}

/// A point of the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Point {
    /// Milliseconds since the start.
    pub at_ms: u64,
    /// Messages behind, rounded.
    pub behind: u64,
    /// Messages that have come in since the start, rounded.
    pub came: u64,
    /// Messages that were done since the start, rounded.
    pub done: u64,
    /// Messages behind by the formula, rounded: a straight line from the start.
    pub formula: u64,
}

/// Whether and when a backlog clears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Clearing {
    /// Within the horizon.
    At {
        /// Milliseconds since the start.
        ms: u64,
    },
    /// Beyond the horizon, if from there on messages come in at the mean rate.
    Later {
        /// Milliseconds since the start.
        ms: u64,
    },
    /// Never: no more is done than comes in, of all messages or of those of some queues.
    Never,
}

/// Threads by what they do, in thousandths of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Threads {
    /// Computing, T1.
    pub computing_milli: u64,
    /// Waiting for others, T2.
    pub waiting_milli: u64,
    /// Kept waiting for a core, a connection, a permit or, with an orderly listener, a queue.
    pub blocked_milli: u64,
}

/// Looks into a plan. It costs the number of changes of the rate, at most some twenty thousand, and no more for more
/// messages.
pub fn outlook(plan: &Plan) -> Result<Outlook, PlanError> {
    plan.check()?;
    let mut simulation = Simulation::new(plan);
    let mut curve = Curve::new(plan, simulation.behind());
    simulation.run(plan, |stretch| curve.add(stretch));
    let horizon_us = u64::from(plan.horizon_s) * SECOND_US;
    let left = messages(simulation.behind());
    let clearing = match curve.clears_us {
        Some(us) => Clearing::At { ms: millis(us) },
        None => match simulation.clears_us(horizon_us, arrival::mean(plan)) {
            Some(us) => Clearing::Later { ms: millis(us) },
            None => Clearing::Never,
        },
    };
    let out = rate_out(plan);
    let highest = curve.highest;
    let busy = if highest.behind > 0 { out } else { out.min(arrival::mean(plan)) };
    Ok(Outlook {
        highest,
        left,
        clearing,
        out_milli_per_s: milli(curve.mean_out(horizon_us)),
        longest_wait_ms: time_us(u128::from(highest.behind) * MESSAGE, out).map_or(u64::MAX, millis),
        uneven_from_ms: curve.uneven_us.map(millis),
        allocation: allocation(plan),
        threads: threads(plan, busy),
        resources: resources(plan, busy),
        formula: formula(plan),
        what_if: what_if(plan),
        points: curve.points(),
    })
}

fn threads(plan: &Plan, rate: Rate) -> Threads {
    // 10^-9 messages per second for so many microseconds: 10^-15 threads.
    let busy = |us: u64| u64::try_from(rate * u128::from(us) / u128::from(plan.batch) / (MESSAGE / 1000));
    let all = u64::from(allocation(plan).working) * u64::from(plan.threads) * 1000;
    let computing = busy(u64::from(plan.cpu_us) * u64::from(plan.batch)).unwrap_or(all).min(all);
    let waiting = busy(plan.wait_us.into()).unwrap_or(all).min(all - computing);
    Threads { computing_milli: computing, waiting_milli: waiting, blocked_milli: all - computing - waiting }
}

/// The curve as it grows.
struct Curve {
    /// When to take a point, in microseconds, the next one last.
    wanted: Vec<u64>,
    points: Vec<Point>,
    line: Line,
    now: Moment,
    highest: Point,
    clears_us: Option<u64>,
    done_at_clear: Amount,
    uneven_us: Option<u64>,
}

/// The formula as a line over time.
#[derive(Clone, Copy)]
struct Line {
    start: Amount,
    comes: Rate,
    goes: Rate,
}

/// Where the curve is.
#[derive(Clone, Copy)]
struct Moment {
    us: u64,
    behind: Amount,
    came: Amount,
}

impl Line {
    fn of(plan: &Plan) -> Self {
        Self { start: u128::from(plan.behind) * MESSAGE, comes: arrival::mean(plan), goes: rate_out(plan) }
    }

    fn at(self, us: u64) -> Amount {
        let us = u128::from(us);
        (self.start + self.comes * us).saturating_sub(self.goes * us)
    }
}

impl Curve {
    fn new(plan: &Plan, behind: Amount) -> Self {
        let horizon_us = u64::from(plan.horizon_s) * SECOND_US;
        let line = Line::of(plan);
        let mut wanted: Vec<u64> = (1..=POINTS).map(|point| horizon_us * point / POINTS).collect();
        let clears = time_us(line.start, line.goes.saturating_sub(line.comes));
        wanted.extend(clears.filter(|us| (1..horizon_us).contains(us)));
        wanted.sort_unstable();
        wanted.reverse();
        let now = Moment { us: 0, behind, came: 0 };
        let first = Point { at_ms: 0, behind: messages(behind), came: 0, done: 0, formula: plan.behind };
        Self {
            wanted,
            points: vec![first],
            line,
            now,
            highest: first,
            clears_us: (first.behind == 0).then_some(0),
            done_at_clear: 0,
            uneven_us: None,
        }
    }

    /// What was done up to a moment.
    fn done(&self, at: Moment) -> Amount {
        (self.line.start + at.came).saturating_sub(at.behind)
    }

    fn point(&self, at: Moment) -> Point {
        Point {
            at_ms: millis(at.us),
            behind: messages(at.behind),
            came: messages(at.came),
            done: messages(self.done(at)),
            formula: messages(self.line.at(at.us)),
        }
    }

    fn add(&mut self, stretch: &Stretch) {
        let begins = self.now;
        let after = |us: u64| Moment {
            us: begins.us + us,
            behind: stretch.behind_at(us),
            came: begins.came + stretch.comes * u128::from(us),
        };
        let end = after(stretch.lasts_us);
        while let Some(us) = self.wanted.pop_if(|us| *us <= end.us) {
            self.points.push(self.point(after(us - begins.us)));
        }
        if stretch.uneven && self.clears_us.is_none() && self.uneven_us.is_none() {
            self.uneven_us = Some(begins.us);
        }
        self.now = end;
        let point = self.point(end);
        if point.behind > self.highest.behind {
            self.highest = point;
            self.clears_us = None;
        }
        if point.behind == 0 && self.clears_us.is_none() {
            self.clears_us = Some(end.us);
            self.done_at_clear = self.done(end);
            self.points.push(point);
        }
    }

    /// What was done until nothing was behind, on average; over the whole horizon where that was so from the start on, or
    /// never.
    fn mean_out(&self, horizon_us: u64) -> Rate {
        let (done, us) = match self.clears_us {
            Some(us) if us > 0 => (self.done_at_clear, us),
            _ => (self.done(self.now), horizon_us),
        };
        done.checked_div(u128::from(us)).unwrap_or(0)
    }

    fn points(mut self) -> Vec<Point> {
        self.points.push(self.highest);
        self.points.sort_by_key(|point| (point.at_ms, point.came));
        self.points.dedup_by_key(|point| point.at_ms);
        self.points
    }
}
