//! The same with the real Codex: its transcripts, its program, the API that it speaks.

mod cases;
mod checker;
mod client;
mod fidelity;
mod live;
mod screen;
