//! The `paycheck` binary, as a user runs it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use serde_json::{Value, json};

/// A call of the binary.
pub fn paycheck<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_paycheck"));
    command.args(arguments).stdin(Stdio::null()).env("NO_COLOR", "1").env_remove("GITHUB_ACTIONS");
    // Options of whoever runs the tests.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PAYCHECK_")) {
        command.env_remove(name);
    }
    command
}

/// How a call ended.
pub struct CommandResult {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl CommandResult {
    fn from_output(output: Output) -> Self {
        let ended = Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
        ended
    }

    /// Asserts the exit code, and shows the whole output if it is another one.
    pub fn with_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "\nstdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// Asserts that standard error contains these texts.
    pub fn complaining(self, of: &[&str]) -> Self {
        for part in of {
            assert!(self.err.contains(part), "`{part}` is not in:\n{}", self.err);
        }
        self
    }
}

/// Runs the binary to its end.
pub fn run<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> CommandResult {
    ended(paycheck(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Waits for a call to end; one that hangs is killed, and so ends with code -1. The bound is for hangs alone: a busy machine is slow.
pub fn ended(child: Child) -> CommandResult {
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    let id = child.id().to_string();
    std::thread::spawn(move || {
        if waiting.recv_timeout(Duration::from_secs(600)) == Err(RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").args(["-KILL", &id]).status();
        }
    });
    let output = child.wait_with_output().unwrap();
    drop(done);
    CommandResult::from_output(output)
}

/// Writes a file into a folder and returns its path.
pub fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

/// The events that a run wrote.
pub fn events(path: &Path) -> Vec<Value> {
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A `paycheck emulate` of its own; it is stopped when it is dropped.
pub struct Emulate {
    child: Child,
    output: BufReader<ChildStdout>,
    pub url: String,
}

impl Emulate {
    /// Starts it on a free port, which it reads from the first line of output.
    pub fn start(arguments: &[&str]) -> Self {
        let mut child = paycheck(["emulate", "--listen", "127.0.0.1:0"]).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut emulate = Self { child, output, url: String::new() };
        let line = emulate.line();
        let url = line.split_whitespace().find(|word| word.starts_with("http")).unwrap_or_else(|| panic!("no URL in {line:?}"));
        emulate.url = url.to_owned();
        emulate
    }

    /// The next line of its output, waited for.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Emulate {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a body by curl; returns that of the response.
pub fn post(url: &str, media_type: &str, body: &str) -> String {
    let header = format!("content-type: {media_type}");
    let curl = Command::new("curl").args(["-sSf", "-H", &header, "-d", body, url]).output().unwrap();
    assert!(curl.status.success(), "{}", String::from_utf8_lossy(&curl.stderr));
    String::from_utf8(curl.stdout).unwrap()
}

/// A target file for an emulator at a base URL; `more` is laid under it as further lines.
pub fn target_file(folder: &Path, base: &str, (merchant, secret): (&str, &str), more: &str) -> PathBuf {
    let (main, other) = (credentials(merchant, secret), credentials("200002", "another-secret-5577"));
    let text = format!("title: under test\nbase: {base}\nassert-assumed: true\ncredentials:\n  main: {main}\n  other: {other}\n{more}");
    file(folder, "target.yaml", &text)
}

/// Every part that some API asks for, in one line.
pub fn credentials(merchant: &str, secret: &str) -> Value {
    json!({
        "merchant": merchant, "secret": secret,
        "terminal": format!("T{merchant}"), "terminal-secret": format!("{secret} of the terminal"),
        "qr-user": format!("qr-{merchant}"), "qr-password": format!("{secret} of qr"),
        "mid": format!("M{merchant}"), "qr-terminal": format!("Q{merchant}"),
        "device-user": format!("device-{merchant}"), "device-password": format!("{secret} of devices"),
        "serial": format!("SN{merchant}"), "activation-code": format!("AC{merchant}"),
    })
}

/// The further lines for an emulator: worlds of its own, and an inbox on a free port.
pub fn emulated(base: &str) -> String {
    format!(
        "world: {{ emulator: \"{base}\" }}\nnotifications: {{ listen: \"127.0.0.1:0\", within: 5s }}\npoll-every: 5ms\npoll-within: 1s\n"
    )
}

/// A listener on this machine that accepts connections and never responds.
pub struct Silent {
    listener: std::net::TcpListener,
    pub url: String,
}

impl Silent {
    pub fn start() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        Self { listener, url }
    }

    /// Waits for a connection.
    pub fn visited(&self) -> std::net::TcpStream {
        self.listener.accept().unwrap().0
    }

    /// Whether a connection has arrived by now.
    pub fn was_visited(&self) -> bool {
        self.listener.set_nonblocking(true).unwrap();
        self.listener.accept().is_ok()
    }
}
