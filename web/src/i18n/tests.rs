use std::collections::BTreeSet;
use std::path::Path;

use rocketscope_engine::ledger::{Invariant, Rule, Verdict};
use rocketscope_engine::planted::PlantedFault;

use super::catalogue::Part;
use super::{Catalogue, CatalogueError, Lang, Text, name_of};

fn catalogue(lang: Lang) -> Catalogue {
    Catalogue::parse(lang.sources()).unwrap_or_else(|e| panic!("{}.toml: {e}", lang.tag()))
}

fn slots(parts: &[Part]) -> BTreeSet<&str> {
    parts.iter().filter_map(|part| if let Part::Slot(name) = part { Some(name.as_str()) } else { None }).collect()
}

#[test]
fn the_languages_have_the_same_keys_and_slots() {
    let (en, zh) = (catalogue(Lang::En), catalogue(Lang::Zh));
    let keys = |c: &Catalogue| c.entries().map(|(key, _)| key.to_owned()).collect::<BTreeSet<_>>();
    let (in_en, in_zh) = (keys(&en), keys(&zh));
    assert_eq!(in_en.difference(&in_zh).collect::<Vec<_>>(), Vec::<&String>::new(), "only in English");
    assert_eq!(in_zh.difference(&in_en).collect::<Vec<_>>(), Vec::<&String>::new(), "only in Chinese");
    for (key, parts) in en.entries() {
        assert_eq!(slots(parts), slots(zh.find(key).unwrap()), "slots of {key}");
    }
}

/// Every key written out in the source as the argument of `get`, `fill` or `rich`, or as a button's words, has words.
#[test]
fn every_key_in_the_source_has_words() {
    let en = catalogue(Lang::En);
    let mut missing = Vec::new();
    for (file, source) in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        for call in [".get(\"", ".count(\"", ".fill(\"", ".rich(\"", "key: \"", "words=\""] {
            for piece in source.split(call).skip(1) {
                let key = piece.split('"').next().unwrap_or_default();
                if key.contains('.') && en.find(key).is_none() {
                    missing.push(format!("{file}: {key}"));
                }
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

/// Whatever the ledger comes to, whatever is broken and whatever can be planted has words.
#[test]
fn everything_that_the_ledger_says_has_words() {
    let en = Text::new(Lang::En);
    let rules = Rule::ALL.iter().map(|rule| format!("rule.{}", name_of(rule)));
    let verdicts = Verdict::ALL.iter().map(|verdict| format!("verdict-of.{}", name_of(verdict)));
    let invariants = Invariant::ALL.iter().map(|invariant| format!("invariant.{}", name_of(invariant)));
    let planted = PlantedFault::ALL.iter().map(|fault| format!("planted.{}", fault.name()));
    let missing = rules.chain(verdicts).chain(invariants).chain(planted).filter(|key| !en.has(key));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<String>::new());
}

/// Every field of the sandbox's forms has a label, and every choice that is written out has words.
#[test]
fn every_field_of_a_form_has_words() {
    let en = catalogue(Lang::En);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/components/sandbox");
    let mut missing = Vec::new();
    let mut fields = 0;
    for (file, source) in sources(&folder) {
        for call in ["line", "area", "name", "choose", "choice", "segments", "tick"] {
            for piece in source.split(&format!("fields.{call}(\"")).skip(1) {
                let key = format!("sandbox.field.{}", piece.split('"').next().unwrap_or_default());
                fields += 1;
                if en.find(&key).is_none() {
                    missing.push(format!("{file}: {key}"));
                }
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    assert!(fields > 50, "{fields}");
}

fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.file_name().is_some_and(|name| name != "tests.rs") {
            found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

#[test]
fn slots_are_filled_by_name() {
    let parsed = Catalogue::parse(&["a.b = \"from {x} to {y}, `code` and **weight**\""]).unwrap();
    let parts = parsed.find("a.b").unwrap();
    assert_eq!(super::rich::plain(parts, &[("y", &2), ("x", &1)]), "from 1 to 2, code and weight");
}

#[test]
fn an_unclosed_slot_names_its_key() {
    assert_eq!(Catalogue::parse(&["a.b = \"from {x\""]), Err(CatalogueError::Unclosed("a.b".to_owned())));
    assert_eq!(Catalogue::parse(&["a.b = 1"]), Err(CatalogueError::NotText("a.b".to_owned())));
}

#[test]
fn texts_add_to_each_other_and_never_say_a_thing_twice() {
    let both = Catalogue::parse(&["[a]\nb = \"one\"", "[a]\nc = \"two\""]).unwrap();
    assert_eq!(both.entries().map(|(key, _)| key).collect::<Vec<_>>(), ["a.b", "a.c"]);
    for lang in Lang::ALL {
        let mut seen = BTreeSet::new();
        for text in lang.sources() {
            for (key, _) in Catalogue::parse(&[text]).unwrap().entries() {
                assert!(seen.insert(key.to_owned()), "{}: {key} has words in two texts", lang.tag());
            }
        }
    }
}

#[test]
fn a_language_is_known_by_its_primary_tag() {
    assert_eq!(Lang::from_tag("zh-Hans-CN"), Some(Lang::Zh));
    assert_eq!(Lang::from_tag("en"), Some(Lang::En));
    assert_eq!(Lang::from_tag("fr"), None);
}

#[test]
fn a_key_without_words_shows_itself() {
    assert_eq!(Text::new(Lang::En).get("no.such"), "⟦no.such⟧");
}
