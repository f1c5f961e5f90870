//! Keeping the run that the reader works on, so that a reload finds it.

use gloo::timers::callback::Timeout;
use rocketscope_engine::view::{Answer, Query};
use wasm_bindgen_futures::spawn_local;
use yew::{hook, use_effect_with, use_mut_ref, use_state_eq};

use crate::backend::use_backend;
use crate::state::{runs, storage};

/// How long the run may go on before it is kept again, milliseconds.
const PAUSE_MS: u32 = 250;

/// Keeps the run that the worker has, if it is to be kept, whenever `revision` has changed beyond the first. Whether the browser has a storage
/// and could not keep it there.
#[hook]
pub(super) fn use_kept(revision: u64, keeps: bool) -> bool {
    let backend = use_backend();
    let unkept = use_state_eq(|| false);
    let waiting = use_mut_ref(|| false);
    use_effect_with(revision, {
        let unkept = unkept.setter();
        move |revision: &u64| {
            let Some(backend) = backend.filter(|_| keeps && *revision > 1 && storage::is_on()) else { return };
            // One that waits already will find this change as well.
            if waiting.replace(true) {
                return;
            }
            let keep = move || {
                waiting.replace(false);
                spawn_local(async move {
                    unkept.set(match backend.ask(Query::Share { branches: true }).await {
                        Ok(Answer::Shared(shared)) => {
                            !runs::keep(shared.lesson.as_deref().unwrap_or(runs::SANDBOX), &shared.text)
                        }
                        // A run larger than any link is one that is not kept.
                        _ => true,
                    });
                });
            };
            // It is not called off with the component: the last change before the reader leaves is kept too.
            Timeout::new(PAUSE_MS, keep).forget();
        }
    });
    *unkept
}
