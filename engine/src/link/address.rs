//! Where a link's text stands in what somebody pasted.

/// The link's text in a whole address (`https://…/#/lesson/01?r=…`), the part of it behind `#`, or by itself.
pub fn text_of(pasted: &str) -> &str {
    let pasted = pasted.trim();
    let query = pasted.rsplit_once('?').map_or(pasted, |(_, query)| query);
    query.split('&').find_map(|pair| pair.strip_prefix("r=")).unwrap_or(query)
}

#[cfg(test)]
mod tests {
    use super::text_of;

    #[test]
    fn a_link_is_found_in_an_address() {
        for pasted in [
            "UlMB",
            " UlMB\n",
            "r=UlMB",
            "#/lesson/01?r=UlMB",
            "https://example.org/rocketscope/#/lesson/01?r=UlMB",
            "https://example.org/?embed=1#/sandbox?tab=record&at=10&r=UlMB",
            "#/sandbox?r=UlMB&tab=log",
        ] {
            assert_eq!(text_of(pasted), "UlMB", "{pasted}");
        }
        // What holds no link is handed on whole, for the error to be about it.
        assert_eq!(text_of("hello"), "hello");
        assert_eq!(text_of("#/lesson/01"), "#/lesson/01");
    }
}
