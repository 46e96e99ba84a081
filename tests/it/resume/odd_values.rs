//! Values that an API refuses or a reader stumbles over, each resumed by the real program.

use serde_json::{Value, json};

use super::client::Client;
use super::events::{assistant, call_with, lines, result, user};
use super::place::Place;
use super::request::Request;
use super::round::{resume, resumed, resumed_in};
use super::transcribe::record;

/// T9.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn ill_formed_and_missing_ids_keep_their_results() {
    let ids = [Some("functions.read:37"), Some("call_1|fc_2"), Some("a.b"), Some("a:b"), None, Some("")];
    let mut events = vec![user("go")];
    for (number, id) in ids.into_iter().enumerate() {
        let mut call = call_with("", &json!({"command": format!("run-{number}-")}));
        let mut result = result("", &format!("out-{number}-"));
        for event in [&mut call, &mut result] {
            match id {
                Some(id) => event["id"] = id.into(),
                None => drop(event.as_object_mut().unwrap().remove("id")),
            }
        }
        // The results of all but the last pair come when every call is made.
        events.insert(1 + number, call);
        events.push(result);
    }
    let request = resumed(&events);
    let all: Vec<String> = (0..ids.len()).map(|number| format!("run-{number}-")).collect();
    request.assert_in_order(&all.iter().map(String::as_str).collect::<Vec<_>>());
    for number in 0..ids.len() {
        request.assert_result(&format!("run-{number}-"), &format!("out-{number}-"));
    }
}

/// T9b, first row.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn two_open_calls_of_one_id_are_answered_oldest_first() {
    let request = resumed(&[
        call_with("d", &json!({"command": "run-one"})),
        call_with("d", &json!({"command": "run-two"})),
        result("d", "out-one"),
        result("d", "out-two"),
    ]);
    request.assert_result("run-one", "out-one");
    request.assert_result("run-two", "out-two");
}

/// T9b, second row.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_late_result_of_an_id_used_again_is_the_first_calls() {
    let request = resumed(&[
        call_with("d", &json!({"command": "run-one"})),
        user("q-one"),
        assistant("on-we-go"),
        call_with("d", &json!({"command": "run-two"})),
        result("d", "out-one"),
        result("d", "out-two"),
    ]);
    request.assert_in_order(&["run-one", "q-one", "on-we-go", "run-two"]);
    request.assert_late_result("run-one", "out-one");
    request.assert_result("run-two", "out-two");
}

/// T10.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn arguments_of_any_form_arrive_as_an_object() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let forms = [
        (r#""{\"command\":\"ls\"}""#, json!({"command": "ls"})),
        ("[1]", json!({"value": [1]})),
        (r#""ls -l""#, json!({"value": "ls -l"})),
        ("null", json!({})),
        (r#""""#, json!({})),
        (r#""{\n \"a\": 1\n}""#, json!({"a": 1})),
        (deep.as_str(), json!({"value": deep})),
    ];
    let mut stream = lines(&[user("go")]);
    for (number, (arguments, _)) in forms.iter().enumerate() {
        let call =
            format!("{{\"type\":\"tool_call\",\"id\":\"a{number}\",\"name\":\"Odd\",\"arguments\":{arguments}}}\n");
        stream.push_str(&call);
    }
    stream.push_str("{\"type\":\"tool_call\",\"id\":\"none\",\"name\":\"Odd\"}\n");
    let request = resumed_in(&Place::new(), &stream);
    let input_of = |id: &str| {
        let call = request.blocks_of("tool_use").find(|placed| placed.block["id"] == id);
        call.unwrap_or_else(|| panic!("no call {id} in {request}")).block["input"].clone()
    };
    for (number, (arguments, input)) in forms.iter().enumerate() {
        assert_eq!(&input_of(&format!("a{number}")), input, "{arguments:.80}");
    }
    assert_eq!(input_of("none"), json!({}));
}

/// T11.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn blank_text_leaves_a_conversation_that_the_api_takes() {
    let request = resumed(&[
        user(""),
        user("go-on-then"),
        assistant(" \n"),
        call_with("a", &json!({"command": "run-a"})),
        result("a", ""),
        user("\t"),
        assistant("all-done"),
    ]);
    request.assert_in_order(&["go-on-then", "run-a", "all-done"]);
    let (id, _) = request.call_with("run-a").unwrap();
    assert_eq!(request.result_of(id).unwrap()["content"], "", "{request}");
}

/// One white pixel, as a PNG.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// An API takes nothing but text in a failed result; the image must arrive all the same.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn the_image_of_a_failed_result_arrives() {
    let image = json!({"type": "image", "data": PIXEL, "mimeType": "image/png"});
    let content = json!([{"type": "text", "text": "no-such-button"}, image]);
    let request = resumed(&[
        user("go"),
        call_with("a", &json!({"command": "click"})),
        json!({"type": "tool_result", "id": "a", "content": content, "is_error": true}),
        assistant("it-failed"),
    ]);
    let content = request.result_of("a").unwrap()["content"].clone();
    let kinds: Vec<&str> = content.as_array().unwrap().iter().filter_map(|part| part["type"].as_str()).collect();
    assert_eq!(kinds, ["text", "text", "image"], "{request}");
}

/// T11b.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn results_of_any_form_arrive() {
    let forms = [
        json!([]),
        json!([{"type": "text", "text": "", "annotations": {}}]),
        json!([{"type": "image", "data": PIXEL, "mimeType": "image/png"}]),
        json!({"some": "object"}),
        json!([{"type": "text", "text": "plain", "annotations": {}}, {"type": "resource_link", "uri": "file:///x"}]),
    ];
    let mut events = vec![user("go")];
    for (number, content) in forms.iter().enumerate() {
        let id = format!("a{number}");
        events.push(call_with(&id, &json!({"command": format!("run-{id}")})));
        events.push(json!({"type": "tool_result", "id": id, "content": content}));
    }
    let request = resumed(&events);
    let content_of = |id: &str| request.result_of(id).unwrap_or_else(|| panic!("{id} in {request}"))["content"].clone();
    let image = &content_of("a2")[0];
    assert_eq!(image["type"], "image", "{request}");
    assert_eq!((&image["source"]["type"], &image["source"]["media_type"]), (&json!("base64"), &json!("image/png")));
    assert!(image["source"]["data"].as_str().is_some_and(|data| !data.is_empty()), "{image}");
    assert_eq!(text_of(&content_of("a3")), r#"{"some":"object"}"#);
    assert!(text_of(&content_of("a4")).starts_with("plain"), "{request}");
    for id in ["a0", "a1"] {
        assert!(!text_of(&content_of(id)).contains("annotations"), "{request}");
    }
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// T12.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn nul_and_lone_surrogates_arrive_replaced() {
    let stream = lines(&[user("go"), call_with("a", &json!({"command": "run-a"}))])
        + "{\"type\":\"tool_result\",\"id\":\"a\",\"content\":\"bad \\ud83d tail, a\\u0000b\"}\n"
        + "{\"type\":\"user\",\"text\":\"\\udc00 \\ud83d\\ude00 \\u0000 said\"}\n";
    let request = resumed_in(&Place::new(), &stream);
    request.assert_result("run-a", "bad \u{fffd} tail, a\u{fffd}b");
    request.assert_in_order(&["\u{fffd} 😀 \u{fffd} said"]);
}

/// T14.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn numbers_that_no_float_holds_are_recorded_as_they_came_and_resume() {
    let arguments = r#"{"id":738529527931269425,"x":1e400,"y":-0.0,"b":1,"a":2,"a":3}"#;
    let client = Client::from_environment();
    let place = Place::new();
    let stream = format!(
        "{}{{\"type\":\"tool_call\",\"id\":\"n\",\"name\":\"Odd\",\"arguments\":{arguments}}}\n{}",
        lines(&[user("go")]),
        lines(&[result("n", "out-n")]),
    );
    let session = record(&place, &[], stream.as_bytes());
    let recorded = String::from_utf8(session.bytes()).unwrap();
    assert!(recorded.contains(&format!("\"input\":{arguments}")), "{recorded}");
    let request: Request = resume(&client, &place, &session);
    let call = request.blocks_of("tool_use").find(|placed| placed.block["id"] == "n").unwrap();
    // The program reads numbers as floats; that is between it and the model.
    assert_eq!((&call.block["input"]["b"], &call.block["input"]["a"]), (&json!(1), &json!(3)), "{request}");
    assert_eq!(request.result_of("n").unwrap()["content"], "out-n", "{request}");
}
