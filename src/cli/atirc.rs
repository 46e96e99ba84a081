//! `asyncai-atirc`: from what was typed to a run of the filter.

use std::fmt::Display;
use std::io;
use std::os::fd::AsFd;

use anyhow::{Context as _, ensure};

use super::signals::EndSignals;
use super::streams::Streams;
use super::{Status, cannot, hint_at_terminal, say_to};
use crate::atirc::{self, Options, Outcome, OwnMessages, Sender, Wire};
use crate::event::{Note, is_visible};
use crate::report::reason;
use crate::{shell, task_id};

/// The program's name in its messages.
pub const PROGRAM: &str = "asyncai-atirc";

/// What was typed.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag as typed")]
pub struct Request {
    /// The form of the lines.
    pub wire: String,
    /// Who the agent is.
    pub own_names: Vec<String>,
    /// Whether the channels never send the agent its own messages.
    pub no_self: bool,
    /// Whether the agent's own messages are left out.
    pub drop_self: bool,
    /// The channels that are wanted.
    pub channel: Vec<String>,
    /// The collections of Jetstream that are wanted.
    pub collection: Vec<String>,
    /// From where the feed was read.
    pub cursor: String,
    /// Whether the sender's name stands before the text.
    pub with_sender: bool,
    /// What the agent is told to do with a message.
    pub note: Option<String>,
    /// Whether it is told nothing.
    pub no_note: bool,
    /// The longest line, in bytes.
    pub max_line_bytes: usize,
}

/// Runs the program.
///
/// # Errors
/// When it cannot start.
pub fn run(request: &Request) -> anyhow::Result<Status> {
    let options = resolve(request, task_id::fresh())?;
    let signals = EndSignals::watch().map_err(cannot("watch for signals"))?;
    let streams = Streams::open(None, &signals)?;
    streams.refuse_circle()?;
    let Streams { input, output, mut messages } = streams;
    let mut say = |message: &dyn Display| say_to(&mut messages, PROGRAM, message);
    hint_at_terminal(None, &mut say);
    let stdout = io::stdout();
    let outcome = atirc::run(input.until_left(stdout.as_fd()), output, &options, &mut say);
    let status = conclude(&outcome, &signals, &mut say);
    signals.die_if_come();
    Ok(status)
}

/// Says how the run ended, and from where the feed can be read on.
fn conclude(outcome: &Outcome, signals: &EndSignals, say: &mut dyn FnMut(&dyn Display)) -> Status {
    if outcome.reader_left {
        return Status::Success;
    }
    let errors = [("cannot read the input", &outcome.input_error), ("cannot write to stdout", &outcome.output_error)];
    let mut is_loss = outcome.rejected > 0;
    for (what, error) in errors {
        if let Some(error) = error
            && !signals.has_come()
        {
            is_loss = true;
            say(&format_args!("{what}: {}", reason(error)));
        }
    }
    if let Some(cursor) = &outcome.last_cursor {
        say(&format_args!("last cursor: {}", shell::quote(cursor)));
    } else if let Some(time) = &outcome.last_time {
        say(&format_args!("last time: {}", shell::quote(time)));
    }
    if is_loss { Status::Loss } else { Status::Success }
}

/// Turns what was typed into what to do.
fn resolve(request: &Request, task_id: String) -> anyhow::Result<Options> {
    ensure!(
        request.no_self || !request.own_names.is_empty(),
        "no --self: an agent that hears itself answers itself; --no-self says that the channel does not echo"
    );
    let names =
        [("--self", &request.own_names), ("--channel", &request.channel), ("--collection", &request.collection)];
    for (option, values) in names {
        ensure!(values.iter().all(|value| value.chars().any(is_visible)), "{option}: is blank");
    }
    ensure!(request.cursor.chars().any(is_visible), "--cursor: is blank");
    ensure!(
        request.note.as_ref().is_none_or(|note| note.chars().any(is_visible)),
        "--note: is blank; --no-note leaves it out"
    );
    Ok(Options {
        wire: Wire::from_name(&request.wire).context("--wire: no such form")?,
        own_names: request.own_names.clone(),
        channels: request.channel.clone(),
        collections: request.collection.clone(),
        cursor: request.cursor.clone(),
        own_messages: if request.drop_self { OwnMessages::Drop } else { OwnMessages::Keep },
        sender: if request.with_sender { Sender::Shown } else { Sender::Hidden },
        note: match &request.note {
            Some(note) => Note::Text(note.clone().into()),
            None if request.no_note => Note::None,
            None => Note::Usual,
        },
        task_id,
        max_line_bytes: request.max_line_bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request { wire: "auto".to_owned(), no_self: true, cursor: "0".to_owned(), ..Request::default() }
    }

    fn refusal(request: &Request) -> String {
        resolve(request, String::new()).unwrap_err().to_string()
    }

    #[test]
    fn who_the_agent_is_must_be_said_or_denied() {
        assert!(refusal(&Request { no_self: false, ..request() }).starts_with("no --self: "));
        let named = Request { no_self: false, own_names: vec!["me".to_owned()], ..request() };
        assert_eq!(resolve(&named, String::new()).unwrap().own_names, ["me"]);
        assert!(resolve(&request(), String::new()).is_ok());
    }

    #[test]
    fn blank_values_are_refused() {
        let blank = || vec![" ".to_owned()];
        assert!(refusal(&Request { own_names: blank(), ..request() }).starts_with("--self: "));
        assert!(refusal(&Request { channel: blank(), ..request() }).starts_with("--channel: "));
        assert!(refusal(&Request { cursor: String::new(), ..request() }).starts_with("--cursor: "));
        assert!(refusal(&Request { note: Some(String::new()), ..request() }).starts_with("--note: "));
    }
}
