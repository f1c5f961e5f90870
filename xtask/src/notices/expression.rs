//! SPDX licence expressions: which of the licences offered is used.

/// What may be used, the most wanted first: the project's own licence, then the permissive ones, then MPL-2.0, which
/// asks only that the package's own source stays available (it is on crates.io).
const ACCEPTED: [&str; 10] =
    ["Apache-2.0", "MIT", "BSD-3-Clause", "BSD-2-Clause", "ISC", "Zlib", "Unicode-3.0", "0BSD", "BSL-1.0", "MPL-2.0"];

/// The licences to use together, or `None` if no combination offered is accepted.
pub(super) fn choose(expression: &str) -> Option<Vec<&'static str>> {
    // Older packages write `MIT/Apache-2.0`, and `MPL-2.0+` for `MPL-2.0 or later`.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ").replace('+', " ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let choices = any(&mut rest)?;
    if !rest.is_empty() {
        return None;
    }
    let best = choices.into_iter().min_by_key(|set| (set.len(), set.clone()))?;
    Some(best.into_iter().map(|at| ACCEPTED[at]).collect())
}

/// Alternatives, each a set of places in [`ACCEPTED`]; those with a licence that is not there are left out.
type Choices = Vec<Vec<usize>>;

fn any(words: &mut &[&str]) -> Option<Choices> {
    let mut choices = all(words)?;
    while eat(words, "OR") {
        choices.extend(all(words)?);
    }
    Some(choices)
}

fn all(words: &mut &[&str]) -> Option<Choices> {
    let mut choices = one(words)?;
    while eat(words, "AND") {
        let right = one(words)?;
        choices = choices.iter().flat_map(|left| right.iter().map(move |right| union(left, right))).collect();
    }
    Some(choices)
}

fn one(words: &mut &[&str]) -> Option<Choices> {
    if eat(words, "(") {
        let inner = any(words)?;
        return eat(words, ")").then_some(inner);
    }
    let (id, rest) = words.split_first()?;
    *words = rest;
    if eat(words, "WITH") {
        // An exception only permits more, and is not needed.
        *words = words.split_first()?.1;
    }
    Some(ACCEPTED.iter().position(|accepted| accepted == id).map(|at| vec![at]).into_iter().collect())
}

fn eat(words: &mut &[&str], word: &str) -> bool {
    match words.split_first() {
        Some((first, rest)) if *first == word => {
            *words = rest;
            true
        }
        _ => false,
    }
}

fn union(left: &[usize], right: &[usize]) -> Vec<usize> {
    let mut both: Vec<usize> = left.iter().chain(right).copied().collect();
    both.sort_unstable();
    both.dedup();
    both
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn the_most_wanted_of_the_offered_is_used() {
        assert_eq!(choose("MIT OR Apache-2.0").unwrap(), ["Apache-2.0"]);
        assert_eq!(choose("MIT/Apache-2.0").unwrap(), ["Apache-2.0"]);
        assert_eq!(choose("Unlicense OR MIT").unwrap(), ["MIT"]);
        assert_eq!(choose("MPL-2.0+").unwrap(), ["MPL-2.0"]);
        assert_eq!(choose("Apache-2.0 WITH LLVM-exception OR MIT").unwrap(), ["Apache-2.0"]);
    }

    #[test]
    fn all_that_is_demanded_together_is_used_together() {
        assert_eq!(choose("(MIT OR Apache-2.0) AND Unicode-3.0").unwrap(), ["Apache-2.0", "Unicode-3.0"]);
        assert_eq!(choose("MIT AND BSD-3-Clause").unwrap(), ["MIT", "BSD-3-Clause"]);
    }

    #[test]
    fn what_is_not_accepted_or_not_understood_is_refused() {
        assert_eq!(choose("GPL-3.0-only"), None);
        assert_eq!(choose("MIT AND GPL-3.0-only"), None);
        assert_eq!(choose("(MIT OR Apache-2.0"), None);
        assert_eq!(choose("MIT Apache-2.0"), None);
        assert_eq!(choose(""), None);
    }
}
