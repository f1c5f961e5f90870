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

/// A question as it is asked: with the revision of what it is about.
type Question = (Option<Query>, u64);

/// What was answered last, and to which question.
#[derive(Default)]
struct Answered {
    of: Question,
    answer: Option<Rc<Answer>>,
    error: Option<AskError>,
}

/// Asks `query` whenever it or `revision` changes, and gives the answer as it comes. `None` asks nothing.
#[hook]
pub fn use_ask(query: Option<Query>, revision: u64) -> Asked {
    let backend = use_backend();
    let answered = use_state(Answered::default);
    // What is answered when another question is on its way already, is dropped.
    let current = yew::use_mut_ref(|| 0_u64);
    let question = (query, revision);
    // Already in the picture in which the question is a new one: nothing that follows from the old one is to be had there.
    let waiting = question.0.is_some() && answered.of != question;
    use_effect_with(question, {
        let answered = answered.setter();
        move |question: &Question| {
            let number = {
                let mut current = current.borrow_mut();
                *current += 1;
                *current
            };
            match (backend, question.clone()) {
                (Some(backend), (Some(query), revision)) => spawn_local(async move {
                    let answer = backend.ask(query.clone()).await;
                    if *current.borrow() == number {
                        let of = (Some(query), revision);
                        answered.set(match answer {
                            Ok(answer) => Answered { of, answer: Some(Rc::new(answer)), error: None },
                            Err(error) => Answered { of, answer: None, error: Some(error) },
                        });
                    }
                }),
                _ => answered.set(Answered::default()),
            }
        }
    });
    Asked { answer: answered.answer.clone(), error: answered.error.clone(), waiting }
}
