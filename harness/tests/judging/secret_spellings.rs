//! Secrets of nine shapes, spelled in nine ways by a target that repeats them: none is in what any command leaves behind.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Map, Value, json};
use tempfile::{TempDir, tempdir};
use tokio::io::AsyncWriteExt as _;

use crate::support::binary::{CommandResult, ended, file, paycheck};
use crate::support::raw::{Raw, hear};

/// Letters and digits, Base64, quotes and signs, other alphabets, digits alone, escapes that are none, a form, a mark, a long one.
const SHAPES: [&str; 9] = [
    "Zq7xK2mP9vLw",
    "q+Zx/9Tk==Wm8",
    "my \"se\\cret' <&> 77",
    "hésło→žlutý🔑9",
    "9081726354819",
    "p%41ss\\u0041%2fw&#66;",
    "a1=b2&c3;d4+e5",
    "***main***77x",
    "Lorem-ipsum-dolor-sit-amet-consectetur-adipiscing-elit-sed-do-eiusmod-tempor-incididunt-ut-labore-et-dolore-magna-aliqua-0",
];

/// One character of a text, escaped.
type Escape = fn(char) -> String;

/// All of a text escaped, and every second character of it; `always` has those that no text has as they are.
fn escapes(secret: &str, always: &str, escape: Escape) -> [String; 2] {
    let partly = |(index, c): (usize, char)| if index % 2 == 0 || always.contains(c) { escape(c) } else { c.to_string() };
    [secret.chars().map(escape).collect(), secret.chars().enumerate().map(partly).collect()]
}

fn percent(c: char) -> String {
    c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("%{byte:02x}")).collect()
}

fn unicode(c: char) -> String {
    c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect()
}

/// Nine ways to spell a secret: as it is, percent-encoded, as JSON, in HTML by name and by number, in hexadecimal, in Base64 with
/// and without a login, at every offset.
fn spellings(secret: &str) -> Vec<String> {
    let mut all = vec![secret.to_owned()];
    all.extend(escapes(secret, "%+&=; \\\"", percent));
    all.extend(escapes(secret, "\\\"", unicode));
    all.push(secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;"));
    all.extend(escapes(secret, "&\"<>", |c| format!("&#{};", u32::from(c))));
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    all.extend([hex.to_uppercase(), hex]);
    all.push(STANDARD.encode(format!("100001:{secret}")));
    for offset in ["", "q", "qq"] {
        all.extend([STANDARD_NO_PAD.encode(format!("{offset}{secret}")), URL_SAFE_NO_PAD.encode(format!("{offset}{secret}"))]);
    }
    all
}

/// What to look for: the spellings, without what the neighbours of a Base64 text decide.
fn needles(secrets: &[&str]) -> Vec<String> {
    let cores = secrets.iter().flat_map(|secret| spellings(secret)).map(|spelling| {
        let is_ascii = spelling.is_ascii() && spelling.len() > 16;
        if is_ascii { spelling[4..spelling.len() - 4].to_owned() } else { spelling }
    });
    cores.collect()
}

/// A response that repeats all secrets; there are several kinds of it.
fn echo(number: usize) -> Vec<u8> {
    let all: Vec<String> = SHAPES.iter().flat_map(|secret| spellings(secret)).collect();
    let (status, media_type, body) = match number % 5 {
        0 => {
            let mut fields: Map<String, Value> = all.iter().map(|spelling| (format!("k {spelling}"), json!(spelling))).collect();
            fields.extend([
                ("code".to_owned(), json!(0)),
                ("message".to_owned(), json!(all.join(" "))),
                ("transId".to_owned(), json!(SHAPES[4])),
            ]);
            ("200 OK", "application/json", Value::Object(fields).to_string())
        }
        1 => (
            "200 OK",
            "application/json",
            format!("{{\"code\":{},\"transId\":{},\"message\":\"{}\"}}", SHAPES[4], SHAPES[4], spellings(SHAPES[0])[4]),
        ),
        2 => ("200 OK", "text/plain", all.join("\n")),
        3 => (
            "200 OK",
            "application/x-www-form-urlencoded",
            format!("code=0&message={}", SHAPES.map(|secret| spellings(secret)[2].clone()).join("+")),
        ),
        _ => ("500 Zq7xK2mP9vLw", "text/html", format!("<p>{}</p>", all.join(" "))),
    };
    // A head with all of them would be too long.
    let headers: String = spellings(SHAPES[number % SHAPES.len()]).iter().map(|spelling| format!("x-echo: {spelling}\r\n")).collect();
    format!("HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        .into()
}

async fn echoing() -> Raw {
    let number = Arc::new(AtomicUsize::new(0));
    Raw::start(move |mut stream, _| {
        let response = echo(number.fetch_add(1, Ordering::SeqCst));
        async move {
            hear(&mut stream).await;
            let _ = stream.write_all(&response).await;
            let _ = stream.shutdown().await;
        }
    })
    .await
}

/// The files below a folder, read as they are and as a reader of their format sees them.
fn contents(folder: &Path, into: &mut Vec<(String, String)>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            contents(&path, into);
        } else {
            into.push((path.display().to_string(), String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned()));
        }
    }
}

/// A text as it is, and without the escapes of JSON and of HTML.
fn readings(text: &str) -> [String; 3] {
    let json = text.replace("\\\"", "\"").replace("\\\\", "\\").replace("\\/", "/");
    let html = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&");
    [text.to_owned(), json, html]
}

fn leaks(name: &str, text: &str, search: &AhoCorasick) -> Vec<String> {
    let of = |reading: &String| {
        let found = search.find_iter(reading).map(|found| reading[found.start()..].chars().take(80).collect::<String>());
        found.map(|found| format!("{name}: {found:?}")).collect::<Vec<_>>()
    };
    readings(text).iter().flat_map(of).collect()
}

/// Runs a command; the variable is for `init`.
async fn played(arguments: Vec<String>, summary: String, folder: &Path) -> CommandResult {
    let mut command = paycheck(arguments);
    // `init` writes schemas below the folder in which it is started.
    command.current_dir(folder);
    command.env("PAYCHECK_LOG", "trace").env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", summary).env("ITS_SECRET", SHAPES[0]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    tokio::task::spawn_blocking(move || ended(child)).await.unwrap()
}

/// A target that repeats its secrets, files about it, and a folder for all that commands write.
struct Stage {
    server: Raw,
    inputs: TempDir,
    outputs: TempDir,
    target: String,
    profile: String,
    credentials: String,
    /// What was left so far: where, and what.
    left: Vec<(String, String)>,
}

impl Stage {
    async fn open() -> Self {
        let server = echoing().await;
        let (inputs, outputs) = (tempdir().unwrap(), tempdir().unwrap());
        let identity = |(index, secret): (usize, &&str)| {
            let name = if index == 0 { "main".to_owned() } else { format!("other{index}") };
            (name, json!({ "merchant": format!("10000{index}"), "secret": secret }))
        };
        let identities: Map<String, Value> = SHAPES.iter().enumerate().map(identity).collect();
        let text = json!({ "title": "echo", "base": server.url.as_str().trim_end_matches('/'), "credentials": identities }).to_string();
        let profile = "title: echo\nkind: constant-users\nusers: 1\nfor: 200ms\nconservation: off\nkillswitch: { errors: 100%, after: 100 }\nmix: [{ scenario: gateway/a-creation-is-answered-with-a-payment }]\n";
        let [target, profile, credentials] =
            [("target.yaml", &*text), ("profile.yaml", profile), ("credentials.yaml", &identities["main"].to_string())]
                .map(|(name, text)| file(inputs.path(), name, text).display().to_string());
        Self { server, inputs, outputs, target, profile, credentials, left: Vec::new() }
    }

    /// A target file of the same shop whose devices have the secrets: what plays everything plays their cases alone.
    fn of_devices(&self) -> String {
        let identity = |(index, secret): (usize, &&str)| {
            let name = if index == 0 { "main".to_owned() } else { format!("other{index}") };
            let credentials = json!({
                "device-user": format!("device-{index}"), "device-password": secret, "serial": "SN1", "activation-code": "AC1",
            });
            (name, credentials)
        };
        let identities: Map<String, Value> = SHAPES.iter().enumerate().map(identity).collect();
        let text = json!({ "title": "devices", "base": self.server.url.as_str().trim_end_matches('/'), "credentials": identities });
        file(self.inputs.path(), "devices.yaml", &text.to_string()).display().to_string()
    }

    fn out(&self, name: &str) -> String {
        self.outputs.path().join(name).display().to_string()
    }

    /// Plays a command that ends with one of these codes.
    async fn play(&mut self, name: &str, command: Vec<String>, ends: &[i32]) {
        let result = played(command, self.out(&format!("{name}.summary")), self.outputs.path()).await;
        assert!(ends.contains(&result.code), "{name}: {}\n{}\n{}", result.code, result.out, result.err);
        self.left.extend([(format!("standard output of {name}"), result.out), (format!("standard error of {name}"), result.err)]);
    }

    /// Asserts that nothing that was left has a secret.
    fn shows_no_secret(mut self, files: usize) {
        contents(self.outputs.path(), &mut self.left);
        let marked = self.left.iter().any(|(_, text)| text.contains("***other8***"));
        assert!(self.left.len() > files && marked, "{} files, marked: {marked}", self.left.len());
        let [all, own] = [needles(&SHAPES), needles(&SHAPES[..1])].map(|needles| AhoCorasick::new(needles).unwrap());
        // Notifications are sent with one merchant's secret; any other secret that the endpoint returns is unknown to Paycheck.
        let known = |name: &str| if name.contains("notif") { &own } else { &all };
        let found: Vec<String> = self.left.iter().flat_map(|(name, text)| leaks(name, text, known(name))).collect();
        assert!(found.is_empty(), "{} leaks:\n{}", found.len(), found.iter().take(20).cloned().collect::<Vec<_>>().join("\n"));
    }
}

/// Every command that shows what a target says, with what it takes besides a target, and all its reports.
fn commands(target: &str, url: &str, profile: &str, credentials: &str, out: &dyn Fn(&str) -> String) -> Vec<Vec<String>> {
    let commands: [(&[&str], &[&str]); 8] = [
        (
            &["verify", "-f", "a-creation", "-v", "--all-exchanges"],
            &["html", "junit", "ctrf", "sarif", "har", "markdown", "events", "tape", "transcripts"],
        ),
        (&["explore", "--sequences", "1", "--steps", "3"], &["html", "junit", "ctrf", "sarif", "markdown", "out"]),
        (&["fuzz", "--requests", "2", "-f", "create"], &["html", "junit", "ctrf", "sarif", "markdown", "out"]),
        (&["mutate", "-f", "a-creation"], &["html", "junit", "ctrf", "sarif", "markdown", "json"]),
        (&["compare", "-f", "a-creation", "-v", target, "emulator"], &["html", "junit", "ctrf", "sarif", "markdown", "json"]),
        (&["load", profile], &["html", "json", "k6-summary"]),
        (
            &["notify", url, "-v", "-f", "paid", "--credentials", credentials, "--all-exchanges"],
            &["html", "junit", "ctrf", "sarif", "har", "markdown", "events"],
        ),
        (&["load", "notification", url, "--rate", "5", "--for", "300ms"], &["hlog", "json", "html", "k6-summary"]),
    ];
    let full = |(words, reports): &(&[&str], &[&str])| {
        let mut full: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        reports
            .iter()
            .for_each(|report| full.extend([format!("--{report}"), out(&format!("{}.{report}", words[0..2].join("-").replace('/', "-")))]));
        if !["compare", "notify"].contains(&words[0]) && words[1] != "notification" {
            full.extend(["--target".to_owned(), target.to_owned()]);
        }
        if ["verify", "explore", "fuzz", "mutate"].contains(&words[0]) {
            full.push("--no-preflight".to_owned());
        }
        full
    };
    commands.iter().map(full).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_command_leaves_a_secret_in_any_spelling() {
    let mut stage = Stage::open().await;
    let out = |name: &str| stage.out(name);
    let commands = commands(&stage.target, stage.server.url.as_str(), &stage.profile, &stage.credentials, &out);
    for (index, command) in commands.into_iter().enumerate() {
        let name = format!("{}-{index}", command[0]);
        // Two notifications may both meet a response that is a proper one; every other command meets one that is not.
        let ends: &[i32] = if name.starts_with("load-") { &[0, 1, 2] } else { &[1, 2] };
        stage.play(&name, command, ends).await;
    }
    stage.shows_no_secret(60);
}

/// Commands about a target or about the last run of it, in the order in which they are played, and how they may end.
const FURTHER: [(&str, &[i32]); 19] = [
    ("verify -f a-creation --target TARGET --events OUT/run.ndjson --tape OUT/run.tape --junit OUT/run.xml", &[1, 2]),
    ("verify --target TARGET --rerun-failed OUT/run.ndjson --har OUT/again.har", &[1, 2]),
    ("verify --target TARGET -f a-creation --list", &[0]),
    ("verify --target TARGET -f a-creation --list=json", &[0]),
    ("verify --target TARGET -f a-creation -v --dry-run", &[0]),
    ("clause gateway.create.answer.transId.present --events OUT/run.ndjson", &[0]),
    ("compare OUT/run.tape OUT/run.tape -v --json OUT/compared.json --html OUT/compared.html", &[0, 1, 2]),
    ("coverage --target TARGET --json --write OUT/reach.yaml", &[0]),
    (
        "coverage --run --no-preflight --target DEVICES --html OUT/c.html --junit OUT/c.xml --ctrf OUT/c.json --sarif OUT/c.sarif --markdown OUT/c.md",
        &[1, 2],
    ),
    ("init OUT/described.yaml --title T --base URL --merchant 100000 --secret-env ITS_SECRET --scenario OUT/first.yaml", &[0, 1, 2, 3]),
    ("config --config SETTINGS", &[0]),
    ("config load --json --config SETTINGS", &[0]),
    ("load PROFILE --target TARGET --explain", &[0]),
    ("load PROFILE --target TARGET --json OUT/load.json --hlog OUT/load.hlog", &[0, 1, 2]),
    ("load PROFILE --target TARGET --baseline OUT/load.json --html OUT/beside.html", &[0, 1, 2]),
    ("load PROFILE --target TARGET --otlp http://someone:SECRET@127.0.0.1:1", &[3]),
    ("load PROFILE --target TARGET --otlp http://someone:SECRET@[1", &[3]),
    ("emulate --listen 127.0.0.1:0 --notify http://someone:SECRET@127.0.0.1:1", &[3]),
    ("load notification URL --credentials CREDENTIALS --emulator http://someone:SECRET@127.0.0.1:1", &[3]),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_command_about_a_run_leaves_a_secret() {
    let mut stage = Stage::open().await;
    let settings = format!("[load]\notlp = \"http://someone:{}@127.0.0.1:1\"\n", SHAPES[0]);
    let settings = file(stage.inputs.path(), "paycheck.toml", &settings).display().to_string();
    let devices = stage.of_devices();
    for (command, ends) in FURTHER {
        let fill = |word: &str| {
            let named = word.replace("OUT", &stage.outputs.path().display().to_string()).replace("SECRET@", &format!("{}@", SHAPES[0]));
            let named = named
                .replace("TARGET", &stage.target)
                .replace("DEVICES", &devices)
                .replace("PROFILE", &stage.profile)
                .replace("URL", stage.server.url.as_str());
            named.replace("CREDENTIALS", &stage.credentials).replace("SETTINGS", &settings)
        };
        let words = command.split(' ').map(fill).collect();
        stage.play(&command.replace(['/', ' '], "-"), words, ends).await;
    }
    stage.left.extend(live_page(&stage).await);
    stage.shows_no_secret(40);
}

/// The live page and the metrics of a load that has met wrong responses.
async fn live_page(stage: &Stage) -> Vec<(String, String)> {
    let words = ["load", &stage.profile, "--for", "10m", "--target", &stage.target, "--dashboard", "127.0.0.1:0"];
    let mut child = paycheck(words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    tokio::task::spawn_blocking(move || {
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let line = lines.find(|line| line.starts_with("live page: ")).unwrap();
        let page = line.trim_start_matches("live page: ");
        let read = |path: &str| {
            let read = std::process::Command::new("curl").args(["-sSf", &format!("{page}{path}")]).output().unwrap();
            assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
            String::from_utf8(read.stdout).unwrap()
        };
        // The page changes every second.
        let state = std::iter::repeat_with(|| read("state.json")).find(|state| state.contains("\"causes\":[[")).unwrap();
        let left = vec![("the state of the live page".to_owned(), state), ("the live page".to_owned(), read(""))];
        child.kill().unwrap();
        child.wait().unwrap();
        left
    })
    .await
    .unwrap()
}

#[test]
fn the_search_finds_what_it_is_to_find() {
    let needles = AhoCorasick::new(needles(&SHAPES)).unwrap();
    for spelling in SHAPES.iter().flat_map(|secret| spellings(secret)) {
        for written in [spelling.clone(), json!(spelling).to_string()] {
            assert!(!leaks("here", &format!("before {written} after"), &needles).is_empty(), "{written}");
        }
    }
    assert!(leaks("here", "***other1*** and other words", &needles).is_empty());
}
