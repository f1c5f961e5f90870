use super::{EvaluationError, Expression, MAX_DEPTH, ParseErrorCause, Position};

/// The message of the vectors; `x` is absent.
const PROPERTIES: [(&str, &str); 6] =
    [("a", "5"), ("b", "abc"), ("t", "TRUE"), ("neg", "-3"), ("f", "1.50"), ("sp", " 7 ")];

fn property(name: &str) -> Option<&'static str> {
    PROPERTIES.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
}

fn parse(text: &str) -> Expression {
    Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What an expression says of the message.
fn said(text: &str) -> Result<Option<bool>, EvaluationError> {
    parse(text).evaluate(property)
}

#[track_caller]
fn all_say(value: Option<bool>, expressions: &[&str]) {
    for text in expressions {
        assert_eq!(said(text), Ok(value), "{text}");
        assert_eq!(parse(text).matches(property), value == Some(true), "{text}");
    }
}

fn fault(text: &str) -> String {
    match Expression::parse(text) {
        Ok(expression) => panic!("{text} was read as {expression}"),
        Err(error) => error.to_string(),
    }
}

/// 4.9.8's filter module, run over the message of the vectors.
mod vectors {
    use super::*;

    #[test]
    fn true_ones() {
        all_say(
            Some(true),
            &[
                "a > 3",
                "a >= 5.0",
                "a = 5",
                "a = '5'",
                "a = 5.0",
                "a = 5L",
                "'5' = a",
                "neg < -1",
                "+a > 3",
                "a > f",
                "a BETWEEN 1 AND 10",
                "f = 1.5",
                "t = TRUE",
                "x IS NULL",
                "a IS NOT NULL",
                "x > 1 OR b = 'abc'",
                "b = 'abc' OR b > 3",
                "b IN ('abc','d')",
                "a = 5 = TRUE",
            ],
        );
    }

    #[test]
    fn false_ones() {
        all_say(
            Some(false),
            &[
                "a <> 5",
                "a = b",
                "a = TRUE",
                "a NOT BETWEEN 1 AND 10",
                "a > 3000000000",
                "FALSE",
                "t",
                "x > 1 AND b = 'zzz'",
                "b NOT IN ('abc')",
                "NOT a = 5",
            ],
        );
    }

    #[test]
    fn unknown_ones() {
        all_say(
            None,
            &["x > 3", "x = 3", "x <> 3", "NOT (x > 3)", "x IN ('a')", "x NOT IN ('a')", "-a < 0", "A > 3", "NULL"],
        );
    }

    #[test]
    fn failing_ones_match_nothing() {
        for text in ["b = 3", "b > 3", "a > b", "f > 1", "f = 1", "sp = 7", "TRUE = t", "b > 3 OR b = 'abc'"] {
            assert!(said(text).is_err(), "{text}");
            assert!(!parse(text).matches(property), "{text}");
        }
    }

    #[test]
    fn what_follows_is_ignored() {
        all_say(Some(true), &["a > 3 garbage", "a > 3 )", "a > 007"]);
        all_say(Some(false), &["a like 'x'", "a-b = 1"]);
    }

    #[test]
    fn faulty_ones() {
        for text in [
            "a > '3'",
            "'a' > 3",
            "a BETWEEN '1' AND '9'",
            "a BETWEEN 10 AND 1",
            "a = NULL",
            "a BETWEEN 1 AND NULL",
            "NOT x > 3",
            "a > 3 > 2",
            "a = 0.0",
            "a != 5",
            "a == 5",
            "a IN (1,2)",
            "1 IN ('a')",
            "b IN ()",
            "a.b = 1",
            "a > 9223372036854775808",
            "a > 3 AND",
            "",
        ] {
            assert!(Expression::parse(text).is_err(), "{text}");
        }
    }
}

/// As the client showed them when 4.9.8's broker refused the expressions.
#[test]
fn unexpected_tokens_are_told_as_javacc_tells_them() {
    assert_eq!(
        fault("a="),
        "org.apache.rocketmq.filter.parser.ParseException: Encountered \"<EOF>\" at line 1, column 2.\n\
         Was expecting one of:\n    \"NOT\" ...\n    \"TRUE\" ...\n    \"FALSE\" ...\n    \"NULL\" ...\n    \
         <DECIMAL_LITERAL> ...\n    <FLOATING_POINT_LITERAL> ...\n    <STRING_LITERAL> ...\n    <ID> ...\n    \
         \"(\" ...\n    \"-\" ...\n    "
    );
    assert_eq!(
        fault("(a=5"),
        "org.apache.rocketmq.filter.parser.ParseException: Encountered \"<EOF>\" at line 1, column 4.\n\
         Was expecting one of:\n    \"NOT\" ...\n    \"AND\" ...\n    \"OR\" ...\n    \"BETWEEN\" ...\n    \"IN\" ...\n    \
         \"IS\" ...\n    \"=\" ...\n    \"<>\" ...\n    \">\" ...\n    \">=\" ...\n    \"<\" ...\n    \"<=\" ...\n    \
         \")\" ...\n    "
    );
}

/// By hand, from the grammar and `JavaCC`'s rules.
#[test]
fn other_unexpected_tokens() {
    let after_class =
        |text: &str| fault(text).split_once(": ").map(|(_, message)| message.to_owned()).unwrap_or_default();
    assert_eq!(
        after_class("a IS 5"),
        "Encountered \" <DECIMAL_LITERAL> \"5 \"\" at line 1, column 6.\nWas expecting:\n    \"NOT\" ...\n    "
    );
    assert_eq!(
        after_class("a IN ('x' 'y\"')"),
        "Encountered \" <STRING_LITERAL> \"\\'y\\\"\\' \"\" at line 1, column 11.\n\
         Was expecting one of:\n    \",\" ...\n    \")\" ...\n    "
    );
    assert_eq!(
        after_class("\r\n\ta NOT a"),
        "Encountered \" \"NOT\" \"NOT \"\" at line 2, column 11.\nWas expecting one of:\n    \"BETWEEN\" ...\n    \
         \"IN\" ...\n    \">\" ...\n    \">=\" ...\n    \"<\" ...\n    \"<=\" ...\n    "
    );
    // A plus without an operand is at fault itself; a fault of the tree behind it is not.
    let plus = Expression::parse("a = +(a > )").expect_err("no operand");
    assert_eq!(plus.position, Position { offset: 4, line: 1, column: 5 });
    let tree = Expression::parse("a = ++(a > 'x')").expect_err("strings have no order");
    assert!(matches!(tree.cause, ParseErrorCause::NotOrdered { .. }), "{tree}");
}

/// By hand, from `JavaCC`'s rules: a fault at the very last character passes for one of the end.
#[test]
fn lexical_faults() {
    let lexical = "org.apache.rocketmq.filter.parser.TokenMgrError: Lexical error at line 1, column ";
    for (text, rest) in [
        ("a != 5", "3.  Encountered: \"!\" (33), after : \"\""),
        ("a.b = 1", "3.  Encountered: \"b\" (98), after : \".\""),
        ("a = 'b", "7.  Encountered: <EOF> after : \"\\'b\""),
        ("a = '", "6.  Encountered: <EOF> after : \"\""),
        ("a = 5 #", "8.  Encountered: <EOF> after : \"\""),
        ("a = /5 ", "6.  Encountered: \"5\" (53), after : \"/\""),
        ("a /* b", "7.  Encountered: <EOF> after : \"/* b\""),
        ("\u{1F680} = 5", "1.  Encountered: \"\\ud83d\" (55357), after : \"\""),
        ("a = 'x'' y", "11.  Encountered: <EOF> after : \"\\' y\""),
    ] {
        assert_eq!(fault(text), format!("{lexical}{rest}"), "{text}");
    }
    // Nobody asks for the second token behind the expression.
    assert_eq!(said("a = 5 garbage #"), Ok(Some(true)));
}

/// The texts of 4.9.8's exceptions.
#[test]
fn faults_of_the_tree() {
    for (text, message) in [
        ("a > '3'", "java.lang.RuntimeException: Value ''3'' cannot be compared."),
        ("a > (b = 'it''s')", "java.lang.RuntimeException: Value '(b == 'it''s')' cannot be compared."),
        ("NOT x > 3", "java.lang.RuntimeException: Value '(NOT x)' cannot be compared."),
        ("a > 3 > 2", "java.lang.RuntimeException: Value '(a > 3)' cannot be compared."),
        ("a > (b NOT IN ('c', 'd'))", "java.lang.RuntimeException: Value 'b NOT IN ( c, d )' cannot be compared."),
        ("a <> NULL", "java.lang.RuntimeException: 'NULL' cannot be compared."),
        ("TRUE = 5", "java.lang.RuntimeException: 'TRUE' cannot be compared with '5'"),
        ("a BETWEEN NULL AND 1", "java.lang.RuntimeException: Illegal values of between, values can not be null!"),
        (
            "a BETWEEN 1e7 AND -1",
            // The bounds are no two literals: a sign is an operator.
            "",
        ),
        (
            "a BETWEEN 1e7 AND 1",
            "java.lang.RuntimeException: Illegal values of between, left value(1.0E7) must less than or equal to right \
             value(1)",
        ),
        (
            "a BETWEEN TRUE AND FALSE",
            "java.lang.RuntimeException: Illegal values of between, left value(true) must less than or equal to right \
             value(false)",
        ),
        ("a BETWEEN 'x' AND 5", "java.lang.RuntimeException: java.lang.NumberFormatException: For input string: \"x\""),
        ("'a' IN ('b')", "java.lang.RuntimeException: Expected a property for In expression, got: 'a'"),
        ("a > 9223372036854775808L", "java.lang.NumberFormatException: For input string: \"9223372036854775808\""),
        ("a = 1e400", "java.lang.RuntimeException: 1e400 is greater than 1.7976931348623157E308"),
        ("a = 0.0", "java.lang.RuntimeException: 0.0 is less than 4.9E-324"),
        (
            "a = 5 AND -b",
            "org.apache.rocketmq.filter.parser.ParseException: Expression will not result in a boolean value: (- b)",
        ),
        ("5", "org.apache.rocketmq.filter.parser.ParseException: Expression will not result in a boolean value: 5"),
    ] {
        if message.is_empty() {
            assert!(Expression::parse(text).is_ok(), "{text}");
        } else {
            assert_eq!(fault(text), message, "{text}");
        }
    }
    let error = Expression::parse("a = 1 OR\n b > TRUE").expect_err("booleans have no order");
    assert_eq!(error.position, Position { offset: 12, line: 2, column: 4 });
}

#[test]
fn blanks_comments_and_keywords() {
    all_say(
        Some(true),
        &[
            "a\t>\u{c}3",
            "a -- five\r\n = 5",
            "a /* * / ** */ = 5",
            "a bEtWeEn 1 aNd 10",
            "x iS nUlL",
            "nOt (a = 6)",
            "a > 3 --no line end",
            "b = 'abc'",
            "a = 5e0",
            "a > .5",
            "a > 5.e-1",
            "$_1 IS NULL",
        ],
    );
    assert_eq!(said("b <> 'it''s'"), Ok(Some(true)));
    assert_eq!(parse("b = 'it''s'").to_string(), "(b == 'it''s')");
}

/// Java's `equals`, `compareTo` and conversions, by hand.
#[test]
fn values_of_unlike_types() {
    let with =
        |text: &str, value: &'static str| parse(text).evaluate(|_| Some(value)).map_err(|error| error.to_string());
    let boolean = |value| Ok(Some(value));
    assert_eq!(with("p = TRUE", "tRuE"), boolean(true));
    assert_eq!(with("p = FALSE", "anything"), boolean(true));
    assert_eq!(with("p = 5.0", " 5 "), boolean(true));
    assert_eq!(with("p = 5", "+5"), boolean(true));
    assert_eq!(with("p > 1.0", "NaN"), boolean(true));
    assert_eq!(with("p < 9223372036854775807", "9223372036854775806"), boolean(true));
    assert_eq!(with("5 = 5L", ""), boolean(true));
    assert_eq!(with("5 = 5.0", ""), boolean(true));
    assert_eq!(with("4294967296 > 5", ""), boolean(true));
    assert_eq!(with("2.5 > 2", ""), boolean(true));
    assert_eq!(with("5 = TRUE", ""), boolean(false));
    assert_eq!(with("- - 5 = 5", ""), boolean(true));
    assert_eq!(with("-(p = 5) IS NULL", "5"), boolean(true));
    assert_eq!(
        with("5 = p", "3000000000"),
        Err("java.lang.RuntimeException: java.lang.NumberFormatException: For input string: \"3000000000\"".to_owned())
    );
    assert_eq!(
        with("p > 1.0", " "),
        Err("java.lang.RuntimeException: java.lang.NumberFormatException: empty String".to_owned())
    );
    assert_eq!(
        with("p > q", "z"),
        Err("java.lang.RuntimeException: It's illegal to compare string by '>=', '>', '<', '<='. lv=z, rv=z".to_owned())
    );
}

/// A left operand that decides keeps the right one from failing.
#[test]
fn operands_that_are_not_needed_cannot_fail() {
    all_say(Some(false), &["a > 10 AND b > 3", "a BETWEEN 10 AND b", "a IS NULL AND (b > 3 OR b > 4)"]);
    all_say(Some(true), &["a NOT BETWEEN 10 AND b"]);
    all_say(None, &["x > -(b > 3)", "x = 1 AND a = 5", "x = 1 OR a = 6"]);
    assert!(said("x = 1 AND b > 3").is_err());
}

/// Nesting is bounded; chains are not, neither in reading nor in evaluating nor in being dropped.
#[test]
fn nesting_has_a_limit_and_length_has_none() {
    let small_stack = || {
        for nested in ["(", "NOT ", "-", "+"] {
            let deepest = format!("{}a", nested.repeat(MAX_DEPTH - 1)) + &")".repeat(MAX_DEPTH - 1);
            let read = Expression::parse(&deepest);
            assert!(!matches!(read, Err(error) if error.cause == ParseErrorCause::TooDeep), "{nested}");
            let too_deep = Expression::parse(&format!("{}a", nested.repeat(100_000))).expect_err("too deep");
            assert_eq!(too_deep.cause, ParseErrorCause::TooDeep);
            assert_eq!(too_deep.position.offset, nested.len() * MAX_DEPTH);
        }
        let ors = parse(&format!("{} OR a = 5", vec!["a = 6"; 20_000].join(" OR ")));
        assert_eq!(ors.evaluate(property), Ok(Some(true)));
        let equals = parse(&format!("a = 5{}", " = TRUE".repeat(20_000)));
        assert_eq!(equals.evaluate(property), Ok(Some(true)));
        assert!(equals.to_string().len() < 5_000);
    };
    // What a thread has by default; builds that are not optimised need most of it.
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(small_stack).expect("a thread");
    thread.join().expect("its stack is enough");
}

/// Both halves of `BETWEEN` hold its value: what 4.9.8 works out 2^60 times is worked out once.
#[test]
fn nested_ranges_are_evaluated_once() {
    let mut text = "a".to_owned();
    for _ in 0..60 {
        text = format!("-({text} BETWEEN 1 AND 2)");
    }
    assert_eq!(said(&format!("{text} IS NULL")), Ok(Some(true)));
    assert!(parse(&format!("{text} IS NULL")).to_string().ends_with('\u{2026}'));
}
