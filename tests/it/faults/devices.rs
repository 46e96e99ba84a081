//! Devices that fail under way, simulated behind the traits, since a real one takes a broken disk.

use std::io;
use std::path::Path;

use asyncai::event::TranscriptEvent;
use asyncai::session::SessionLogger;
use asyncai::session::clock::Timestamp;
use asyncai::session::harnesses::SessionHarness;
use asyncai::session::notice::Notice;
use asyncai::session::stamp::SystemStamp;
use asyncai::transcribe::{self, Echo, Options, Rejection};

use crate::support::events;

/// A transcript on a device that fails at its second event.
struct BrokenDevice(u64);

impl SessionHarness for BrokenDevice {
    fn format_name(&self) -> &'static str {
        "broken"
    }

    fn session_id(&self) -> &'static str {
        "id"
    }

    fn session_file(&self) -> &Path {
        Path::new("/broken")
    }

    fn resume_command(&self) -> String {
        String::new()
    }

    fn write_event(&mut self, _: &Timestamp, _: &TranscriptEvent<'_>) -> io::Result<()> {
        if self.0 == 1 {
            return Err(io::Error::from_raw_os_error(5));
        }
        self.0 += 1;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self, _: &Timestamp) -> io::Result<()> {
        Ok(())
    }

    fn recorded_events(&self) -> u64 {
        self.0
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        Vec::new()
    }
}

#[test]
fn a_device_that_fails_costs_its_transcript_and_the_echo_goes_on() {
    let mut logger = SessionLogger::new(Box::new(SystemStamp));
    logger.add("broken", Ok(Box::new(BrokenDevice(0))));
    let options = Options {
        agent_name: "agent".to_owned(),
        echo: Echo::Accepted,
        rejection: Rejection::Skip,
        max_line_bytes: 1000,
    };
    let (input, mut output, mut said) = (events("U(a) A(b) A(c)"), Vec::new(), Vec::new());
    let outcome = transcribe::run(input.as_bytes(), &mut output, logger, &options, &mut |message| {
        said.push(message.to_string());
    });
    assert!(outcome.summary.has_lost && outcome.summary.recordings.is_empty());
    assert!(output.ends_with(input.as_bytes()));
    let expected =
        ["broken: cannot record: input/output error", "broken: transcript incomplete: 2 events not recorded"];
    assert_eq!(said, expected);
}

#[test]
fn a_read_error_under_way_leaves_what_came_before_it() {
    struct Torn<'a>(&'a [u8]);
    impl io::Read for Torn<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() { Err(io::Error::from_raw_os_error(5)) } else { self.0.read(buffer) }
        }
    }
    let options = Options {
        agent_name: "agent".to_owned(),
        echo: Echo::Accepted,
        rejection: Rejection::Skip,
        max_line_bytes: 1000,
    };
    let (input, mut output) = (events("U(a) A(b)") + "{\"type\":\"user\"", Vec::new());
    let logger = SessionLogger::new(Box::new(SystemStamp));
    let outcome = transcribe::run(Torn(input.as_bytes()), &mut output, logger, &options, &mut |_| {});
    assert_eq!(outcome.input_error.unwrap().raw_os_error(), Some(5));
    assert_eq!((outcome.summary.events, outcome.rejected), (2, 0));
    assert!(output.ends_with(events("U(a) A(b)").as_bytes()));
}
