//! Two runs side by side: one action log with one setting changed.

use std::rc::Rc;

use rocketscope_engine::compare::Change;
use rocketscope_engine::view::{Answer, CompareAnswer, CompareChoices, ComparePicture, CompareQuery, Query, Source};
use wasm_bindgen_futures::spawn_local;
use yew::{
    Callback, ContextProvider, Html, Properties, component, html, use_callback, use_effect_with, use_state,
    use_state_eq,
};

use crate::backend::{AskError, use_ask, use_backend};
use crate::components::compare::{Bar, Choose, EndsTable, Found, Side, moment_of, sentence};
use crate::components::store::StoreContext;
use crate::components::workbench::Move;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};
use crate::keys::use_keys;
use crate::route::{Route, Screen};

/// Properties of [`Compare`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The comparison that the address names.
    pub preset: Option<String>,
}

/// Two runs side by side.
#[component]
pub fn Compare(props: &Props) -> Html {
    let text = use_text();
    let asked = use_ask(Some(Query::Compare { query: CompareQuery::Choices }), 0);
    let keys = use_ask(Some(Query::Keys), 0);
    // A change to the open run; it ends when the address names another comparison.
    let own = use_state_eq(|| None::<Change>);
    use_effect_with(props.preset.clone(), {
        let own = own.setter();
        move |_| own.set(None)
    });
    let on_change = {
        let own = own.setter();
        Callback::from(move |change| own.set(Some(change)))
    };
    let on_other = {
        let own = own.setter();
        Callback::from(move |_: yew::MouseEvent| own.set(None))
    };
    let choices = match asked.answer.as_deref() {
        Some(Answer::Compare(answer)) => match &**answer {
            CompareAnswer::Choices(choices) => Some(Rc::new((**choices).clone())),
            CompareAnswer::Runs(_) => None,
        },
        _ => None,
    };
    let keys = match keys.answer.as_deref() {
        Some(Answer::Keys(keys)) => Some(Rc::new((**keys).clone())),
        _ => None,
    };
    let (Some(choices), Some(keys)) = (choices, keys) else {
        return html! { <div class="waiting" aria-busy="true" /> };
    };
    let begin = begin(&choices, props.preset.as_deref(), (*own).clone());
    html! {
        <div class="compare" data-testid="compare">
            <header class="compare-head">
                <h1>{ text.get("compare.title") }</h1>
                if begin.is_none() {
                    <p class="dim">{ text.get("compare.about") }</p>
                } else {
                    <a class="button tiny" href={Route::screen(Screen::Compare { preset: None }).to_string()} onclick={on_other} data-testid="compare-other">
                        <Icon glyph={Glyph::Previous} /><span>{ text.get("compare.other") }</span>
                    </a>
                }
            </header>
            if let Some((lesson, change)) = begin {
                <Runs {lesson} {change} preset={props.preset.clone()} />
            } else {
                <Choose {choices} {keys} {on_change} />
            }
        </div>
    }
}

/// What is to be compared: the lesson whose solution is the first run, and the change.
fn begin(choices: &CompareChoices, preset: Option<&str>, own: Option<Change>) -> Option<(Option<String>, Change)> {
    if let Some(change) = own {
        return Some((None, change));
    }
    let preset = choices.presets.iter().find(|known| Some(known.id.as_str()) == preset)?;
    Some((Some(preset.lesson.clone()), preset.change.clone()))
}

#[derive(Clone, PartialEq, Properties)]
struct RunsProps {
    lesson: Option<String>,
    change: Change,
    preset: Option<String>,
}

/// The two runs.
#[component]
fn Runs(props: &RunsProps) -> Html {
    let text = use_text();
    let backend = use_backend();
    let shown = use_state(|| None::<Result<Rc<ComparePicture>, AskError>>);
    let on_ask = use_callback(backend, {
        let shown = shown.setter();
        move |query: CompareQuery, backend| {
            let (shown, Some(backend)) = (shown.clone(), backend.clone()) else { return };
            spawn_local(async move {
                shown.set(Some(match backend.ask(Query::Compare { query }).await {
                    Ok(Answer::Compare(answer)) => match *answer {
                        CompareAnswer::Runs(picture) => Ok(Rc::from(picture)),
                        CompareAnswer::Choices(_) => Err(AskError::Gone),
                    },
                    Ok(_) => Err(AskError::Gone),
                    Err(error) => Err(error),
                }));
            });
        }
    });
    use_effect_with((props.lesson.clone(), props.change.clone()), {
        let on_ask = on_ask.clone();
        move |(lesson, change)| on_ask.emit(CompareQuery::Begin { lesson: lesson.clone(), change: change.clone() })
    });
    let picture = match &*shown {
        Some(Ok(picture)) => Some(Rc::clone(picture)),
        _ => None,
    };
    let on_moment = on_ask.reform(|moment| CompareQuery::Seek { moment });
    let on_time = on_ask.reform(|at_us| CompareQuery::SeekTime { at_us });
    let on_key = use_callback((picture.clone(), on_moment.clone()), |key: String, (picture, on_moment)| {
        let to = picture.as_ref().and_then(|picture| moment_of(Move::of_key(&key)?, picture));
        if let Some(moment) = to {
            on_moment.emit(moment);
        }
        to.is_some()
    });
    use_keys(on_key);
    let Some(picture) = picture else {
        return match &*shown {
            Some(Err(error)) => trouble(error, &text),
            _ => html! { <div class="waiting" aria-busy="true" /> },
        };
    };
    let marked = |side: Option<&rocketscope_engine::compare::Side>| side.map(|side| side.event.seq);
    let difference = picture.difference.as_ref();
    let first = props.lesson.as_ref().map_or_else(
        || text.get("compare.side.open-run"),
        |lesson| text.fill("compare.side.solution", &[("lesson", lesson)]),
    );
    // There is no store to look into here: what is a link elsewhere leads to where the reader is.
    let route = Route::screen(Screen::Compare { preset: props.preset.clone() });
    let nowhere = StoreContext {
        source: Source::Broker { node: String::new() },
        revision: 0,
        route: route.clone(),
        hexadecimal: false,
    };
    html! {
        <ContextProvider<StoreContext> context={nowhere}>
            <Found picture={picture.clone()} on_moment={on_moment.clone()} />
            <div class="compare-sides">
                <Side
                    id="first"
                    about={Html::from(first)}
                    run={picture.first.clone()}
                    timeline={picture.first_timeline.clone()}
                    marked={marked(difference.and_then(|difference| difference.first.as_ref()))}
                    route={route.clone()}
                    on_time={on_time.clone()}
                />
                <Side
                    id="second"
                    about={sentence(&picture.change, &text)}
                    run={picture.second.clone()}
                    timeline={picture.second_timeline.clone()}
                    marked={marked(difference.and_then(|difference| difference.second.as_ref()))}
                    {route}
                    {on_time}
                />
            </div>
            <EndsTable ends={picture.ends.clone()} />
            <Bar {picture} {on_moment} />
        </ContextProvider<StoreContext>>
    }
}

/// Why there are no two runs.
fn trouble(error: &AskError, text: &Text) -> Html {
    let words = match error {
        AskError::Failed(failure) => {
            format!("{} {}", text.get(&format!("failure.{}", name_of(&failure.kind))), failure.message)
        }
        AskError::Gone => return html! { <></> },
    };
    html! {
        <p class="warning" role="alert" data-testid="compare-trouble"><Icon glyph={Glyph::Warn} /><span>{ words }</span></p>
    }
}
