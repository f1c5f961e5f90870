//! The config files.

use super::super::config_text::config_fault;
use super::{Context, Problem, ProblemKind};
use crate::disk::ReadAt;

pub(super) fn scan<D: ReadAt + ?Sized>(context: &mut Context<'_, D>) {
    for file in &context.files.config {
        match config_fault(context.disk, file) {
            Ok(None) => {}
            Ok(Some(fault)) => {
                let problem = Problem::new(ProblemKind::BadConfig, &file.path, fault.offset);
                let problem = problem.with("line", fault.line).with("column", fault.column);
                context.found.add(problem.with("cause", fault.cause));
            }
            Err(error) => context.found.unreadable(&error),
        }
    }
}
