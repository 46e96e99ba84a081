//! What the real Claude Code, and in `codex` the real Codex, make of a transcript: every event is piped through the built
//! `asyncai-transcribe`, the session is resumed by the real program, and the assertions are on the
//! request that a loopback endpoint recorded. `tests/README.md` tells how to run these.
//!
//! ```text
//! conversation ─> transcribe (the built filter) ─> transcript
//!                                                     │ client (claude -p --resume)
//!                        request <─ endpoint (loopback) <─ the real program
//!                           └─ checker: would the API take it?
//! ```

mod cases;
mod channels;
mod checker;
mod client;
mod codex;
pub(crate) mod conversation;
mod edges;
mod endpoint;
mod events;
mod examples;
mod fidelity;
mod live;
mod monitors;
mod odd_values;
mod own;
mod picker;
mod place;
mod request;
mod round;
mod sdk;
mod transcribe;
