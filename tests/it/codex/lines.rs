//! What becomes of each event.

use serde_json::json;

use super::{outline, recorded, recorded_with};
use crate::schema::Content;
use crate::support::{Sandbox, events};

const ARGUMENTS: &str = "{\"command\":\"true\"}";

#[test]
fn every_event_keeps_its_place() {
    assert_eq!(
        outline(&events("U(go) A(one) C(a) C(b) M(x) U(q) R(b,2) A(on) R(a,1) A(done)")),
        [
            "user go",
            "text one",
            &format!("call a {ARGUMENTS}"),
            &format!("call b {ARGUMENTS}"),
            "notice Monitor event: \"log\" = x",
            "user q",
            "output b 2",
            "text on",
            "output a 1",
            "text done",
        ]
    );
}

#[test]
fn an_unknown_and_a_second_result_are_notifications_that_stand_whole_beside() {
    let sandbox = Sandbox::new();
    let run = recorded(&sandbox, &events("U(go) C(a) R(a,1) R(a,again) R(ghost,boo)"));
    let transcript = run.codex_transcript();
    assert_eq!(
        transcript.outline()[2..],
        [
            "output a 1",
            "notice Another result of tool call \"a\" = again",
            "notice Result of an unknown tool call \"ghost\" = boo",
        ]
    );
    let wholes: Vec<_> = transcript.wholes().iter().map(|whole| (whole.id.as_str(), &whole.content)).collect();
    assert_eq!(wholes, [("a", &Content::Text("again".to_owned())), ("ghost", &Content::Text("boo".to_owned()))]);
}

#[test]
fn a_failed_result_says_so_in_its_text_and_stands_whole_beside() {
    let sandbox = Sandbox::new();
    for (content, said) in [("no such file", "The tool call failed.\nno such file"), ("", "The tool call failed.")] {
        let failed = json!({"type": "tool_result", "id": "a", "content": content, "is_error": true});
        let run = recorded(&sandbox, &format!("{}{failed}\n", events("U(go) C(a)")));
        let transcript = run.codex_transcript();
        assert_eq!(transcript.outline()[2], format!("output a {said}"));
        let whole = transcript.wholes()[0];
        assert!(whole.is_error && whole.content == Content::Text(content.to_owned()), "{whole:?}");
    }
}

#[test]
fn an_image_is_a_data_url_and_an_address_is_said() {
    let content = json!([
        {"type": "text", "text": "see"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
    ]);
    let result = json!({"type": "tool_result", "id": "a", "content": content});
    let lines = outline(&format!("{}{result}\n", events("U(go) C(a)")));
    assert_eq!(lines[2], "output a [see|<data:image/png;base64,aGk=>|[image at https://example.org/a.png]]");
}

#[test]
fn arguments_keep_their_tokens() {
    let arguments = r#"{"b":1,"a":100000000000000000000001,"b":1e400,"q":"\"\u2028\\"}"#;
    let call = format!("{{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"x\",\"arguments\":{arguments}}}\n");
    assert_eq!(outline(&call)[1], format!("call a {arguments}"));
}

#[test]
fn a_tool_name_has_at_most_64_characters() {
    let sandbox = Sandbox::new();
    let call = json!({"type": "tool_call", "id": "a", "name": "n".repeat(100)});
    let run = recorded(&sandbox, &format!("{call}\n"));
    assert_eq!(run.codex_transcript().call_names(), ["n".repeat(64)]);
}

#[test]
fn calls_without_a_result_are_closed_at_the_end_only() {
    let sandbox = Sandbox::new();
    let run = recorded(&sandbox, &events("U(go) C(a) C(b) U(q) A(on) R(b,2) A(done)"));
    let lines = run.codex_transcript().outline();
    assert_eq!(lines[5..], ["output b 2", "text done", "closed a"]);
    assert_eq!(run.reports(), ["codex-cli: 1 tool call had no result: closed as failed"]);
}

#[test]
fn a_recording_without_a_prompt_first_has_a_title_of_its_first_event() {
    for (first, title) in [
        ("M(x)", "title log"),
        ("A(hello)", "title hello"),
        ("C(a)", "title Bash"),
        ("R(z,1)", "title Result of an unknown tool call \"z\""),
    ] {
        assert_eq!(outline(&events(&format!("{first} U(q)")))[0], title);
    }
    assert_eq!(outline(&events("U(q) M(x)"))[0], "user q");
}

#[test]
fn a_title_of_the_user_stands_before_the_prompt() {
    let sandbox = Sandbox::new();
    let run = recorded_with(&sandbox, &["--title", "my  title"], &events("U(q)"));
    assert_eq!(run.codex_transcript().outline(), ["title my title", "user q"]);
}

#[test]
fn the_words_of_a_source_that_ended_are_those_of_its_notification() {
    let ended = json!({"type": "monitor_event", "description": "log", "status": "failed"});
    assert_eq!(outline(&format!("{ended}\n"))[1], "notice Monitor \"log\" stream ended = (none)");
}
