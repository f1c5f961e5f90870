//! Share: the run as a link or a file, and a run file opened.

use std::rc::Rc;

use rocketscope_engine::view::{Answer, Query, Shared};
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::{Callback, Html, Properties, TargetCast, component, html, use_state, use_state_eq};

use super::{file, why};
use crate::backend::{AskError, use_backend};
use crate::components::{Dialog, Glyph, Icon};
use crate::i18n::use_text;
use crate::route::{Screen, with_link};

/// Properties of [`Share`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The screen shown.
    pub screen: Screen,
    /// The reader opens a run: the text of its link.
    pub on_open: Callback<Rc<str>>,
}

/// What the dialog shows.
#[derive(Clone, PartialEq)]
enum Shows {
    /// Where the reader is: an address that needs no run.
    Place(String),
    /// The run, and its address if it fits into one.
    Run(Box<Shared>, Option<String>),
    Trouble(AskError),
}

impl Shows {
    fn address(&self) -> Option<&String> {
        match self {
            Self::Place(address) => Some(address),
            Self::Run(_, address) => address.as_ref(),
            Self::Trouble(_) => None,
        }
    }
}

/// The button in the header, and its dialog.
#[component]
pub fn Share(props: &Props) -> Html {
    let text = use_text();
    let backend = use_backend();
    let shows = use_state(|| None::<Shows>);
    // Whether the address was copied; `None` as long as nobody tried.
    let copied = use_state_eq(|| None::<bool>);
    let on_button = {
        let (shows, copied, screen, backend) = (shows.clone(), copied.clone(), props.screen.clone(), backend.clone());
        Callback::from(move |_: yew::MouseEvent| {
            let (shows, copied, screen, backend) = (shows.clone(), copied.clone(), screen.clone(), backend.clone());
            spawn_local(async move {
                let found = match (&screen, backend) {
                    (Screen::Lesson(_) | Screen::Sandbox, Some(backend)) => {
                        match backend.ask(Query::Share { branches: false }).await {
                            Ok(Answer::Shared(shared)) => {
                                let address = shared.fits.then(|| whole(&with_link(screen.clone(), &shared.text)));
                                Shows::Run(shared, address)
                            }
                            Ok(_) => Shows::Trouble(AskError::Gone),
                            Err(error) => Shows::Trouble(error),
                        }
                    }
                    _ => Shows::Place(gloo::utils::window().location().href().unwrap_or_default()),
                };
                let address = found.address().cloned();
                copied.set(None);
                shows.set(Some(found));
                if let Some(address) = address {
                    copied.set(Some(file::copy(&address).await));
                }
            });
        })
    };
    let on_close = {
        let shows = shows.clone();
        Callback::from(move |()| shows.set(None))
    };
    let on_copy = {
        let (shows, copied) = (shows.clone(), copied.clone());
        Callback::from(move |_: yew::MouseEvent| {
            let (address, copied) = (shows.as_ref().and_then(Shows::address).cloned(), copied.clone());
            spawn_local(async move {
                if let Some(address) = address {
                    copied.set(Some(file::copy(&address).await));
                }
            });
        })
    };
    let on_file = {
        let (on_open, shows) = (props.on_open.clone(), shows.clone());
        Callback::from(move |event: yew::Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let picked = input.files().and_then(|files| files.get(0));
            // The same file may be picked again.
            input.set_value("");
            let (on_open, shows) = (on_open.clone(), shows.clone());
            if let Some(picked) = picked {
                spawn_local(async move {
                    let content = super::read_run(picked).await;
                    shows.set(None);
                    on_open.emit(content.into());
                });
            }
        })
    };
    let on_select = Callback::from(|event: yew::FocusEvent| {
        event.target_unchecked_into::<HtmlInputElement>().select();
    });
    let body = match &*shows {
        None => Html::default(),
        Some(Shows::Trouble(error)) => html! {
            <p class="warning" role="alert"><Icon glyph={Glyph::Warn} /><span>{ why(error, &text) }</span></p>
        },
        Some(shown) => html! {
            <>
                <p>{ text.get(if matches!(shown, Shows::Place(_)) { "share.place" } else { "share.about" }) }</p>
                if let Some(address) = shown.address() {
                    <div class="share-line">
                        <input
                            class="field"
                            type="text"
                            readonly=true
                            value={address.clone()}
                            aria-label={text.get("share.link")}
                            onfocus={on_select}
                            data-testid="share-link"
                        />
                        <button type="button" class="button primary" autofocus=true onclick={on_copy} data-testid="share-copy">
                            <Icon glyph={Glyph::Twice} />{ text.get("share.copy") }
                        </button>
                    </div>
                    <p class="small share-said" role="status" data-testid="share-said">
                        { copied.map(|copied| text.get(if copied { "share.copied" } else { "share.not-copied" })).unwrap_or_default() }
                    </p>
                }
                if let Shows::Run(shared, address) = shown {
                    if address.is_none() {
                        <p class="notice" data-testid="share-too-long">
                            { text.fill("share.too-long", &[("characters", &shared.text.len()), ("limit", &shared.limit)]) }
                        </p>
                    }
                    if shared.branches > 0 && address.is_some() {
                        <p class="dim small" data-testid="share-branches">
                            { text.count("share.branches", i64::from(shared.branches)) }
                        </p>
                    }
                }
            </>
        },
    };
    let on_save = matches!(*shows, Some(Shows::Run(..))).then(|| {
        let shows = shows.clone();
        Callback::from(move |_: yew::MouseEvent| {
            let (shows, backend) = (shows.clone(), backend.clone());
            spawn_local(async move {
                let Some(backend) = backend else { return };
                // A file has room for the branches too.
                match backend.ask(Query::Share { branches: true }).await {
                    Ok(Answer::Shared(shared)) => {
                        file::save(&file::name(shared.lesson.as_deref()), &format!("{}\n", shared.text));
                    }
                    Ok(_) => shows.set(Some(Shows::Trouble(AskError::Gone))),
                    Err(error) => shows.set(Some(Shows::Trouble(error))),
                }
            });
        })
    });
    html! {
        <>
            <button
                type="button"
                class="button quiet icon-only"
                aria-label={text.get("share.title")}
                title={text.get("share.title")}
                onclick={on_button}
                data-testid="share"
            >
                <Icon glyph={Glyph::Share} />
            </button>
            <Dialog
                id="share-dialog"
                class="share-sheet"
                title={Html::from(text.get("share.title"))}
                close={text.get("share.close")}
                open={shows.is_some()}
                {on_close}
            >
                { body }
                <div class="share-files">
                    if let Some(on_save) = on_save {
                        <button type="button" class="button" onclick={on_save} data-testid="share-save">
                            <Icon glyph={Glyph::File} />{ text.get("share.save") }
                        </button>
                    }
                    <label class="button">
                        <Icon glyph={Glyph::Folder} />{ text.get("share.open") }
                        <input
                            class="hidden"
                            type="file"
                            accept=".rocketscope"
                            onchange={on_file}
                            data-testid="share-open"
                        />
                    </label>
                </div>
                <p class="dim small">{ text.get("share.private") }</p>
            </Dialog>
        </>
    }
}

/// An address of ours as a whole one.
fn whole(hash: &str) -> String {
    let href = gloo::utils::window().location().href().unwrap_or_default();
    format!("{}{hash}", href.split('#').next().unwrap_or_default())
}
