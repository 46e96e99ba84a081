//! The event stream as lines: accepted, rejected, passed over, and how each is echoed.

use crate::support::{Run, Sandbox, events};

const GOOD: &str = "{\"type\":\"user\",\"text\":\"x\"}";

fn run(input: impl AsRef<[u8]>) -> Run {
    Sandbox::new().run(&["--no-session"], input)
}

/// Runs with a transcript and gives its outline beside the run.
fn recorded(args: &[&str], input: impl AsRef<[u8]>) -> (Run, Vec<String>) {
    let sandbox = Sandbox::new();
    let run = sandbox.run(args, input);
    let outline = run.transcript().outline();
    (run, outline)
}

const BAD: &str = "nope\n[]\nnull\n42\n{\"type\":\"nope\"}\n";

// T22
#[test]
fn rejected_lines_leave_the_good_ones_around_them_recorded() {
    let (run, outline) = recorded(&[], format!("{}{BAD}{}", events("U(a)"), events("A(b)")));
    assert_eq!(outline, ["user a", "text b @1"]);
    assert_eq!(run.code(), Some(1));
}

// T22
#[test]
fn each_rejected_line_is_reported_with_its_number() {
    let run = run(format!("{GOOD}\n{BAD}{GOOD}\n"));
    let reports = run.reports();
    assert_eq!(reports.len(), 5, "{reports:?}");
    for (number, report) in (2..).zip(&reports) {
        assert!(report.starts_with(&format!("line {number}")), "line {number}: {report}");
    }
}

// T22
#[test]
fn rejected_lines_are_not_echoed() {
    assert_eq!(run(format!("{GOOD}\n{BAD}{GOOD}\n")).echo(), format!("{GOOD}\n{GOOD}\n"));
}

#[test]
fn a_rejected_line_is_reported_with_the_column() {
    let run = run("{\"type\":\"user\",\"text\":nope}\n");
    let predicate = predicates::str::is_match(r"line 1\b.*\bcolumn 2\d\b").unwrap();
    assert!(predicates::Predicate::eval(&predicate, &run.stderr), "{}", run.stderr);
}

#[test]
fn each_required_field_is_required() {
    for line in [
        r#"{"text":"x"}"#,
        r#"{"type":"user"}"#,
        r#"{"type":"user","text":null}"#,
        r#"{"type":"assistant","text":["x"]}"#,
        r#"{"type":"tool_call","id":"a"}"#,
        r#"{"type":"tool_call","name":7}"#,
        r#"{"type":"monitor_event","event":"x"}"#,
        r#"{"type":"monitor_event","description":"x"}"#,
        r#"{"type":"monitor_event","description":"x","event":7}"#,
        r#"{"type":7}"#,
    ] {
        let run = run(format!("{line}\n"));
        assert_eq!((run.code(), run.reports().len()), (Some(1), 1), "{line}");
        assert_eq!(run.echo(), "", "{line}");
    }
}

#[test]
fn a_line_with_something_after_the_object_is_rejected() {
    assert_eq!(run(format!("{GOOD} {GOOD}\n")).code(), Some(1));
}

#[test]
fn blank_lines_are_ignored_but_counted() {
    let run = run(format!("\n  \n\r\n{GOOD}\nnope\n"));
    assert_eq!(run.echo(), format!("{GOOD}\n"));
    assert!(run.reports()[0].starts_with("line 5"), "{}", run.stderr);
}

#[test]
fn unknown_fields_are_ignored_and_echoed() {
    let line = r#"{ "type": "user", "text": "x", "who": {"a": [1, 2]} }"#;
    let run = run(format!("{line}\n"));
    assert_eq!(run.echo(), format!("{line}\n"));
    assert_eq!((run.code(), run.stderr.as_str()), (Some(0), ""));
}

#[test]
fn depth_is_no_reason_to_reject_a_line() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for line in [
        format!("{{\"type\":\"user\",\"text\":\"x\",\"who\":{deep}}}\n"),
        format!("{{\"type\":\"tool_result\",\"id\":\"a\",\"content\":{deep}}}\n"),
        format!("{{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"x\",\"arguments\":{deep}}}\n"),
    ] {
        let (run, outline) = recorded(&[], &line);
        assert_eq!((run.code(), run.echo() == line), (Some(0), true));
        assert!(!outline.is_empty());
    }
}

// T23
#[test]
fn a_carriage_return_before_the_line_feed_is_accepted_and_not_echoed() {
    let (run, outline) = recorded(&[], format!("{GOOD}\r\n"));
    assert_eq!(outline, ["user x"]);
    assert_eq!(run.echo(), format!("{GOOD}\n"));
}

// T23
#[test]
fn a_last_line_without_newline_is_accepted_and_echoed_with_one() {
    for last in [GOOD.to_owned(), format!("{GOOD}\r")] {
        let (run, outline) = recorded(&[], &last);
        assert_eq!(outline, ["user x"], "{last:?}");
        assert_eq!(run.echo(), format!("{GOOD}\n"), "{last:?}");
    }
}

#[test]
fn a_byte_order_mark_at_the_very_start_is_ignored() {
    let (run, outline) = recorded(&[], format!("\u{feff}{GOOD}\n"));
    assert_eq!(outline, ["user x"]);
    assert_eq!(run.echo(), format!("{GOOD}\n"));
}

#[test]
fn a_byte_order_mark_elsewhere_is_no_json() {
    assert_eq!(run(format!("{GOOD}\n\u{feff}{GOOD}\n")).code(), Some(1));
}

// T31
#[test]
fn the_output_of_one_run_is_the_input_of_the_next() {
    let sandbox = Sandbox::new();
    let first = sandbox.run(&[], events("U(go) C(a) R(a,1) A(done)"));
    let second = sandbox.run(&[], &first.stdout);
    assert_eq!((second.code(), second.stderr.as_str()), (Some(0), ""));
    assert_eq!(second.echo(), first.echo());
    assert_eq!(second.transcript().outline(), first.transcript().outline());
}

// T33
#[test]
fn an_id_that_is_no_string_is_ignored_with_a_report() {
    let input = events("U(go)") + "{\"type\":\"tool_call\",\"id\":7,\"name\":\"Bash\"}\n";
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], input + &events("A(x)"));
    let transcript = run.transcript();
    assert_ne!(transcript.calls()[0].0, "7");
    assert_eq!(run.code(), Some(0));
    assert!(run.reports().iter().any(|report| report.contains("id")), "{}", run.stderr);
}

// T33
#[test]
fn an_error_flag_that_is_no_bool_is_ignored_with_a_report() {
    let input =
        events("U(go) C(a)") + "{\"type\":\"tool_result\",\"id\":\"a\",\"content\":\"1\",\"is_error\":\"yes\"}\n";
    let (run, outline) = recorded(&[], input);
    assert_eq!(outline[2], "result a 1");
    assert_eq!((run.code(), run.reports().len()), (Some(0), 1), "{}", run.stderr);
}

// T33
#[test]
fn a_null_optional_field_is_an_absent_one() {
    let run = run(concat!(
        r#"{"type":"user","text":"x","timestamp":null}"#,
        "\n",
        r#"{"type":"assistant","text":"x","model":null}"#,
        "\n",
        r#"{"type":"tool_call","name":"x","id":"a","arguments":null,"model":null}"#,
        "\n",
        r#"{"type":"monitor_event","description":"d","event":"e","task_id":null,"status":null}"#,
        "\n",
    ));
    assert_eq!((run.code(), run.stderr.as_str()), (Some(0), ""));
}

// T33
#[test]
fn a_text_that_is_no_string_is_rejected() {
    let run = run("{\"type\":\"user\",\"text\":7}\n");
    assert_eq!((run.code(), run.echo().as_str()), (Some(1), ""));
}

#[test]
fn strict_stops_at_the_first_rejected_line() {
    let input = format!("{}nope\n{}", events("U(a)"), events("A(b)"));
    let (run, outline) = recorded(&["--strict"], input);
    assert_eq!(outline, ["user a"]);
    assert_eq!(run.echo(), events("U(a)"));
    assert_eq!((run.code(), run.reports().len()), (Some(1), 1), "{}", run.stderr);
}

#[test]
fn strict_still_closes_the_open_calls() {
    let (_, outline) = recorded(&["--strict"], events("U(a) C(a)") + "nope\n");
    assert_eq!(outline, ["user a", "call a @1", "closed a"]);
}

#[test]
fn strict_does_not_stop_at_a_repair() {
    let (run, outline) = recorded(&["--strict"], "{\"type\":\"user\",\"text\":\"a\\u0000\"}\n");
    assert_eq!(outline, ["user a\u{fffd}"]);
    assert_eq!(run.code(), Some(0));
}

#[test]
fn quiet_prints_the_session_line_only() {
    let (run, outline) = recorded(&["--quiet"], events("U(a) A(b)"));
    assert_eq!(outline, ["user a", "text b @1"]);
    assert_eq!((run.echo().as_str(), run.code()), ("", Some(0)));
}

#[test]
fn a_line_longer_than_allowed_is_rejected_and_the_next_one_is_fine() {
    let input = events(&format!("U(a) U({}) A(b)", "x".repeat(2000)));
    let (run, outline) = recorded(&["--max-line-bytes", "1000"], input);
    assert_eq!(outline, ["user a", "text b @1"]);
    assert_eq!(run.echo(), events("U(a) A(b)"));
    assert_eq!((run.code(), run.reports().len()), (Some(1), 1), "{}", run.stderr);
    assert!(run.reports()[0].starts_with("line 2"), "{}", run.stderr);
}

#[test]
fn a_line_of_just_the_allowed_length_is_accepted() {
    let most = GOOD.len().to_string();
    let input = format!("{GOOD}\n{GOOD}\r\n{GOOD}");
    let (run, outline) = recorded(&["--max-line-bytes", &most], input);
    assert_eq!(outline, ["user x", "user x", "user x"]);
    assert_eq!(run.code(), Some(0));
}

#[test]
fn a_last_line_that_is_too_long_is_rejected_without_its_newline_too() {
    let run = Sandbox::new().run(&["--max-line-bytes", "10"], GOOD);
    assert_eq!((run.code(), run.reports().len()), (Some(1), 1), "{}", run.stderr);
}

#[test]
fn no_input_is_no_event_and_no_error() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], "");
    assert_eq!((run.code(), run.echo().as_str()), (Some(0), ""));
    assert_eq!(run.reports(), ["no event came: there is nothing to resume"]);
    assert!(run.session().file().exists(), "the file is created at the start");
}
