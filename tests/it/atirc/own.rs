//! What the agent said itself, and how others are shown.

use serde_json::Value;

use super::{Event, events, filter, message, outline, parse};

// C1
#[test]
fn the_agents_own_message_is_what_it_says() {
    let line = r##"{"channel":"#c","sender":"me","text":"I look","time":"2026-10-19T16:40:51Z"}"##;
    let expected = Event::Assistant { text: "I look".into(), timestamp: Some("2026-10-19T16:40:51.000Z".into()) };
    assert_eq!(events(&[], line), [expected]);
}

#[test]
fn the_agent_may_have_several_names() {
    let input = [message("1", "#c", "did:plc:me", "one"), message("2", "#c", "Me", "two")].concat();
    assert_eq!(outline(&events(&["--self", "did:plc:me"], input)), ["me: one", "them: two"]);
}

// C1
#[test]
fn own_messages_can_be_left_out_while_the_own_stream_stays() {
    let own = concat!(
        r#"{"work_name":"main.agent.events","result":{"event_type":"new_thread_message","#,
        r#""event_data":{"message_role":"agent","message_content":"hello"}}}"#
    );
    let input = [&message("1", "#c", "me", "hello"), own, "\n", &message("2", "#c", "bob", "hi")].concat();
    assert_eq!(outline(&events(&["--drop-self"], &input)), ["me: hello", "them: hi"]);
    assert_eq!(outline(&events(&[], &input)), ["me: hello", "me: hello", "them: hi"]);
}

// C6
#[test]
fn no_reply_is_nothing() {
    let own = |text: &str| {
        format!(
            "{}\n",
            serde_json::json!({"work_name": "a", "result": {
                "event_type": "new_thread_message",
                "event_data": {"message_role": "agent", "message_content": text},
            }})
        )
    };
    let input = [
        message("1", "#c", "me", "NO_REPLY"),
        own("NO_REPLY"),
        message("2", "#c", "bob", "NO_REPLY"),
        message("3", "#c", "me", "NO_REPLY."),
    ];
    assert_eq!(outline(&events(&[], input.concat())), ["them: NO_REPLY", "me: NO_REPLY."]);
}

#[test]
fn without_a_name_of_its_own_the_agent_is_refused() {
    let run = filter(&[], message("1", "#c", "bob", "hi"));
    assert_eq!((run.code(), run.stdout.len()), (Some(2), 0));
    assert!(run.stderr.starts_with("asyncai-atirc: no --self: "), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1);
}

#[test]
fn a_channel_without_an_echo_needs_no_name() {
    let run = filter(&["--no-self"], message("1", "#c", "me", "hi"));
    assert_eq!(outline(&parse(&run.stdout)), ["them: hi"]);
    assert_eq!(filter(&["--no-self", "--self", "me"], "").code(), Some(2));
}

#[test]
fn a_name_of_the_wrong_kind_is_told_once() {
    let record = |key: &str| {
        format!(
            concat!(
                r#"{{"did":"did:plc:a","time_us":1,"kind":"commit","commit":{{"operation":"create","#,
                r#""collection":"a.chat","rkey":"{}","record":{{"text":"hi"}}}}}}"#,
                "\n"
            ),
            key
        )
    };
    let warnings = |args: &[&str], input: String| {
        let run = filter(args, input);
        assert_eq!(run.code(), Some(0));
        run.stderr.lines().filter(|line| line.contains("own messages are not told from others")).count()
    };
    assert_eq!(warnings(&["--self", "me.example.org"], record("1") + &record("2")), 1);
    assert_eq!(warnings(&["--self", "me.example.org", "--self", "did:plc:me"], record("1")), 0);
    assert_eq!(warnings(&["--no-self"], record("1")), 0);
    let line = ":bob!u@h PRIVMSG #c :hi\r\n";
    assert_eq!(warnings(&["--self", "did:plc:me"], line.repeat(2)), 1);
    assert_eq!(warnings(&["--self", "me"], line.to_owned()), 0);
}

#[test]
fn a_sender_cannot_leave_its_frame() {
    let input =
        [message("1", "#c", "bob", "hi"), message("2", "#c", "a>\n<b\u{2028}c", "x"), message("3", "#c", "me", "y")];
    let events = events(&["--with-sender"], input.concat());
    assert_eq!(outline(&events), ["them: <bob> hi", "them: <a___b_c> x", "me: y"]);
}

#[test]
fn a_note_stands_on_each_message_of_others() {
    let input = message("1", "#c", "bob", "hi") + &message("2", "#c", "me", "yes");
    let note = |args: &[&str]| match &events(args, &input)[..] {
        [Event::MonitorEvent { note, .. }, Event::Assistant { .. }] => note.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(note(&[]), None);
    assert_eq!(note(&["--no-note"]), Some(Value::Null));
    assert_eq!(note(&["--note", "act"]), Some(Value::from("act")));
    assert_eq!(filter(&["--self", "me", "--note", " "], "").code(), Some(2));
}
