//! Asking from a component.

use std::rc::Rc;

use rocketscope_engine::view::{Answer, Query};
use wasm_bindgen_futures::spawn_local;
use yew::{hook, use_context, use_effect_with, use_state};

use super::{AskError, Backend};

/// The page's backend. It is there wherever the shell is.
#[hook]
pub fn use_backend() -> Option<Backend> {
    use_context::<Backend>()
}

/// A question's way to its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The last answer; while a changed question is on its way, the one before, so that nothing flickers.
    pub answer: Option<Rc<Answer>>,
    /// Why the last question has no answer.
    pub error: Option<AskError>,
    /// The question that `answer` or `error` belongs to is not the present one.
    pub waiting: bool,
}

impl Asked {
    const NOTHING: Self = Self { answer: None, error: None, waiting: false };
}

/// Asks `query` whenever it or `revision` changes, and gives the answer as it comes. `None` asks nothing.
#[hook]
pub fn use_ask(query: Option<Query>, revision: u64) -> Asked {
    let backend = use_backend();
    let state = use_state(|| Asked::NOTHING);
    // The state is set for the question that is on its way by now, so it is compared by this number.
    let current = yew::use_mut_ref(|| 0_u64);
    let waiting = yew::use_mut_ref(|| false);
    use_effect_with((query, revision), {
        let state = state.clone();
        let waiting = Rc::clone(&waiting);
        move |(query, _): &(Option<Query>, u64)| {
            let number = {
                let mut current = current.borrow_mut();
                *current += 1;
                *current
            };
            match (backend, query.clone()) {
                (Some(backend), Some(query)) => {
                    *waiting.borrow_mut() = true;
                    spawn_local(async move {
                        let answer = backend.ask(query).await;
                        if *current.borrow() != number {
                            return;
                        }
                        *waiting.borrow_mut() = false;
                        state.set(match answer {
                            Ok(answer) => Asked { answer: Some(Rc::new(answer)), error: None, waiting: false },
                            Err(error) => Asked { answer: None, error: Some(error), waiting: false },
                        });
                    });
                }
                _ => state.set(Asked::NOTHING),
            }
        }
    });
    let asked = (*state).clone();
    let is_waiting = *waiting.borrow();
    Asked { waiting: is_waiting, ..asked }
}
