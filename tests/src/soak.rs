//! How the environment steers a test that runs random cases.

use std::fmt::Display;

/// The seed that the cases' own seeds are drawn from, unless the environment says otherwise.
const USUAL_SEED: u64 = 498;

/// A test that runs random cases against a model.
#[derive(Clone, Copy, Debug)]
pub struct Soak {
    /// How its variables begin: `ROCKETSCOPE_CRASH`.
    pub prefix: &'static str,
    /// What it counts, as the variable is called: `ROUNDS`.
    pub amount: &'static str,
    /// How much of that it does, unless the environment says otherwise.
    pub usual: u64,
}

impl Soak {
    /// Runs the one case whose seed `PREFIX_CASE` gives; else as much as `PREFIX_AMOUNT` says, with cases drawn from
    /// `PREFIX_SEED`. Prints what `one` (the case's seed) or `many` (how much, the seed) has counted.
    pub fn run<T: Display>(
        &self,
        one: impl FnOnce(u64) -> Result<T, String>,
        many: impl FnOnce(u64, u64) -> Result<T, String>,
    ) -> Result<(), String> {
        if let Some(seed) = self.number("CASE")? {
            println!("{}", one(seed)?);
            return Ok(());
        }
        let (amount, seed) =
            (self.number(self.amount)?.unwrap_or(self.usual), self.number("SEED")?.unwrap_or(USUAL_SEED));
        println!("seed {seed}: {}", many(amount, seed)?);
        Ok(())
    }

    /// The variable that gives the seed of one case, to run that alone.
    pub fn case_variable(&self) -> String {
        self.variable("CASE")
    }

    fn variable(&self, name: &str) -> String {
        format!("{}_{name}", self.prefix)
    }

    /// A number from the environment.
    fn number(&self, name: &str) -> Result<Option<u64>, String> {
        let variable = self.variable(name);
        let Ok(text) = std::env::var(&variable) else { return Ok(None) };
        parse(&text).map(Some).map_err(|error| format!("{variable}={text}: {error}"))
    }
}

/// A number in decimal or, behind `0x`, hexadecimal.
fn parse(text: &str) -> Result<u64, std::num::ParseIntError> {
    text.strip_prefix("0x").map_or_else(|| text.parse(), |digits| u64::from_str_radix(digits, 16))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn numbers_are_decimal_or_hexadecimal() {
        assert_eq!((parse("498"), parse("0x1F2")), (Ok(498), Ok(498)));
        assert!(parse("1F2").is_err() && parse("0x").is_err());
    }
}
