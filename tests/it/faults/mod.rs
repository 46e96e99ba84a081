//! What breaks around the program: disks, processes, memory, neighbours, descriptors, and every byte of its input.

mod devices;
mod disk_full;
mod errors;
mod hostile;
mod killed;
mod many_writers;
mod memory;
mod mutations;

use std::path::Path;
use std::process::Command;

use crate::support::{PROGRAM, Sandbox};

/// A shell script that gets the program as `$0` and may use the commands of the system.
fn script(sandbox: &Sandbox, text: &str, args: &[&Path]) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", text, PROGRAM]).args(args);
    command.env_clear().env("HOME", sandbox.path("home")).env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
    command.current_dir(sandbox.cwd());
    command
}

/// Event lines with a number each: the person's words and the agent's in turn, of this length.
fn numbered(numbers: std::ops::Range<usize>, length: usize) -> String {
    let line = |number: usize| {
        let kind = if number.is_multiple_of(2) { "user" } else { "assistant" };
        format!("{{\"type\":\"{kind}\",\"text\":\"n{number} {}\"}}\n", "x".repeat(length))
    };
    numbers.map(line).collect()
}

/// The numbers of such events in a text, in order: of records or of an echo, each of which says its number once.
fn numbers_in(text: &str) -> Vec<usize> {
    let mut numbers = Vec::new();
    for part in text.split("\"n").skip(1) {
        let end = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(0);
        if part[end..].starts_with(" x") {
            numbers.push(part[..end].parse().unwrap());
        }
    }
    numbers
}
