//! Unix filters that record any agent's conversation as a transcript that agent programs resume.

pub mod cli;
pub mod event;
pub mod lines;
pub mod ndjson;
pub mod notification;
pub mod report;
pub mod session;
pub mod shell;
pub mod transcribe;
