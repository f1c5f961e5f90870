//! Adding up what the test runners say.

/// What follows the number of runs that a test has compared, to the end of the line.
pub(crate) const TRACES: &str = " traces are equal natively and in the browser";

/// Tests that ran, over all suites, and what they have counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
    /// Runs whose traces are equal natively and in the browser.
    pub(crate) traces: u64,
}

impl Tally {
    /// Takes in a line of output; only a runner's closing line (`test result: ok. 3 passed; 0 failed; 1 ignored; ...`)
    /// counts, and the one that tells how many traces are equal.
    pub(crate) fn see(&mut self, line: &str) {
        let plain = without_colours(line);
        // A runner with one thread has begun its own line before.
        let traces = plain.strip_suffix(TRACES).and_then(|before| before.split_whitespace().last());
        self.traces += traces.and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
        let Some(result) = plain.trim_start().strip_prefix("test result: ") else { return };
        for part in result.split(['.', ';']) {
            let mut words = part.split_whitespace();
            let (Some(count), Some(what)) = (words.next().and_then(|word| word.parse::<u64>().ok()), words.next())
            else {
                continue;
            };
            match what {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                "ignored" => self.ignored += count,
                _ => {}
            }
        }
    }

    /// Tests that ran.
    pub(crate) fn ran(self) -> u64 {
        self.passed + self.failed
    }
}

fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut in_escape = false;
    for c in line.chars() {
        match c {
            '\x1b' => in_escape = true,
            _ if in_escape => in_escape = !c.is_ascii_alphabetic(),
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn closing_lines_add_up() {
        let mut tally = Tally::default();
        tally.see("running 4 tests");
        tally.see("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.01s");
        tally.see("test result: \x1b[31mFAILED\x1b[0m. 5 passed; 2 failed; 0 ignored; 0 measured; finished in 1.25s");
        tally.see("the test result: ok. 9 passed is no closing line");
        tally.see("1000 traces are equal natively and in the browser");
        tally.see("test hashes ... 34 traces are equal natively and in the browser");
        tally.see("no traces are equal natively and in the browser");
        assert_eq!(tally, Tally { passed: 8, failed: 2, ignored: 1, traces: 1034 });
        assert_eq!(tally.ran(), 10);
    }
}
