//! Keeping the run that the reader works on, so that a reload finds it.

use gloo::timers::callback::Timeout;
use js_sys::Date;
use rocketscope_engine::view::{Answer, Query};
use wasm_bindgen_futures::spawn_local;
use yew::{hook, use_effect_with, use_mut_ref, use_state_eq};

use crate::backend::use_backend;
use crate::state::{runs, storage};

/// How long the run may go on before it is kept again, milliseconds: at least, and at most where keeping takes long.
const PAUSE_MS: (u32, u32) = (250, 2000);

/// How many times as long as the last keeping took it may go on. A long run takes the worker some tens of milliseconds,
/// for which the next step has to wait.
const PAUSES: f64 = 20.0;

/// Keeps the run that the worker has, if it is to be kept, whenever `revision` has changed beyond the first. Whether the browser has a storage
/// and could not keep it there.
#[hook]
pub(super) fn use_kept(revision: u64, keeps: bool) -> bool {
    let backend = use_backend();
    let unkept = use_state_eq(|| false);
    let waiting = use_mut_ref(|| false);
    let pause_ms = use_mut_ref(|| PAUSE_MS.0);
    use_effect_with(revision, {
        let unkept = unkept.setter();
        move |revision: &u64| {
            let Some(backend) = backend.filter(|_| keeps && *revision > 1 && storage::is_on()) else { return };
            // One that waits already will find this change as well.
            if waiting.replace(true) {
                return;
            }
            let pause = *pause_ms.borrow();
            let keep = move || {
                waiting.replace(false);
                spawn_local(async move {
                    let began = Date::now();
                    unkept.set(match backend.ask(Query::Share { branches: true }).await {
                        Ok(Answer::Shared(shared)) => {
                            !runs::keep(shared.lesson.as_deref().unwrap_or(runs::SANDBOX), &shared.text)
                        }
                        // A run larger than any link is one that is not kept.
                        _ => true,
                    });
                    let (least, most) = PAUSE_MS;
                    pause_ms.replace((((Date::now() - began) * PAUSES) as u32).clamp(least, most));
                });
            };
            // It is not called off with the component: the last change before the reader leaves is kept too.
            Timeout::new(pause, keep).forget();
        }
    });
    *unkept
}
