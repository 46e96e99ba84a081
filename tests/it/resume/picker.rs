//! The interactive list of sessions, read from a terminal.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, KEY};
use super::endpoint::Endpoint;
use super::events::{assistant, call, lines, user};
use super::place::Place;
use super::transcribe::record;

/// How long the program may take to show its list on a busy machine.
const DEADLINE: Duration = Duration::from_secs(120);

/// A terminal with one program in it; the program ends with it.
struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    fn start(place: &Place, program: &Command) -> Self {
        let terminal = Self { socket: place.path("tmux") };
        let mut command = terminal.tmux();
        command.args(["-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "60", "-c"]).arg(&place.work);
        // The server's own environment is not the program's.
        command.args(["env", "-i"]);
        for (name, value) in program.get_envs().filter_map(|(name, value)| Some((name, value?))) {
            let mut pair = name.to_owned();
            pair.push("=");
            // Programs that draw need to know the terminal that tmux is.
            pair.push(if name == "TERM" { "screen-256color".as_ref() } else { value });
            command.arg(pair);
        }
        command.arg(program.get_program()).args(program.get_args());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        terminal
    }

    fn tmux(&self) -> Command {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").env("LC_ALL", "C.UTF-8").stdin(Stdio::null()).arg("-S").arg(&self.socket);
        command
    }

    fn screen(&self) -> String {
        let output = self.tmux().args(["capture-pane", "-p"]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(self.tmux().arg("kill-server").output());
    }
}

/// What the program asks a new user, answered beforehand.
fn answer_first_questions(place: &Place) {
    let settings = json!({
        "hasCompletedOnboarding": true,
        "projects": {place.work.to_str().unwrap(): {"hasTrustDialogAccepted": true}},
        "customApiKeyResponses": {"approved": [&KEY[KEY.len() - 20..]], "rejected": []},
    });
    fs::write(place.config().join(".claude.json"), settings.to_string()).unwrap();
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn the_list_shows_a_session_under_its_prompt_its_title_or_what_it_began_with() {
    let client = Client::from_environment();
    if Command::new("tmux").arg("-V").output().is_err() {
        writeln!(std::io::stderr(), "SKIPPED: the list of sessions needs tmux, which is not installed").unwrap();
        return;
    }
    let place = Place::new();
    answer_first_questions(&place);
    let watched = json!({"type": "monitor_event", "description": "Watch of the build", "event": "line-1"});
    let mut looked = call("a");
    looked["name"] = "LookAround".into();
    let sessions: [(&str, &[&str], Vec<Value>); 5] = [
        ("First words of a person", &[], vec![user("First words of a person"), assistant("yes")]),
        ("A title of ours", &["--title", "A title of ours"], vec![user("Words below a title"), assistant("yes")]),
        ("Watch of the build", &[], vec![watched, assistant("noted")]),
        ("LookAround", &[], vec![looked, user("what is it")]),
        ("Greetings of the agent", &[], vec![assistant("Greetings of the agent")]),
    ];
    for (_, arguments, events) in &sessions {
        record(&place, arguments, lines(events).as_bytes());
    }
    let endpoint = Endpoint::start(Vec::new());
    let mut command = client.command(&place, &endpoint);
    command.arg("--resume");
    let terminal = Terminal::start(&place, &command);
    let begun = Instant::now();
    loop {
        let screen = terminal.screen();
        let missing: Vec<&str> =
            sessions.iter().map(|(title, ..)| *title).filter(|title| !screen.contains(title)).collect();
        if missing.is_empty() {
            assert!(!screen.contains("Words below a title"), "the prompt in place of the title:\n{screen}");
            assert!(!screen.contains("(session)"), "a session without a name:\n{screen}");
            return;
        }
        assert!(begun.elapsed() < DEADLINE, "{missing:?} not on the screen:\n{screen}");
        thread::sleep(Duration::from_millis(100));
    }
}
