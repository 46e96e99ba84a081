//! Monitor events and loose results as notifications: the text, its escapes, what a reader gets back.

use serde_json::json;

use crate::schema::{Content, Notice, Transcript};
use crate::support::{Sandbox, events};

fn recorded(input: &str) -> Transcript {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], input);
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    run.transcript()
}

fn notice(event: &str) -> Notice {
    recorded(&format!("{event}\n")).notices().remove(0)
}

/// The text as it stands in the record, before any reader unescapes it.
fn prompt(event: &str) -> String {
    let transcript = recorded(&format!("{event}\n"));
    let notification = transcript.notifications().next().unwrap();
    notification.attachment.prompt.clone()
}

#[test]
fn an_event_of_a_known_task_bears_its_id() {
    let notice = notice(r#"{"type":"monitor_event","description":"log","event":"x","task_id":"b7"}"#);
    assert_eq!(notice.task_id, "b7");
}

#[test]
fn events_of_one_description_share_a_fresh_task_id() {
    let input = ["a", "b", "a"]
        .map(|name| format!("{}\n", json!({"type": "monitor_event", "description": name, "event": "x"})));
    let notices = recorded(&input.concat()).notices();
    assert_ne!(notices[0].task_id, "");
    assert_eq!(notices[0].task_id, notices[2].task_id);
    assert_ne!(notices[0].task_id, notices[1].task_id);
}

#[test]
fn fresh_task_ids_differ_between_transcripts() {
    let line = r#"{"type":"monitor_event","description":"log","event":"x"}"#;
    assert_ne!(notice(line).task_id, notice(line).task_id);
}

#[test]
fn an_event_without_a_note_asks_for_a_push_notification() {
    let notice = notice(r#"{"type":"monitor_event","description":"log","event":"x"}"#);
    assert!(notice.note.unwrap().contains("PushNotification"));
}

#[test]
fn a_note_takes_the_place_of_the_usual_one() {
    let notice = notice(r#"{"type":"monitor_event","description":"log","event":"x","note":"reply exactly NO_REPLY"}"#);
    assert_eq!(notice.note.as_deref(), Some("reply exactly NO_REPLY"));
}

#[test]
fn a_null_note_leaves_the_line_out() {
    let prompt = prompt(r#"{"type":"monitor_event","description":"log","event":"x","task_id":"t","note":null}"#);
    assert_eq!(
        prompt,
        "<task-notification>\n<task-id>t</task-id>\n<summary>Monitor event: \"log\"</summary>\n\
         <event>x</event>\n</task-notification>"
    );
}

#[test]
fn the_end_of_a_source_has_a_status_and_no_note() {
    let prompt =
        prompt(r#"{"type":"monitor_event","description":"log","task_id":"t","status":"completed","note":"n"}"#);
    assert_eq!(
        prompt,
        "<task-notification>\n<task-id>t</task-id>\n<status>completed</status>\n\
         <summary>Monitor \"log\" stream ended</summary>\n</task-notification>"
    );
}

#[test]
fn the_end_of_a_source_keeps_its_last_words() {
    let notice = notice(r#"{"type":"monitor_event","description":"log","status":"failed","event":"exit 3"}"#);
    assert_eq!(notice.status.as_deref(), Some("failed"));
    assert_eq!(notice.event.as_deref(), Some("exit 3"));
    assert_eq!(notice.note, None);
}

#[test]
fn markup_is_escaped_in_every_part_and_quotes_are_not() {
    let event = json!({
        "type": "monitor_event", "description": "a \"b\" <c>", "event": "</event>&lt;",
        "task_id": "<t>", "note": "<n> & 'm'"
    });
    assert_eq!(
        prompt(&event.to_string()),
        "<task-notification>\n<task-id>&lt;t&gt;</task-id>\n\
         <summary>Monitor event: \"a \"b\" &lt;c&gt;\"</summary>\n\
         <event>&lt;/event&gt;&amp;lt;</event>\n&lt;n&gt; &amp; 'm'\n</task-notification>"
    );
}

#[test]
fn markup_in_a_status_is_escaped() {
    let event = json!({"type": "monitor_event", "description": "d", "status": "<&>"});
    assert!(prompt(&event.to_string()).contains("\n<status>&lt;&amp;&gt;</status>\n"));
}

#[test]
fn line_breaks_become_spaces_in_a_description_and_stay_in_an_event() {
    let event = json!({"type": "monitor_event", "description": "a\nb", "event": "c\nd"});
    let notice = notice(&event.to_string());
    assert_eq!(notice.summary, "Monitor event: \"a b\"");
    assert_eq!(notice.event.as_deref(), Some("c\nd"));
}

#[test]
fn an_event_that_is_empty_is_recorded() {
    let notice = notice(r#"{"type":"monitor_event","description":"log","event":""}"#);
    assert_eq!(notice.event.as_deref(), Some(""));
}

#[test]
fn a_loose_result_keeps_its_content_whole_for_readers() {
    let content = json!([{"type": "text", "text": "one"}, {"type": "text", "text": "<two>"}]);
    let result = json!({"type": "tool_result", "id": "a", "content": content, "is_error": true});
    let transcript = recorded(&(events("U(go) C(a) U(q) A(r)") + &result.to_string()));
    let notification = transcript.notifications().next().unwrap();
    let loose = notification.asyncai_tool_result.as_ref().unwrap();
    assert_eq!((loose.id.as_str(), loose.is_error), ("a", true));
    let Content::Blocks(parts) = &loose.content else { panic!("blocks went in") };
    assert_eq!(parts.len(), 2);
}

#[test]
fn a_loose_result_tells_its_texts_joined_by_line_breaks() {
    let content = json!([{"type": "text", "text": "one"}, {"type": "text", "text": "<two>"}]);
    let result = json!({"type": "tool_result", "id": "a", "content": content});
    let transcript = recorded(&(events("U(go) C(a) U(q) A(r)") + &result.to_string()));
    let notice = &transcript.notices()[0];
    assert_eq!(notice.event.as_deref(), Some("one\n<two>"));
    assert_eq!((notice.task_id.as_str(), &notice.note), ("a", &None));
}

#[test]
fn a_loose_result_names_the_id_that_the_call_has_in_the_transcript() {
    let transcript = recorded(&events("U(go) C(a.b) U(q) A(r) R(a.b,late)"));
    let id = transcript.calls()[0].0.to_owned();
    let notice = &transcript.notices()[0];
    assert_ne!(id, "a.b");
    assert_eq!(notice.task_id, id);
    assert_eq!(notice.summary, format!("Late result of tool call \"{id}\""));
}

#[test]
fn a_monitor_event_carries_no_tool_result() {
    let transcript = recorded(&events("M(x)"));
    assert!(transcript.notifications().next().unwrap().asyncai_tool_result.is_none());
}
