//! The run behind the workbench: every move is a question to the worker, and its answer the new picture.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use rocketscope_engine::sim::{ActionError, ClusterError};
use rocketscope_engine::view::world::Timeline;
use rocketscope_engine::view::{Answer, FailureKind, Query, Workbench};
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, Html, Reducible, hook, html, use_effect_with, use_memo, use_reducer_eq};

use crate::backend::{AskError, Backend, use_ask, use_backend};
use crate::components::form::Refusal;
use crate::components::narrate::refusal;
use crate::components::workbench::{Move, Speed};
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of};

/// Events that a run to a breakpoint takes at most.
const TO_BREAKPOINT: u32 = 20_000;

/// Events of the timeline around the present one.
const AROUND: u64 = 200;

/// Several moves that belong together. When one is refused the rest is left, and the run goes back to where it stood.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The moves, in order.
    pub moves: Vec<Query>,
    /// Where the run stands now.
    pub position: u64,
}

/// The run as the workbench sees it.
#[derive(Clone, PartialEq)]
pub struct Run {
    /// The picture; absent until the first answer.
    pub picture: Option<Rc<Workbench>>,
    /// Changes with every picture.
    pub revision: u64,
    /// Events around the present one.
    pub timeline: Option<Timeline>,
    /// Whether it runs by itself.
    pub running: bool,
    /// How fast.
    pub speed: Speed,
    /// Why the last question was not done.
    pub error: Option<AskError>,
    /// Ask something that moves the run.
    pub on_ask: Callback<Query>,
    /// Ask several things in a row; of them only the last picture is shown.
    pub on_plan: Callback<Plan>,
    /// Go to a position.
    pub on_seek: Callback<u64>,
    /// Move as a button or key says.
    pub on_move: Callback<Move>,
    /// Another speed.
    pub on_speed: Callback<Speed>,
}

impl Run {
    /// Why the last question was not done, in a sentence.
    pub fn refused(&self, text: &Text) -> Option<String> {
        match self.error.as_ref()? {
            AskError::Failed(failure) => {
                let kind = text.get(&format!("failure.{}", name_of(&failure.kind)));
                let refused = failure.refused.as_ref().and_then(|refused| refusal(refused, text));
                Some(format!("{kind} {}", refused.unwrap_or_else(|| failure.message.clone())))
            }
            AskError::Gone => None,
        }
    }

    /// The same of an action, with its field that is at fault. What is wrong with a cluster is told where it is described.
    pub fn refusal(&self, text: &Text) -> Option<Refusal> {
        let words = self.refused(text)?;
        let refused = match self.error.as_ref()? {
            AskError::Failed(failure) if failure.cluster.is_some() => return None,
            AskError::Failed(failure) => failure.refused.as_deref(),
            AskError::Gone => None,
        };
        let field = match refused {
            Some(ActionError::BadValue { field, .. }) => Some(field.clone()),
            Some(ActionError::RecordSize { .. }) => Some("recordSize".to_owned()),
            _ => None,
        };
        Some(Refusal { words, field })
    }

    /// Why the breakpoints that were last to be set were not.
    pub fn refused_breakpoint(&self, text: &Text) -> Option<String> {
        match self.error.as_ref()? {
            AskError::Failed(failure) if failure.kind == FailureKind::Breakpoint => self.refused(text),
            _ => None,
        }
    }

    /// Where the cluster that was last to begin is wrong.
    pub fn refused_cluster(&self) -> Option<ClusterError> {
        match self.error.as_ref()? {
            AskError::Failed(failure) => failure.cluster.as_deref().cloned(),
            AskError::Gone => None,
        }
    }

    /// The same as a piece of page.
    pub fn trouble(&self, text: &Text) -> Html {
        match self.refused(text) {
            Some(words) => html! {
                <p class="warning" role="alert"><Icon glyph={Glyph::Warn} /><span>{ words }</span></p>
            },
            None => html! { <></> },
        }
    }
}

#[derive(Clone, PartialEq)]
struct State {
    picture: Option<Rc<Workbench>>,
    revision: u64,
    running: bool,
    speed: Speed,
    error: Option<AskError>,
}

enum Action {
    Answered(Result<Box<Workbench>, AskError>),
    Running(bool),
    Speed(Speed),
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut next = (*self).clone();
        match action {
            Action::Answered(Ok(picture)) => {
                // A run that no longer moves has come to what it waits for.
                let stands = self.picture.as_ref().is_some_and(|before| before.run.position == picture.run.position);
                // So has one whose last event has broken what must hold.
                let broke = picture.broken.last().is_some_and(|newest| newest.seq + 1 == picture.run.position);
                next.running = self.running && !stands && !broke && picture.past.stopped_by.is_none();
                next.picture = Some(Rc::new(*picture));
                next.revision += 1;
                next.error = None;
            }
            Action::Answered(Err(error)) => {
                next.running = false;
                next.error = Some(error);
            }
            Action::Running(running) => next.running = running,
            Action::Speed(speed) => next.speed = speed,
        }
        next.into()
    }
}

async fn move_by(backend: Backend, query: Query) -> Action {
    Action::Answered(match backend.ask(query).await {
        Ok(Answer::Workbench(picture)) => Ok(picture),
        Ok(_) => Err(AskError::Gone),
        Err(error) => Err(error),
    })
}

async fn carry_out(backend: Backend, plan: Plan) -> Action {
    let mut last = Action::Running(false);
    for query in plan.moves {
        last = move_by(backend.clone(), query).await;
        if let Action::Answered(Err(error)) = last {
            // What was there before is there again, whatever of the plan was done; the picture shown is that one.
            let back = move_by(backend, Query::Seek { position: plan.position }).await;
            return if matches!(back, Action::Answered(Ok(_))) { Action::Answered(Err(error)) } else { back };
        }
    }
    last
}

/// Begins a run with `start`, and begins anew when that changes.
#[hook]
pub fn use_run(start: Query) -> Run {
    let backend = use_backend();
    let state = use_reducer_eq(|| State { picture: None, revision: 0, running: false, speed: Speed(4), error: None });
    let on_ask = use_memo(backend, {
        let dispatcher = state.dispatcher();
        move |backend| {
            let backend = backend.clone();
            Callback::from(move |query: Query| {
                let dispatcher = dispatcher.clone();
                if let Some(backend) = backend.clone() {
                    spawn_local(async move { dispatcher.dispatch(move_by(backend, query).await) });
                }
            })
        }
    });
    let on_ask = (*on_ask).clone();
    let on_plan = {
        let (backend, dispatcher) = (use_backend(), state.dispatcher());
        Callback::from(move |plan: Plan| {
            let dispatcher = dispatcher.clone();
            if let Some(backend) = backend.clone() {
                spawn_local(async move { dispatcher.dispatch(carry_out(backend, plan).await) });
            }
        })
    };
    use_effect_with(start, {
        let on_ask = on_ask.clone();
        move |start| on_ask.emit(start.clone())
    });
    // While it runs, each picture asks for the next after a pause; without motion, at once.
    use_effect_with((state.running, state.revision, state.speed), {
        let on_ask = on_ask.clone();
        move |(running, _, speed): &(bool, u64, Speed)| {
            let timer = running.then(|| Timeout::new(speed.pause_ms(), move || on_ask.emit(Query::Run { events: 1 })));
            move || drop(timer)
        }
    });
    let position = state.picture.as_ref().map(|picture| picture.run.position);
    let around =
        position.map(|position| Query::Timeline { from: position.saturating_sub(AROUND), limit: 2 * AROUND as u32 });
    let asked = use_ask(around, state.revision);
    let timeline = match asked.answer.as_deref() {
        Some(Answer::Timeline(timeline)) => Some(timeline.clone()),
        _ => None,
    };

    let on_seek = on_ask.reform(|position| Query::Seek { position });
    let on_move = {
        let (on_ask, dispatcher) = (on_ask.clone(), state.dispatcher());
        let (running, length) = (state.running, state.picture.as_ref().map_or(0, |picture| picture.run.length));
        let watched = state.picture.as_ref().is_some_and(|picture| !picture.past.breakpoints.is_empty());
        Callback::from(move |to: Move| match to {
            Move::Run => {
                dispatcher.dispatch(Action::Running(!running));
                if !running {
                    on_ask.emit(Query::Run { events: 1 });
                }
            }
            Move::Breakpoint if !watched => {}
            to => {
                dispatcher.dispatch(Action::Running(false));
                on_ask.emit(match to {
                    Move::First => Query::Seek { position: 0 },
                    Move::Last => Query::Seek { position: length },
                    Move::Back => Query::StepBack,
                    Move::Undo => Query::Undo,
                    Move::Redo => Query::Redo,
                    Move::Breakpoint => Query::Run { events: TO_BREAKPOINT },
                    Move::Step | Move::Run => Query::Step,
                });
            }
        })
    };
    let on_speed = {
        let dispatcher = state.dispatcher();
        Callback::from(move |speed| dispatcher.dispatch(Action::Speed(speed)))
    };
    Run {
        picture: state.picture.clone(),
        revision: state.revision,
        timeline,
        running: state.running,
        speed: state.speed,
        error: state.error.clone(),
        on_ask,
        on_plan,
        on_seek,
        on_move,
        on_speed,
    }
}
