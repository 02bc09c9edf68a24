//! HTTP Archive 1.2: every exchange of a run, for the tools that read traffic.

use std::io::{self, Write};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::Reporter;
use super::format::{Format, FormatOptions};
use crate::base::output::StreamFile;
use crate::base::text::first_bytes;
use crate::engine::event::{CaseFinished, CaseName, Event};
use crate::engine::outcome::{MAX_SHOWN_BODY_BYTES, Outcome};
use crate::wire::exchange::{BinaryFile, Body, Direction, Exchange, Request, Response};

pub(super) const FORMAT: Format = Format {
    name: "har",
    label: "HAR",
    help: "Writes every exchange of the run as HAR 1.2",
    needs_exchanges: true,
    reporter: |options| Ok(Box::new(Har { out: StreamFile::new(&options.to)?, started: false, options, entries: 0 })),
};

/// Writes exchanges as they arrive, so that memory stays bounded.
struct Har {
    out: StreamFile,
    options: FormatOptions,
    started: bool,
    entries: i64,
}

impl Har {
    fn begin(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.started, true) {
            return Ok(());
        }
        let creator = json!({ "name": "paycheck", "version": env!("CARGO_PKG_VERSION") });
        write!(self.out, "{{\"log\":{{\"version\":\"1.2\",\"creator\":{creator},\"entries\":[")
    }

    fn case(&mut self, case: &CaseFinished) -> io::Result<()> {
        self.begin()?;
        for exchange in &case.record {
            let separator = if self.entries == 0 { "" } else { "," };
            let elapsed = if self.options.timings { exchange.elapsed } else { Duration::ZERO };
            write!(self.out, "{separator}\n{}", entry(exchange, &case.name, self.entries, elapsed))?;
            self.entries += 1;
        }
        Ok(())
    }
}

impl Reporter for Har {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::CaseFinished(case) => self.case(case),
            Event::RunStarted(_) | Event::RunFinished(_) => Ok(()),
        }
    }

    fn finish(&mut self, _outcome: &Outcome) -> io::Result<()> {
        self.begin()?;
        self.out.write_all(b"\n]}}\n")?;
        self.out.complete()
    }
}

/// One exchange. The same run gives the same file, so that the time of day is a count of milliseconds that keeps their order.
fn entry(exchange: &Exchange, case: &CaseName, number: i64, elapsed: Duration) -> Value {
    let milliseconds = elapsed.as_secs_f64() * 1000.0;
    let started = jiff::Timestamp::from_millisecond(number).map(|at| format!("{at:.3}")).unwrap_or_default();
    json!({
        "startedDateTime": started,
        "time": milliseconds,
        "request": request(&exchange.request),
        "response": response(exchange),
        "cache": {},
        "timings": { "send": 0, "wait": milliseconds, "receive": 0 },
        "comment": format!("{case}: {}{}", exchange.operation, if exchange.direction == Direction::Notification { ", received" } else { "" }),
    })
}

fn request(request: &Request) -> Value {
    let query = url::Url::parse(&request.url);
    let query: Vec<Value> = query
        .iter()
        .flat_map(|url| url.query_pairs().map(|(name, value)| json!({ "name": name, "value": value })).collect::<Vec<_>>())
        .collect();
    let mut written = json!({
        "method": request.method,
        "url": request.url,
        "httpVersion": request.http.name(),
        "cookies": [],
        "headers": headers(&request.headers),
        "queryString": query,
        "headersSize": -1,
        "bodySize": size(&request.body),
    });
    if let (false, Some(map)) = (request.body.text.is_empty(), written.as_object_mut()) {
        let (text, comment) = text(&request.body);
        let media_type = request.header("content-type").unwrap_or_default();
        map.insert("postData".into(), json!({ "mimeType": media_type, "text": text, "comment": comment }));
    }
    written
}

fn response(exchange: &Exchange) -> Value {
    let http = exchange.request.http.name();
    let Some(response) = exchange.response() else {
        let why = exchange.failure().map(|failure| failure.detail.as_str()).unwrap_or_default();
        return json!({
            "status": 0, "statusText": "", "httpVersion": http, "cookies": [], "headers": [],
            "content": { "size": 0, "mimeType": "x-unknown" }, "redirectURL": "", "headersSize": -1, "bodySize": -1, "comment": why,
        });
    };
    json!({
        "status": response.status,
        "statusText": "",
        "httpVersion": http,
        "cookies": [],
        "headers": headers(&response.headers),
        "content": content(response),
        "redirectURL": response.header("location").unwrap_or_default(),
        "headersSize": -1,
        "bodySize": size(&response.body),
    })
}

/// The body of a response. A binary file is in Base64; where it is not kept, a comment says what it was.
fn content(response: &Response) -> Value {
    let body = &response.body;
    let mut written = json!({ "size": size(body), "mimeType": response.header("content-type").unwrap_or("x-unknown") });
    let parts = match body.file.as_deref() {
        None => {
            let (text, comment) = text(body);
            json!({ "text": text, "comment": comment })
        }
        Some(BinaryFile { bytes: Some(bytes), .. }) => {
            json!({ "text": STANDARD.encode(bytes), "encoding": "base64", "comment": body.text })
        }
        Some(BinaryFile { bytes: None, .. }) => json!({ "comment": body.text }),
    };
    if let (Some(written), Value::Object(parts)) = (written.as_object_mut(), parts) {
        written.extend(parts);
    }
    written
}

fn headers(headers: &[(String, String)]) -> Vec<Value> {
    headers.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

fn size(body: &Body) -> usize {
    body.file.as_ref().map_or_else(|| body.cut_from().unwrap_or(body.text.len()), |file| file.size)
}

/// The beginning of a body, and a note about the rest.
fn text(body: &Body) -> (&str, String) {
    let text = first_bytes(&body.text, MAX_SHOWN_BODY_BYTES);
    let comment = if text.len() < size(body) { format!("the first {} of {} bytes", text.len(), size(body)) } else { String::new() };
    (text, comment)
}
