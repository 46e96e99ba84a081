//! Unix filters that record any agent's conversation as a transcript that agent programs resume.
//!
//! ```text
//! some-agent ------------------------------.
//! a watched source, as monitor events -----+--> asyncai-transcribe --> one new transcript per harness
//! a channel's messages, as such events ----'        |
//!                                                   '--> stdout: the session line, then each accepted event line
//! ```
//!
//! An event travels one way: bytes, a line ([`lines`]), an event ([`ndjson`]), the session ([`session`]), each of its
//! harnesses ([`session::harnesses`]), records, one write; the echo on the output acknowledges it. No step looks back.
//!
//! ```
//! use asyncai::session::SessionLogger;
//! use asyncai::session::stamp::SystemStamp;
//! use asyncai::transcribe::{self, Echo, Options, Rejection};
//!
//! // A session without a transcript: events are checked and echoed.
//! let logger = SessionLogger::new(Box::new(SystemStamp));
//! let options = Options {
//!     agent_name: "my-agent".to_owned(),
//!     echo: Echo::Accepted,
//!     rejection: Rejection::Skip,
//!     max_line_bytes: 1 << 20,
//! };
//! let input = "{\"type\":\"user\",\"text\":\"hello\"}\n{\"type\":\"nobody\"}\n";
//! let (mut output, mut messages) = (Vec::new(), Vec::new());
//! let outcome = transcribe::run(input.as_bytes(), &mut output, logger, &options, &mut |message| {
//!     messages.push(message.to_string());
//! });
//! assert_eq!((outcome.summary.events, outcome.rejected), (1, 1));
//! assert!(output.starts_with(b"{\"work_name\":\"session\""));
//! assert!(output.ends_with(b"{\"type\":\"user\",\"text\":\"hello\"}\n"));
//! assert!(messages[0].starts_with("line 2: column 9: unknown type"));
//! ```

pub mod atirc;
pub mod cli;
pub mod conversation;
pub mod event;
pub mod lines;
pub mod monitor;
pub mod ndjson;
pub mod notification;
pub mod report;
pub mod session;
pub mod shell;
pub mod task_id;
pub mod transcribe;
