//! Two agents on one bus: each gets a transcript of its own, with what the other said and with its own tools.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{ATIRC, message};
use crate::support::{Sandbox, events};

/// An agent that records itself, and the sandbox with its transcript.
struct Agent {
    name: &'static str,
    sandbox: Sandbox,
    child: Child,
}

impl Agent {
    fn start(name: &'static str) -> Self {
        let sandbox = Sandbox::new();
        let programs = Path::new(ATIRC).parent().unwrap().display().to_string();
        let child = Command::new("/bin/sh")
            .args(["-c", "asyncai-atirc --self \"$0\" -c '#team' | asyncai-transcribe --quiet", name])
            .env_clear()
            .env("HOME", sandbox.path("home"))
            .env("PATH", format!("{programs}:/usr/bin:/bin"))
            .current_dir(sandbox.cwd())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self { name, sandbox, child }
    }

    fn hear(&mut self, line: &str) {
        self.child.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }

    /// Ends the feed and returns what was recorded.
    fn end(mut self) -> Vec<String> {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success(), "{}", self.name);
        let transcripts = self.sandbox.transcripts();
        assert_eq!(transcripts.len(), 1, "{}", self.name);
        transcripts[0].outline()
    }
}

/// A bus that sends each message to everybody, its author too.
#[derive(Default)]
struct Bus {
    agents: Vec<Agent>,
    messages: u32,
}

impl Bus {
    fn say(&mut self, sender: &str, text: &str) {
        self.messages += 1;
        let line = message(&self.messages.to_string(), "#team", sender, text);
        for agent in &mut self.agents {
            agent.hear(&line);
        }
    }

    /// What an agent does by itself goes to its own feed only.
    fn act(&mut self, name: &str, shorthand: &str) {
        let agent = self.agents.iter_mut().find(|agent| agent.name == name).unwrap();
        agent.hear(&events(shorthand));
    }
}

// ADR 0002: the integration row.
#[test]
fn two_agents_on_one_bus_make_two_transcripts_with_messages_and_tools() {
    let mut bus = Bus { agents: vec![Agent::start("ann"), Agent::start("ben")], messages: 0 };
    bus.say("eve", "is-it-up");
    bus.act("ann", "C(a) R(a,it-is)");
    bus.say("ann", "it-is-up");
    bus.act("ben", "C(b)");
    bus.say("eve", "thanks");
    bus.act("ben", "R(b,it-was)");
    bus.say("ben", "it-was-down");
    let heard = |text: &str| format!("notice Monitor event: \"atirc sub -c '#team' --cursor 0\" = {text}");
    let said = |text: &str| text.to_owned();
    let [ann, ben] = <[Agent; 2]>::try_from(bus.agents).ok().unwrap();
    assert_eq!(
        ann.end()[1..],
        [
            heard("is-it-up"),
            said("call a @1"),
            said("result a it-is"),
            said("text it-is-up @2"),
            heard("thanks"),
            heard("it-was-down"),
        ]
    );
    assert_eq!(
        ben.end()[1..],
        [
            heard("is-it-up"),
            heard("it-is-up"),
            said("call b @1"),
            heard("thanks"),
            said("result b it-was"),
            said("text it-was-down @2"),
        ]
    );
}
