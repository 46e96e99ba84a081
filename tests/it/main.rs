//! The integration tests: one binary, one module per subject, only the command line of the programs.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of a test fails like the test itself: by a panic that names the place"
)]

mod atirc;
mod boundary;
mod calls;
mod codex;
mod drift;
mod examples;
mod faults;
mod files;
mod folders;
mod foreign;
mod golden;
mod lines;
mod live;
mod monitor;
mod notifications;
mod properties;
mod random;
mod resume;
mod running;
mod schema;
mod sessionize;
mod signals;
mod support;
mod tampered;
mod terminal;
mod times;
mod turns;
mod unhappy;
mod values;

/// A file that no `mod` line names is never compiled, and its tests never run.
#[test]
fn every_file_and_folder_here_is_a_module() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let source = std::fs::read_to_string(here.join("main.rs")).unwrap();
    let left_out: Vec<String> = std::fs::read_dir(&here)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "main" && !source.contains(&format!("\nmod {name};\n")))
        .collect();
    assert_eq!(left_out, Vec::<String>::new());
}
