//! `asyncai-monitor`: lines of standard input or of commands as events.

mod commands;
mod ends;
mod filter;
mod merge;
mod shape;
mod support;
mod usage;
