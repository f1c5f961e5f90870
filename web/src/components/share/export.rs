//! The disk of a simulated broker, saved as an archive that is a store directory.

use wasm_bindgen_futures::spawn_local;
use yew::{Callback, Html, Properties, component, html, use_effect_with, use_state_eq};

use super::file;
use crate::backend::{ExportError, Exported, use_backend};
use crate::components::store::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// Properties of [`ExportStore`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The broker's node.
    pub node: String,
    /// Changes with the run: what was said of an earlier export is over then.
    pub revision: u64,
}

/// The button, and what came of it.
#[component]
pub fn ExportStore(props: &Props) -> Html {
    let text = use_text();
    let backend = use_backend();
    let busy = use_state_eq(|| false);
    let done = use_state_eq(|| None::<Result<Exported, ExportError>>);
    use_effect_with((props.node.clone(), props.revision), {
        let done = done.setter();
        move |_| done.set(None)
    });
    let on_export = {
        let (busy, done, node) = (busy.clone(), done.clone(), props.node.clone());
        Callback::from(move |_: yew::MouseEvent| {
            let (busy, done, node) = (busy.clone(), done.clone(), node.clone());
            let Some(backend) = backend.clone() else { return };
            busy.set(true);
            spawn_local(async move {
                let packed = backend.export(node).await;
                busy.set(false);
                done.set(Some(packed.and_then(|(exported, archive)| {
                    let saved = file::save_blob(&exported.name, Ok(archive));
                    saved.map(|()| exported).map_err(|cause| ExportError::Failed(format!("{cause:?}")))
                })));
            });
        })
    };
    html! {
        <div class="export">
            <button
                type="button"
                class="button tiny"
                disabled={*busy}
                aria-busy={busy.to_string()}
                title={text.get("share.export.means")}
                onclick={on_export}
                data-testid="export-store"
            >
                <Icon glyph={Glyph::Archive} />{ text.get("share.export.button") }
            </button>
            <span class="small dim" role="status" data-testid="export-said">
                { done.as_ref().map(|done| words(done, &text)).unwrap_or_default() }
            </span>
        </div>
    }
}

fn words(done: &Result<Exported, ExportError>, text: &Text) -> String {
    match done {
        Ok(exported) => text.fill(
            "share.export.done",
            &[
                ("files", &exported.files),
                ("size", &format::size(exported.len)),
                ("packed", &format::size(exported.packed)),
            ],
        ),
        Err(ExportError::NoBroker) => text.get("share.export.no-broker"),
        Err(ExportError::TooLarge { len, limit }) => {
            text.fill("share.export.too-large", &[("size", &format::size(*len)), ("limit", &format::size(*limit))])
        }
        Err(ExportError::Failed(cause)) => text.fill("share.export.failed", &[("cause", cause)]),
    }
}

#[cfg(test)]
mod tests {
    use super::words;
    use crate::backend::{ExportError, Exported};
    use crate::i18n::{Lang, Text};

    #[test]
    fn what_came_of_an_export_is_told_with_sizes() {
        let exported = Exported { name: "a.zip".to_owned(), files: 12, len: 1 << 30, packed: 3 << 20 };
        let text = Text::new(Lang::En);
        let said = words(&Ok(exported), &text);
        for part in ["12", "1 GiB", "3 MiB"] {
            assert!(said.contains(part), "{said}");
        }
        let refused = words(&Err(ExportError::TooLarge { len: 9 << 30, limit: 8 << 30 }), &text);
        assert!(refused.contains("9 GiB") && refused.contains("8 GiB") && refused.contains("--export"), "{refused}");
    }
}
