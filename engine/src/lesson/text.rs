//! A lesson's text: one Markdown file per language, cut into pieces by its headings.
//!
//! The first heading is the title. Every `##` heading begins a piece: `## KIND ID: one line`, or `## KIND` for the
//! pieces that a lesson has once.

use std::collections::BTreeMap;

use super::LessonError;

/// The languages a lesson is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// English.
    En,
    /// Chinese.
    Zh,
}

impl Language {
    /// The language of a code: `en` or `zh`.
    pub fn of(code: &str) -> Option<Self> {
        match code {
            "en" => Some(Self::En),
            "zh" => Some(Self::Zh),
            _ => None,
        }
    }

    /// The name of its file in a lesson's folder.
    pub const fn file(self) -> &'static str {
        match self {
            Self::En => "en.md",
            Self::Zh => "zh.md",
        }
    }
}

/// A piece of text: the heading's line and the Markdown below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// One line.
    pub title: String,
    /// Markdown, without blank lines at its ends; may be empty.
    pub prose: String,
    /// The heading's line in the file, from 1.
    pub line: usize,
}

/// Everything a lesson says in one language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonText {
    /// The title.
    pub title: String,
    /// Before the first piece.
    pub intro: String,
    /// `## step ID: ...`
    pub steps: BTreeMap<String, Piece>,
    /// `## offer ID: ...`
    pub offers: BTreeMap<String, Piece>,
    /// `## question ID: ...`; the prose explains once it is answered.
    pub questions: BTreeMap<String, Piece>,
    /// `## goal ID: ...`
    pub goals: BTreeMap<String, Piece>,
    /// `## hint`
    pub hint: String,
    /// `## myth`, where tutorials err.
    pub myth: String,
    /// `## break`: what to try next in the sandbox.
    pub break_it: String,
}

impl LessonText {
    /// Cuts a file into its pieces.
    ///
    /// # Errors
    /// A file without a title, a heading of no known kind, a piece that comes twice; with its line.
    pub fn parse(file: &str, markdown: &str) -> Result<Self, LessonError> {
        let fail = |line: usize, cause: String| LessonError { file: file.to_owned(), line, cause };
        let mut text = Self::default();
        let mut sections: Vec<(usize, &str, Vec<&str>)> = Vec::new();
        let mut intro: Vec<&str> = Vec::new();
        let mut in_code = false;
        for (index, line) in markdown.lines().enumerate() {
            if line.starts_with("```") {
                in_code = !in_code;
            }
            if let Some(heading) = line.strip_prefix("## ").filter(|_| !in_code) {
                sections.push((index + 1, heading.trim(), Vec::new()));
            } else if let Some(title) = line.strip_prefix("# ").filter(|_| !in_code && text.title.is_empty()) {
                title.trim().clone_into(&mut text.title);
            } else if let Some((_, _, body)) = sections.last_mut() {
                body.push(line);
            } else {
                intro.push(line);
            }
        }
        if text.title.is_empty() {
            return Err(fail(1, "the title is missing: a first line `# ...`".to_owned()));
        }
        text.intro = prose(&intro);
        for (line, heading, body) in sections {
            text.add(line, heading, prose(&body)).map_err(|cause| fail(line, cause))?;
        }
        Ok(text)
    }

    fn add(&mut self, line: usize, heading: &str, prose: String) -> Result<(), String> {
        let once = |place: &mut String, prose: String| {
            if place.is_empty() {
                *place = prose;
                Ok(())
            } else {
                Err(format!("`## {heading}` comes twice"))
            }
        };
        match heading {
            "hint" => return once(&mut self.hint, prose),
            "myth" => return once(&mut self.myth, prose),
            "break" => return once(&mut self.break_it, prose),
            _ => {}
        }
        // A full-width colon is as good: Chinese input methods make it.
        let (name, title) = heading.split_once([':', '：']).ok_or_else(|| {
            format!("`## {heading}` is no `## KIND ID: one line`, `## hint`, `## myth` or `## break`")
        })?;
        let (kind, id) =
            name.split_once(' ').ok_or_else(|| format!("`## {heading}` has no id: `## {name} ID: ...`"))?;
        let pieces = match kind {
            "step" => &mut self.steps,
            "offer" => &mut self.offers,
            "question" => &mut self.questions,
            "goal" => &mut self.goals,
            _ => return Err(format!("`{kind}` is none of step, offer, question, goal")),
        };
        let piece = Piece { title: title.trim().to_owned(), prose, line };
        match pieces.insert(id.trim().to_owned(), piece) {
            None => Ok(()),
            Some(_) => Err(format!("{kind} `{id}` comes twice")),
        }
    }
}

/// The lines as one text without blank lines at its ends.
fn prose(lines: &[&str]) -> String {
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_cut_the_text() {
        let text = LessonText::parse(
            "x/en.md",
            "# A title\n\nIntro.\n\n## step one: First\n\nDo *it*.\n\n```\n## not a heading\n```\n\n## goal g: Reach it\n\n## hint\nLook.\n",
        )
        .expect("it is well formed");
        assert_eq!(text.title, "A title");
        assert_eq!(text.intro, "Intro.");
        assert_eq!(text.steps["one"].title, "First");
        assert_eq!(text.steps["one"].prose, "Do *it*.\n\n```\n## not a heading\n```");
        assert_eq!(text.goals["g"], Piece { title: "Reach it".to_owned(), prose: String::new(), line: 13 });
        assert_eq!(text.hint, "Look.");
    }

    #[test]
    fn errors_name_the_line() {
        let error = |markdown: &str| {
            let error = LessonText::parse("x/zh.md", markdown).expect_err("it is not well formed");
            (error.line, error.cause)
        };
        assert_eq!(error("Text").0, 1);
        assert_eq!(error("# T\n## step a：甲\n\n## step a：乙"), (4, "step `a` comes twice".to_owned()));
        assert_eq!(error("# T\n\n## chapter a: b"), (3, "`chapter` is none of step, offer, question, goal".to_owned()));
        assert_eq!(error("# T\n## hint\na\n## hint\nb"), (4, "`## hint` comes twice".to_owned()));
    }
}
