//! A dialog over the page: a title, a button that closes it, and what is in it.

use web_sys::HtmlDialogElement;
use yew::{Callback, Children, Html, Properties, classes, component, html, use_effect_with, use_node_ref};

use super::{Glyph, Icon};

/// Properties of [`Dialog`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What it is called among the page's parts, also for tests.
    pub id: &'static str,
    /// Its class, beside the one that all have.
    #[prop_or_default]
    pub class: &'static str,
    /// Its title.
    pub title: Html,
    /// What the button that closes it is called.
    pub close: String,
    /// Whether it is open.
    pub open: bool,
    /// The reader closed it.
    pub on_close: Callback<()>,
    /// What is in it.
    #[prop_or_default]
    pub children: Children,
}

/// The dialog. It is the browser's own: the focus stays inside, and Escape closes it.
#[component]
pub fn Dialog(props: &Props) -> Html {
    let dialog = use_node_ref();
    use_effect_with(props.open, {
        let dialog = dialog.clone();
        move |open| {
            let Some(dialog) = dialog.cast::<HtmlDialogElement>() else { return };
            if *open && !dialog.open() {
                // It fails only on a dialog that is open already or has left the document.
                let _ = dialog.show_modal();
            } else if !*open && dialog.open() {
                dialog.close();
            }
        }
    });
    let title = format!("{}-title", props.id);
    html! {
        <dialog
            ref={dialog}
            class={classes!("dialog", props.class)}
            aria-labelledby={title.clone()}
            onclose={props.on_close.reform(|_: yew::Event| ())}
            data-testid={props.id}
        >
            <div class="dialog-head">
                <h2 id={title} class="dialog-title">{ props.title.clone() }</h2>
                <button
                    type="button"
                    class="button quiet icon-only"
                    aria-label={props.close.clone()}
                    onclick={props.on_close.reform(|_: yew::MouseEvent| ())}
                >
                    <Icon glyph={Glyph::Close} />
                </button>
            </div>
            { props.children.clone() }
        </dialog>
    }
}
