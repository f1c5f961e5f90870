//! The declarations against what the engine really says: whole runs, every event, every picture.

mod declared;

use rocketscope_engine::lesson::LESSONS;
use rocketscope_engine::matrix::Matrix;
use rocketscope_engine::view::{Answer, Query, Session};
use serde_json::Value;

use declared::Declared;

const TYPES: &str = include_str!("types.d.ts");

fn value(answer: &Answer) -> Value {
    assert!(!matches!(answer, Answer::Failed(_)), "{answer:?}");
    serde_json::to_value(answer).expect("plain data").get("value").cloned().expect("an answer has a value")
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("plain data")
}

fn ask(session: &mut Session, query: Query) -> Value {
    value(&session.ask(query))
}

/// Lessons with every kind of node, faults, groups, transactions and databases.
const PLAYED: [&str; 7] = ["01", "07", "08", "13", "20", "23", "28"];

#[test]
fn what_the_engine_says_fits_the_declarations() {
    let declared = Declared::read(TYPES);
    let mut events = 0;
    for lesson in LESSONS.iter().filter(|lesson| PLAYED.iter().any(|number| lesson.id.starts_with(number))) {
        let mut session = Session::new();
        declared.check("Workbench", &ask(&mut session, Query::StartLesson { id: lesson.id.to_owned() }));
        let bench = ask(&mut session, Query::Solve);
        declared.check("Workbench", &bench);
        let length = bench["run"]["length"].as_u64().expect("a number");
        for seq in 0..length {
            declared.check("TraceEvent", &ask(&mut session, Query::Event { seq }));
            events += 1;
        }
        declared.check("Workbench", &ask(&mut session, Query::Seek { position: length / 2 }));
        declared.check("Timeline", &ask(&mut session, Query::Timeline { from: 0, limit: 2000 }));
        let text = Query::LessonText { id: lesson.id.to_owned(), language: "zh".to_owned() };
        declared.check("LessonText", &ask(&mut session, text));
        let script = lesson.load().expect("it can be read");
        declared.check("Cluster", &serde_json::to_value(&script.cluster).expect("plain data"));
    }
    assert!(events > 1000, "{events}");
    for summary in ask(&mut Session::new(), Query::Lessons).as_array().expect("a list") {
        declared.check("LessonSummary", summary);
    }
    assert_eq!(
        PLAYED.len(),
        LESSONS.iter().filter(|one| PLAYED.iter().any(|number| one.id.starts_with(number))).count()
    );
}

#[test]
fn a_matrix_fits_the_declarations() {
    let declared = Declared::read(TYPES);
    let mut session = Session::new();
    ask(&mut session, Query::StartLesson { id: "01-three-messages".to_owned() });
    ask(&mut session, Query::Solve);
    let Answer::MatrixPlan(plan) = session.ask(Query::MatrixPlan { lesson: None }) else { panic!("no plan") };
    declared.check("MatrixPlan", &json(&plan));
    let mut matrix = Matrix::new(*plan).expect("a matrix");
    for moment in matrix.moments() {
        declared.check("MatrixMoment", &json(&moment));
    }
    let cells: Vec<_> = matrix.by_ref().take(3).flatten().collect();
    assert!(cells.len() > 3, "{} cells", cells.len());
    for cell in &cells {
        declared.check("MatrixCell", &json(&cell));
    }
}

/// Every kind of question and of action that is declared is one of the engine's, which tells an unknown one by its name.
#[test]
fn every_declared_kind_is_known() {
    let declared = Declared::read(TYPES);
    let unknown = |error: &serde_json::Error| error.to_string().contains("unknown variant");
    let (queries, actions) = (declared.kinds("Query"), declared.kinds("Action"));
    assert!(queries.len() > 20 && actions.len() > 40, "{} and {}", queries.len(), actions.len());
    for kind in queries {
        let read = serde_json::from_value::<Query>(serde_json::json!({ "kind": kind }));
        assert!(!read.as_ref().is_err_and(unknown), "{kind}");
    }
    for kind in actions {
        let read = serde_json::from_value::<rocketscope_engine::sim::Action>(serde_json::json!({ "kind": kind }));
        assert!(!read.as_ref().is_err_and(unknown), "{kind}");
    }
}

#[test]
fn what_does_not_fit_is_found() {
    let declared =
        Declared::read("export interface Point { x: number; name?: string | null; }\nexport type Points = Point[];");
    let fits = |text: &str| declared.fits("Points", &serde_json::from_str(text).expect("JSON"));
    assert!(fits("[]").is_ok() && fits(r#"[{"x":1},{"x":2,"name":null}]"#).is_ok());
    for wrong in [r#"[{"x":"1"}]"#, r#"[{"name":"a"}]"#, r#"[{"x":1,"name":2}]"#, r#"{"x":1}"#] {
        assert!(fits(wrong).is_err(), "{wrong}");
    }
}
