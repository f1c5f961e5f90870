//! What a form holds while it is filled in: everything that can be typed is text, so that nothing typed is ever lost.

use std::collections::BTreeMap;
use std::str::FromStr;

use yew::{Callback, UseStateHandle};

use crate::i18n::Text;

/// A draft, and where it goes when it changes.
#[derive(Clone, PartialEq)]
pub struct Bound<D> {
    /// As it is now.
    pub value: D,
    on_change: Callback<D>,
}

impl<D: Clone + 'static> Bound<D> {
    /// A draft that is kept elsewhere.
    pub fn new(value: D, on_change: Callback<D>) -> Self {
        Self { value, on_change }
    }

    /// A draft that a component keeps, first made to fit what can be chosen now.
    pub fn to(state: &UseStateHandle<D>, fit: impl FnOnce(&mut D)) -> Self
    where
        D: PartialEq,
    {
        let mut value = (**state).clone();
        fit(&mut value);
        let state = state.clone();
        Self { value, on_change: Callback::from(move |next| state.set(next)) }
    }

    /// A callback that changes it.
    pub fn set<V: 'static>(&self, put: impl Fn(&mut D, V) + 'static) -> Callback<V> {
        let draft = self.value.clone();
        self.on_change.reform(move |value| {
            let mut next = draft.clone();
            put(&mut next, value);
            next
        })
    }

    /// A part of it as a draft of its own.
    pub fn part<P: Clone + 'static>(&self, of: fn(&mut D) -> &mut P) -> Bound<P> {
        let mut draft = self.value.clone();
        let value = of(&mut draft).clone();
        Bound { value, on_change: self.set(move |draft, part| *of(draft) = part) }
    }

    /// One of its list's items as a draft of its own.
    pub fn item<P: Clone + 'static>(&self, of: fn(&mut D) -> &mut Vec<P>, at: usize) -> Option<Bound<P>> {
        let mut draft = self.value.clone();
        let value = of(&mut draft).get(at)?.clone();
        let put = move |draft: &mut D, part: P| {
            if let Some(place) = of(draft).get_mut(at) {
                *place = part;
            }
        };
        Some(Bound { value, on_change: self.set(put) })
    }
}

/// Text that was offered: as long as the reader leaves it alone, it follows what is offered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// As it is now.
    pub value: String,
    usual: String,
}

impl Offered {
    /// Offers something else.
    pub fn follow(&mut self, offer: &str) {
        if self.value == self.usual {
            offer.clone_into(&mut self.value);
        }
        offer.clone_into(&mut self.usual);
    }
}

/// Takes a name back to the first of those that there are, where there is none such any more.
pub fn fit(name: &mut String, names: &[String]) {
    if !names.contains(name) {
        *name = names.first().cloned().unwrap_or_default();
    }
}

/// The words without space around them; `None` where there are none.
pub fn some(words: &str) -> Option<String> {
    let words = words.trim();
    (!words.is_empty()).then(|| words.to_owned())
}

/// What stands in the way of doing what a form says: fields, each with the catalogue's words below `sandbox.wrong`.
/// A field that is still empty is in the way and is not called wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wrong(Vec<(String, &'static str)>);

impl Wrong {
    /// What is wrong with a field, in words.
    pub fn words(&self, field: &str, text: &Text) -> Option<String> {
        let (_, why) = self.0.iter().find(|(wrong, why)| wrong == field && *why != "empty")?;
        Some(text.get(&format!("sandbox.wrong.{why}")))
    }
}

/// Reads the fields of a draft and remembers those that cannot be used.
#[derive(Default)]
pub struct Reader {
    wrong: Wrong,
}

impl Reader {
    fn wrong(&mut self, field: &str, why: &'static str) {
        self.wrong.0.push((field.to_owned(), why));
    }

    /// Words that must not be missing.
    pub fn needed(&mut self, field: &str, words: &str) -> String {
        some(words).unwrap_or_else(|| {
            self.wrong(field, "empty");
            String::new()
        })
    }

    /// A number that must not be missing.
    pub fn number<N: FromStr + Default>(&mut self, field: &str, words: &str) -> N {
        if some(words).is_none() {
            self.wrong(field, "empty");
        }
        self.some_number(field, words).unwrap_or_default()
    }

    /// A number, where there is one.
    pub fn some_number<N: FromStr>(&mut self, field: &str, words: &str) -> Option<N> {
        let number = some(words)?.parse();
        if number.is_err() {
            self.wrong(field, "number");
        }
        number.ok()
    }

    /// Lines `name=value`.
    pub fn pairs(&mut self, field: &str, words: &str) -> BTreeMap<String, String> {
        let lines = words.lines().filter(|line| !line.trim().is_empty());
        let pairs: Option<_> = lines
            .map(|line| line.split_once('=').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())))
            .collect();
        pairs.unwrap_or_else(|| {
            self.wrong(field, "pairs");
            BTreeMap::new()
        })
    }

    /// Words with commas between them, each of which has to mean something.
    pub fn words<T>(&mut self, field: &str, words: &str, mean: impl Fn(&str) -> Option<T>) -> Vec<T> {
        let words = words.split(',').map(str::trim).filter(|word| !word.is_empty());
        words.map(mean).collect::<Option<_>>().unwrap_or_else(|| {
            self.wrong(field, "words");
            Vec::new()
        })
    }

    /// Notes what another draft, which is a part of this one, has in the way.
    pub fn part<T: Default>(&mut self, read: Result<T, Wrong>) -> T {
        read.unwrap_or_else(|wrong| {
            self.wrong.0.extend(wrong.0);
            T::default()
        })
    }

    /// The value, if nothing is in the way.
    pub fn done<T>(self, value: T) -> Result<T, Wrong> {
        if self.wrong.0.is_empty() { Ok(value) } else { Err(self.wrong) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Offered, Reader, fit};
    use crate::i18n::{Lang, Text};

    #[test]
    fn what_is_offered_is_followed_until_the_reader_types() {
        let mut topic = Offered::default();
        topic.follow("OrderTopic");
        topic.follow("PaymentTopic");
        assert_eq!(topic.value, "PaymentTopic");
        topic.value = "MyTopic".to_owned();
        topic.follow("OrderTopic");
        assert_eq!(topic.value, "MyTopic");
    }

    #[test]
    fn a_name_that_is_gone_becomes_the_first_that_is_there() {
        let names = ["a".to_owned(), "b".to_owned()];
        let mut name = "b".to_owned();
        fit(&mut name, &names);
        assert_eq!(name, "b");
        fit(&mut name, &names[..1]);
        assert_eq!(name, "a");
        fit(&mut name, &[]);
        assert_eq!(name, "");
    }

    #[test]
    fn what_cannot_be_used_is_told_and_what_is_empty_is_only_waited_for() {
        let text = Text::new(Lang::En);
        let mut read = Reader::default();
        assert_eq!(read.number::<i32>("queue", " 3 "), 3);
        assert_eq!(read.some_number::<i32>("max", ""), None);
        assert_eq!(read.pairs("properties", "a = 1\n\nb=x=y").into_iter().collect::<Vec<_>>().len(), 2);
        assert!(read.done(()).is_ok());

        let mut read = Reader::default();
        read.number::<i32>("queue", "x");
        read.number::<i32>("offset", "");
        read.pairs("properties", "a");
        let wrong = read.done(()).unwrap_err();
        assert!(wrong.words("queue", &text).is_some());
        assert_eq!(wrong.words("offset", &text), None);
        assert!(wrong.words("properties", &text).is_some());
    }
}
