//! The crash matrix that is being played, which outlives its screen.

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use gloo::worker::WorkerBridge;
use rocketscope_engine::matrix::{Cell, Moment, Plan};
use yew::{Callback, UseStateSetter, hook, use_mut_ref, use_state};

use crate::backend::matrix::{Ask, Player, Told, What, start};

/// How far a matrix is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The run is walked through.
    Walking,
    /// Cells are coming.
    Playing,
    /// The reader has stopped it; what came is there.
    Stopped,
    /// All cells are there.
    Done,
    /// There is no matrix, and why.
    Failed(String),
}

/// A matrix, as far as it has come.
#[derive(Clone)]
pub struct Results {
    /// What it is made of.
    pub plan: Rc<Plan>,
    /// How far it is.
    pub phase: Phase,
    /// The moments of the run.
    pub moments: Rc<[Moment]>,
    /// Cells in all.
    pub total: u64,
    /// How long the worker has played, milliseconds.
    pub millis: f64,
    cells: Rc<RefCell<Vec<Cell>>>,
    /// How many there are in this picture: the list goes on growing behind it.
    count: usize,
}

impl PartialEq for Results {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.cells, &other.cells) && self.count == other.count && self.phase == other.phase
    }
}

impl Results {
    fn new(plan: Plan) -> Self {
        Self {
            plan: Rc::new(plan),
            phase: Phase::Walking,
            moments: Rc::from([]),
            total: 0,
            millis: 0.0,
            cells: Rc::default(),
            count: 0,
        }
    }

    /// The cells that have come, in their order.
    pub fn cells(&self) -> Ref<'_, [Cell]> {
        Ref::map(self.cells.borrow(), |cells| cells.get(..self.count).unwrap_or_default())
    }

    /// How many have come.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether it is still at work.
    pub fn is_going(&self) -> bool {
        matches!(self.phase, Phase::Walking | Phase::Playing)
    }

    /// Worlds per second so far; 0 before the first.
    pub fn rate(&self) -> f64 {
        if self.millis > 0.0 { self.count as f64 * 1000.0 / self.millis } else { 0.0 }
    }
}

/// The matrix of the page.
#[derive(Clone, PartialEq)]
pub struct CrashMatrix {
    /// The one that was begun last.
    pub results: Option<Results>,
    /// Begin one in its place.
    pub on_begin: Callback<Plan>,
    /// Stop it.
    pub on_stop: Callback<()>,
}

#[derive(Default)]
struct Shared {
    bridge: Option<WorkerBridge<Player>>,
    number: u32,
    results: Option<Results>,
}

type Setter = UseStateSetter<Option<Results>>;

/// The matrix of the page: its worker begins with the first one.
#[hook]
pub fn use_crash_matrix() -> CrashMatrix {
    let results = use_state(|| None::<Results>);
    let shared = use_mut_ref(Shared::default);
    let on_begin = {
        let (shared, setter) = (Rc::clone(&shared), results.setter());
        Callback::from(move |plan: Plan| begin(&shared, &setter, plan))
    };
    let on_stop = {
        let setter = results.setter();
        Callback::from(move |()| {
            if let Some(results) = shared.borrow_mut().results.as_mut().filter(|results| results.is_going()) {
                results.phase = Phase::Stopped;
                setter.set(Some(results.clone()));
            }
        })
    };
    CrashMatrix { results: (*results).clone(), on_begin, on_stop }
}

fn begin(shared: &Rc<RefCell<Shared>>, setter: &Setter, plan: Plan) {
    let ask = {
        let mut shared = shared.borrow_mut();
        shared.number = shared.number.wrapping_add(1);
        let results = Results::new(plan.clone());
        setter.set(Some(results.clone()));
        shared.results = Some(results);
        Ask::Begin { number: shared.number, plan: Box::new(plan) }
    };
    let heard = {
        let (shared, setter) = (Rc::downgrade(shared), setter.clone());
        move |told| {
            if let Some(shared) = shared.upgrade() {
                hear(&mut shared.borrow_mut(), &setter, told);
            }
        }
    };
    shared.borrow_mut().bridge.get_or_insert_with(|| start(heard)).send(ask);
}

/// Takes in what the worker tells, and asks for more where more is wanted.
fn hear(shared: &mut Shared, setter: &Setter, told: Told) {
    let Some(results) = shared.results.as_mut().filter(|_| told.number == shared.number) else { return };
    match told.what {
        What::Begun { moments, cells } => {
            results.moments = moments.into();
            results.total = cells;
            if results.phase == Phase::Walking {
                results.phase = Phase::Playing;
            }
        }
        What::Failed(cause) => results.phase = Phase::Failed(cause),
        What::Cells { cells, millis } => {
            results.millis += millis;
            results.cells.borrow_mut().extend(cells);
            results.count = results.cells.borrow().len();
            if results.count as u64 == results.total {
                results.phase = Phase::Done;
            }
        }
    }
    if results.phase == Phase::Playing
        && let Some(bridge) = &shared.bridge
    {
        bridge.send(Ask::GoOn);
    }
    setter.set(Some(results.clone()));
}
