//! The config files.

use super::super::files::SingleFile;
use super::Context;
use crate::disk::ReadAt;

pub(super) fn scan<D: ReadAt + ?Sized>(context: &mut Context<'_, D>) {
    for file in &context.files.config {
        check(file);
    }
}

fn check(_file: &SingleFile) {}
