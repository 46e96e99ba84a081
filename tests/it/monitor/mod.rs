//! `asyncai-monitor`: lines of standard input or of commands as events.

mod commands;
mod drift;
mod ends;
mod filter;
mod merge;
mod pipelines;
mod shape;
pub(crate) mod support;
mod usage;
