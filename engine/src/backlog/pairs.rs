//! A plan as pairs of a name and a value, `threads=100`, for addresses and command lines: only what differs from the plan
//! that one begins with. The parts of [`Plan::arrival`] stand among the other numbers, and `arrival` is its kind.

use serde_json::{Map, Value};

use super::plan::{Arrival, Plan};

/// The field whose parts stand among the others, and the part that names its kind.
const ARRIVAL: (&str, &str) = ("arrival", "kind");

/// The parts of every kind of [`Arrival`].
const PARTS: [&str; 6] = ["peakPerS", "fromS", "lastsS", "everyS", "swingPercent", "seed"];

impl Plan {
    /// What differs from [`Plan::default`].
    pub fn pairs(&self) -> Vec<(String, String)> {
        let usual = fields(&Self::default());
        let text = |value: Value| if let Value::String(text) = value { text } else { value.to_string() };
        let own = fields(self).into_iter().filter(|(name, value)| usual.get(name) != Some(value));
        own.map(|(name, value)| (name, text(value))).collect()
    }

    /// This plan with the values that the pairs name, and those pairs of them that cannot be read, as `name=value`. Values
    /// that can be read but lie outside their range are taken: [`Plan::check`] finds them.
    #[must_use]
    pub fn with_pairs<T: AsRef<str>>(self, pairs: impl IntoIterator<Item = (T, T)>) -> (Self, Vec<String>) {
        let mut plan = self;
        let (mut parts, mut said, mut unread) = (Map::new(), Vec::new(), Vec::new());
        for (key, text) in pairs {
            let (key, text) = (key.as_ref(), text.as_ref());
            let words = format!("{key}={text}");
            let number = serde_json::from_str(text).ok().filter(Value::is_number);
            if key == ARRIVAL.0 {
                parts.insert(ARRIVAL.1.to_owned(), Value::String(text.to_owned()));
                said.push(words);
            } else if let Some(next) = with(&plan, key, text) {
                plan = next;
            } else if let Some(number) = number.filter(|_| PARTS.contains(&key)) {
                parts.insert(key.to_owned(), number);
                said.push(words);
            } else {
                unread.push(words);
            }
        }
        if !parts.is_empty() {
            match serde_json::from_value::<Arrival>(Value::Object(parts)) {
                Ok(arrival) => plan.arrival = arrival,
                Err(_) => unread.append(&mut said),
            }
        }
        (plan, unread)
    }
}

/// The fields of a plan, each with its value; the parts of [`Plan::arrival`] among them.
fn fields(plan: &Plan) -> Map<String, Value> {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(plan) else { return Map::new() };
    if let Some(Value::Object(parts)) = fields.remove(ARRIVAL.0) {
        let named = |name: String| if name == ARRIVAL.1 { ARRIVAL.0.to_owned() } else { name };
        fields.extend(parts.into_iter().map(|(name, value)| (named(name), value)));
    }
    fields
}

/// The plan with another value of one field; `None` if it has no such field, or not of that value.
fn with(plan: &Plan, key: &str, text: &str) -> Option<Plan> {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(plan) else { return None };
    *fields.get_mut(key)? = serde_json::from_str(text).ok()?;
    serde_json::from_value(Value::Object(fields)).ok()
}

#[cfg(test)]
mod tests {
    use crate::backlog::{Arrival, Plan, presets};

    #[test]
    fn every_plan_survives_its_pairs() {
        let plans = presets().into_iter().map(|preset| preset.plan).chain([
            Plan { arrival: Arrival::Random { swing_percent: 30, seed: u64::MAX }, ..Plan::default() },
            Plan { connections: Some(1), held_percent: 0, permits_per_s: Some(7), ..Plan::default() },
        ]);
        for plan in plans {
            assert_eq!(Plan::default().with_pairs(plan.pairs()), (plan, Vec::new()));
        }
        assert_eq!(Plan::default().pairs(), []);
        assert_eq!(Plan { threads: 100, ..Plan::default() }.pairs(), [("threads".to_owned(), "100".to_owned())]);
    }

    #[test]
    fn what_cannot_be_read_is_told_and_the_rest_counts() {
        let pairs = [
            ("threads", "100"),
            ("orderly", "maybe"),
            ("color", "red"),
            ("queues", "-1"),
            ("cores", "0"),
            ("arrival", "bursts"),
            ("fromS", "3"),
        ];
        let (plan, unread) = Plan::default().with_pairs(pairs);
        assert_eq!(plan, Plan { threads: 100, cores: 0, ..Plan::default() });
        assert_eq!(unread, ["orderly=maybe", "color=red", "queues=-1", "arrival=bursts", "fromS=3"]);
    }
}
