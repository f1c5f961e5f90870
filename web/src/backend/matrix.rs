//! The crash matrix's worker, by gloo-worker: it plays worlds for as long as it is asked to go on, and hands them over a
//! piece at a time, so that whoever asks sets the pace and stops it by not asking again.

use std::any::type_name;

use gloo::worker::{Codec, HandlerId, Registrable, Spawnable, Worker, WorkerBridge, WorkerScope};
use js_sys::{Date, Reflect};
use rocketscope_engine::matrix::{Cell, Fork, Matrix, Moment, Plan};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

/// How long a piece is worked at, milliseconds: often enough for a picture that moves, seldom enough for speed.
const PIECE_MS: f64 = 80.0;

/// What the page asks. Each matrix has a number, so that what is left of the one before is told apart.
#[derive(Debug, Serialize, Deserialize)]
pub enum Ask {
    /// Begin a matrix.
    Begin {
        /// Its number.
        number: u32,
        /// What it is made of.
        plan: Box<Plan>,
    },
    /// Play the next piece of it.
    GoOn,
}

/// What the worker tells.
#[derive(Debug, Serialize, Deserialize)]
pub struct Told {
    /// The number of the matrix.
    pub number: u32,
    /// What.
    pub what: What,
}

/// What there is to be told of a matrix.
#[derive(Debug, Serialize, Deserialize)]
pub enum What {
    /// It has been walked through.
    Begun {
        /// Its moments.
        moments: Vec<Moment>,
        /// Its cells in all.
        cells: u64,
    },
    /// There is none, and why.
    Failed(String),
    /// The next cells, in order.
    Cells {
        /// The cells; none once all have been told.
        cells: Vec<Cell>,
        /// How long they took, milliseconds.
        millis: f64,
    },
}

/// The worker.
#[derive(Default)]
pub struct Player {
    number: u32,
    matrix: Option<Matrix>,
    fork: Option<Fork>,
}

impl Worker for Player {
    type Message = ();
    type Input = Ask;
    type Output = Told;

    fn create(_scope: &WorkerScope<Self>) -> Self {
        Self::default()
    }

    fn update(&mut self, _scope: &WorkerScope<Self>, (): ()) {}

    fn received(&mut self, scope: &WorkerScope<Self>, ask: Ask, id: HandlerId) {
        let what = match ask {
            Ask::Begin { number, plan } => {
                self.number = number;
                self.begin(*plan)
            }
            Ask::GoOn => self.go_on(),
        };
        scope.respond(id, Told { number: self.number, what });
    }
}

impl Player {
    fn begin(&mut self, plan: Plan) -> What {
        self.fork = None;
        self.matrix = None;
        match Matrix::new(plan) {
            Ok(matrix) => {
                let begun = What::Begun { moments: matrix.moments().to_vec(), cells: matrix.cells() };
                self.matrix = Some(matrix);
                begun
            }
            Err(error) => What::Failed(error.to_string()),
        }
    }

    fn go_on(&mut self) -> What {
        let began = Date::now();
        let mut cells = Vec::new();
        while Date::now() - began < PIECE_MS {
            match self.fork.as_mut().and_then(Iterator::next) {
                Some(cell) => cells.push(cell),
                None => match self.matrix.as_mut().and_then(Iterator::next) {
                    Some(fork) => self.fork = Some(fork),
                    None => break,
                },
            }
        }
        What::Cells { cells, millis: Date::now() - began }
    }
}

/// Messages as text of JSON, as everything else that page and worker say to each other.
struct Json;

impl Codec for Json {
    /// # Panics
    ///
    /// If the value is no plain data: the page then says so, as of every panic.
    fn encode<I: Serialize>(input: I) -> JsValue {
        match serde_json::to_string(&input) {
            Ok(text) => text.into(),
            Err(cause) => panic!("{} cannot be told: {cause}", type_name::<I>()),
        }
    }

    /// # Panics
    ///
    /// If the other end is another build, or has failed: then the message is its cause.
    fn decode<O: for<'de> Deserialize<'de>>(input: JsValue) -> O {
        let Some(text) = input.as_string() else {
            let fault = Reflect::get(&input, &"fault".into()).ok().and_then(|fault| fault.as_string());
            panic!(
                "{}",
                fault.unwrap_or_else(|| "the worker of the crash matrix tells what nobody understands".to_owned())
            );
        };
        match serde_json::from_str(&text) {
            Ok(told) => told,
            Err(cause) => panic!("{} cannot be read: {cause}", type_name::<O>()),
        }
    }
}

/// Starts the worker, and hears what it tells.
pub fn start(heard: impl Fn(Told) + 'static) -> WorkerBridge<Player> {
    Player::spawner().encoding::<Json>().callback(heard).spawn_with_loader("./matrix.js")
}

/// Serves from inside the worker, if this is it.
pub(super) fn serve() -> bool {
    let role = Reflect::get(&js_sys::global(), &"role".into()).ok().and_then(|role| role.as_string());
    let mine = role.as_deref() == Some("matrix");
    if mine {
        Player::registrar().encoding::<Json>().register();
    }
    mine
}
