//! Numbers of a counted backlog that a question can be about.

use serde::Deserialize;

use super::Value;
use crate::backlog::{Clearing, Outlook, Plan, outlook};

/// What of an outlook a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BacklogNumber {
    /// Seconds until it clears, cut to whole ones, or `never`.
    ClearsS,
    /// The same by the formula.
    FormulaS,
    /// Messages that go out per second while every queue is behind, cut to whole ones.
    OutPerS,
    /// Instances that have a queue.
    Working,
    /// The best number of threads of an instance, cut to whole ones.
    BestThreads,
    /// Instances needed for the highest rate in.
    Nodes,
}

impl BacklogNumber {
    /// The number of a plan; `None` if the plan is wrong, or no number of threads is the best.
    pub fn of(self, plan: &Plan) -> Option<Value> {
        let Outlook { clearing, formula, allocation, .. } = outlook(plan).ok()?;
        let seconds = |ms: Option<u64>| ms.map_or_else(|| Some(Value::Text("never".to_owned())), |ms| whole(ms / 1000));
        match self {
            Self::ClearsS => seconds(match clearing {
                Clearing::At { ms } | Clearing::Later { ms } => Some(ms),
                Clearing::Never => None,
            }),
            Self::FormulaS => seconds(formula.clears_ms),
            Self::OutPerS => whole(formula.out_milli_per_s / 1000),
            Self::Working => whole(allocation.working.into()),
            Self::BestThreads => whole(formula.best_milli_threads? / 1000),
            Self::Nodes => whole(formula.nodes),
        }
    }
}

fn whole(number: u64) -> Option<Value> {
    i64::try_from(number).ok().map(Value::Int)
}

#[cfg(test)]
mod tests {
    use super::BacklogNumber;
    use crate::{backlog::Plan, lesson::Value};

    /// By hand, as in the model's own tests.
    #[test]
    fn every_number_is_read_of_the_outlook() {
        let plan = Plan { threads: 100, ..Plan::default() };
        let cases = [
            (BacklogNumber::ClearsS, plan.clone(), Some(Value::Int(2000))),
            (BacklogNumber::ClearsS, Plan { horizon_s: 60, ..plan.clone() }, Some(Value::Int(2000))),
            (BacklogNumber::ClearsS, Plan { skew_percent: 25, ..plan.clone() }, Some(Value::Int(7000))),
            (BacklogNumber::FormulaS, Plan { skew_percent: 25, ..plan.clone() }, Some(Value::Int(2000))),
            (BacklogNumber::ClearsS, Plan::default(), Some(Value::Text("never".to_owned()))),
            (BacklogNumber::OutPerS, plan.clone(), Some(Value::Int(5000))),
            (BacklogNumber::Working, Plan { instances: 20, ..plan.clone() }, Some(Value::Int(16))),
            (BacklogNumber::BestThreads, plan.clone(), Some(Value::Int(160))),
            (BacklogNumber::BestThreads, Plan { cpu_us: 0, ..plan.clone() }, None),
            (BacklogNumber::Nodes, plan.clone(), Some(Value::Int(2))),
            (BacklogNumber::Nodes, Plan { cores: 0, ..plan }, None),
        ];
        for (number, plan, wanted) in cases {
            assert_eq!(number.of(&plan), wanted, "{number:?} of {plan:?}");
        }
    }
}
