//! The store explorer: a directory of the reader's own machine, read down to the field.

use std::rc::Rc;

use rocketscope_engine::view::{Query, Source};
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::{Callback, Html, Properties, TargetCast, classes, component, html, use_state, use_state_eq};

use crate::backend::gather::{self, Gathered};
use crate::backend::{OpenError, Opened, use_ask, use_backend};
use crate::components::recovery::DryRun;
use crate::components::share::{StartOnStore, dropped_run};
use crate::components::store::{Inspector, Search, StoreContext, format, use_problems};
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};
use crate::route::Route;

/// Properties of [`Explorer`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Where the reader is.
    pub route: Route,
    /// Positions in hexadecimal.
    pub hexadecimal: bool,
    /// The reader wants them so, or not.
    pub on_hexadecimal: Callback<bool>,
    /// What is open; kept by the shell, so that it survives a visit to another screen.
    pub opened: Option<(u64, Opened)>,
    /// Something was opened.
    pub on_opened: Callback<Opened>,
    /// A sandbox was begun on the store that is open.
    pub on_begun: Callback<()>,
}

#[derive(Clone, PartialEq)]
enum Trouble {
    Open(OpenError),
    Browser(String),
}

/// The store explorer.
#[component]
pub fn Explorer(props: &Props) -> Html {
    let text = use_text();
    let backend = use_backend();
    let busy = use_state_eq(|| false);
    let over = use_state_eq(|| false);
    let trouble = use_state(|| None::<Trouble>);

    let open = {
        let (busy, trouble, on_opened) = (busy.clone(), trouble.clone(), props.on_opened.clone());
        Rc::new(move |gathered: Result<Option<Gathered>, String>| {
            let (busy, trouble, on_opened, backend) =
                (busy.clone(), trouble.clone(), on_opened.clone(), backend.clone());
            async move {
                let opened = match (gathered, backend) {
                    (Ok(Some(gathered)), Some(backend)) => {
                        backend.open(gathered.opening, gathered.files).await.map_err(Trouble::Open)
                    }
                    (Ok(_), _) => Err(Trouble::Open(OpenError::Empty)),
                    (Err(cause), _) => Err(Trouble::Browser(cause)),
                };
                busy.set(false);
                match opened {
                    Ok(opened) => {
                        trouble.set(None);
                        on_opened.emit(opened);
                    }
                    Err(cause) => trouble.set(Some(cause)),
                }
            }
        })
    };
    let on_list = {
        let (open, busy) = (open.clone(), busy.clone());
        Callback::from(move |event: yew::Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let gathered = input.files().and_then(|list| gather::from_list(&list));
            // The same directory may be picked again.
            input.set_value("");
            busy.set(true);
            spawn_local(open(Ok(gathered)));
        })
    };
    let on_sample = {
        let (open, busy) = (open.clone(), busy.clone());
        Callback::from(move |_: yew::MouseEvent| {
            busy.set(true);
            let open = open.clone();
            spawn_local(async move {
                let gathered = gather::sample().await.map(Some).map_err(|cause| format!("{cause:?}"));
                open(gathered).await;
            });
        })
    };
    let on_drop = {
        let (open, busy, over) = (open.clone(), busy.clone(), over.clone());
        Callback::from(move |event: yew::DragEvent| {
            event.prevent_default();
            over.set(false);
            // A run file is for the shell.
            if dropped_run(event.data_transfer().and_then(|transfer| transfer.files())).is_some() {
                return;
            }
            let Some(entries) = event.data_transfer().map(|transfer| gather::entries(&transfer)) else { return };
            busy.set(true);
            let open = open.clone();
            spawn_local(async move {
                open(gather::from_entries(entries).await.map_err(|cause| format!("{cause:?}"))).await;
            });
        })
    };
    let on_over = |is_over: bool| {
        let over = over.clone();
        Callback::from(move |event: yew::DragEvent| {
            event.prevent_default();
            over.set(is_over);
        })
    };
    let on_choose = {
        let (trouble, on_opened) = (trouble.clone(), props.on_opened.clone());
        let backend = use_backend();
        Callback::from(move |root: String| {
            let (trouble, on_opened, backend) = (trouble.clone(), on_opened.clone(), backend.clone());
            spawn_local(async move {
                let Some(backend) = backend else { return };
                match backend.choose(root).await {
                    Ok(opened) => on_opened.emit(opened),
                    Err(cause) => trouble.set(Some(Trouble::Open(cause))),
                }
            });
        })
    };
    let openers =
        html! { <Openers on_list={on_list} on_sample={on_sample} busy={*busy} compact={props.opened.is_some()} /> };
    let troubled = trouble.as_ref().map(|trouble| {
        html! {
            <p class="warning" role="alert"><Icon glyph={Glyph::Warn} /><span>{ words(trouble, &text) }</span></p>
        }
    });
    html! {
        <div
            class={classes!("explorer", over.then_some("is-over"))}
            ondrop={on_drop}
            ondragover={on_over(true)}
            ondragleave={on_over(false)}
            data-testid="explorer"
        >
            if let Some((revision, opened)) = &props.opened {
                <Open
                    opened={opened.clone()}
                    context={StoreContext {
                        source: Source::Directory,
                        revision: *revision,
                        route: props.route.clone(),
                        hexadecimal: props.hexadecimal,
                    }}
                    on_hexadecimal={props.on_hexadecimal.clone()}
                    {on_choose}
                    on_begun={props.on_begun.clone()}
                    {openers}
                    {troubled}
                />
            } else {
                <section class="welcome" aria-labelledby="explorer-title">
                    <Stack />
                    <h1 id="explorer-title">{ text.get("explorer.title") }</h1>
                    <p class="welcome-lead">{ text.rich("explorer.lead", &[]) }</p>
                    { openers }
                    { troubled.unwrap_or_default() }
                    <p class="dim small">{ text.get("explorer.private") }</p>
                </section>
            }
        </div>
    }
}

fn words(trouble: &Trouble, text: &Text) -> String {
    match trouble {
        Trouble::Open(OpenError::Empty) => text.get("explorer.empty"),
        Trouble::Open(OpenError::NotZip(cause)) => text.fill("explorer.not-zip", &[("cause", cause)]),
        Trouble::Open(OpenError::TooLarge(limit)) => {
            text.fill("explorer.too-large", &[("limit", &format::size(*limit))])
        }
        Trouble::Open(OpenError::Unreadable(cause)) | Trouble::Browser(cause) => {
            text.fill("explorer.unreadable", &[("cause", cause)])
        }
    }
}

#[derive(Clone, PartialEq, Properties)]
struct OpenersProps {
    on_list: Callback<yew::Event>,
    on_sample: Callback<yew::MouseEvent>,
    busy: bool,
    compact: bool,
}

/// The ways to open a store.
#[component]
fn Openers(props: &OpenersProps) -> Html {
    let text = use_text();
    let size = props.compact.then_some("tiny");
    html! {
        <div class={classes!("openers", props.busy.then_some("is-busy"))} aria-busy={props.busy.to_string()}>
            <label class={classes!("button", (!props.compact).then_some("primary"), size)}>
                <Icon glyph={Glyph::Folder} />{ text.get("explorer.directory") }
                <input
                    class="hidden"
                    type="file"
                    webkitdirectory=true
                    multiple=true
                    onchange={props.on_list.clone()}
                    data-testid="open-directory"
                />
            </label>
            <label class={classes!("button", size)}>
                <Icon glyph={Glyph::Archive} />{ text.get("explorer.zip") }
                <input
                    class="hidden"
                    type="file"
                    accept=".zip,application/zip"
                    onchange={props.on_list.clone()}
                    data-testid="open-zip"
                />
            </label>
            <button type="button" class={classes!("button", size)} onclick={props.on_sample.clone()} data-testid="open-sample">
                <Icon glyph={Glyph::Sample} />{ text.get("explorer.sample") }
            </button>
        </div>
    }
}

/// What a store goes by in a run that begins on it.
fn name_in_run(opened: &Opened) -> String {
    if opened.root.is_empty() { opened.name.clone() } else { format!("{}/{}", opened.name, opened.root) }
}

/// A picture for the empty explorer: a log, and queues that point into it.
#[component]
fn Stack() -> Html {
    html! {
        <svg class="welcome-art" viewBox="0 0 320 112" aria-hidden="true" focusable="false">
            <rect class="art-log" x="8" y="70" width="304" height="30" rx="6" />
            <path class="art-cut" d="M58 70v30M96 70v30M170 70v30M214 70v30" />
            <rect class="art-hot" x="96" y="70" width="74" height="30" />
            <rect class="art-unit" x="64" y="12" width="88" height="22" rx="5" />
            <path class="art-cut" d="M93 12v22M122 12v22" />
            <rect class="art-unit" x="182" y="12" width="60" height="22" rx="5" />
            <path class="art-cut" d="M212 12v22" />
            <path class="art-arrow" d="M107 34C107 52 104 52 102 66M136 34C140 54 176 50 180 66M197 34C196 54 128 46 120 66" />
        </svg>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct OpenProps {
    opened: Opened,
    context: StoreContext,
    on_hexadecimal: Callback<bool>,
    on_choose: Callback<String>,
    on_begun: Callback<()>,
    openers: Html,
    troubled: Option<Html>,
}

/// An open store: what it is, and the inspector over it.
#[component]
fn Open(props: &OpenProps) -> Html {
    let text = use_text();
    let found = use_problems(&props.context);
    // The revision of the store whose start is asked for.
    let wanted = use_state_eq(|| None::<u64>);
    let here = *wanted == Some(props.context.revision);
    let tried = use_ask(here.then_some(Query::RecoverDirectory), props.context.revision);
    let on_ask = {
        let (wanted, revision) = (wanted.clone(), props.context.revision);
        Callback::from(move |()| wanted.set(Some(revision)))
    };
    let opened = &props.opened;
    let on_choose =
        props.on_choose.reform(|event: yew::Event| event.target_unchecked_into::<web_sys::HtmlSelectElement>().value());
    let name = if opened.name == "sample" { text.get("explorer.sample-name") } else { opened.name.clone() };
    html! {
        <>
                <div class="opened">
                    <span class="opened-name"><Icon glyph={Glyph::Folder} /><b>{ name }</b></span>
                    if opened.roots.len() > 1 {
                        <select class="field" aria-label={text.get("explorer.root")} onchange={on_choose} data-testid="root">
                            { for opened.roots.iter().map(|root| html! {
                                <option key={root.clone()} value={root.clone()} selected={*root == opened.root}>
                                    { if root.is_empty() { "/".to_owned() } else { root.clone() } }
                                </option>
                            }) }
                        </select>
                    } else if !opened.root.is_empty() {
                        <span class="mono dim">{ format!("/ {}", opened.root) }</span>
                    }
                    <StartOnStore key={props.context.revision} name={name_in_run(opened)} on_begun={props.on_begun.clone()} />
                    { props.openers.clone() }
                </div>
                { props.troubled.clone().unwrap_or_default() }
            <Inspector
                context={props.context.clone()}
                on_hexadecimal={props.on_hexadecimal.clone()}
                search={Some(Search { found })}
                recovery={html! { <DryRun asked={here.then_some(tried)} {on_ask} /> }}
            />
        </>
    }
}
