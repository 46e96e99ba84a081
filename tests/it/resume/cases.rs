//! Conversations of every kind of interleaving, each resumed by the real program.

use serde_json::json;

use super::events::{assistant, call, call_with, monitor, result, user};
use super::round::resumed;

/// ADR 0002, first row of its verification table.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn an_interactive_conversation_resumes() {
    let request = resumed(&[user("first-q"), assistant("first-a"), user("second-q"), assistant("second-a")]);
    request.assert_in_order(&["first-q", "first-a", "second-q", "second-a"]);
    assert_eq!(request.block_with("first-q").unwrap().role, "user");
    assert_eq!(request.block_with("second-a").unwrap().role, "assistant");
}

/// ADR 0002, second row.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_channel_event_and_the_answer_to_it_resume() {
    let heard = json!({
        "type": "monitor_event", "description": "atirc sub -c '#room' --cursor 12",
        "event": "bob: is <the> build green?",
    });
    let request = resumed(&[heard, assistant("it-is-green")]);
    request.assert_in_order(&["bob: is &lt;the&gt; build green?", "it-is-green"]);
    assert_eq!(request.count("atirc sub -c '#room' --cursor 12"), 1, "{request}");
}

/// ADR 0002, third row.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_call_of_an_mcp_tool_and_its_result_resume() {
    let mut lookup = call_with("m1", &json!({"query": "weather-in-oslo"}));
    lookup["name"] = "mcp__weather__look_up".into();
    let request = resumed(&[user("go"), lookup, result("m1", "rain-all-day"), assistant("take-a-coat")]);
    request.assert_in_order(&["weather-in-oslo", "rain-all-day", "take-a-coat"]);
    request.assert_result("weather-in-oslo", "rain-all-day");
    assert_eq!(request.block_with("weather-in-oslo").unwrap().block["name"], "mcp__weather__look_up");
}

/// ADR 0002, fourth row.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn monitor_records_resume() {
    let request = resumed(&[user("watch-it"), monitor("line-1"), monitor("line-2"), assistant("seen-both")]);
    request.assert_in_order(&["watch-it", "line-1", "line-2", "seen-both"]);
    assert_eq!(request.count("<task-notification>"), 2, "{request}");
}

/// T1.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn parallel_calls_have_their_results_in_any_order() {
    let request =
        resumed(&[user("go"), call("a"), call("b"), result("b", "out-b"), result("a", "out-a"), assistant("all-done")]);
    request.assert_in_order(&["run-a", "run-b", "all-done"]);
    request.assert_result("run-a", "out-a");
    request.assert_result("run-b", "out-b");
}

/// T2.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_call_that_joins_while_another_is_open_keeps_its_result() {
    let request = resumed(&[
        user("go"),
        call("a"),
        call("b"),
        result("a", "out-a"),
        call("c"),
        result("c", "out-c"),
        result("b", "out-b"),
        assistant("all-done"),
    ]);
    request.assert_in_order(&["run-a", "run-b", "run-c", "all-done"]);
    request.assert_result("run-a", "out-a");
    request.assert_result("run-b", "out-b");
    request.assert_result("run-c", "out-c");
}

/// T3.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn words_of_the_agent_while_a_call_is_open_cost_nothing() {
    let request =
        resumed(&[user("go"), call("a"), assistant("meanwhile"), result("a", "out-a"), assistant("all-done")]);
    request.assert_in_order(&["run-a", "out-a", "all-done"]);
    request.assert_in_order(&["meanwhile", "all-done"]);
    request.assert_result("run-a", "out-a");
}

/// T4.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_person_who_speaks_while_a_call_is_open_is_heard_and_the_result_kept() {
    let request = resumed(&[user("go"), call("a"), user("hurry-up"), result("a", "out-a"), assistant("all-done")]);
    request.assert_in_order(&["run-a", "hurry-up", "all-done"]);
    request.assert_result("run-a", "out-a");
}

/// T5.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_result_after_the_agent_moved_on_arrives_as_a_notification() {
    let request = resumed(&[
        user("go"),
        call("a"),
        user("q-one"),
        assistant("r-one"),
        user("q-two"),
        assistant("r-two"),
        result("a", "out-late"),
    ]);
    request.assert_in_order(&["run-a", "q-one", "r-one", "q-two", "r-two", "out-late"]);
    request.assert_late_result("run-a", "out-late");
}

/// T5b.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn two_messages_that_wait_keep_their_order() {
    let request =
        resumed(&[user("go"), call("a"), user("q-one"), result("a", "out-a"), user("q-two"), assistant("all-done")]);
    request.assert_in_order(&["run-a", "q-one", "q-two", "all-done"]);
    request.assert_result("run-a", "out-a");
}

/// T6.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_call_that_never_has_a_result_is_kept_with_an_error() {
    let request = resumed(&[user("go"), call("a"), call("b"), result("b", "out-b")]);
    request.assert_in_order(&["run-a", "run-b"]);
    request.assert_result("run-b", "out-b");
    let (id, _) = request.call_with("run-a").unwrap();
    assert_eq!(request.result_of(id).unwrap()["is_error"], true, "{request}");
}

/// T7.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn results_of_no_call_and_second_results_arrive_as_notifications() {
    let request = resumed(&[
        user("go"),
        result("ghost", "out-ghost"),
        call("a"),
        result("a", "out-once"),
        assistant("well"),
        result("a", "out-twice"),
    ]);
    request.assert_in_order(&["out-ghost", "run-a", "well", "out-twice"]);
    request.assert_result("run-a", "out-once");
    assert_eq!(request.answered_by("out-ghost").as_deref(), Some("ghost"), "{request}");
    assert_eq!(request.answered_by("out-twice").as_deref(), Some("a"), "{request}");
    assert_eq!(request.count("<task-notification>"), 2, "{request}");
}

/// T8.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn an_id_that_is_used_again_loses_neither_pair() {
    let again = |command: &str| call_with("c1", &json!({"command": command}));
    let request = resumed(&[
        user("go"),
        again("run-first"),
        result("c1", "out-first"),
        again("run-second"),
        result("c1", "out-second"),
        assistant("all-done"),
    ]);
    request.assert_in_order(&["run-first", "out-first", "run-second", "out-second", "all-done"]);
    request.assert_result("run-first", "out-first");
    request.assert_result("run-second", "out-second");
}

/// T13.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_conversation_that_the_agent_begins_is_one_that_the_api_takes() {
    // That the first message is the user's is for the checker, which sees each request.
    let request = resumed(&[assistant("hello-there"), user("hi-you")]);
    request.assert_in_order(&["hello-there", "hi-you"]);
}

/// T30: what begins without a prompt.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn conversations_without_an_opening_prompt_resume() {
    resumed(&[monitor("line-1"), assistant("noted")]).assert_in_order(&["line-1", "noted"]);
    let request = resumed(&[call("a"), user("what-is-it")]);
    request.assert_in_order(&["run-a", "what-is-it"]);
    resumed(&[assistant("hello-there")]).assert_in_order(&["hello-there"]);
}

/// `C(a) U(q) C(b)`: one message holds all its calls, so the order of the limits.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_call_after_a_waiting_message_stands_before_it() {
    let request =
        resumed(&[user("go"), call("a"), user("q-one"), call("b"), result("a", "out-a"), result("b", "out-b")]);
    request.assert_in_order(&["run-a", "run-b", "q-one"]);
    request.assert_result("run-a", "out-a");
    request.assert_result("run-b", "out-b");
}
