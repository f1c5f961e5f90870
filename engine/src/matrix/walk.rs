//! The walk through the run, and the forks from it.

use std::{sync::Arc, vec};

use super::{
    Cell, MatrixError, Moment, MomentTurn, Plan,
    cell::play,
    moment::{Point, points},
};
use crate::sim::{ReplayError, TraceEvent, World};

/// All crashes of a plan. As an iterator it walks through the run and hands out the world before each event.
#[derive(Clone, Debug)]
pub struct Matrix {
    shared: Arc<Shared>,
    walk: World,
    next: usize,
    first: u64,
}

/// What all forks of a matrix share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) plan: Plan,
    pub(super) moments: Vec<Moment>,
    cells: u64,
}

/// The world before one event, and the crashes there. As an iterator it plays them, one after the other.
#[derive(Clone, Debug)]
pub struct Fork {
    pub(super) shared: Arc<Shared>,
    pub(super) before: World,
    pub(super) moment: usize,
    /// The number of the next cell.
    next: u64,
    points: vec::IntoIter<Point>,
}

impl Matrix {
    /// Walks through the run of a plan, which tells how many cells there are.
    ///
    /// # Errors
    /// If the run does not go as its log says, or the plan names a node that is not there.
    pub fn new(plan: Plan) -> Result<Self, MatrixError> {
        for (field, value) in [("downMs", plan.down_ms), ("eventsMax", i64::from(plan.events_max))] {
            if value < 1 {
                return Err(MatrixError::TooSmall { field: field.to_owned() });
            }
        }
        let start = World::new(&plan.cluster, plan.seed).map_err(ReplayError::Cluster)?;
        if let Some(node) = plan.targets.iter().find(|name| start.node_state(name).is_none()) {
            return Err(MatrixError::NoSuchTarget { node: node.clone() });
        }
        let mut moments = Vec::new();
        let mut world = start.clone();
        loop {
            let (event, at_us) = (world.events(), world.now_us());
            let before = world.clone();
            let turn = if event < plan.length { Some(MomentTurn::of(go(&mut world, &plan)?)) } else { None };
            let cells = points(&plan, &before, turn.as_ref()).len() as u64;
            let last = turn.is_none();
            moments.push(Moment { event, at_us, turn, cells });
            if last {
                break;
            }
        }
        if let Some(logged) = plan.actions.iter().find(|logged| logged.at >= plan.length) {
            return Err(ReplayError::Misplaced { at: logged.at }.into());
        }
        let cells = moments.iter().map(|moment| moment.cells).sum();
        let shared = Arc::new(Shared { plan, moments, cells });
        Ok(Self { shared, walk: start, next: 0, first: 0 })
    }

    /// What it is made of.
    pub fn plan(&self) -> &Plan {
        &self.shared.plan
    }

    /// The moments of the run, in order.
    pub fn moments(&self) -> &[Moment] {
        &self.shared.moments
    }

    /// How many cells there are.
    pub fn cells(&self) -> u64 {
        self.shared.cells
    }
}

impl Iterator for Matrix {
    type Item = Fork;

    fn next(&mut self) -> Option<Fork> {
        let shared = Arc::clone(&self.shared);
        let moment = shared.moments.get(self.next)?;
        let points = points(&shared.plan, &self.walk, moment.turn.as_ref()).into_iter();
        let fork = Fork {
            shared: Arc::clone(&shared),
            before: self.walk.clone(),
            moment: self.next,
            next: self.first,
            points,
        };
        if moment.turn.is_some() {
            // It went well the first time, on the same world.
            let gone = go(&mut self.walk, &shared.plan);
            debug_assert!(gone.is_ok(), "a walk goes the same way again");
        }
        self.next += 1;
        self.first += moment.cells;
        Some(fork)
    }
}

impl Iterator for Fork {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        let point = self.points.next()?;
        let number = self.next;
        self.next += 1;
        Some(play(self, number, &point))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.points.size_hint()
    }
}

impl ExactSizeIterator for Fork {}

/// One event of the run.
fn go(world: &mut World, plan: &Plan) -> Result<TraceEvent, ReplayError> {
    let at = world.events();
    let place = plan.actions.binary_search_by_key(&at, |logged| logged.at);
    match place.ok().and_then(|place| plan.actions.get(place)) {
        Some(logged) => world.act(logged.action.clone()).map_err(|error| ReplayError::Action { at, error }),
        None => world.step().ok_or(ReplayError::Ended { at, length: plan.length }),
    }
}
