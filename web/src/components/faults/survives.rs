//! What a power loss leaves of the pages that were not flushed.

use rocketscope_engine::sim::Survives;
use yew::{AttrValue, Callback, Html, Properties, TargetCast, component, html, use_effect_with, use_state_eq};

use crate::i18n::use_text;

/// The choices, by their names in the catalogue.
const CHOICES: [&str; 5] = ["flushed", "everything", "prefix", "torn", "random"];

/// Properties of [`SurvivesChoice`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Another choice; `None` where its numbers cannot be used.
    pub on_change: Callback<Option<Survives>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entered {
    choice: &'static str,
    pages: String,
    sectors: String,
    seed: String,
}

impl Entered {
    /// What is entered as the engine's own type.
    fn read(&self) -> Option<Survives> {
        let pages = || self.pages.trim().parse().ok();
        Some(match self.choice {
            "everything" => Survives::Everything,
            "prefix" => Survives::Prefix { pages: pages()? },
            "torn" => Survives::Torn {
                pages: pages()?,
                sectors: self.sectors.trim().parse().ok().filter(|sectors| (1..=7).contains(sectors))?,
            },
            "random" => Survives::Random { seed: self.seed.trim().parse().ok()? },
            _ => Survives::Flushed,
        })
    }
}

/// The choice of what survives.
#[component]
pub fn SurvivesChoice(props: &Props) -> Html {
    let text = use_text();
    let entered = use_state_eq(|| Entered {
        choice: "flushed",
        pages: "1".to_owned(),
        sectors: "3".to_owned(),
        seed: "1".to_owned(),
    });
    use_effect_with((*entered).clone(), {
        let on_change = props.on_change.clone();
        move |entered: &Entered| on_change.emit(entered.read())
    });
    let change = |change: fn(&mut Entered, String)| {
        let entered = entered.clone();
        Callback::from(move |value: String| {
            let mut next = (*entered).clone();
            change(&mut next, value);
            entered.set(next);
        })
    };
    let number = |id: &'static str, value: &str, on_change: Callback<String>| {
        html! {
            <NumberField
                {id}
                label={text.get(&format!("survives.{id}"))}
                value={value.to_owned()}
                bad={entered.read().is_none()}
                {on_change}
            />
        }
    };
    html! {
        <fieldset class="survives">
            <legend>{ text.get("survives.title") }</legend>
            { for CHOICES.iter().map(|choice| {
                let here = entered.choice == *choice;
                let on_choose = {
                    let entered = entered.clone();
                    Callback::from(move |_: yew::Event| entered.set(Entered { choice, ..(*entered).clone() }))
                };
                let numbers = match *choice {
                    "prefix" => number("pages", &entered.pages, change(|next, value| next.pages = value)),
                    "torn" => html! {
                        <>
                            { number("pages", &entered.pages, change(|next, value| next.pages = value)) }
                            { number("sectors", &entered.sectors, change(|next, value| next.sectors = value)) }
                        </>
                    },
                    "random" => number("seed", &entered.seed, change(|next, value| next.seed = value)),
                    _ => html! {},
                };
                html! {
                    <div key={*choice} class="choice-row">
                        <label>
                            <input
                                type="radio"
                                name="survives"
                                checked={here}
                                onchange={on_choose}
                                data-testid={format!("survives:{choice}")}
                            />
                            <span>
                                <b>{ text.get(&format!("survives.{choice}")) }</b>
                                <span class="dim small">{ text.get(&format!("survives.{choice}-means")) }</span>
                            </span>
                        </label>
                        if here {
                            <div class="choice-numbers">{ numbers }</div>
                        }
                    </div>
                }
            }) }
        </fieldset>
    }
}

/// Properties of [`NumberField`].
#[derive(Clone, PartialEq, Properties)]
pub struct NumberProps {
    /// Its name for tests.
    pub id: AttrValue,
    /// What it is.
    pub label: String,
    /// What it holds.
    pub value: String,
    /// Whether that cannot be used.
    #[prop_or_default]
    pub bad: bool,
    /// It holds something else.
    pub on_change: Callback<String>,
}

/// A small field for a number, its label beside it.
#[component]
pub fn NumberField(props: &NumberProps) -> Html {
    let on_input = props
        .on_change
        .reform(|event: yew::InputEvent| event.target_unchecked_into::<web_sys::HtmlInputElement>().value());
    html! {
        <label class="number">
            <span>{ props.label.clone() }</span>
            <input
                class="field mono"
                inputmode="numeric"
                autocomplete="off"
                value={props.value.clone()}
                aria-invalid={props.bad.to_string()}
                oninput={on_input}
                data-testid={format!("fault-{}", props.id)}
            />
        </label>
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::sim::Survives;

    use super::Entered;

    fn entered(choice: &'static str, pages: &str, sectors: &str, seed: &str) -> Option<Survives> {
        Entered { choice, pages: pages.to_owned(), sectors: sectors.to_owned(), seed: seed.to_owned() }.read()
    }

    #[test]
    fn what_is_entered_is_what_survives() {
        assert_eq!(entered("flushed", "x", "x", "x"), Some(Survives::Flushed));
        assert_eq!(entered("prefix", " 3 ", "x", ""), Some(Survives::Prefix { pages: 3 }));
        assert_eq!(entered("torn", "0", "7", ""), Some(Survives::Torn { pages: 0, sectors: 7 }));
        assert_eq!(entered("random", "", "", "42"), Some(Survives::Random { seed: 42 }));
    }

    #[test]
    fn what_is_no_number_or_no_part_of_a_page_is_nothing() {
        assert_eq!(entered("prefix", "-1", "", ""), None);
        // A page has eight sectors: all of them would be the page, none of them nothing.
        assert_eq!(entered("torn", "0", "8", ""), None);
        assert_eq!(entered("torn", "0", "0", ""), None);
        assert_eq!(entered("random", "", "", "one"), None);
    }
}
