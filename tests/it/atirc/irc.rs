//! Lines as a server of IRC sends them.

use super::{Event, events, filter, outline};

// C4
#[test]
fn a_message_has_its_time_and_all_else_is_passed_over() {
    let input = concat!(
        "@time=2026-10-19T16:40:51.620Z;msgid=x :bob!u@h PRIVMSG #c :hi\r\n",
        ":bob!u@h NOTICE #c :beware\r\n:bob!u@h JOIN #c\r\nPING :irc.example.org\r\n",
    );
    let events = events(&[], input);
    let [Event::MonitorEvent { event, timestamp, .. }] = &*events else { panic!("{events:?}") };
    assert_eq!((event.as_str(), timestamp.as_deref()), ("hi", Some("2026-10-19T16:40:51.620Z")));
}

// C5
#[test]
fn wrappers_and_formatting_are_removed() {
    let input = concat!(
        ":bob!u@h PRIVMSG #c :\u{1}ACTION waves\u{1}\r\n",
        ":bob!u@h PRIVMSG #c :\u{3}04,01red\u{3} 12\r\n",
        ":bob!u@h PRIVMSG me :\u{1}VERSION\u{1}\r\n",
    );
    assert_eq!(outline(&events(&[], input)), ["them: waves", "them: red 12"]);
}

#[test]
fn nicks_and_channels_are_compared_by_case_mapping() {
    let input = concat!(
        ":Bot{1}!u@h PRIVMSG #Ops :mine\r\n",
        ":bob!u@h PRIVMSG #ops :theirs\r\n",
        ":bob!u@h PRIVMSG #dev :other\r\n",
    );
    assert_eq!(outline(&events(&["--self", "bot[1]", "-c", "#OPS"], input)), ["me: mine", "them: theirs"]);
}

#[test]
fn history_is_passed_over_and_a_repeated_message_is_one() {
    let input = concat!(
        ":s BATCH +b chathistory #c\r\n",
        "@batch=b;msgid=1 :bob!u@h PRIVMSG #c :old\r\n",
        ":s BATCH -b\r\n",
        "@msgid=2 :bob!u@h PRIVMSG #c :new\r\n",
        "@msgid=2 :bob!u@h PRIVMSG #c :new\r\n",
    );
    assert_eq!(outline(&events(&[], input)), ["them: new"]);
}

#[test]
fn text_is_utf8_or_windows_1252() {
    let input = b":bob!u@h PRIVMSG #c :caf\xc3\xa9\r\n:bob!u@h PRIVMSG #c :caf\xe9 \x80\r\n";
    assert_eq!(outline(&events(&[], input)), ["them: café", "them: café €"]);
}

#[test]
fn the_last_time_is_told_where_there_are_no_cursors() {
    let run = filter(&["--self", "me"], "@time=2026-10-19T16:40:51.620Z :bob!u@h PRIVMSG #c :hi\r\n");
    assert_eq!(run.stderr, "asyncai-atirc: last time: 2026-10-19T16:40:51.620Z\n");
}

#[test]
fn a_named_wire_takes_no_event_line() {
    let run =
        filter(&["--self", "me", "--wire", "irc"], "{\"type\":\"user\",\"text\":\"x\"}\n:bob!u@h PRIVMSG #c :hi\n");
    assert_eq!((run.code(), run.stdout.split(|byte| *byte == b'\n').count()), (Some(1), 2));
    assert!(run.stderr.contains("line 1: column 1: not a line of IRC"), "{}", run.stderr);
}
