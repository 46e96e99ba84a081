//! A real server of IRC on loopback, two clients over TCP, one of them the feed.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{ATIRC, DEADLINE, Event, Lines, command, parse};
use crate::support::{Sandbox, wait_until};

struct Server {
    child: Child,
    port: u16,
    sandbox: Sandbox,
}

impl Server {
    fn start() -> Self {
        let sandbox = Sandbox::new();
        // Free a moment ago; nothing else on the machine is likely to take it.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let config = format!(
            "[Global]\nName = irc.example.org\nInfo = a test\nListen = 127.0.0.1\nPorts = {port}\nMotdPhrase = hi\n\
             [Limits]\nMaxConnectionsIP = 0\n[Options]\nIdent = no\nDNS = no\nPAM = no\nScrubCTCP = no\n"
        );
        // A server that was started as root changes its user, and must still read this.
        let folder = std::env::temp_dir().join(format!("asyncai-ngircd-{port}"));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("ngircd.conf");
        std::fs::write(&file, config).unwrap();
        let mut server = Command::new("/usr/sbin/ngircd");
        server.args(["--nodaemon", "--config"]).arg(&file).stdin(Stdio::null()).stdout(Stdio::null());
        let child = server.spawn().expect("ngircd is needed: the Debian package of that name");
        let mut started = Self { child, port, sandbox };
        wait_until("the server", || {
            assert!(started.child.try_wait().unwrap().is_none(), "ngircd ended at once");
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        std::fs::remove_dir_all(folder).unwrap();
        started
    }

    fn client(&self, nick: &str) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let mut client = Client { lines: BufReader::new(stream) };
        client.send(format!("NICK {nick}\r\nUSER {nick} 0 * :{nick}\r\n"));
        client.wait_for(" 001 ");
        client
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client that keeps its place in what the server says.
struct Client {
    lines: BufReader<TcpStream>,
}

impl Client {
    fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.lines.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    fn wait_for(&mut self, words: &str) {
        let mut line = Vec::new();
        while !String::from_utf8_lossy(&line).contains(words) {
            line.clear();
            assert!(self.lines.read_until(b'\n', &mut line).unwrap() > 0, "the server left before {words}");
        }
    }

    fn join(&mut self) {
        self.send("JOIN #ops\r\n");
        self.wait_for(" 366 ");
    }
}

#[test]
#[ignore = "needs the Debian package ngircd"]
fn what_a_real_server_sends_becomes_events() {
    let server = Server::start();
    let mut bob = server.client("bob");
    bob.join();
    let mut feed = server.client("Me");
    feed.send("JOIN #ops\r\n");
    bob.wait_for("JOIN");
    // The socket itself is the input: its bytes are those of the server.
    let socket = feed.lines.get_ref().try_clone().unwrap();
    socket.set_read_timeout(None).unwrap();
    let mut filter = command(&server.sandbox, &["--self", "me", "-c", "#OPS", "--wire", "irc"]);
    filter.stdin(OwnedFd::from(socket)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut filter = filter.spawn().unwrap();
    let events = Lines::of(filter.stdout.take().unwrap());

    bob.send("PRIVMSG #ops :hi there\r\nNOTICE #ops :beware\r\nPRIVMSG Me :between us\r\n");
    assert_eq!(events.next_event(), "them: hi there");
    bob.send("PRIVMSG #ops :\u{1}ACTION waves\u{1}\r\n");
    assert_eq!(events.next_event(), "them: waves");
    bob.send(b"PRIVMSG #ops :caf\xe9 \x02bold\x02\r\n");
    assert_eq!(events.next_event(), "them: café bold");
    bob.send("PRIVMSG #ops :: <a> \"b\" \u{1f600}\r\nQUIT :bye\r\n");
    assert_eq!(events.next_event(), "them: : <a> \"b\" \u{1f600}");
    feed.send("QUIT\r\n");

    let output = filter.wait_with_output().unwrap();
    assert_eq!((events.next_event().as_str(), String::from_utf8_lossy(&output.stderr).as_ref()), ("", ""));
    assert_eq!(output.status.code(), Some(0));
}

/// The pipeline of the README, with the script of the examples as the feed.
#[test]
#[ignore = "needs the Debian package ngircd"]
fn the_feed_of_the_examples_joins_and_speaks() {
    let server = Server::start();
    let mut bob = server.client("bob");
    bob.join();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/channel/irc-feed.bash");
    let mut pipeline = Command::new("/bin/sh");
    pipeline
        .args(["-c", "\"$0\" 127.0.0.1 \"$2\" me '#ops' | \"$1\" --self me -c '#ops'"])
        .arg(script)
        .args([ATIRC, &server.port.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut pipeline = pipeline.spawn().unwrap();
    let events = Lines::of(pipeline.stdout.take().unwrap());
    bob.wait_for(":me!");
    bob.send("PRIVMSG #ops :hi\r\n");
    let line = events.next().unwrap();
    let [Event::MonitorEvent { description, event, .. }] = &parse(line.as_bytes())[..] else { panic!("{line}") };
    assert_eq!((description.as_str(), event.as_str()), ("atirc sub -c '#ops' --cursor 0", "hi"));
    // What the agent says goes through the feed to the server.
    pipeline.stdin.as_mut().unwrap().write_all(b"PRIVMSG #ops :yes?\r\n").unwrap();
    bob.wait_for("PRIVMSG #ops :yes?");
    drop(server);
    assert!(pipeline.wait().unwrap().success());
}
