//! Which member is meant: a letter and a tint for each, the same in every picture.

use std::rc::Rc;

use rocketscope_engine::view::consumers::MemberPicture;
use yew::{Html, classes, html};

use crate::i18n::Text;

/// Tints that there are; members beyond share them, and differ by their letters.
const TINTS: usize = 8;

/// The members' letters and tints.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Owners(Rc<Vec<String>>);

impl Owners {
    /// The letters of these members, in their order.
    pub(super) fn of(members: &[MemberPicture]) -> Self {
        Self(Rc::new(members.iter().map(|member| member.node.clone()).collect()))
    }

    fn place(&self, node: &str) -> Option<usize> {
        self.0.iter().position(|known| known == node)
    }

    /// A member's letter; of a node that is none of them, its name.
    pub(super) fn letter(&self, node: &str) -> String {
        self.place(node).map_or_else(|| node.to_owned(), letter)
    }

    /// The class of its tint.
    pub(super) fn tint(&self, node: &str) -> Option<String> {
        self.place(node).map(|place| format!("tint-{}", place % TINTS))
    }

    /// Its letter as a badge.
    pub(super) fn badge(&self, node: &str) -> Html {
        html! { <span class={classes!("owner", self.tint(node))} aria-hidden="true">{ self.letter(node) }</span> }
    }

    /// A cell of a picture with the nodes that have a queue.
    pub(super) fn cell(&self, nodes: &[String], text: &Text) -> Html {
        let title = if nodes.is_empty() { text.get("consumers.nobody-has") } else { nodes.join(", ") };
        let several = nodes.len() > 1;
        let tint = match nodes {
            [node] => self.tint(node),
            _ => None,
        };
        let kind = if nodes.is_empty() { "is-free" } else { "is-owned" };
        html! {
            <span class={classes!("share", kind, tint, several.then_some("is-several"))} title={title.clone()}>
                <span aria-hidden="true">
                    { if nodes.is_empty() { "–".to_owned() } else { nodes.iter().map(|node| self.letter(node)).collect::<Vec<_>>().join(" ") } }
                </span>
                <span class="hidden">{ title }</span>
            </span>
        }
    }
}

/// A, B, … Z, AA, AB and so on.
fn letter(place: usize) -> String {
    let (before, last) = (place / 26, u8::try_from(place % 26).unwrap_or(0));
    let mut letters = if before > 0 { letter(before - 1) } else { String::new() };
    letters.push(char::from(b'A' + last));
    letters
}

#[cfg(test)]
mod tests {
    use super::letter;

    #[test]
    fn letters_go_on_behind_z() {
        assert_eq!([0, 25, 26, 51, 52].map(letter), ["A", "Z", "AA", "AZ", "BA"]);
    }
}
