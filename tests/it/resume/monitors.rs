//! What three monitors say while an agent speaks, in the request of the real program.

use std::io::Write;
use std::process::{Command, Stdio};

use super::events::{assistant, lines, user};
use super::place::Place;
use super::round::resumed_in;

const MONITOR: &str = env!("CARGO_BIN_EXE_asyncai-monitor");

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn every_event_of_three_monitors_is_in_the_request() {
    let mut command = Command::new(MONITOR);
    for name in ["red", "green", "blue"] {
        command.args(["--monitor", &format!("for n in 10 11 12 13 14; do echo {name}-$n; done")]);
        command.args(["--description", &format!("the {name} <log>")]);
    }
    let mut child =
        command.args(["--merge-stdin", "--lifecycle"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines(&[user("watch-them"), assistant("i-watch")]).as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let request = resumed_in(&Place::new(), &String::from_utf8(output.stdout).unwrap());
    request.assert_in_order(&["watch-them", "i-watch"]);
    for name in ["red", "green", "blue"] {
        let said: Vec<String> = (10..15).map(|number| format!("<event>{name}-{number}</event>")).collect();
        request.assert_in_order(&said.iter().map(String::as_str).collect::<Vec<_>>());
        for event in &said {
            assert_eq!(request.count(event), 1, "{request}");
        }
        // The block is looked at as JSON, in which quotes are escaped.
        let ended = format!("Monitor \\\"the {name} &lt;log&gt;\\\" stream ended");
        assert_eq!(request.count(&ended), 1, "{request}");
    }
}
