//! How commands end, and that nothing of their process groups is left.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::thread;

use super::support::{is_alive, monitor, start, texts, wait_for, wait_until_gone, watch};
use crate::running::Running;
use crate::support::{Sandbox, send, wait_until, wait_until_full};

/// Starts a command that first tells its processes, one a line, and gives them.
fn start_group(args: &[&str], processes: usize) -> (Running, Vec<String>) {
    let running = start(args);
    let mut told = wait_for(&running, processes);
    told.truncate(processes);
    assert!(told.iter().all(|process| is_alive(process)), "{told:?}");
    (running, told)
}

const GROUP: &str = "echo $$; sleep 100 & echo $!; wait";

// M5
#[test]
fn sigterm_ends_the_whole_group() {
    let (running, processes) = start_group(&["--monitor", GROUP], 2);
    running.signal("TERM");
    let ended = running.wait();
    assert_eq!((ended.code(), &*ended.stderr), (Some(143), ""));
    wait_until_gone(&processes);
}

#[test]
fn every_signal_that_is_sent_by_hand_ends_the_whole_group() {
    for (name, number) in [("HUP", 1), ("QUIT", 3), ("USR1", 10), ("ALRM", 14)] {
        let (running, processes) = start_group(&["--monitor", GROUP], 2);
        running.signal(name);
        assert_eq!(running.wait().code(), Some(128 + number), "{name}");
        wait_until_gone(&processes);
    }
}

#[test]
fn sigint_is_died_of_so_that_a_script_around_stops_too() {
    // The sleep in the background ignores interrupts, as POSIX has it: it goes with the end of the leader.
    let (running, processes) = start_group(&["--monitor", GROUP], 2);
    running.signal("INT");
    let ended = running.wait();
    assert_eq!((ended.code(), ended.signal()), (None, Some(2)));
    wait_until_gone(&processes);
}

#[test]
fn a_signal_ends_several_commands_and_is_the_status() {
    let (running, processes) = start_group(&["--monitor", GROUP, "--monitor", GROUP], 4);
    running.signal("TERM");
    assert_eq!(running.wait().code(), Some(143));
    wait_until_gone(&processes);
}

#[test]
fn a_command_gets_a_signal_once_and_is_read_to_its_end() {
    for name in ["INT", "TERM", "HUP"] {
        let command =
            format!("trap 'n=$((n+1)); sleep 0.1; echo got $n; exit 7' {name}; echo up; while :; do sleep 0.01; done");
        let running = start(&["--monitor", &command]);
        wait_for(&running, 1);
        running.signal(name);
        let ended = running.wait();
        assert_eq!(texts(&ended.stdout), ["up", "got 1"], "{name}");
        assert_eq!(ended.code(), Some(7), "{name}");
    }
}

#[test]
fn a_signal_that_comes_again_is_not_passed_on_again() {
    // From the first signal on it runs half a second, in which a second one would be heard.
    let command = "trap 'n=$((n+1)); echo got $n' TERM; echo up; i=0; \
                   while [ $i -lt 50 ]; do sleep 0.01; [ -z \"$n\" ] || i=$((i+1)); done; exit 7";
    let running = start(&["--monitor", command]);
    wait_for(&running, 1);
    running.signal("TERM");
    wait_for(&running, 2);
    running.signal("TERM");
    let ended = running.wait();
    assert_eq!((ended.code(), texts(&ended.stdout)), (Some(7), vec!["up".to_owned(), "got 1".to_owned()]));
}

#[test]
fn what_ignores_the_signal_is_killed() {
    let (running, processes) = start_group(&["--monitor", "trap '' TERM; echo $$; sleep 100 & echo $!; wait"], 2);
    running.signal("TERM");
    assert_eq!(running.wait().code(), Some(137));
    wait_until_gone(&processes);
}

#[test]
fn a_second_sigint_ends_at_once() {
    let (running, processes) = start_group(
        &["--monitor", "trap '' INT; echo $$; sleep 100 & echo $!; while :; do echo x; sleep 0.01; done"],
        2,
    );
    running.signal("INT");
    // Two signals at once may count as one: wait until the first has been taken.
    let count = running.stdout().lines().count();
    wait_for_more(&running, count + 3);
    running.signal("INT");
    assert_eq!(running.wait().code(), Some(130));
    wait_until_gone(&processes);
}

fn wait_for_more(running: &Running, count: usize) {
    wait_until("more events", || running.stdout().lines().count() >= count);
}

#[test]
fn a_stopped_group_ends_too() {
    let (running, processes) = start_group(&["--monitor", GROUP], 2);
    let stop = format!("kill -s STOP {} {}", processes[0], processes[1]);
    assert!(std::process::Command::new("/bin/sh").args(["-c", &stop]).status().unwrap().success());
    running.signal("TERM");
    assert_eq!(running.wait().code(), Some(143));
    wait_until_gone(&processes);
}

#[test]
fn a_grandchild_that_holds_the_pipe_does_not_keep_the_monitor_alive() {
    let run = watch(&["--monitor", "sleep 100 & echo $!; exit 4"], "");
    assert_eq!(run.code(), Some(4));
    wait_until_gone(&texts(run.stdout));
}

#[test]
fn a_grandchild_with_its_output_elsewhere_goes_too() {
    let run = watch(&["--monitor", "sleep 100 > /dev/null & echo $!; exit 4"], "");
    assert_eq!(run.code(), Some(4));
    wait_until_gone(&texts(run.stdout));
}

#[test]
fn a_grandchild_that_left_the_group_does_not_keep_the_monitor_alive() {
    let run = watch(&["--monitor", "setsid sleep 3 & echo x; exit 4"], "");
    assert_eq!((run.code(), texts(run.stdout)), (Some(4), vec!["x".to_owned()]));
}

#[test]
fn what_the_rest_of_a_pipeline_has_to_say_after_the_leader_is_heard() {
    let run = watch(&["--monitor", "(sleep 0.05; echo late) & echo soon"], "");
    assert_eq!(texts(run.stdout), ["soon", "late"]);
}

#[test]
fn a_grandchild_that_never_stops_writing_ends_with_its_leader() {
    let run = watch(&["--monitor", "echo $$; yes & exit 0"], "");
    assert_eq!(run.code(), Some(0));
    wait_until_gone(&texts(run.stdout)[..1]);
}

#[test]
fn a_command_that_closes_its_stdout_is_waited_for() {
    assert_eq!(watch(&["--monitor", "echo x; exec >&-; sleep 0.1; exit 9"], "").code(), Some(9));
}

// M4
#[test]
fn a_reader_that_leaves_ends_the_commands_silently() {
    for command in ["echo $$; exec yes", "echo $$; exec sleep 100"] {
        let sandbox = Sandbox::new();
        let mut child =
            monitor(&sandbox, &["--monitor", command]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        wait_until("the end of the program", || child.try_wait().unwrap().is_some());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
        wait_until_gone(&texts(line));
    }
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_124() {
    let run = watch(&["--timeout-ms", "100", "--monitor", GROUP], "");
    assert_eq!((run.code(), &*run.stderr), (Some(124), ""));
    wait_until_gone(&texts(run.stdout));
}

#[test]
fn a_command_that_ends_in_time_has_its_own_status() {
    assert_eq!(watch(&["--timeout-ms", "60000", "--monitor", "exit 5"], "").code(), Some(5));
}

#[test]
fn a_reader_that_does_not_read_cannot_keep_the_program_from_ending() {
    let sandbox = Sandbox::new();
    let mut child = monitor(&sandbox, &["--monitor", "yes"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    send("TERM", child.id());
    wait_until("the end of the program", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

#[test]
fn memory_stays_bounded_while_the_reader_waits() {
    let sandbox = Sandbox::new();
    let mut child = monitor(&sandbox, &["--monitor", "yes"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..100_000 {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    drop(stdout);
    child.wait().unwrap();
    assert!(kilobytes < 32 * 1024, "{kilobytes} kB");
}

#[test]
fn sigterm_ends_a_monitor_whose_messages_nobody_reads() {
    // A child that ends while a message waits is no end of the wait.
    for args in [&["--monitor", "yes too-long", "--monitor", "true"][..], &["--description", "log"]] {
        let sandbox = Sandbox::new();
        let mut command = monitor(&sandbox, args);
        command.args(["--max-line-bytes", "3"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writing = thread::spawn(move || while stdin.write_all(b"too-long\n").is_ok() {});
        wait_until_full(child.stderr.as_ref().unwrap());
        send("TERM", child.id());
        wait_until("the end of the monitor", || child.try_wait().unwrap().is_some());
        let status = child.wait().unwrap();
        assert!(status.signal() == Some(15) || status.code() == Some(143), "{status}");
        writing.join().unwrap();
    }
}
