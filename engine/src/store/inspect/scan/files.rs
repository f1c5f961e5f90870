//! Files by their names and lengths, the checkpoint and the mark of an unclean stop.

use super::super::files::Segment;
use super::super::layout::UNIT;
use super::{Context, Problem, ProblemKind};
use crate::disk::ReadAt;

pub(super) fn scan<D: ReadAt + ?Sized>(context: &mut Context<'_, D>) {
    let files = context.files;
    for error in &files.unreadable {
        context.found.unreadable(error);
    }
    if files.commit_log.is_empty() && !(files.queues.is_empty() && files.index.is_empty()) {
        let missing = Problem::new(ProblemKind::MissingCommitLog, "commitlog", 0);
        context.found.add(missing.with("end", context.facts.dispatched_to));
    }
    segments(context, &files.commit_log, context.layout.commit_log_file_size, "commitlog");
    for ((topic, queue_id), queue) in &files.queues {
        let directory = format!("consumequeue/{topic}/{queue_id}");
        segments(context, queue, context.layout.consume_queue_file_size, &directory);
    }
    for path in files.index.iter().filter(|path| path.len != context.layout.index_file_len()) {
        wrong_length(context, &path.path, path.len, context.layout.index_file_len());
    }
    for file in &files.misnamed {
        let expected = if file.path.starts_with("commitlog") {
            context.layout.commit_log_file_size
        } else {
            context.layout.consume_queue_file_size
        };
        context.found.add(Problem::new(ProblemKind::WrongFileName, &file.path, 0).with("expected", expected));
    }
    checkpoint(context);
    if files.abort {
        context.found.add(Problem::new(ProblemKind::AbortExists, "abort", 0));
    }
}

/// One queue of files: lengths, names, and holes between them.
fn segments<D: ReadAt + ?Sized>(context: &mut Context<'_, D>, segments: &[Segment], size: i64, directory: &str) {
    for segment in segments {
        let expected = size.unsigned_abs();
        if segment.len != expected {
            wrong_length(context, &segment.path, segment.len, expected);
        }
        let aligned =
            segment.from.checked_rem(size) == Some(0) && (directory == "commitlog" || segment.from % UNIT == 0);
        if !aligned {
            context.found.add(Problem::new(ProblemKind::WrongFileName, &segment.path, 0).with("expected", size));
        }
    }
    for pair in segments.windows(2) {
        let [before, after] = pair else { continue };
        // A file that is too short leaves a hole that its own problem tells of.
        let end = before.from.saturating_add(size);
        if after.from > end {
            let name = format!("{directory}/{end:020}");
            context
                .found
                .add(Problem::new(ProblemKind::MissingFile, name, 0).with("from", end).with("end", after.from));
        }
    }
}

fn wrong_length<D: ReadAt + ?Sized>(context: &mut Context<'_, D>, path: &str, len: u64, expected: u64) {
    let problem = Problem::new(ProblemKind::WrongFileLength, path, len.min(expected));
    context.found.add(problem.with("len", len).with("expected", expected));
}

fn checkpoint<D: ReadAt + ?Sized>(context: &mut Context<'_, D>) {
    let cause = match (&context.files.checkpoint, context.facts.checkpoint) {
        (_, Some(_)) => return,
        (Some(_), None) => "too short to hold its three times",
        (None, None) if context.files.commit_log.is_empty() && context.files.queues.is_empty() => return,
        (None, None) => "missing",
    };
    context.found.add(Problem::new(ProblemKind::BadCheckpoint, "checkpoint", 0).with("cause", cause));
}
