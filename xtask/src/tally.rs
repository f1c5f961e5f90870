//! Adding up what the test runners say.

/// Tests that ran, over all suites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
}

impl Tally {
    /// Takes in a line of output; only a runner's closing line (`test result: ok. 3 passed; 0 failed; 1 ignored; ...`)
    /// counts.
    pub(crate) fn see(&mut self, line: &str) {
        let plain = without_colours(line);
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
        assert_eq!(tally, Tally { passed: 8, failed: 2, ignored: 1 });
        assert_eq!(tally.ran(), 10);
    }
}
