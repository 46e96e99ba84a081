//! Who speaks while whose call is open: the turn rule, seen in the order of the records.

use crate::support::{Sandbox, events, outline};

// T1
#[test]
fn parallel_calls_share_one_message_id() {
    assert_eq!(
        outline("U(go) C(a) C(b) R(b,2) R(a,1) A(done)"),
        ["user go", "call a @1", "call b @1", "result b 2", "result a 1", "text done @2"]
    );
}

// T2
#[test]
fn a_call_made_while_another_is_open_joins_its_message() {
    assert_eq!(
        outline("U(go) C(a) C(b) R(a,1) C(c) R(c,3) R(b,2) A(done)"),
        ["user go", "call a @1", "call b @1", "result a 1", "call c @1", "result c 3", "result b 2", "text done @2"]
    );
}

#[test]
fn a_call_made_when_none_is_open_begins_a_new_message() {
    assert_eq!(
        outline("U(go) C(a) R(a,1) C(b) R(b,2)"),
        ["user go", "call a @1", "result a 1", "call b @2", "result b 2"]
    );
}

// T3
#[test]
fn text_beside_an_open_call_shares_its_message_id() {
    assert_eq!(
        outline("U(go) C(a) A(meanwhile) R(a,1) A(done)"),
        ["user go", "call a @1", "text meanwhile @1", "result a 1", "text done @2"]
    );
}

#[test]
fn two_texts_in_a_row_are_two_messages() {
    assert_eq!(outline("U(go) A(one) A(two)"), ["user go", "text one @1", "text two @2"]);
}

// T4
#[test]
fn a_prompt_beside_an_open_call_is_queued() {
    assert_eq!(
        outline("U(go) C(a) U(hurry) R(a,1) A(done)"),
        ["user go", "call a @1", "queued hurry", "result a 1", "text done @2"]
    );
}

// T5
#[test]
fn an_answer_to_a_waiting_prompt_closes_the_open_calls_first() {
    assert_eq!(
        outline("U(go) C(a) U(q1) A(r1) U(q2) A(r2) R(a,late)"),
        [
            "user go",
            "call a @1",
            "queued q1",
            "closed a",
            "text r1 @2",
            "user q2",
            "text r2 @3",
            "notice Late result of tool call \"a\" = late"
        ]
    );
}

#[test]
fn calls_are_closed_in_the_order_in_which_they_were_made() {
    assert_eq!(
        outline("U(go) C(b) C(a) C(c) R(a,1) U(q) A(r)")[4..],
        ["result a 1", "queued q", "closed b", "closed c", "text r @2"]
    );
}

// T5b
#[test]
fn a_prompt_behind_a_waiting_one_is_queued_too() {
    assert_eq!(
        outline("U(go) C(a) U(q1) R(a,1) U(q2) A(done)"),
        ["user go", "call a @1", "queued q1", "result a 1", "queued q2", "text done @2"]
    );
}

#[test]
fn a_call_that_joins_an_open_one_leaves_the_prompt_waiting() {
    assert_eq!(
        outline("U(go) C(a) U(q) C(b) R(a,1) R(b,2) U(q2) A(done)"),
        ["user go", "call a @1", "queued q", "call b @1", "result a 1", "result b 2", "queued q2", "text done @2"]
    );
}

#[test]
fn a_call_that_begins_a_message_ends_the_waiting() {
    assert_eq!(
        outline("U(go) C(a) U(q) R(a,1) C(b) R(b,2) U(next)"),
        ["user go", "call a @1", "queued q", "result a 1", "call b @2", "result b 2", "user next"]
    );
}

#[test]
fn a_monitor_event_beside_an_open_call_changes_nothing() {
    assert_eq!(
        outline("U(go) C(a) M(x) C(b) R(a,1) R(b,2) M(y) U(next)"),
        [
            "user go",
            "call a @1",
            "notice Monitor event: \"log\" = x",
            "call b @1",
            "result a 1",
            "result b 2",
            "notice Monitor event: \"log\" = y",
            "user next"
        ]
    );
}

// T6
#[test]
fn calls_open_at_the_end_are_closed() {
    assert_eq!(outline("U(go) C(a) C(b) R(b,1)"), ["user go", "call a @1", "call b @1", "result b 1", "closed a"]);
}

// T6
#[test]
fn calls_open_at_the_end_are_counted_in_a_report() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], events("U(go) C(a) C(b) R(b,1)"));
    let reports = run.reports();
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(reports[0].contains("1 tool call "), "{reports:?}");
}

// T7
#[test]
fn results_that_answer_nothing_are_recorded_as_notices() {
    assert_eq!(
        outline("U(go) R(ghost,ok) C(a) R(a,1) A(x) R(a,2)"),
        [
            "user go",
            "notice Result of an unknown tool call \"ghost\" = ok",
            "call a @1",
            "result a 1",
            "text x @2",
            "notice Another result of tool call \"a\" = 2"
        ]
    );
}

// T7
#[test]
fn unknown_and_second_results_are_reported() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], events("U(go) R(ghost,ok) C(a) R(a,1) A(x) R(a,2)"));
    assert_eq!(run.reports().len(), 2, "{}", run.stderr);
}

#[test]
fn a_second_result_beside_an_open_call_is_a_notice_too() {
    assert_eq!(
        outline("U(go) C(a) C(b) R(a,1) R(a,2) R(b,3)")[3..],
        ["result a 1", "notice Another result of tool call \"a\" = 2", "result b 3"]
    );
}

#[test]
fn the_second_result_of_a_closed_call_is_another_one() {
    assert_eq!(
        outline("U(go) C(a) U(q) A(r) R(a,1) R(a,2)")[5..],
        ["notice Late result of tool call \"a\" = 1", "notice Another result of tool call \"a\" = 2"]
    );
}

#[test]
fn a_late_result_is_no_reason_for_a_report() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], events("U(go) C(a) U(q) A(r) R(a,late)"));
    assert_eq!(run.stderr, "");
}

// T13
#[test]
fn a_conversation_that_the_agent_opens_begins_with_a_preface() {
    assert_eq!(outline("A(hello) U(hi)"), ["ai-title hello", "preface", "text hello @1", "user hi"]);
}

#[test]
fn a_conversation_that_a_call_opens_begins_with_a_preface() {
    assert_eq!(outline("C(a) R(a,1)"), ["ai-title Bash", "preface", "call a @1", "result a 1"]);
}

// T30
#[test]
fn a_conversation_that_a_monitor_event_opens_is_titled_by_its_description() {
    assert_eq!(outline("M(x) A(noted)"), ["ai-title log", "notice Monitor event: \"log\" = x", "text noted @1"]);
}

// T30
#[test]
fn a_conversation_that_a_call_opens_is_titled_by_the_tool() {
    assert_eq!(outline("C(a) U(q)"), ["ai-title Bash", "preface", "call a @1", "queued q", "closed a"]);
}

#[test]
fn a_title_made_from_text_is_one_clean_short_line() {
    let sandbox = Sandbox::new();
    let text = format!("one\\n\\ttwo \\u202ethree\\u0007{}", " four".repeat(40));
    let run = sandbox.run(&[], format!("{{\"type\":\"assistant\",\"text\":\"{text}\"}}\n"));
    let title = run.transcript().outline().remove(0);
    let title = title.strip_prefix("ai-title ").unwrap();
    assert!(title.starts_with("one"), "{title:?}");
    assert!(!title.contains(['\n', '\t', '\u{202e}', '\u{7}']), "{title:?}");
    assert!(title.chars().count() <= 80, "{title:?}");
}

#[test]
fn a_title_that_the_user_gives_takes_the_first_line() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["--title", "night shift"], events("A(hello)"));
    assert_eq!(run.transcript().outline(), ["custom-title night shift", "preface", "text hello @1"]);
}

#[test]
fn a_title_that_the_user_gives_stands_again_at_the_end_of_a_long_file() {
    let sandbox = Sandbox::new();
    let long = format!("U({})", "x".repeat(70_000));
    let run = sandbox.run(&["--title", "night shift"], events(&long));
    assert_eq!(run.transcript().outline().last().unwrap(), "custom-title night shift");
}
