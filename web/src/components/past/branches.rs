//! Branches that were left: as thin lines under the timeline, and as buttons that lead back to them.

use rocketscope_engine::sim::Branch;
use yew::{Callback, Html, html};

use crate::i18n::Text;

/// Height of a branch's row, in pixels.
const BRANCH: f64 = 20.0;

/// Branches drawn at most: those that were begun last.
const DRAWN_MAX: usize = 6;

/// The longest line, in pixels: a longer branch goes on beyond what is drawn.
const LONGEST: f64 = 320.0;

/// Room for the words behind a line, in pixels.
const WORDS: f64 = 140.0;

/// Where the lines of branches go.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq)]
struct Line {
    branch: Branch,
    /// Where it parts from the timeline.
    x: f64,
    /// Where it ends.
    end: f64,
    /// Whether the branch is longer than the line.
    more: bool,
}

/// A branch in a sentence.
pub(super) fn branch_words(branch: &Branch, text: &Text) -> String {
    let own = branch.length.saturating_sub(branch.forked_at);
    let key = if own == 1 { "past.branch-is-one" } else { "past.branch-is" };
    text.fill(key, &[("branch", &branch.id), ("at", &branch.forked_at), ("events", &own)])
}

impl Drawing {
    /// Lines for the branches that part inside a window of `from` to `to` events taken. `x` is where the place after so
    /// many events is, `step` the width of an event.
    pub fn new(branches: &[Branch], from: u64, to: u64, x: impl Fn(u64) -> f64, step: f64) -> Self {
        let inside = branches.iter().filter(|branch| (from..=to).contains(&branch.forked_at));
        let mut lines: Vec<Line> = inside
            .map(|branch| {
                let own = branch.length.saturating_sub(branch.forked_at) as f64 * step;
                let x = x(branch.forked_at);
                Line { branch: *branch, x, end: x + own.clamp(step, LONGEST), more: own > LONGEST }
            })
            .collect();
        lines.drain(..lines.len().saturating_sub(DRAWN_MAX));
        Self { lines }
    }

    /// Height of all rows.
    pub fn height(&self) -> f64 {
        BRANCH * self.lines.len() as f64
    }

    /// How far to the right the lines and their words reach.
    pub fn right(&self) -> f64 {
        self.lines.iter().map(|line| line.end + WORDS).fold(0.0, f64::max)
    }

    /// The lines below `top`. They are buttons for the mouse; for everybody else there are those of the bar.
    pub fn draw(&self, top: f64, on_switch: &Callback<u32>, text: &Text) -> Html {
        html! {
            <g class="branches" aria-hidden="true">
                { for self.lines.iter().enumerate().map(|(row, line)| {
                    let y = top + BRANCH * (row as f64 + 0.5);
                    let id = line.branch.id;
                    let own = line.branch.length.saturating_sub(line.branch.forked_at);
                    let d = format!("M{x} 0V{}Q{x} {y} {} {y}H{}", y - 8.0, line.x + 8.0, line.end, x = line.x);
                    html! {
                        <g key={id} class="branch" onclick={on_switch.reform(move |_| id)} data-testid={format!("branch-line:{id}")}>
                            <title>{ branch_words(&line.branch, text) }</title>
                            <path class="branch-hit" d={d.clone()} />
                            <path class="branch-line" d={d} />
                            if line.more {
                                <path class="branch-more" d={format!("M{} {y}h14", line.end + 2.0)} />
                            } else {
                                <circle class="branch-end" cx={line.end.to_string()} cy={y.to_string()} r="3" />
                            }
                            <text x={(line.end + 20.0).to_string()} y={(y + 4.0).to_string()}>
                                { text.fill("past.branch-short", &[("branch", &id), ("events", &own)]) }
                            </text>
                        </g>
                    }
                }) }
            </g>
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BRANCH, Drawing};
    use rocketscope_engine::sim::Branch;

    /// With 26 pixels for an event, a branch that parts after 4 events begins at 104 and one of 10 events ends 260 later;
    /// one of 100 events is cut at 320.
    #[test]
    fn lines_begin_where_branches_part_and_are_as_long_as_those() {
        let branch = |id, forked_at, length| Branch { id, forked_at, length };
        let branches = [branch(0, 4, 14), branch(1, 4, 104), branch(2, 90, 95)];
        let drawing = Drawing::new(&branches, 0, 50, |at| at as f64 * 26.0, 26.0);
        let ends: Vec<(u32, f64, f64, bool)> =
            drawing.lines.iter().map(|line| (line.branch.id, line.x, line.end, line.more)).collect();
        assert_eq!(ends, [(0, 104.0, 364.0, false), (1, 104.0, 424.0, true)]);
        assert!((drawing.height() - 2.0 * BRANCH).abs() < f64::EPSILON);
        let many: Vec<Branch> = (0..9).map(|id| branch(id, 1, 2)).collect();
        let drawn = Drawing::new(&many, 0, 50, |at| at as f64, 1.0);
        assert_eq!(drawn.lines.iter().map(|line| line.branch.id).collect::<Vec<_>>(), [3, 4, 5, 6, 7, 8]);
    }
}
