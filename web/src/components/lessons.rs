//! The menu of lessons: all of them, by part of the curriculum.

use rocketscope_engine::view::lesson::LessonSummary;
use rocketscope_engine::view::{Answer, Query};
use yew::{
    Callback, Html, KeyboardEvent, Properties, classes, component, html, use_callback, use_effect_with, use_node_ref,
    use_state_eq,
};

use super::menu::{focus_first, rove, use_dismiss};
use super::{Glyph, Icon};
use crate::backend::use_ask;
use crate::i18n::{Lang, Text, use_text};
use crate::route::{Route, Screen};
use crate::state::progress;

const ITEMS: &str = "[role=menuitem]";

/// Properties of [`LessonsMenu`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The screen shown.
    pub screen: Screen,
}

/// The button in the header, and the menu that it opens.
#[component]
pub fn LessonsMenu(props: &Props) -> Html {
    let text = use_text();
    let open = use_state_eq(|| false);
    let (root, button) = (use_node_ref(), use_node_ref());
    let on_close = use_callback((), {
        let open = open.setter();
        move |(), ()| open.set(false)
    });
    use_dismiss(root.clone(), *open, on_close.clone());
    use_effect_with(*open, {
        let root = root.clone();
        move |open| {
            if *open {
                focus_first(&root, &["[role=menuitem][aria-current]", ITEMS]);
            }
        }
    });
    let on_button = {
        let open = open.clone();
        Callback::from(move |_: yew::MouseEvent| open.set(!*open))
    };
    let on_key = {
        let (root, button, open) = (root.clone(), button.clone(), open.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.alt_key() || event.meta_key() {
                return;
            }
            let taken = match (*open, event.key().as_str()) {
                (false, "ArrowDown") => {
                    open.set(true);
                    true
                }
                (true, "Escape") => {
                    open.set(false);
                    super::menu::focus(button.cast());
                    true
                }
                (true, key) => rove(&root, ITEMS, key),
                _ => false,
            };
            if taken {
                event.prevent_default();
            }
        })
    };
    let lessons = use_ask(Some(Query::Lessons), 0);
    let list = match lessons.answer.as_deref() {
        Some(Answer::Lessons(list)) => list.as_slice(),
        _ => &[],
    };
    let here = matches!(props.screen, Screen::Lesson(_));
    html! {
        <div class="menu-root" ref={root} onkeydown={on_key}>
            <button
                ref={button}
                type="button"
                class={classes!("nav-link", here.then_some("is-here"))}
                aria-haspopup="menu"
                aria-expanded={open.to_string()}
                aria-controls="lessons-menu"
                onclick={on_button}
                data-testid="nav-lessons"
            >
                { text.get("header.lessons") }<Icon glyph={Glyph::Down} />
            </button>
            if *open {
                <div id="lessons-menu" class="menu lessons-menu" role="menu" aria-label={text.get("header.lessons")}>
                    { for parts(list).into_iter().map(|lessons| part(lessons, &props.screen, &on_close, &text)) }
                </div>
            }
        </div>
    }
}

/// The lessons, cut where a part ends.
fn parts(lessons: &[LessonSummary]) -> Vec<&[LessonSummary]> {
    lessons.chunk_by(|one, next| one.part == next.part).collect()
}

fn part(lessons: &[LessonSummary], screen: &Screen, on_close: &Callback<()>, text: &Text) -> Html {
    let Some(first) = lessons.first() else { return html! {} };
    let finished = progress::finished();
    let id = format!("part-{}", first.part);
    html! {
        <div key={first.part.clone()} class="menu-part" role="group" aria-labelledby={id.clone()}>
            <p class="label" {id}>{ part_name(&first.part, text) }</p>
            { for lessons.iter().map(|lesson| {
                let number = format!("{:02}", lesson.number);
                let here = matches!(screen, Screen::Lesson(at) if at.parse() == Ok(lesson.number) || *at == lesson.id);
                let done = finished.contains(&lesson.id);
                html! {
                    <a
                        key={lesson.id.clone()}
                        class={classes!("menu-item", here.then_some("is-here"))}
                        role="menuitem"
                        tabindex="-1"
                        href={Route::screen(Screen::Lesson(number.clone())).to_string()}
                        aria-current={here.then_some("page")}
                        onclick={on_close.reform(|_| ())}
                        data-testid={format!("lesson:{number}")}
                    >
                        <span class="menu-number">{ lesson.number }</span>
                        <span>{ title(lesson, text.lang()).to_owned() }</span>
                        if done {
                            <span class="menu-done" title={text.get("lesson.done")}>
                                <Icon glyph={Glyph::Tick} /><span class="hidden">{ text.get("lesson.done") }</span>
                            </span>
                        }
                    </a>
                }
            }) }
        </div>
    }
}

/// A lesson's title in a language.
pub fn title(lesson: &LessonSummary, lang: Lang) -> &str {
    match lang {
        Lang::En => &lesson.title_en,
        Lang::Zh => &lesson.title_zh,
    }
}

/// The name of a part of the curriculum; its letter where it has none.
pub fn part_name(part: &str, text: &Text) -> String {
    let key = format!("part.{part}");
    if text.has(&key) { text.get(&key) } else { part.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::part_name;
    use crate::i18n::{Lang, Text};

    #[test]
    fn every_part_has_a_name() {
        for lang in Lang::ALL {
            let text = Text::new(lang);
            for part in ["A", "B", "C", "D", "E", "F", "G", "H"] {
                assert_ne!(part_name(part, &text), part);
            }
        }
    }
}
