//! Who moves the world of a live target: requests, people, and time that passes.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::support::binary::{CommandResult, Emulate, ended, file, paycheck, run, target_file};
use crate::support::{contracts, emulator, scripted};
use futures::future::{BoxFuture, FutureExt as _};
use harness::base::source::Source;
use harness::engine::runner::{self, Context, Limits};
use harness::engine::world::{Person, Question};
use harness::spec::target;
use tempfile::tempdir;
use tokio::sync::Notify;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const PAID: &str = "title: A payment is paid\nclauses: [gateway.payment.paid]\nsteps:\n  - call: gateway.v2.create\n    keep: { payment: \
                    transId }\n  - world: payer.pays\n    with: { transId: '{{ payment }}' }\n  - call: gateway.v2.status\n    with: { \
                    transId: '{{ payment }}' }\n    expect: { status: PAID }\n";

const EXPIRED: &str = "title: Time passes\nclauses: [gateway.payment.paid]\ncases: [{ name: one, seconds: 1 }, { name: many, seconds: 3600 }]\n\
                       steps:\n  - world: clock.advances\n    with: { seconds: '{{ seconds }}' }\n  - call: gateway.v2.create\n";

fn target_of(folder: &Path, emulate: &Emulate, world: &str) -> PathBuf {
    target_file(folder, &emulate.url, ("100001", "secret-100001"), &format!("world:\n{world}"))
}

fn verify(folder: &Path, script: &str, target: &Path) -> std::process::Command {
    let script = file(folder, "gateway/script.yaml", script).display().to_string();
    paycheck(["verify", &script, "--verbose", "--target", &target.display().to_string()])
}

/// Plays the script while a person types these lines.
fn typed(folder: &Path, target: &Path, lines: &str) -> CommandResult {
    let mut command = verify(folder, PAID, target);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    ended(child)
}

fn played(folder: &Path, script: &str, target: &Path) -> CommandResult {
    ended(verify(folder, script, target).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

#[test]
fn a_request_plays_the_payer() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let world = "  http:\n    payer.pays: { url: '{{ base.gateway }}/__emulator/worlds/default/actions/payer.pays', json: { transId: '{{ \
                 transId }}' } }\n";
    let ended = played(folder.path(), PAID, &target_of(folder.path(), &emulate, world)).with_code(0);
    assert!(ended.out.contains("1 passed"), "{}", ended.out);
}

/// The shop's own simulation: with credentials, by form or JSON, and a refusal that comes with status 200.
#[test]
fn the_simulation_of_a_test_shop_plays_the_payer() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let json = "  http:\n    payer.pays:\n      url: '{{ base.gateway }}/v2.0/simulation.json'\n      basic: { user: '{{ \
                credentials.main.merchant }}', password: '{{ credentials.main.secret }}' }\n      json: { subject: payment, transId: '{{ \
                transId }}', task: PAID }\n      expect: { code: 0 }\n";
    let form = "  http:\n    payer.pays:\n      url: '{{ base.gateway }}/v1.0/simulation'\n      form: { merchant: '{{ \
                credentials.main.merchant }}', secret: '{{ credentials.main.secret }}', subject: payment, transId: '{{ transId }}', task: \
                PAID }\n      expect: { code: 0 }\n";
    for world in [json, form] {
        played(folder.path(), PAID, &target_of(folder.path(), &emulate, world)).with_code(0);
        let refused = world.replace("task: PAID", "task: NOTHING");
        // A driver that fails in two cases is one reason.
        let twice = PAID.replace("steps:", "cases: [{ name: one }, { name: other }]\nsteps:");
        let ended = played(folder.path(), &twice, &target_of(folder.path(), &emulate, &refused)).with_code(2);
        let reason = "not judged 2 cases, 1 clause: the request for `payer.pays`: `code` is to be 0";
        let words = ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(reason), "{}", ended.out);
        assert!(!ended.out.contains("secret-100001"), "{}", ended.out);
    }
}

#[test]
fn a_case_waits_until_what_a_driver_did_shows() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let world = "  shows-within: 300ms\n  http:\n    payer.pays: { url: '{{ base.gateway }}/__emulator/worlds/default/actions/payer.pays', \
                 json: { transId: '{{ transId }}' } }\n";
    let began = Instant::now();
    played(folder.path(), PAID, &target_of(folder.path(), &emulate, world)).with_code(0);
    assert!(began.elapsed() >= Duration::from_millis(300), "{:?}", began.elapsed());
}

/// What the following steps need is not there: that is no fault of the target.
#[test]
fn a_driver_that_does_not_return_what_is_kept_skips_the_case() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let script = PAID.replace("  - call: gateway.v2.status", "    keep: { day: paidOn }\n  - call: gateway.v2.status");
    let world = "  http:\n    payer.pays: { url: '{{ base.gateway }}/__emulator/worlds/default/actions/payer.pays', json: { transId: '{{ \
                 transId }}' } }\n";
    let ended = played(folder.path(), &script, &target_of(folder.path(), &emulate, world)).with_code(2);
    assert!(ended.out.contains("`payer.pays` returns no `paidOn`"), "{}", ended.out);
}

#[test]
fn a_person_is_asked_and_pays() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let target = target_of(folder.path(), &emulate, "  ask: [payer.pays]\n");
    // A person who presses Enter without paying sees what the payment says.
    let ended = typed(folder.path(), &target, "\n").with_code(1);
    for part in ["payer.pays: ", "amount     100.00 CZK", "transId    ", "Enter", "█"] {
        assert!(ended.err.contains(part), "`{part}` is not in:\n{}", ended.err);
    }
}

#[test]
fn what_a_person_cannot_do_is_skipped_with_the_reason() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let target = target_of(folder.path(), &emulate, "  ask: [payer.pays]\n");
    for (lines, why) in [("my phone is empty\n", "my phone is empty"), ("", "standard input has ended")] {
        let ended = typed(folder.path(), &target, lines).with_code(2);
        assert!(ended.out.contains("1 skipped") && ended.out.contains(why), "{}", ended.out);
    }
}

#[test]
fn an_unreachable_inbox_is_reported_in_one_sentence() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let paid = PAID.replace("  - call: gateway.v2.status", "  - notification: { transId: '{{ payment }}' }\n  - call: gateway.v2.status");
    let world = "  http:\n    payer.pays: { url: '{{ base.gateway }}/__emulator/worlds/default/actions/payer.pays', json: { transId: '{{ \
                 transId }}' } }\nnotifications: { listen: '127.0.0.1:0', within: 50ms }\n";
    let ended = played(folder.path(), &paid, &target_of(folder.path(), &emulate, world)).with_code(1);
    let words = ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("no notification arrived in the whole run, though 1 case waited for one"), "{}", ended.out);
}

#[test]
fn time_passes_up_to_a_bound() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let ended = played(folder.path(), EXPIRED, &target_of(folder.path(), &emulate, "  waits-up-to: 2s\n")).with_code(2);
    assert!(ended.out.contains("1 passed, 0 failed, 1 skipped") && ended.out.contains("waits up to 2 seconds"), "{}", ended.out);
    let ended = played(folder.path(), EXPIRED, &target_of(folder.path(), &emulate, "  ask: []\n")).with_code(2);
    assert!(ended.out.contains("2 skipped") && ended.out.contains("no driver for `clock.advances`"), "{}", ended.out);
}

#[test]
fn what_no_driver_can_be_is_refused_with_its_place() {
    let folder = tempdir().unwrap();
    for (world, why) in [
        ("{ http: { payer.pay: { url: http://x.invalid } } }", "did you mean `payer.pays`?"),
        ("{ ask: [payer.pay] }", "did you mean `payer.pays`?"),
        ("{ commands: { payer.pays: [x] }, ask: [payer.pays] }", "`payer.pays` has two drivers"),
        ("{ http: { payer.pays: { url: 'pay here' } } }", "is no URL"),
        ("{ http: { payer.pays: { url: 'http://x.invalid/{{ transid }}' } } }", "did you mean `transId`?"),
        ("{ http: { payer.pays: { url: 'http://x.invalid/{{ credentials.main.secret }}' } } }", "don't go into a URL"),
        ("{ http: { payer.pays: { url: http://x.invalid, form: { a: b }, json: {} } } }", "one body"),
        ("{ http: { payer.pays: { url: http://x.invalid, method: 'PO ST' } } }", "no method of HTTP"),
        ("{ commands: { payer.pays: [x, '{{ transid }}'] } }", "did you mean `transId`?"),
        ("{ emulator: 'http://127.0.0.1:1', ask: [payer.pays] }", "leave one of the two out"),
        ("{ waits-up-to: soon }", "a time is a number and a unit"),
        ("{ shows-within: soon }", "a time is a number and a unit"),
        ("{ emulator: 'http://127.0.0.1:1', shows-within: 1s }", "leave one of the two out"),
    ] {
        let target = target_file(folder.path(), "http://127.0.0.1:1", ("1", "s"), &format!("world: {world}\n"));
        let ended = run(["verify", "--target", &target.display().to_string()]).with_code(3);
        assert!(ended.err.contains(why), "{world}: `{why}` is not in\n{}", ended.err);
        assert!(ended.err.contains("target.yaml:"), "{world}: {}", ended.err);
    }
}

/// The inbox's public address goes to the target, so it is read like any other URL.
#[test]
fn a_public_address_that_is_no_url_is_refused_with_its_place() {
    let folder = tempdir().unwrap();
    for public in ["my shop", "ftp://inbox.invalid"] {
        let inbox = format!("notifications: {{ listen: '127.0.0.1:0', public: '{public}' }}\n");
        let target = target_file(folder.path(), "http://127.0.0.1:1", ("1", "s"), &inbox);
        let ended = run(["verify", "--target", &target.display().to_string()]).with_code(3);
        assert!(ended.err.contains("target.yaml:7:") && ended.err.contains("URL"), "{public}: {}", ended.err);
    }
}

/// A person who is asked, and does nothing before the other case has got as far as its own action.
struct Patient(Arc<Notify>);

impl Person for Patient {
    fn ask(&self, _: Question) -> BoxFuture<'_, Result<(), String>> {
        self.0.notified().map(Ok).boxed()
    }
}

#[tokio::test]
async fn another_case_goes_on_while_a_person_is_asked() {
    let (emulator, done, other) = (emulator().await, Arc::new(Notify::new()), MockServer::start().await);
    let goes_on = Arc::clone(&done);
    let acted = move |_: &Request| {
        goes_on.notify_one();
        ResponseTemplate::new(200)
    };
    Mock::given(any()).respond_with(acted).mount(&other).await;
    let world = format!("world: {{ ask: [payer.pays], http: {{ payer.cancels: {{ url: '{}' }} }} }}\n", other.uri());
    let folder = tempdir().unwrap();
    let file = target_file(folder.path(), &emulator.base_url(), ("100001", "secret-100001"), &world);
    let file = Source::new("target.yaml", std::fs::read_to_string(file).unwrap());
    let target = target::parse(&file, &contracts(), &|_| None).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    let context = Context::start(contracts(), target, Vec::new(), 1).await.unwrap().with_person(Arc::new(Patient(done)));
    let acting = |action: &str| {
        scripted(&format!(
            "title: A payer\nclauses: [gateway.payment.created]\nsteps:\n  - call: gateway.v2.create\n    keep: {{ payment: transId }}\n  - \
             world: {action}\n    with: {{ transId: '{{{{ payment }}}}' }}\n"
        ))
    };
    let plan = acting("payer.pays").into_iter().chain(acting("payer.cancels")).collect();
    let run =
        runner::run(Arc::new(context), plan, BTreeSet::new(), Limits { jobs: 2 }, std::future::pending(), |_| Ok::<(), Infallible>(()));
    // The bound is for a run that hangs.
    let run = tokio::time::timeout(Duration::from_secs(60), run).await.expect("the case that asks nothing has to wait").unwrap();
    assert_eq!((run.counts.passed, run.counts.failed + run.counts.skipped + run.counts.not_judged), (2, 0), "{:?}", run.counts);
}
