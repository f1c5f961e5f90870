//! As much of TypeScript's types as the declarations are written in, to hold JSON against: interfaces, aliases, unions,
//! intersections, arrays, objects with fields and index signatures, literals.

use std::collections::BTreeMap;

use serde_json::Value;

/// A type.
#[derive(Clone, Debug)]
enum Type {
    Name(String),
    Literal(String),
    List(Box<Type>),
    Object(Vec<Field>, Option<Box<Type>>),
    Union(Vec<Type>),
    Both(Vec<Type>),
}

#[derive(Clone, Debug)]
struct Field {
    name: String,
    optional: bool,
    what: Type,
}

/// The types of a text, by name.
pub(super) struct Declared {
    types: BTreeMap<String, Type>,
}

impl Declared {
    pub(super) fn read(text: &str) -> Self {
        let mut reader = Reader { words: words(text), at: 0 };
        let mut types = BTreeMap::new();
        while let Some(word) = reader.next() {
            let (name, what) = match word.as_str() {
                "interface" => {
                    let name = reader.expect_any();
                    while reader.peek() != Some("{") {
                        reader.expect_any();
                    }
                    (name, reader.object())
                }
                "type" => {
                    let name = reader.expect_any();
                    if reader.peek() == Some("<") {
                        // A type that depends on another is not one that JSON can be held against.
                        reader.skip_to(";");
                        continue;
                    }
                    reader.expect("=");
                    (name, reader.union())
                }
                _ => continue,
            };
            types.insert(name, what);
        }
        Self { types }
    }

    /// Fails the test if a value does not fit.
    pub(super) fn check(&self, name: &str, value: &Value) {
        if let Err(cause) = self.fits(name, value) {
            panic!("{name}: {cause}");
        }
    }

    pub(super) fn fits(&self, name: &str, value: &Value) -> Result<(), String> {
        self.holds(&Type::Name(name.to_owned()), value)
    }

    /// The kinds of a union of objects that are told apart by `kind`.
    pub(super) fn kinds(&self, name: &str) -> Vec<String> {
        let fields = self.types.get(name).map(Self::kind_types).unwrap_or_default();
        let mut kinds = Vec::new();
        for what in fields {
            match what {
                Type::Literal(text) => kinds.push(text),
                Type::Union(parts) => kinds.extend(parts.into_iter().filter_map(|part| match part {
                    Type::Literal(text) => Some(text),
                    _ => None,
                })),
                _ => {}
            }
        }
        kinds
    }

    fn kind_types(what: &Type) -> Vec<Type> {
        match what {
            Type::Union(parts) | Type::Both(parts) => parts.iter().flat_map(Self::kind_types).collect(),
            Type::Object(fields, _) => {
                fields.iter().filter(|field| field.name == "kind").map(|field| field.what.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn holds(&self, what: &Type, value: &Value) -> Result<(), String> {
        let no = |wanted: &str| Err(format!("{value} is no {wanted}"));
        match what {
            Type::Literal(text) => {
                if value == text {
                    Ok(())
                } else {
                    no(&format!("{text:?}"))
                }
            }
            Type::List(part) => match value {
                Value::Array(parts) => parts.iter().try_for_each(|value| self.holds(part, value)),
                _ => no("list"),
            },
            Type::Union(parts) => {
                let mut causes = Vec::new();
                for part in parts {
                    match self.holds(part, value) {
                        Ok(()) => return Ok(()),
                        Err(cause) => causes.push(cause),
                    }
                }
                // Of objects the one whose kind fits says best what is wrong.
                let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default();
                let best = parts.iter().position(|part| Self::is_kind(part, kind)).unwrap_or(0);
                Err(causes.get(best).cloned().unwrap_or_default())
            }
            Type::Both(_) | Type::Object(..) => {
                let (fields, others) = self.fields(what);
                let Value::Object(values) = value else { return no("object") };
                for field in &fields {
                    match values.get(&field.name) {
                        Some(value) => self
                            .holds(&field.what, value)
                            .map_err(|cause| format!(".{}{cause}", at(&field.name, &cause)))?,
                        None if field.optional => {}
                        None => return Err(format!("no `{}` in {value}", field.name)),
                    }
                }
                // A picture may hold more than is declared, as a newer one does.
                let Some(others) = others else { return Ok(()) };
                let undeclared = values.iter().filter(|(name, _)| !fields.iter().any(|field| field.name == **name));
                undeclared.into_iter().try_for_each(|(_, value)| self.holds(&others, value))
            }
            Type::Name(name) => match name.as_str() {
                "string" => {
                    if value.is_string() {
                        Ok(())
                    } else {
                        no("string")
                    }
                }
                "number" => {
                    let exact = value.as_i64().is_none_or(|whole| whole.unsigned_abs() < 1 << 53)
                        && value.as_u64().is_none_or(|whole| whole < 1 << 53);
                    if value.is_number() && exact { Ok(()) } else { no("number that is exact") }
                }
                "bigint" => {
                    if value.is_number() {
                        Ok(())
                    } else {
                        no("bigint")
                    }
                }
                "boolean" => {
                    if value.is_boolean() {
                        Ok(())
                    } else {
                        no("boolean")
                    }
                }
                "null" => {
                    if value.is_null() {
                        Ok(())
                    } else {
                        no("null")
                    }
                }
                "Json" => Ok(()),
                name => match self.types.get(name) {
                    Some(what) => self.holds(what, value),
                    None => Err(format!("the type `{name}` is not declared")),
                },
            },
        }
    }

    fn is_kind(what: &Type, kind: &str) -> bool {
        Self::kind_types(what).iter().any(|what| match what {
            Type::Literal(text) => text == kind,
            Type::Union(parts) => parts.iter().any(|part| matches!(part, Type::Literal(text) if text == kind)),
            _ => false,
        })
    }

    /// The fields of an object, or of several at once.
    fn fields(&self, what: &Type) -> (Vec<Field>, Option<Type>) {
        match what {
            Type::Object(fields, others) => (fields.clone(), others.as_deref().cloned()),
            Type::Both(parts) => {
                let (mut all, mut rest) = (Vec::new(), None);
                for part in parts {
                    let (fields, others) = self.fields(part);
                    all.extend(fields);
                    rest = rest.or(others);
                }
                (all, rest)
            }
            Type::Name(name) => self.types.get(name).map(|what| self.fields(what)).unwrap_or_default(),
            _ => (Vec::new(), None),
        }
    }
}

/// What comes between a field's name and a cause: nothing if that goes on with a name.
fn at(name: &str, cause: &str) -> String {
    if cause.starts_with('.') { name.to_owned() } else { format!("{name}: ") }
}

/// Words and signs, without comments.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else if first == '"' {
            let end = rest.get(1..).and_then(|rest| rest.find('"')).map_or(rest.len(), |at| at + 2);
            words.push(rest.get(..end).unwrap_or_default().to_owned());
            rest = rest.get(end..).unwrap_or_default();
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
            words.push(rest.get(..end).unwrap_or_default().to_owned());
            rest = rest.get(end..).unwrap_or_default();
        } else {
            if !first.is_whitespace() {
                words.push(first.to_string());
            }
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    words
}

struct Reader {
    words: Vec<String>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).map(String::as_str)
    }

    fn next(&mut self) -> Option<String> {
        let word = self.words.get(self.at).cloned();
        self.at += 1;
        word
    }

    fn expect_any(&mut self) -> String {
        self.next().expect("the declarations end too early")
    }

    fn expect(&mut self, wanted: &str) {
        assert_eq!(self.expect_any(), wanted, "before {:?}", self.words.get(self.at..self.at + 5));
    }

    fn skip_to(&mut self, word: &str) {
        while self.next().is_some_and(|next| next != word) {}
    }

    fn union(&mut self) -> Type {
        let mut parts = Vec::new();
        if self.peek() == Some("|") {
            self.at += 1;
        }
        loop {
            parts.push(self.both());
            if self.peek() != Some("|") {
                break;
            }
            self.at += 1;
        }
        if parts.len() == 1 { parts.remove(0) } else { Type::Union(parts) }
    }

    fn both(&mut self) -> Type {
        let mut parts = vec![self.list()];
        while self.peek() == Some("&") {
            self.at += 1;
            parts.push(self.list());
        }
        if parts.len() == 1 { parts.remove(0) } else { Type::Both(parts) }
    }

    fn list(&mut self) -> Type {
        let mut what = match self.peek() {
            Some("{") => self.object(),
            Some("(") => {
                self.at += 1;
                let inner = self.union();
                self.expect(")");
                inner
            }
            _ => {
                let word = self.expect_any();
                match word.strip_prefix('"') {
                    Some(text) => Type::Literal(text.trim_end_matches('"').to_owned()),
                    None => Type::Name(word),
                }
            }
        };
        while self.peek() == Some("[") {
            self.at += 1;
            self.expect("]");
            what = Type::List(Box::new(what));
        }
        what
    }

    fn object(&mut self) -> Type {
        self.expect("{");
        let (mut fields, mut others) = (Vec::new(), None);
        loop {
            match self.expect_any().as_str() {
                "}" => return Type::Object(fields, others),
                ";" => {}
                "[" => {
                    self.expect_any();
                    self.expect(":");
                    self.expect("string");
                    self.expect("]");
                    self.expect(":");
                    others = Some(Box::new(self.union()));
                }
                name => {
                    let name = name.to_owned();
                    let optional = self.peek() == Some("?");
                    if optional {
                        self.at += 1;
                    }
                    self.expect(":");
                    fields.push(Field { name, optional, what: self.union() });
                }
            }
        }
    }
}
