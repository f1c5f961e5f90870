//! The licence texts that packages bring.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// A sentence by which each licence's text is known.
const KNOWN_BY: [(&str, &str); 10] = [
    ("Apache-2.0", "apache license version 2.0"),
    ("MIT", "permission is hereby granted, free of charge"),
    ("BSD-3-Clause", "may be used to endorse or promote products"),
    ("BSD-2-Clause", "redistribution and use in source and binary forms"),
    ("ISC", "permission to use, copy, modify, and/or distribute"),
    ("Zlib", "this software is provided 'as-is'"),
    ("Unicode-3.0", "unicode license v3"),
    ("0BSD", "permission to use, copy, modify, and/or distribute"),
    ("BSL-1.0", "boost software license"),
    ("MPL-2.0", "mozilla public license version 2.0"),
];

/// The texts of licence `id` in a package's folder. An Apache text may be absent, since ours serves for it.
pub(super) fn of(id: &str, folder: &Path) -> Result<Vec<String>> {
    let Some((_, sentence)) = KNOWN_BY.iter().find(|(known, _)| *known == id) else {
        bail!("no sentence known for licence {id}");
    };
    let texts: Vec<String> = files(folder, &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT"])?
        .into_iter()
        .filter(|text| in_one_line(text).contains(sentence))
        .collect();
    match (texts.is_empty(), id) {
        (false, _) => Ok(texts),
        (true, "Apache-2.0") => Ok(vec![String::new()]),
        (true, _) => bail!("no text of licence {id} in {}", folder.display()),
    }
}

/// The NOTICE files, which Apache-2.0 asks to be handed on.
pub(super) fn notices(folder: &Path) -> Result<Vec<String>> {
    files(folder, &["NOTICE"])
}

/// The texts of the files whose names begin with one of `prefixes`, in the order of their names.
fn files(folder: &Path, prefixes: &[&str]) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if entry.file_type()?.is_file() && prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            Ok(lines.join("\n").trim_matches('\n').to_owned())
        })
        .collect()
}

/// Lower case, with every run of blanks and commas between words made one blank, so that a sentence is found however
/// it is laid out.
fn in_one_line(text: &str) -> String {
    text.to_lowercase().replace(", version", " version").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{KNOWN_BY, in_one_line};

    #[test]
    fn a_licence_is_known_however_its_lines_break() {
        let text = "                 Apache License\n           Version 2.0, January 2004\n";
        assert!(in_one_line(text).contains(KNOWN_BY[0].1));
        assert!(in_one_line("Mozilla Public License, version 2.0").contains("mozilla public license version 2.0"));
    }
}
