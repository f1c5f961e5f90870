//! The fields of a form over its draft: a field is named as the engine names it, so that a refusal finds it.

use yew::{Html, html};

use super::draft::{Bound, Wrong};
use crate::components::form::{Area, Choice, Input, Refusal, Segments, Tick};
use crate::i18n::Text;

/// The fields of a form.
pub struct Fields<'a, D> {
    /// How the fields' ids begin.
    pub id: &'a str,
    /// The draft.
    pub draft: &'a Bound<D>,
    /// What is wrong with it.
    pub wrong: Option<&'a Wrong>,
    /// What the engine says about it.
    pub refusal: Option<&'a Refusal>,
    /// The words.
    pub text: &'a Text,
}

/// A line of text in a form.
#[must_use]
pub struct Line<'a, D> {
    fields: &'a Fields<'a, D>,
    name: &'static str,
    of: fn(&mut D) -> &mut String,
    number: bool,
    words: Vec<String>,
    empty: Option<String>,
}

impl<D: Clone + 'static> Line<'_, D> {
    /// It wants a whole number.
    pub fn number(self) -> Self {
        Self { number: true, ..self }
    }

    /// It offers these while one types.
    pub fn words(self, words: &[String]) -> Self {
        Self { words: words.to_vec(), ..self }
    }

    /// What it means to leave it empty.
    pub fn empty(self, words: impl Into<String>) -> Self {
        Self { empty: Some(words.into()), ..self }
    }

    /// The field.
    pub fn html(self) -> Html {
        let fields = self.fields;
        html! {
            <Input
                id={fields.id_of(self.name)}
                label={fields.label(self.name)}
                value={fields.value(self.of)}
                on_change={fields.on_text(self.of)}
                placeholder={self.empty}
                number={self.number}
                words={self.words}
                bad={fields.is_refused(self.name)}
                error={fields.error(self.name)}
            />
        }
    }
}

impl<D: Clone + 'static> Fields<'_, D> {
    fn id_of(&self, name: &str) -> String {
        format!("{}-{name}", self.id)
    }

    fn label(&self, name: &str) -> String {
        self.text.get(&format!("sandbox.field.{name}"))
    }

    fn value(&self, of: fn(&mut D) -> &mut String) -> String {
        of(&mut self.draft.value.clone()).clone()
    }

    fn on_text(&self, of: fn(&mut D) -> &mut String) -> yew::Callback<String> {
        self.draft.set(move |draft, value| *of(draft) = value)
    }

    fn is_refused(&self, name: &str) -> bool {
        self.refusal.is_some_and(|refusal| refusal.field.as_deref() == Some(name))
    }

    fn error(&self, name: &str) -> Option<String> {
        self.wrong.and_then(|wrong| wrong.words(name, self.text))
    }

    /// A line of text.
    pub fn line(&self, name: &'static str, of: fn(&mut D) -> &mut String) -> Line<'_, D> {
        Line { fields: self, name, of, number: false, words: Vec::new(), empty: None }
    }

    /// Several lines of text.
    pub fn area(&self, name: &'static str, of: fn(&mut D) -> &mut String, empty: &str) -> Html {
        html! {
            <Area
                id={self.id_of(name)}
                label={self.label(name)}
                value={self.value(of)}
                on_change={self.on_text(of)}
                placeholder={empty.to_owned()}
                error={self.error(name)}
            />
        }
    }

    /// One of a list of names; among one there is nothing to choose.
    pub fn name(&self, name: &'static str, of: fn(&mut D) -> &mut String, names: &[String]) -> Html {
        if names.len() < 2 {
            html! { <></> }
        } else {
            self.choose(name, of, names)
        }
    }

    /// One of a list of names.
    pub fn choose(&self, name: &'static str, of: fn(&mut D) -> &mut String, names: &[String]) -> Html {
        html! {
            <Choice
                id={self.id_of(name)}
                label={self.label(name)}
                options={names.to_vec()}
                value={self.value(of)}
                on_change={self.on_text(of)}
            />
        }
    }

    /// One of several that the catalogue has words for, below `sandbox.NAME`.
    pub fn choice(&self, name: &'static str, of: fn(&mut D) -> &mut String, options: &[&str]) -> Html {
        let names = options.iter().map(|option| self.text.get(&format!("sandbox.{name}.{option}"))).collect::<Vec<_>>();
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        html! {
            <Choice
                id={self.id_of(name)}
                label={self.label(name)}
                {options}
                {names}
                value={self.value(of)}
                on_change={self.on_text(of)}
            />
        }
    }

    /// One of a few, all in sight, with the catalogue's words below `sandbox.NAME`.
    pub fn segments(&self, name: &'static str, of: fn(&mut D) -> &mut String, options: &[&'static str]) -> Html {
        let value = self.value(of);
        let value = options.iter().find(|option| **option == value).or(options.first()).copied().unwrap_or_default();
        let options: Vec<_> =
            options.iter().map(|option| (*option, self.text.get(&format!("sandbox.{name}.{option}")))).collect();
        let on_change = self.on_text(of).reform(str::to_owned);
        html! { <Segments label={self.label(name)} {options} {value} {on_change} /> }
    }

    /// Yes or no.
    pub fn tick(&self, name: &'static str, of: fn(&mut D) -> &mut bool) -> Html {
        let value = *of(&mut self.draft.value.clone());
        let on_change = self.draft.set(move |draft, value| *of(draft) = value);
        html! { <Tick id={self.id_of(name)} label={self.label(name)} {value} {on_change} /> }
    }
}
