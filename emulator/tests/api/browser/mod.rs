//! A headless Chromium, driven over the WebDriver protocol by plain HTTP.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub const TAB: &str = "\u{e004}";
pub const ENTER: &str = "\u{e007}";
pub const DOWN: &str = "\u{e015}";

/// A browser window and the driver behind it. Both end with the test.
pub struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
}

impl Browser {
    /// Opens a window; `None` where no driver is installed. In CI there has to be one.
    pub fn open() -> Option<Self> {
        let mut command = Command::new("chromedriver");
        let Ok(mut driver) = command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
            assert!(
                std::env::var("CI").as_deref() != Ok("true"),
                "chromedriver is not installed: apt-get install chromium chromium-driver"
            );
            eprintln!("skipped: chromedriver is not installed (apt-get install chromium chromium-driver)");
            return None;
        };
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines
            .map_while(Result::ok)
            .find_map(|line| line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse().ok());
        let address = SocketAddr::from(([127, 0, 0, 1], port.expect("chromedriver tells its port")));
        let mut browser = Self { driver, address, session: String::new() };
        let args = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--lang=en",
        ];
        let options = json!({ "browserName": "chrome", "goog:chromeOptions": { "args": args } });
        let opened = browser.command("POST", "/session", json!({ "capabilities": { "alwaysMatch": options } }));
        browser.session = format!("/session/{}", opened["sessionId"].as_str().unwrap());
        Some(browser)
    }

    fn command(&self, method: &str, path: &str, body: Value) -> Value {
        self.try_command(method, path, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    fn try_command(&self, method: &str, path: &str, body: Value) -> Result<Value, String> {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let (_, response) = ask(self.address, method, &format!("{}{path}", self.session), &[], &body);
        let response: Value = serde_json::from_str(&response).unwrap();
        if response["value"]["error"].is_null() { Ok(response["value"].clone()) } else { Err(response["value"]["message"].to_string()) }
    }

    pub fn go(&self, url: &str) {
        self.command("POST", "/url", json!({ "url": url }));
    }

    pub fn url(&self) -> String {
        self.command("GET", "/url", json!({})).as_str().unwrap().to_owned()
    }

    pub fn title(&self) -> String {
        self.command("GET", "/title", json!({})).as_str().unwrap().to_owned()
    }

    pub fn text(&self, selector: &str) -> String {
        let text = self.command("GET", &format!("/element/{}/text", self.find(selector)), json!({}));
        text.as_str().unwrap().replace('\u{a0}', " ")
    }

    pub fn click(&self, selector: &str) {
        self.command("POST", &format!("/element/{}/click", self.find(selector)), json!({}));
    }

    /// Presses keys, wherever the focus is.
    pub fn press(&self, keys: &[&str]) {
        let strokes: Vec<_> = keys.iter().flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key }))).collect();
        self.command("POST", "/actions", json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": strokes }] }));
    }

    /// What a script of the test says about the page.
    pub fn say(&self, expression: &str) -> Value {
        self.try_say(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn try_say(&self, expression: &str) -> Result<Value, String> {
        self.try_command("POST", "/execute/sync", json!({ "script": format!("return {expression}"), "args": [] }))
    }

    /// Asks until the page says this: keys take their time on a busy machine.
    pub fn comes_to_say(&self, expression: &str, expected: &Value) {
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(120);
        while self.say(expression) != *expected {
            assert!(std::time::Instant::now() < deadline, "{expression} is {}, not {expected}", self.say(expression));
        }
    }

    /// Does what leads to another page, and returns when that is there. The driver alone doesn't wait for a form: what
    /// is asked next would be asked of the page before.
    pub fn leave(&self, action: impl FnOnce(&Self)) {
        self.say("window.before = true");
        action(self);
        let deadline = Instant::now() + Duration::from_secs(120);
        // Between two pages there is none to ask, which is an error.
        while self.try_say("!window.before && document.readyState === 'complete'") != Ok(Value::Bool(true)) {
            assert!(Instant::now() < deadline, "still at {}", self.url());
        }
    }

    /// Clicks on what leads to another page.
    pub fn leave_by(&self, selector: &str) {
        self.leave(|browser| browser.click(selector));
    }

    /// Shows the page as on a screen so wide, in CSS pixels.
    pub fn narrow_to(&self, width: u32) {
        let metrics = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": true });
        self.command("POST", "/goog/cdp/execute", json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params": metrics }));
    }

    /// Shows the page in this medium (`screen`, `print`) and colour scheme (`light`, `dark`).
    pub fn show_as(&self, medium: &str, scheme: &str) {
        let params = json!({ "media": medium, "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.command("POST", "/goog/cdp/execute", json!({ "cmd": "Emulation.setEmulatedMedia", "params": params }));
    }

    /// Shows the page light and dark, on a phone and on a laptop: it fits, its background is as asked, and `also` holds.
    pub fn shows_well(&self, also: impl Fn(&Self, &str)) {
        for scheme in ["light", "dark"] {
            self.show_as("screen", scheme);
            for width in [360, 1366] {
                self.narrow_to(width);
                let place = format!("{width}, {scheme}");
                assert_eq!(
                    self.say("document.documentElement.scrollWidth <= innerWidth"),
                    Value::Bool(true),
                    "{place}: it scrolls sideways"
                );
                also(self, &place);
            }
            let is_dark = self.say("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0] < 128");
            assert_eq!(is_dark, Value::Bool(scheme == "dark"));
        }
    }

    fn find(&self, selector: &str) -> String {
        let element = self.command("POST", "/element", json!({ "using": "css selector", "value": selector }));
        element.as_object().unwrap().values().next().unwrap().as_str().unwrap().to_owned()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Also after a failed assertion: ending the session ends Chromium, ending the driver alone would not.
        if !self.session.is_empty() {
            let _ = std::panic::catch_unwind(|| ask(self.address, "DELETE", &self.session, &[], ""));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// One HTTP request on a connection of its own; status and body.
pub fn ask(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    write!(stream, "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}")
        .unwrap();
    let mut stream = BufReader::new(stream);
    let head: Vec<_> = stream.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
    let status = head[0].split(' ').nth(1).unwrap().parse().unwrap();
    let length = head.iter().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).unwrap();
    (status, String::from_utf8(body).unwrap())
}
