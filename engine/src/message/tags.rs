//! The tags code of a ConsumeQueue unit.

use super::java;

/// The tags code (`MessageExtBrokerInner.tagsString2tagsCode`): 0 without tags, else the Java hash of the whole tags
/// text, widened with its sign. `MULTI_TAGS` makes no difference.
pub fn tags_code(tags: Option<&str>) -> i64 {
    i64::from(java::string_hash(tags.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes() {
        assert_eq!(tags_code(None), 0);
        assert_eq!(tags_code(Some("")), 0);
        assert_eq!(tags_code(Some("TagA")), 0x0027_A807);
        assert_eq!(tags_code(Some("polygenelubricants")), -2_147_483_648);
        assert_eq!(tags_code(Some("TagA || TagB")), i64::from(java::string_hash("TagA || TagB")));
    }
}
