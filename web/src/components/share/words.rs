//! Why a run cannot be opened, in the reader's language.

use rocketscope_engine::link::LinkError;

use crate::backend::AskError;
use crate::components::narrate::refusal;
use crate::i18n::{Text, name_of};

/// Why a run cannot be opened, in a sentence.
pub fn why(error: &AskError, text: &Text) -> String {
    match error {
        AskError::Failed(failure) => match &failure.link {
            Some(error) => link(error, text),
            None => format!("{} {}", text.get(&format!("failure.{}", name_of(&failure.kind))), failure.message),
        },
        AskError::Gone => text.get("share.gone"),
    }
}

fn link(error: &LinkError, text: &Text) -> String {
    match error {
        LinkError::NotALink => text.get("share.why.not-a-link"),
        LinkError::Character { at, character } => {
            text.fill("share.why.character", &[("at", at), ("character", character)])
        }
        LinkError::Newer { version, known } => text.fill("share.why.newer", &[("version", version), ("known", known)]),
        LinkError::CutOff { got, expected } => text.fill("share.why.cut", &[("got", got), ("expected", expected)]),
        LinkError::Longer { more } => text.fill("share.why.longer", &[("more", more)]),
        LinkError::Changed { expected, got } => {
            text.fill("share.why.changed", &[("expected", &format!("{expected:08x}")), ("got", &format!("{got:08x}"))])
        }
        LinkError::TooLarge { limit } => text.fill("share.why.too-large", &[("limit", limit)]),
        LinkError::NotARun { cause } => text.fill("share.why.not-a-run", &[("cause", cause)]),
        LinkError::TooLong { length, limit } => {
            text.fill("share.why.too-long", &[("length", length), ("limit", limit)])
        }
        LinkError::UnknownLesson { id } => text.fill("share.why.unknown-lesson", &[("id", id)]),
        LinkError::LessonChanged { id } => text.fill("share.why.lesson-changed", &[("id", id)]),
        LinkError::Cluster { place, cause } => text.fill("share.why.cluster", &[("place", place), ("cause", cause)]),
        LinkError::Refused { number, at, cause, refused } => {
            let cause = refused.as_ref().and_then(|refused| refusal(refused, text)).unwrap_or_else(|| cause.clone());
            text.fill("share.why.refused", &[("number", number), ("at", at), ("cause", &cause)])
        }
        LinkError::NeedsStore { name, fingerprint, .. } => {
            text.fill("share.why.needs-store", &[("name", name), ("fingerprint", fingerprint)])
        }
        LinkError::Branch { branch, error } => {
            text.fill("share.why.branch", &[("branch", branch), ("why", &link(error, text))])
        }
        LinkError::Misplaced { number, at } => text.fill("share.why.misplaced", &[("number", number), ("at", at)]),
        LinkError::Ended { at, length } => text.fill("share.why.ended", &[("at", at), ("length", length)]),
        LinkError::Differs { expected, got } => text
            .fill("share.why.differs", &[("expected", &format!("{expected:016x}")), ("got", &format!("{got:016x}"))]),
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::link::LinkError;
    use rocketscope_engine::sim::ActionError;
    use rocketscope_engine::view::{Failure, FailureKind};

    use super::why;
    use crate::backend::AskError;
    use crate::i18n::{Lang, Text};

    fn failed(error: LinkError) -> AskError {
        AskError::Failed(Failure::from(error))
    }

    #[test]
    fn a_refused_action_is_told_in_the_readers_language() {
        let refused = ActionError::NotRunning { node: "broker-a".to_owned() };
        let cause = refused.to_string();
        let error = failed(LinkError::Refused { number: 2, at: 7, cause, refused: Some(Box::new(refused)) });
        let english = why(&error, &Text::new(Lang::En));
        assert!(english.contains("broker-a does not run.") && english.contains('7'), "{english}");
        assert!(!why(&error, &Text::new(Lang::Zh)).contains("does not run"));
    }

    #[test]
    fn a_branch_is_told_with_its_own_cause() {
        let error = LinkError::Branch { branch: 3, error: Box::new(LinkError::Ended { at: 9, length: 12 }) };
        let words = why(&failed(error), &Text::new(Lang::En));
        assert_eq!(words, "Branch 3, one that the run left: The run ends after 9 events here, and the link's has 12.");
    }

    #[test]
    fn hashes_are_told_in_hexadecimal_as_everywhere() {
        let error = failed(LinkError::Differs { expected: 0xab, got: u64::MAX });
        for lang in Lang::ALL {
            let words = why(&error, &Text::new(lang));
            assert!(words.contains("00000000000000ab") && words.contains("ffffffffffffffff"), "{words}");
        }
        assert_eq!(FailureKind::Link, Failure::from(LinkError::NotALink).kind);
    }
}
