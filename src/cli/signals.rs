//! Signals as something that can be waited for beside a file. Knows no event.

use std::cell::Cell;
use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{
    SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::{flag, low_level};

/// The status of a program that an interrupt ended.
const INTERRUPTED: i32 = 130;

/// The signals that end the input, so that what was read so far is recorded in good order.
#[derive(Debug)]
pub struct EndSignals {
    /// Readable from the first such signal on; nobody reads it.
    wake: UnixStream,
    /// The signal that came, or 0.
    came: Arc<AtomicUsize>,
}

/// What a wait ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ready {
    /// The file can be read or written without waiting.
    File,
    /// It cannot, and an end signal came.
    Signal,
    /// It cannot, and whoever read the output has left.
    Left,
}

/// Signals that cut a wait short.
pub trait CutsWaits: std::fmt::Debug {
    /// Waits until a file takes bytes, or an end signal comes.
    ///
    /// # Errors
    /// Passes on what the system reports, except interruptions.
    fn wait_for_room(&self, file: BorrowedFd<'_>) -> io::Result<Ready>;
}

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Until something is ready.
    Until,
    /// Not at all.
    No,
}

impl EndSignals {
    /// Begins to watch SIGTERM and SIGHUP. Leaves the first SIGINT to the programs upstream, so that the end of
    /// their output ends the input; the second ends this program. Where standard input is a terminal, there are none,
    /// and SIGINT is like the others. Makes a file size limit a write error.
    ///
    /// # Errors
    /// When the system refuses a handler.
    pub fn watch() -> io::Result<Self> {
        let (wake, waker) = UnixStream::pair()?;
        let came = Arc::new(AtomicUsize::new(0));
        let ignored = ignored_signals();
        let is_first = io::stdin().is_terminal();
        for signal in [Some(SIGTERM), Some(SIGHUP), is_first.then_some(SIGINT)].into_iter().flatten() {
            // A signal that was ignored from the start stays so: `nohup` asks for that.
            if ignored & (1 << (signal - 1)) == 0 {
                flag::register_usize(signal, Arc::clone(&came), usize::try_from(signal).unwrap_or_default())?;
                low_level::pipe::register(signal, waker.try_clone()?)?;
            }
        }
        if !is_first && ignored & (1 << (SIGINT - 1)) == 0 {
            let is_second = Arc::new(AtomicBool::new(false));
            flag::register_conditional_shutdown(SIGINT, INTERRUPTED, Arc::clone(&is_second))?;
            flag::register(SIGINT, is_second)?;
        }
        flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        Ok(Self { wake, came })
    }

    /// Tells whether an end signal came.
    #[must_use]
    pub fn has_come(&self) -> bool {
        self.came.load(Ordering::SeqCst) != 0
    }

    /// Dies by the signal that came, as if it had never been caught; returns when none did.
    pub fn die_if_come(&self) {
        if let Ok(signal @ 1..) = i32::try_from(self.came.load(Ordering::SeqCst)) {
            let _ = low_level::emulate_default_handler(signal);
        }
    }

    /// Waits until a file is ready, or an end signal comes.
    ///
    /// # Errors
    /// Passes on what the system reports, except interruptions.
    pub fn wait_for(&self, file: BorrowedFd<'_>, what: PollFlags, wait: Wait) -> io::Result<Ready> {
        self.wait_beside(file, what, wait, None)
    }

    /// Waits like `wait_for`, or until whoever reads the output has left.
    ///
    /// # Errors
    /// Passes on what the system reports, except interruptions.
    pub fn wait_beside(
        &self,
        file: BorrowedFd<'_>,
        what: PollFlags,
        wait: Wait,
        output: Option<BorrowedFd<'_>>,
    ) -> io::Result<Ready> {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let timeout = if wait == Wait::No { Some(&at_once) } else { None };
        loop {
            let mut waits = vec![PollFd::from_borrowed_fd(file, what), PollFd::new(&self.wake, PollFlags::IN)];
            waits.extend(output.map(|output| PollFd::from_borrowed_fd(output, PollFlags::empty())));
            match poll(&mut waits, timeout) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let is_ready = |place: usize| waits.get(place).is_some_and(|wait| !wait.revents().is_empty());
            if is_ready(0) {
                return Ok(Ready::File);
            }
            if wait == Wait::No || self.has_come() {
                return Ok(Ready::Signal);
            }
            if is_ready(2) {
                return Ok(Ready::Left);
            }
        }
    }
}

impl CutsWaits for EndSignals {
    fn wait_for_room(&self, file: BorrowedFd<'_>) -> io::Result<Ready> {
        self.wait_for(file, PollFlags::OUT, Wait::Until)
    }
}

/// Signals for a loop that waits for many things: each is kept until it is asked for.
#[derive(Debug)]
pub struct Signals {
    /// Readable when a signal may have come.
    wake: UnixStream,
    /// Makes it so.
    waker: UnixStream,
    /// Whether each has come.
    came: Vec<(i32, Arc<AtomicBool>)>,
    /// Whether one was taken. From then on nothing may keep the program from ending.
    has_come: Cell<bool>,
}

impl Signals {
    /// Begins to watch what ends a filter: its first interrupt is not meant for it.
    ///
    /// # Errors
    /// When the system refuses a handler.
    pub fn of_a_filter() -> io::Result<Self> {
        Self::watch(&[SIGINT, SIGTERM, SIGHUP])
    }

    /// Begins to watch what would end a program and leave its children behind, and the end of a child.
    ///
    /// # Errors
    /// When the system refuses a handler.
    pub fn of_a_parent() -> io::Result<Self> {
        Self::watch(&[
            SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGCHLD,
        ])
    }

    fn watch(signals: &[i32]) -> io::Result<Self> {
        let (wake, waker) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let ignored = ignored_signals();
        let mut came = Vec::new();
        for signal in signals {
            // A child's end must be noticed even if whoever started this program does not care for its own.
            if *signal == SIGCHLD || ignored & (1 << (signal - 1)) == 0 {
                let flag = Arc::new(AtomicBool::new(false));
                flag::register(*signal, Arc::clone(&flag))?;
                low_level::pipe::register(*signal, waker.try_clone()?)?;
                came.push((*signal, flag));
            }
        }
        flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        Ok(Self { wake, waker, came, has_come: Cell::new(false) })
    }

    /// Gives what becomes readable when a signal may have come.
    #[must_use]
    pub fn wake(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// Takes an end signal that has come. The end of a child only wakes.
    #[must_use]
    pub fn take(&self) -> Option<i32> {
        // First this, then the flags: what comes in between wakes again.
        self.drain();
        let taken = self.ends().find(|(_, flag)| flag.swap(false, Ordering::SeqCst)).map(|(signal, _)| *signal);
        self.has_come.set(self.has_come.get() || taken.is_some());
        taken
    }

    fn drain(&self) {
        let mut bytes = [0; 64];
        while matches!((&self.wake).read(&mut bytes), Ok(1..)) {}
    }

    fn ends(&self) -> impl Iterator<Item = &(i32, Arc<AtomicBool>)> {
        self.came.iter().filter(|(signal, _)| *signal != SIGCHLD)
    }

    /// Dies by a signal as if it had never been caught.
    pub fn die(&self, signal: i32) {
        let _ = low_level::emulate_default_handler(signal);
    }
}

impl CutsWaits for Signals {
    fn wait_for_room(&self, file: BorrowedFd<'_>) -> io::Result<Ready> {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut has_drained = false;
        let ready = loop {
            let is_end = self.has_come.get() || self.ends().any(|(_, flag)| flag.load(Ordering::SeqCst));
            let timeout = is_end.then_some(&at_once);
            let mut waits = [PollFd::from_borrowed_fd(file, PollFlags::OUT), PollFd::new(&self.wake, PollFlags::IN)];
            match poll(&mut waits, timeout) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let [room, _] = &waits;
            if !room.revents().is_empty() {
                break Ready::File;
            }
            if is_end {
                break Ready::Signal;
            }
            // As in `take`: first this, then the flags. The end of a child cuts nothing short.
            self.drain();
            has_drained = true;
        };
        if has_drained {
            // Whoever waits next has to see it.
            (&self.waker).write_all(b"c")?;
        }
        Ok(ready)
    }
}

/// The signals that this program was started to ignore, a bit each. Where the system does not say: none.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

/// The error of a read or write that an end signal cut short.
#[must_use]
pub fn cut_short() -> io::Error {
    io::Error::other("ended by a signal")
}
