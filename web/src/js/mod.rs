//! The engine for other people's JavaScript: the same wasm file as the page's, as a module.
//!
//! `import init, { RocketScope } from "./rocketscope-web.js"`, and `await init()`. The file draws nothing there: it is the
//! page that it draws, and only where a document says that it is the page.

mod exact;
mod matrix;
#[cfg(test)]
mod tests;

use js_sys::{Error, Reflect};
use rocketscope_engine::matrix::Plan;
use rocketscope_engine::sim::{Action, Cluster, History};
use rocketscope_engine::view::{Answer, Failure, Query, Session, Workbench};
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use self::matrix::CrashMatrix;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.d.ts");

/// The scripts that this file is the worker of.
const WORKERS: [&str; 2] = ["/worker.js", "/matrix.js"];

/// Whether this file was loaded by somebody else's page or worker, so that there is nothing to draw and nobody to serve.
pub(crate) fn is_library() -> bool {
    if let Some(document) = web_sys::window().and_then(|window| window.document()) {
        return !document.document_element().is_some_and(|root| root.has_attribute("data-rocketscope"));
    }
    let location = Reflect::get(&js_sys::global(), &"location".into()).unwrap_or_default();
    let path = Reflect::get(&location, &"pathname".into()).ok().and_then(|path| path.as_string()).unwrap_or_default();
    !WORKERS.iter().any(|worker| path.ends_with(worker))
}

/// A run of a simulated cluster, in both directions of time.
///
/// Every call that fails throws a `RocketScopeError`, and leaves the run as it was. `free()` gives its memory back.
#[wasm_bindgen]
pub struct RocketScope {
    session: Session,
}

#[wasm_bindgen]
impl RocketScope {
    /// Begins a lesson, by its folder's name: `07-flush-modes`.
    pub fn lesson(id: String) -> Result<RocketScope, JsValue> {
        Self::begun(Query::StartLesson { id })
    }

    /// Begins a free run on a cluster, or on the sandbox's own. `seed` is that of the world's generators, 1 if absent.
    pub fn sandbox(
        #[wasm_bindgen(unchecked_optional_param_type = "Cluster")] cluster: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Int64")] seed: JsValue,
    ) -> Result<RocketScope, JsValue> {
        let cluster = optional::<Cluster>(cluster)?.map(Box::new);
        Self::begun(Query::StartSandbox { cluster, seed: optional(seed)?.unwrap_or(1) })
    }

    /// Plays a scenario, and stands at its end. `text` is TOML, or JSON where it begins with `{`; it says the `cluster`,
    /// the `moves`, and what is to be expected, which is not looked at.
    pub fn script(text: String) -> Result<RocketScope, JsValue> {
        let name = if text.trim_start().starts_with('{') { "script.json" } else { "script.toml" };
        Self::begun(Query::OpenScenario { name: name.to_owned(), text })
    }

    /// The run of a link: a whole address, what stands behind its `r=`, or what a run file holds.
    pub fn link(text: String) -> Result<RocketScope, JsValue> {
        Self::begun(Query::OpenLink { text })
    }

    /// The run as a link's text, for [`RocketScope::link`] and behind the `r=` of the page's addresses: the branch that it is
    /// on, and with `branches` those that it left as well, as in a run file.
    pub fn share(&mut self, branches: Option<bool>) -> Result<String, JsValue> {
        match self.asked(Query::Share { branches: branches.unwrap_or(false) })? {
            Answer::Shared(shared) => Ok(shared.text),
            _ => Err(thrown("arguments", "the question has another answer")),
        }
    }

    /// The crash matrix of the run, by a plan: `view({ kind: "matrixPlan", lesson: null })` and what is changed in it; as
    /// it is where none is given.
    pub fn matrix(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "MatrixPlan")] plan: JsValue,
    ) -> Result<CrashMatrix, JsValue> {
        if let Some(plan) = optional::<Plan>(plan)? {
            return CrashMatrix::new(plan);
        }
        match self.asked(Query::MatrixPlan { lesson: None })? {
            Answer::MatrixPlan(plan) => CrashMatrix::new(*plan),
            _ => Err(thrown("arguments", "the question has another answer")),
        }
    }

    /// Does something to the world at its present moment. In the past, this begins a new branch.
    #[wasm_bindgen(unchecked_return_type = "Workbench")]
    pub fn act(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Action")] action: JsValue,
    ) -> Result<JsValue, JsValue> {
        let action = taken::<Action>(action)?;
        self.moved(Query::Act { action })
    }

    /// Takes up an action that the lesson offers, by its place in `lesson.offers`.
    #[wasm_bindgen(unchecked_return_type = "Workbench")]
    pub fn take(&mut self, offer: u32) -> Result<JsValue, JsValue> {
        self.moved(Query::TakeOffer { index: offer })
    }

    /// Answers a question of the lesson, by the place of the choice.
    #[wasm_bindgen(unchecked_return_type = "Workbench")]
    pub fn predict(&mut self, question: String, choice: u32) -> Result<JsValue, JsValue> {
        self.moved(Query::Predict { question, choice })
    }

    /// One event forwards.
    #[wasm_bindgen(unchecked_return_type = "Workbench")]
    pub fn step(&mut self) -> Result<JsValue, JsValue> {
        self.moved(Query::Step)
    }

    /// One event back.
    #[wasm_bindgen(js_name = stepBack, unchecked_return_type = "Workbench")]
    pub fn step_back(&mut self) -> Result<JsValue, JsValue> {
        self.moved(Query::StepBack)
    }

    /// To a position: so many events from the start.
    #[wasm_bindgen(unchecked_return_type = "Workbench")]
    pub fn seek(&mut self, position: f64) -> Result<JsValue, JsValue> {
        // A number that is none, or below 0, is the start; the cast says so.
        self.moved(Query::Seek { position: position as u64 })
    }

    /// Forwards until the world is at rest, a lesson needs the learner, or `events` were taken; 1000 if absent.
    #[wasm_bindgen(unchecked_return_type = "Workbench")]
    pub fn run(&mut self, events: Option<u32>) -> Result<JsValue, JsValue> {
        self.moved(Query::Run { events: events.unwrap_or(1000) })
    }

    /// Plays the lesson's recorded solution from its start.
    #[wasm_bindgen(unchecked_return_type = "Workbench")]
    pub fn solve(&mut self) -> Result<JsValue, JsValue> {
        self.moved(Query::Solve)
    }

    /// Begins anew.
    #[wasm_bindgen(unchecked_return_type = "Workbench")]
    pub fn reset(&mut self) -> Result<JsValue, JsValue> {
        self.moved(Query::Reset)
    }

    /// Answers a question about the run: how it stands, an event, a timeline, a store, a consumer group.
    #[wasm_bindgen(skip_typescript)]
    pub fn view(&mut self, query: JsValue) -> Result<JsValue, JsValue> {
        let query = taken::<Query>(query)?;
        let answer = self.asked(query)?;
        // Only what the answer holds; its kind is the question's.
        let answer = serde_json::to_value(&answer).map_err(|error| thrown("arguments", &error.to_string()))?;
        given(answer.get("value").unwrap_or(&serde_json::Value::Null))
    }

    /// Events taken to get here.
    #[wasm_bindgen(getter)]
    pub fn position(&self) -> Result<f64, JsValue> {
        Ok(self.history()?.position() as f64)
    }

    /// Events known on this branch.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> Result<f64, JsValue> {
        Ok(self.history()?.len() as f64)
    }

    /// Virtual time, microseconds since the world began.
    #[wasm_bindgen(getter, js_name = nowUs)]
    pub fn now_us(&self) -> Result<f64, JsValue> {
        Ok(self.history()?.world().now_us() as f64)
    }

    /// Whether nothing is pending but periodic housekeeping.
    #[wasm_bindgen(getter, js_name = atRest)]
    pub fn at_rest(&self) -> Result<bool, JsValue> {
        Ok(self.history()?.world().at_rest())
    }

    /// Hash of the trace so far: the same natively and in every browser.
    #[wasm_bindgen(getter, js_name = traceHash)]
    pub fn trace_hash(&self) -> Result<u64, JsValue> {
        Ok(self.history()?.world().trace_hash())
    }

    /// Hash of the state: the trace so far, the time, every byte of every disk and every row of every database; the same
    /// natively and in every browser. All of them are read for it, so it is a question for the end of a run.
    #[wasm_bindgen(getter, js_name = stateHash)]
    pub fn state_hash(&self) -> Result<u64, JsValue> {
        Ok(self.history()?.world().state_hash())
    }
}

/// What the generated declarations cannot say: that the kind of a question decides the type of its answer.
#[wasm_bindgen(typescript_custom_section)]
const VIEW: &str = r"
export interface RocketScope {
  /** Answers a question about the run. The type of the answer follows from the question's kind. */
  view<Q extends Query>(query: Q): AnswerTo<Q['kind']>;
}
";

impl RocketScope {
    fn begun(query: Query) -> Result<Self, JsValue> {
        let mut begun = Self { session: Session::new() };
        begun.asked(query)?;
        Ok(begun)
    }

    fn asked(&mut self, query: Query) -> Result<Answer, JsValue> {
        match self.session.ask(query) {
            Answer::Failed(failure) => Err(failed(&failure)),
            answer => Ok(answer),
        }
    }

    fn bench(&mut self, query: Query) -> Result<Box<Workbench>, JsValue> {
        match self.asked(query)? {
            Answer::Workbench(bench) => Ok(bench),
            _ => Err(thrown("arguments", "the question has another answer")),
        }
    }

    fn moved(&mut self, query: Query) -> Result<JsValue, JsValue> {
        given(&self.bench(query)?)
    }

    fn history(&self) -> Result<&History, JsValue> {
        self.session.history().ok_or_else(|| thrown("notFound", "nothing runs"))
    }
}

/// An argument.
fn taken<T: serde::de::DeserializeOwned>(value: JsValue) -> Result<T, JsValue> {
    exact::from_js(value).map_err(|cause| thrown("arguments", &cause))
}

/// An argument that may be left out.
fn optional<T: serde::de::DeserializeOwned>(value: JsValue) -> Result<Option<T>, JsValue> {
    if value.is_undefined() || value.is_null() { Ok(None) } else { taken(value).map(Some) }
}

/// A result.
fn given(value: &impl Serialize) -> Result<JsValue, JsValue> {
    exact::to_js(value).map_err(|cause| thrown("arguments", &cause))
}

/// A failure of the engine as what is thrown: an error with the failure's fields.
fn failed(failure: &Failure) -> JsValue {
    let error = thrown("", &failure.message);
    if let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(failure) {
        for (name, value) in fields {
            if let Ok(value) = exact::to_js(&value) {
                // Setting a field of an object of our own cannot fail.
                let _ = Reflect::set(&error, &name.into(), &value);
            }
        }
    }
    error
}

fn thrown(kind: &str, message: &str) -> JsValue {
    let error = Error::new(message);
    error.set_name("RocketScopeError");
    let error = JsValue::from(error);
    let _ = Reflect::set(&error, &"kind".into(), &kind.into());
    error
}
