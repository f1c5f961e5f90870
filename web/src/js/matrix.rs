//! The crash matrix for other people's JavaScript.

use rocketscope_engine::matrix::{Cell, Fork, Matrix, Plan};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::{given, thrown};

/// A run crashed at every event and every write to a disk. Its cells are played when they are asked for; `free()` gives
/// its memory back.
#[wasm_bindgen]
pub struct CrashMatrix {
    matrix: Matrix,
    fork: Option<Fork>,
}

impl CrashMatrix {
    pub(super) fn new(plan: Plan) -> Result<Self, JsValue> {
        let matrix = Matrix::new(plan).map_err(|error| thrown("matrix", &error.to_string()))?;
        Ok(Self { matrix, fork: None })
    }

    fn cell(&mut self) -> Option<Cell> {
        loop {
            if let Some(cell) = self.fork.as_mut().and_then(Iterator::next) {
                return Some(cell);
            }
            self.fork = Some(self.matrix.next()?);
        }
    }
}

#[wasm_bindgen]
impl CrashMatrix {
    /// Cells in all.
    #[wasm_bindgen(getter)]
    pub fn cells(&self) -> f64 {
        self.matrix.cells() as f64
    }

    /// The moments of the run that the cells belong to.
    #[wasm_bindgen(unchecked_return_type = "MatrixMoment[]")]
    pub fn moments(&self) -> Result<JsValue, JsValue> {
        given(&self.matrix.moments())
    }

    /// Plays the next `count` cells, in order; fewer where there are no more.
    #[wasm_bindgen(unchecked_return_type = "MatrixCell[]")]
    pub fn next(&mut self, count: u32) -> Result<JsValue, JsValue> {
        let cells: Vec<Cell> = (0..count).map_while(|_| self.cell()).collect();
        given(&cells)
    }
}
