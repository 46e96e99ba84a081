//! A terminal, and a reader of lines, that trust what they are shown.

use crate::support::{Sandbox, events};

/// What would write to the clipboard, change the title, hide text or break a line, if a terminal got it.
const HOSTILE: [&str; 6] =
    ["\u{1b}]52;c;eA==\u{7}", "\u{9b}31m", "\u{1b}[2J", "\u{202e}", "\u{2028}line 1: all is well", "\u{7f}\u{8}"];

#[test]
fn nothing_hostile_reaches_a_terminal_by_messages() {
    let sandbox = Sandbox::new();
    let mut input = Vec::new();
    for hostile in HOSTILE {
        let quoted = serde_json::to_string(hostile).unwrap();
        for value in [quoted.as_str(), &format!("\"{hostile}\"")] {
            for line in [
                hostile.to_owned(),
                format!("{{{value}:1}}"),
                format!("{{\"type\":{value}}}"),
                format!("{{\"type\":\"user\",\"text\":{value},\"timestamp\":{value}}}"),
                format!("{{\"type\":\"assistant\",\"text\":{hostile}"),
                format!("{{\"type\":\"tool_call\",\"name\":{value},\"id\":{value},\"arguments\":{value}}}"),
                format!("{{\"type\":\"tool_result\",\"id\":{value},\"content\":[{{\"type\":{value}}}]}}"),
                format!("{{\"type\":\"monitor_event\",\"description\":{value}}}"),
            ] {
                input.extend_from_slice(line.as_bytes());
                input.extend_from_slice(b"\xff\n");
            }
        }
    }
    let run = sandbox.run(&["--quiet"], input);
    assert!(run.stderr.lines().count() > 20, "{}", run.stderr);
    assert!(run.stderr.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)), "{:?}", run.stderr);
}

#[test]
fn nothing_hostile_reaches_a_terminal_from_the_command_line() {
    let sandbox = Sandbox::new();
    for hostile in HOSTILE {
        for args in [
            vec![format!("--{hostile}")],
            vec!["--max-line-bytes".to_owned(), hostile.to_owned()],
            vec!["--cwd".to_owned(), format!("/{hostile}")],
            vec!["--session-format".to_owned(), hostile.to_owned()],
            vec!["--session-dir".to_owned(), format!("{hostile}=x")],
            vec!["--session-dir".to_owned(), format!("claude-code-cli=/proc/{hostile}")],
            vec![format!("/{hostile}")],
        ] {
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let run = sandbox.run(&args, "");
            assert_ne!(run.code(), Some(0), "{args:?}");
            assert_eq!(run.stderr.lines().count(), 1, "{args:?}: {}", run.stderr);
            let is_odd = |letter: char| letter != '\n' && (letter.is_control() || "\u{202e}\u{2028}".contains(letter));
            assert!(!run.stderr.contains(is_odd), "{args:?}: {:?}", run.stderr);
        }
    }
}

#[test]
fn no_reader_finds_two_lines_in_one_whatever_the_surroundings_are_called() {
    let sandbox = Sandbox::new();
    for odd in ["\u{85}", "\u{2028}", "\u{2029}", "\n", "[[", "\"]]"] {
        let cwd = sandbox.folder(&format!("odd{odd}"));
        let args = ["--cwd", cwd.to_str().unwrap(), "--git-branch", odd, "--agent-name", &format!("a{odd}")];
        let run = sandbox.run(&[&args[..], &["--title", &format!("t{odd}")]].concat(), events("A(x) C(a) R(a,1) M(y)"));
        assert_eq!((run.code(), run.stderr.as_str()), (Some(0), ""));
        // Reading holds each line against the characters at which some readers cut.
        assert_eq!(run.transcript().records[1].link().unwrap().fixed.0, cwd.to_str().unwrap());
        let session = String::from_utf8(run.stdout.clone()).unwrap();
        assert!(!session.contains(['\u{85}', '\u{2028}', '\u{2029}']), "{session}");
        assert_eq!(run.session().agent_name, format!("a{odd}"));
    }
}
