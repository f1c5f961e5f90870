//! Playing moves on a world that nobody looks at.

use super::{Lesson, Move, RunError, holds};
use crate::sim::World;

/// Events tried before a condition is given up: far more than any lesson needs.
pub(super) const EVENTS_MAX: u64 = 100_000;

/// Plays moves on `world`, which is left where an error stopped it.
pub(super) fn play(world: &mut World, lesson: &Lesson, moves: &[Move]) -> Result<(), RunError> {
    for one in moves {
        match one {
            Move::Act(action) => {
                world.act(action.as_ref().clone())?;
            }
            Move::Take(id) => {
                let offer = lesson.offer(id).ok_or_else(|| RunError::NoSuchOffer(id.clone()))?;
                world.act(offer.action.clone())?;
            }
            Move::Events(events) => {
                let mut left = 0..*events;
                while left.next().is_some() && world.step().is_some() {}
            }
            Move::Until(condition) => run_until(world, |world| holds(world, condition), &condition.to_string())?,
            Move::Rest => run_until(world, World::at_rest, "the world at rest")?,
        }
    }
    Ok(())
}

fn run_until(world: &mut World, is_there: impl Fn(&World) -> bool, words: &str) -> Result<(), RunError> {
    for events in 0..EVENTS_MAX {
        if is_there(world) {
            return Ok(());
        }
        // The last of what was pending may pass without an event.
        if world.step().is_none() && !is_there(world) {
            return Err(RunError::NeverTrue { condition: words.to_owned(), events });
        }
    }
    Err(RunError::NeverTrue { condition: words.to_owned(), events: EVENTS_MAX })
}
