//! From change to change: what every queue gets, and how far behind it is.

use super::{
    allocation::{self, Group, Queues},
    arrival,
    formula::{Bounds, bounds},
    plan::Plan,
    rate::{Amount, MESSAGE, PER_S, Rate, SECOND_US, messages, time_us},
    share::{Party, share},
};

/// A backlog that shrinks more slowly than by a message in eleven days does not shrink: that is what divisions cut off.
const STANDSTILL: Rate = PER_S / 1_000_000;

/// Queues that are alike in everything, in all instances that are alike.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// How many they are in each instance.
    count: u32,
    /// What each has of all messages, in parts.
    part: u64,
    /// What all of them, in all these instances, are behind.
    behind: Amount,
}

/// Instances that are alike.
#[derive(Clone, Debug)]
struct Instances {
    count: u32,
    lines: Vec<Line>,
}

impl Instances {
    /// Whether one of their queues is behind by a message.
    fn is_behind(&self) -> bool {
        self.lines.iter().any(|line| messages(line.behind) > 0)
    }
}

/// How the messages in one [`Line`] come and go.
#[derive(Clone, Copy, Debug)]
struct Flow {
    comes: Rate,
    goes: Rate,
}

/// A stretch of time in which nothing changes but the backlog, evenly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// How long it is, in microseconds.
    pub(super) lasts_us: u64,
    /// Behind when it begins, over all queues.
    pub(super) behind: Amount,
    /// The rate at which messages come in.
    pub(super) comes: Rate,
    /// The rate at which they are done.
    pub(super) goes: Rate,
    /// Whether an instance that has queues has nothing to wait for while another is behind.
    pub(super) uneven: bool,
}

impl Stretch {
    /// Behind so many microseconds after it began.
    pub(super) fn behind_at(&self, us: u64) -> Amount {
        let us = u128::from(us);
        (self.behind + self.comes * us).saturating_sub(self.goes * us)
    }
}

/// The counting model at a moment.
pub(super) struct Simulation {
    bounds: Bounds,
    parts: u128,
    groups: Vec<Instances>,
}

impl Simulation {
    pub(super) fn new(plan: &Plan) -> Self {
        let parts = u128::from(allocation::parts(plan));
        let behind = u128::from(plan.behind) * MESSAGE;
        let line = |instances: u32, queues: &Queues| Line {
            count: queues.count,
            part: queues.part,
            behind: behind * u128::from(queues.part) / parts * u128::from(instances * queues.count),
        };
        let instances = |group: &Group| Instances {
            count: group.instances,
            lines: group.queues.iter().map(|queues| line(group.instances, queues)).collect(),
        };
        let groups = allocation::groups(plan).iter().map(instances).collect();
        Self { bounds: bounds(plan), parts, groups }
    }

    /// Behind now, over all queues.
    pub(super) fn behind(&self) -> Amount {
        self.groups.iter().flat_map(|group| &group.lines).map(|line| line.behind).sum()
    }

    /// What comes and goes now in each line, in the order of the groups.
    fn flows(&self, arrival: Rate) -> Vec<Vec<Flow>> {
        let comes = |line: &Line| arrival * u128::from(line.part) / self.parts;
        // A queue that is behind wants all it can get; one that is not wants what comes in.
        let queue = |line: &Line| {
            let most = self.bounds.queue;
            Party { count: line.count, wants: if line.behind > 0 { most } else { most.min(comes(line)) } }
        };
        let wanted: Vec<Vec<Party>> = self.groups.iter().map(|group| group.lines.iter().map(queue).collect()).collect();
        let instance = |(group, queues): (&Instances, &Vec<Party>)| {
            let wants: Rate = queues.iter().map(|party| party.wants * u128::from(party.count)).sum();
            Party { count: group.count, wants: wants.min(self.bounds.instance()) }
        };
        let instances: Vec<Party> = self.groups.iter().zip(&wanted).map(instance).collect();
        let granted = share(self.bounds.group(), &instances);
        let flow = |((line, gets), instances): ((&Line, Rate), u32)| {
            let all = u128::from(line.count) * u128::from(instances);
            Flow { comes: comes(line) * all, goes: gets * all }
        };
        let rows = self.groups.iter().zip(&wanted).zip(granted);
        rows.map(|((group, queues), granted)| {
            let gets = share(granted, queues);
            group.lines.iter().zip(gets).map(|pair| flow((pair, group.count))).collect()
        })
        .collect()
    }

    /// Goes on to the next change, at most to `until_us`, while messages come in at `arrival`.
    fn advance(&mut self, from_us: u64, until_us: u64, arrival: Rate) -> Stretch {
        let flows = self.flows(arrival);
        let lines = || self.groups.iter().flat_map(|group| &group.lines).zip(flows.iter().flatten());
        let empties = |(line, flow): (&Line, &Flow)| {
            let shrinks = flow.goes.saturating_sub(flow.comes);
            if line.behind == 0 || shrinks < STANDSTILL { None } else { time_us(line.behind, shrinks) }
        };
        let next = lines().filter_map(empties).min();
        let lasts_us = next.unwrap_or(u64::MAX).min(until_us.saturating_sub(from_us));
        let behind = self.groups.iter().map(Instances::is_behind);
        let stretch = Stretch {
            lasts_us,
            behind: self.behind(),
            comes: lines().map(|(_, flow)| flow.comes).sum(),
            goes: lines().map(|(_, flow)| flow.goes).sum(),
            uneven: behind.clone().any(|behind| behind) && behind.clone().any(|behind| !behind),
        };
        let us = u128::from(lasts_us);
        for (group, flows) in self.groups.iter_mut().zip(&flows) {
            for (line, flow) in group.lines.iter_mut().zip(flows) {
                line.behind = (line.behind + flow.comes * us).saturating_sub(flow.goes * us);
            }
        }
        stretch
    }

    /// Runs over the whole horizon of `plan`, stretch by stretch.
    pub(super) fn run(&mut self, plan: &Plan, mut seen: impl FnMut(&Stretch)) {
        let horizon_us = u64::from(plan.horizon_s) * SECOND_US;
        let pieces = arrival::pieces(plan);
        for (index, piece) in pieces.iter().enumerate() {
            let ends_us = pieces.get(index + 1).map_or(horizon_us, |next| next.from_us);
            let mut now_us = piece.from_us;
            while now_us < ends_us {
                let stretch = self.advance(now_us, ends_us, piece.rate);
                now_us += stretch.lasts_us;
                seen(&stretch);
            }
        }
    }

    /// When nothing is behind any more, in microseconds, if from `from_us` on messages come in at an even rate. `None`
    /// if that never comes.
    pub(super) fn clears_us(&mut self, from_us: u64, arrival: Rate) -> Option<u64> {
        let mut now_us = from_us;
        // Every round empties at least one line, and none fills again: what is left to share only grows.
        while messages(self.behind()) > 0 {
            let stretch = self.advance(now_us, u64::MAX, arrival);
            now_us = now_us.checked_add(stretch.lasts_us).filter(|now_us| *now_us < u64::MAX)?;
        }
        Some(now_us)
    }
}
