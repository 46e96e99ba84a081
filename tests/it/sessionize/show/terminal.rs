//! On a terminal: its width and colours, and nothing else that a file would not get.

use std::process::Stdio;
use std::thread;

use rustix::termios::{Winsize, tcsetwinsize};

use super::super::command;
use super::super::structure::{scenarios, transcript};
use super::shown;
use crate::support::{Sandbox, run};
use crate::terminal::{shown_at_the_end, terminal};

/// Shows a scenario on a terminal of so many columns.
fn on_a_terminal(path: &std::path::Path, columns: u16, environment: &[(&str, &str)]) -> String {
    let (master, slave) = terminal();
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).unwrap();
    let sandbox = Sandbox::new();
    let mut command = command(&sandbox, &["show", path.to_str().unwrap()]);
    command.envs(environment.iter().copied()).stdin(Stdio::null()).stdout(slave).stderr(Stdio::null());
    // More than a terminal holds waits until it is read.
    let reader = thread::spawn(move || shown_at_the_end(master));
    let status = command.status().unwrap();
    assert!(status.success(), "{status}");
    drop(command);
    reader.join().unwrap()
}

fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('m').unwrap();
        assert!(code.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "{code}");
        plain.push_str(rest);
    }
    plain
}

fn path() -> std::path::PathBuf {
    transcript(&scenarios().into_iter().find(|path| path.ends_with("assembly")).unwrap())
}

#[test]
fn a_terminal_gets_colours_and_no_other_byte_more() {
    let coloured = on_a_terminal(&path(), 100, &[("TERM", "xterm")]);
    assert!(coloured.contains("\u{1b}[36m"), "{coloured:?}");
    assert_eq!(without_colours(&coloured), shown(&path(), &[]));
}

#[test]
fn no_colours_where_they_are_not_wanted() {
    for environment in [[("TERM", "xterm"), ("NO_COLOR", "1")], [("TERM", "dumb"), ("NO_COLOR", "")]] {
        assert_eq!(on_a_terminal(&path(), 100, &environment), shown(&path(), &[]));
    }
}

#[test]
fn lines_are_as_wide_as_the_terminal() {
    let narrow = without_colours(&on_a_terminal(&path(), 40, &[("TERM", "xterm")]));
    let widths: Vec<usize> = narrow.lines().map(|line| line.chars().count()).collect();
    assert_eq!(widths.iter().max(), Some(&40), "{narrow}");
    assert_eq!(narrow.lines().count(), shown(&path(), &[]).lines().count());
    let wide = |columns: &str| {
        let sandbox = Sandbox::new();
        let mut command = command(&sandbox, &["show", path().to_str().unwrap()]);
        command.env("COLUMNS", columns);
        String::from_utf8(run(command, "").stdout).unwrap()
    };
    assert_eq!(wide("40"), narrow);
    assert!(["", "x", "0", "100000"].into_iter().all(|columns| wide(columns) == shown(&path(), &[])));
    // One that does not say how wide it is counts as any other output.
    assert_eq!(without_colours(&on_a_terminal(&path(), 0, &[])), shown(&path(), &[]));
}
