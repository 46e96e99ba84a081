//! What was typed wrong: one line on stderr, status 2, nothing run.

use super::support::{monitor, watch};
use crate::support::{Sandbox, run};

#[test]
fn wrong_usage_is_one_line_and_status_2() {
    for args in [
        &[][..],
        &["--description", " "],
        &["--description", "a", "--description", "b"],
        &["--description", "d", "--merge-stdin"],
        &["--description", "d", "--until-stdin"],
        &["--description", "d", "--timeout-ms", "5"],
        &["--description", "d", "--note", "n", "--no-note"],
        &["--description", "d", "--note", " "],
        &["--description", "d", "--task-id", ""],
        &["--description", "d", "--max-line-bytes", "0"],
        &["--description", "d", "--max-event-bytes", "0"],
        &["--description", "d", "--batch-ms", "x"],
        &["--monitor", ""],
        &["--monitor", "true", "--task-id", "a", "--task-id", "b"],
        &["--no-such-flag"],
    ] {
        let run = watch(args, "line\n");
        assert_eq!((run.code(), &*run.stdout), (Some(2), &b""[..]), "{args:?}");
        assert!(run.stderr.starts_with("asyncai-monitor: "), "{args:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{args:?}: {}", run.stderr);
    }
}

#[test]
fn a_wrong_flag_is_found_before_a_command_runs() {
    let sandbox = Sandbox::new();
    let args = ["--monitor", "touch ran", "--description", "a", "--description", "b"];
    assert_eq!(run(monitor(&sandbox, &args), "").code(), Some(2));
    assert!(!sandbox.path("work/ran").exists());
}
