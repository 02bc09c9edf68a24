//! The log of `paycheck emulate --log`: a line for each request and each notification.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use emulator::{Log, LogEntry};

use crate::base::figures::time;
use crate::base::text::printable;

/// Lines that wait to be written. What comes beyond is left out and counted: a terminal is slower than an emulator under load.
const WAITING: usize = 10_000;

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum LogFormat {
    /// For people.
    Text,
    /// A JSON object a line.
    Json,
}

/// Starts the thread that writes to standard output. It ends with the last handle of the log.
pub(super) fn start(format: LogFormat) -> Log {
    let (sender, lines) = sync_channel(WAITING);
    let lost = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&lost);
    std::thread::spawn(move || write(&lines, &counted));
    Arc::new(move |entry| offer(&sender, line(format, entry), &lost))
}

fn offer(sender: &SyncSender<String>, line: String, lost: &AtomicU64) {
    if sender.try_send(line).is_err() {
        lost.fetch_add(1, Ordering::Relaxed);
    }
}

/// Writes until the log or standard output ends.
fn write(lines: &Receiver<String>, lost: &AtomicU64) {
    while let Ok(line) = lines.recv() {
        let mut out = std::io::stdout();
        let missing = lost.swap(0, Ordering::Relaxed);
        let note = if missing > 0 { writeln!(std::io::stderr(), "note: {missing} lines of the log were left out") } else { Ok(()) };
        if note.and_then(|()| writeln!(out, "{line}")).and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

fn line(format: LogFormat, entry: &LogEntry) -> String {
    match format {
        LogFormat::Json => serde_json::to_string(entry).unwrap_or_default(),
        LogFormat::Text => printable(&text(entry)),
    }
}

fn text(entry: &LogEntry) -> String {
    match entry {
        LogEntry::Request { method, path, status, code, message, trans_id, milliseconds } => {
            let status = status.map_or_else(|| "no response".to_owned(), |status| status.to_string());
            let code = code.as_ref().map(|code| format!(" code {code}")).unwrap_or_default();
            let message = message.as_ref().map(|message| format!(" ({message})")).unwrap_or_default();
            let trans_id = trans_id.as_ref().map(|id| format!(", {id}")).unwrap_or_default();
            let took = time(milliseconds * 1e3);
            format!("{method} {path} → {status}{code}{message}, {took}{trans_id}")
        }
        LogEntry::Notification { trans_id, status, attempt, response, error, acknowledged } => {
            let response = response.map(|status| status.to_string());
            let response = response.or_else(|| error.clone()).unwrap_or_default();
            let acknowledged = if *acknowledged { "acknowledged" } else { "not acknowledged" };
            format!("notification {trans_id} {status}, attempt {attempt} → {response}, {acknowledged}")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(status: Option<u16>, code: Option<&str>, message: Option<&str>, trans_id: Option<&str>) -> LogEntry {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        LogEntry::Request {
            method: "POST".into(),
            path: "/v2.0/payment.json".into(),
            status,
            code: owned(code),
            message: owned(message),
            trans_id: owned(trans_id),
            milliseconds: 0.312,
        }
    }

    fn notification(response: Option<u16>, error: Option<&str>) -> LogEntry {
        let (trans_id, status, error) = ("AB12-CD34-EF56".into(), "PAID".into(), error.map(str::to_owned));
        LogEntry::Notification { trans_id, status, attempt: 2, response, error, acknowledged: response == Some(200) }
    }

    #[test]
    fn a_line_says_what_was_asked_and_how_it_ended() {
        for (entry, expected) in [
            (request(Some(200), Some("0"), None, Some("AB12-CD34-EF56")), "POST /v2.0/payment.json → 200 code 0, 312 µs, AB12-CD34-EF56"),
            (request(Some(200), Some("1400"), Some("Wrong\u{1b} query"), None), "POST /v2.0/payment.json → 200 code 1400 (Wrong"),
            (request(None, None, None, None), "POST /v2.0/payment.json → no response, 312 µs"),
            (notification(Some(200), None), "notification AB12-CD34-EF56 PAID, attempt 2 → 200, acknowledged"),
            (notification(Some(500), None), "notification AB12-CD34-EF56 PAID, attempt 2 → 500, not acknowledged"),
            (notification(None, Some("Connection refused")), "attempt 2 → Connection refused, not acknowledged"),
        ] {
            let line = line(LogFormat::Text, &entry);
            assert!(line.contains(expected) && !line.contains('\u{1b}'), "{line}");
        }
        let json = line(LogFormat::Json, &request(Some(200), Some("0"), None, None));
        assert!(json.starts_with(r#"{"event":"request","method":"POST","path":"/v2.0/payment.json","status":200"#), "{json}");
    }

    #[test]
    fn lines_that_nobody_reads_are_left_out_and_counted() {
        let (sender, lines) = sync_channel(1);
        let lost = AtomicU64::new(0);
        ["a", "b", "c"].into_iter().for_each(|line| offer(&sender, line.to_owned(), &lost));
        assert_eq!((lines.recv().unwrap().as_str(), lost.into_inner()), ("a", 2));
    }
}
