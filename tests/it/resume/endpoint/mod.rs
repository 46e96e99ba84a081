//! A model endpoint on loopback: records each request and answers from a script, in the API that the path names. Std
//! only.

mod messages;
mod responses;

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

/// What the endpoint says when its script is at its end.
pub(super) const DEFAULT_ANSWER: &str = "resumed-ok";

/// A block of a scripted answer.
#[derive(Clone, Debug)]
pub(super) enum Block {
    Text(String),
    ToolUse { id: String, name: String, input: Value },
}

impl Block {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// The API that a request speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Api {
    Messages,
    Responses,
}

impl Recorded {
    /// Whether this is a request for the model's next message.
    pub(super) fn is_message(&self) -> bool {
        self.api().is_some()
    }

    fn api(&self) -> Option<Api> {
        match (self.method.as_str(), self.path.split('?').next()) {
            ("POST", Some("/v1/messages")) => Some(Api::Messages),
            ("POST", Some("/v1/responses")) => Some(Api::Responses),
            _ => None,
        }
    }
}

#[derive(Default)]
struct Shared {
    requests: Mutex<Vec<Recorded>>,
    script: Mutex<VecDeque<Vec<Block>>>,
    stopped: AtomicBool,
    answers: AtomicUsize,
}

/// The running endpoint; it stops when dropped.
pub(super) struct Endpoint {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl Endpoint {
    /// Listens on a port that the system chooses. Each request that offers tools takes the next
    /// answer of `script`; the program's side requests (titles and the like) offer none.
    pub(super) fn start(script: Vec<Vec<Block>>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared { script: Mutex::new(script.into()), ..Shared::default() });
        let for_thread = Arc::clone(&shared);
        let accepting = thread::spawn(move || {
            for stream in listener.incoming() {
                if for_thread.stopped.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&for_thread);
                // A client that goes away ends its own connection only.
                thread::spawn(move || drop(serve(&stream, &shared)));
            }
        });
        Self { address, shared, accepting: Some(accepting) }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, in order.
    pub(super) fn requests(&self) -> Vec<Recorded> {
        self.shared.requests.lock().unwrap().clone()
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // The accepting thread sees the flag at its next connection; where none can be made, it is left.
        if let (Ok(_), Some(thread)) = (TcpStream::connect(self.address), self.accepting.take()) {
            drop(thread.join());
        }
    }
}

/// Answers the requests of one connection until either side ends it.
fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader)? {
        // Recorded before it is answered: who has the answer finds the request.
        shared.requests.lock().unwrap().push(request.clone());
        let mut writer = stream;
        let Some(api) = request.api() else {
            write_json(&mut writer, "404 Not Found", &error("not_found_error", "no such path"))?;
            continue;
        };
        let Ok(question) = serde_json::from_slice::<Value>(&request.body) else {
            write_json(&mut writer, "400 Bad Request", &error("invalid_request_error", "not JSON"))?;
            continue;
        };
        let blocks = next_answer(&question, shared);
        let number = shared.answers.fetch_add(1, Ordering::SeqCst);
        match api {
            Api::Messages if messages::answer(&mut writer, &question, number, &blocks)? => {}
            Api::Messages => return Ok(()),
            Api::Responses => return responses::answer(&mut writer, number, &blocks),
        }
    }
    Ok(())
}

fn next_answer(question: &Value, shared: &Shared) -> Vec<Block> {
    let offers_tools = question["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let scripted = if offers_tools { shared.script.lock().unwrap().pop_front() } else { None };
    scripted.unwrap_or_else(|| vec![Block::text(DEFAULT_ANSWER)])
}

fn read_request(reader: &mut impl BufRead) -> io::Result<Option<Recorded>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "no request line"));
    };
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.split_once(':') else {
            break;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(Recorded { method, path, body }))
}

fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

fn write_json(writer: &mut impl Write, status: &str, body: &Value) -> io::Result<()> {
    let body = body.to_string();
    write!(
        writer,
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    writer.flush()
}

fn write_stream_head(writer: &mut impl Write) -> io::Result<()> {
    write!(writer, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
}

fn write_event(writer: &mut impl Write, event: &Value) -> io::Result<()> {
    write!(writer, "event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
}

mod tests {
    use super::*;

    /// Sends one request and reads all that comes back.
    fn ask(endpoint: &Endpoint, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(endpoint.address).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn a_request_is_recorded_and_answered_whole() {
        let endpoint = Endpoint::start(Vec::new());
        let answer = ask(&endpoint, "POST", "/v1/messages?beta=true", r#"{"model":"m","messages":[]}"#);
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        let body: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        assert_eq!(body["content"], json!([{"type": "text", "text": "resumed-ok"}]));
        assert_eq!(body["model"], "m");
        let requests = endpoint.requests();
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0].body, br#"{"model":"m","messages":[]}"#);
    }

    #[test]
    fn a_stream_is_answered_block_by_block() {
        let call = Block::ToolUse { id: "t1".into(), name: "Read".into(), input: json!({"file_path": "x"}) };
        let endpoint = Endpoint::start(vec![vec![Block::text("look"), call]]);
        let answer = ask(&endpoint, "POST", "/v1/messages", r#"{"stream":true,"tools":[{}]}"#);
        let types: Vec<&str> = answer.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
        assert_eq!(
            types,
            [
                "message_start",
                "content_block_start",
                "content_block_delta",
                "content_block_stop",
                "content_block_start",
                "content_block_delta",
                "content_block_stop",
                "message_delta",
                "message_stop"
            ]
        );
        assert!(answer.contains(r#""partial_json":"{\"file_path\":\"x\"}""#), "{answer}");
        assert!(answer.contains(r#""stop_reason":"tool_use""#), "{answer}");
    }

    #[test]
    fn the_other_api_is_answered_item_by_item() {
        let call = Block::ToolUse { id: "c1".into(), name: "exec".into(), input: json!({"cmd": "x"}) };
        let endpoint = Endpoint::start(vec![vec![Block::text("look"), call]]);
        let answer = ask(&endpoint, "POST", "/v1/responses", r#"{"stream":true,"tools":[{}]}"#);
        let types: Vec<&str> = answer.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
        let item = "response.output_item.done";
        assert_eq!(types, ["response.created", item, item, "response.completed"]);
        assert!(answer.contains(r#""arguments":"{\"cmd\":\"x\"}""#), "{answer}");
    }

    #[test]
    fn a_request_without_tools_leaves_the_script_alone() {
        let endpoint = Endpoint::start(vec![vec![Block::text("scripted")]]);
        assert!(ask(&endpoint, "POST", "/v1/messages", "{}").contains("resumed-ok"));
        assert!(ask(&endpoint, "POST", "/v1/messages", r#"{"tools":[{}]}"#).contains("scripted"));
        assert!(ask(&endpoint, "POST", "/v1/messages", r#"{"tools":[{}]}"#).contains("resumed-ok"));
    }

    #[test]
    fn any_other_path_or_method_is_not_found() {
        let endpoint = Endpoint::start(Vec::new());
        for (method, path) in [("GET", "/v1/messages"), ("POST", "/v1/messages/count_tokens"), ("GET", "/")] {
            assert!(ask(&endpoint, method, path, "").starts_with("HTTP/1.1 404 "), "{method} {path}");
        }
        assert!(endpoint.requests().iter().all(|request| !request.is_message()));
    }
}
