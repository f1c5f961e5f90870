//! What the commands print about themselves; everything else on the screen comes from the tools they run.

use std::io::IsTerminal as _;
use std::time::Duration;

/// A heading before a part of the work.
pub(crate) fn heading(text: &str) {
    println!("\n{}", bold(&format!("== {text}")));
}

/// Announces an installation: what, and why it is needed.
pub(crate) fn installing(what: &str, why: &str) {
    println!("{} {what}\n    why: {why}", bold("Installing"));
}

/// A remark that is no error.
pub(crate) fn note(text: &str) {
    println!("    note: {text}");
}

/// Bold on a terminal, plain in a file.
pub(crate) fn bold(text: &str) -> String {
    if std::io::stdout().is_terminal() { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
}

/// A duration as a person says it: `4.2 s`, `3 min 07 s`.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

/// A number of bytes as a person says it, in powers of 1024.
pub(crate) fn bytes(count: u64) -> String {
    match count {
        0..1024 => format!("{count} B"),
        1024..1_048_576 => format!("{:.1} KiB", count as f64 / 1024.0),
        _ => format!("{:.2} MiB", count as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{bytes, duration};

    #[test]
    fn durations_and_sizes_read_well() {
        assert_eq!(duration(Duration::from_millis(4_240)), "4.2 s");
        assert_eq!(duration(Duration::from_secs(187)), "3 min 07 s");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(3 * 1_048_576), "3.00 MiB");
    }
}
