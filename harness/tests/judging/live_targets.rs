//! Targets that are not an emulator: what is refused, what is skipped, and a world of the user's own commands.

use std::path::Path;

use crate::support::binary::{CommandResult, Emulate, Silent, credentials, emulated, file, paycheck, post, run, target_file};
use crate::support::{MAIN, free_address};
use tempfile::tempdir;

/// A name that leads nowhere, and is not this machine.
const FOREIGN: &str = "http://gateway.example.invalid";

const REAL: &str =
    "title: Real money\nclauses: [gateway.create.test.default]\nsteps:\n  - call: gateway.v1.create\n    with: { test: false }\n";
const SILENT_ABOUT_TEST: &str =
    "title: Real money by omission\nclauses: [gateway.create.test.default]\nsteps:\n  - call: gateway.v2.create\n    without: [test]\n";
const TEST: &str = "title: A test payment\nclauses: [gateway.v2.create.call]\nsteps:\n  - call: gateway.v2.create\n";
const FAULT: &str = "title: A fault\nclauses: [gateway.create.code.1200]\nsteps:\n  - world: gateway.fails\n    \
                     with: { operation: gateway.v2.create, code: 1200 }\n  - call: gateway.v2.create\n    expect: { code: 1200 }\n";
const PAID: &str = "title: A test payment is paid\nclauses: [gateway.payment.paid, gateway.notification.completion]\ncases:\n  - { name: v1.0, \
                    create: gateway.v1.create }\n  - { name: v2.0, create: gateway.v2.create }\nsteps:\n  - call: '{{ create }}'\n    \
                    keep: { payment: transId }\n  - world: payer.pays\n    with: { transId: '{{ payment }}' }\n  - notification: { transId: \
                    '{{ payment }}', status: PAID }\n    clause: gateway.notification.completion\n  - call: gateway.v2.status\n    with: { \
                    transId: '{{ payment }}' }\n    until: { status: PAID }\n    clause: gateway.payment.paid\n";

/// Verifies one script against a target file.
fn verify(folder: &Path, script: &str, target: &Path, more: &[&str]) -> CommandResult {
    let script = file(folder, "gateway/script.yaml", script).display().to_string();
    let target = target.display().to_string();
    run(["verify", &script, "--target", &target, "--verbose"].iter().chain(more))
}

fn says(ended: &CommandResult, parts: &[&str]) {
    for part in parts {
        let whole = ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(whole.contains(part), "`{part}` is not in:\n{}", ended.out);
    }
}

#[test]
fn a_payment_that_is_no_test_is_not_created_elsewhere() {
    let folder = tempdir().unwrap();
    let target = target_file(folder.path(), FOREIGN, MAIN, "");
    for script in [REAL, SILENT_ABOUT_TEST] {
        let ended = verify(folder.path(), script, &target, &[]).with_code(2);
        says(&ended, &["1 skipped", "0 requests", "without `test: true` in its body"]);
    }
}

#[test]
fn calls_without_credentials_are_skipped_where_the_target_file_has_none_for_their_api() {
    let folder = tempdir().unwrap();
    let no_token = "title: T\nclauses: [device.token.bearer]\nsteps:\n  - call: device.config\n    as: nobody\n    http: { status: { $refusal: true } }\n";
    let gateway = "title: under test\nbase: http://127.0.0.1:1\ncredentials: { main: { merchant: '1', secret: s } }\n";
    let ended = verify(folder.path(), no_token, &file(folder.path(), "target.yaml", gateway), &[]).with_code(2);
    says(&ended, &["1 skipped", "0 requests", "the credentials of `main` lack"]);
}

/// This machine under an address that is no loopback address: what is sent there arrives, and leaves the machine never.
fn elsewhere(url: &str) -> String {
    url.replace("127.0.0.1", "0.0.0.0")
}

fn script(steps: &str) -> String {
    format!(
        "title: A payment by other means\nclauses: [gateway.create.test.default]\ncases: [{{ name: one, flag: false }}]\nsteps:\n{steps}"
    )
}

/// Steps whose fields say `test: true`, as their example does, and whose bytes don't; with what the message says.
const DISGUISED: [(&str, &str); 11] = [
    ("  - call: gateway.v2.create\n    body: '{\"price\": 100}'\n", "gateway.v2.create without `test: true` in its body"),
    ("  - call: gateway.v1.create\n    body: 'price=100&test=false'\n", "gateway.v1.create without `test: true` in its body"),
    ("  - call: gateway.v1.create\n    body: 'price=100&%74est=false'\n", "gateway.v1.create without `test: true` in its body"),
    ("  - call: gateway.v1.create\n    body: 'test=true&test=false'\n", "the key `test` is repeated"),
    ("  - call: gateway.v2.create\n    body: '{\"test\": true, \"test\": false}'\n", "the key `test` is repeated"),
    ("  - call: gateway.v2.create\n    body: '{\"test\": true'\n", "with a body that can't be read"),
    ("  - call: gateway.v2.create\n    body: 'test=true'\n", "with a body that can't be read"),
    ("  - call: gateway.v1.create\n    query: { test: 'false' }\n", "with more than one `test`"),
    ("  - call: gateway.v2.create\n    with: { test: 'true' }\n", "gateway.v2.create without `test: true` in its body"),
    ("  - call: gateway.v2.create\n    with: { test: '{{ flag }}' }\n", "gateway.v2.create without `test: true` in its body"),
    (
        "  - call: gateway.v2.recurring\n    body: '{\"initRecurringId\": \"AB12-CD34-EF56\"}'\n",
        "gateway.v2.recurring without `test: true`",
    ),
];

#[test]
fn no_disguise_brings_a_payment_to_a_live_target() {
    let folder = tempdir().unwrap();
    let server = Silent::start();
    let target = target_file(folder.path(), &elsewhere(&server.url), MAIN, "timeout: 1s\n");
    for (steps, why) in DISGUISED {
        let ended = verify(folder.path(), &script(steps), &target, &[]).with_code(2);
        says(&ended, &["1 skipped", "0 requests", "script.yaml:5:5: ", why, "`allow: { production: true }` in the target file opens it"]);
    }
    assert!(!server.was_visited());
}

/// The same steps, with bytes that say that they are tests.
#[test]
fn bytes_that_say_test_reach_a_live_target() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let target = target_file(folder.path(), &elsewhere(&emulate.url), ("100001", "secret-100001"), "");
    let json = "{\"test\": true, \"country\": \"CZ\", \"price\": 10000, \"curr\": \"CZK\", \"label\": \"Ball\", \"refId\": \"1\", \
                \"method\": \"ALL\", \"email\": \"payer@example.com\", \"fullName\": \"Jan\"}";
    let form = "merchant=100001&secret=secret-100001&%74est=true&prepareOnly=true&country=CZ&price=10000&curr=CZK&label=Ball&refId=1&\
                method=ALL&email=payer%40example.com&fullName=Jan";
    for steps in [
        format!("  - call: gateway.v2.create\n    body: '{json}'\n"),
        format!("  - call: gateway.v1.create\n    body: '{form}'\n"),
        "  - call: gateway.v2.create\n    query: { test: 'true' }\n".to_owned(),
        "  - call: gateway.v1.create\n    with: { test: 'true' }\n".to_owned(),
    ] {
        let ended = verify(folder.path(), &script(&steps), &target, &[]).with_code(0);
        says(&ended, &["1 passed", "1 request,"]);
    }
}

/// A step that is refused after others were sent ends its case there.
#[test]
fn a_template_that_fills_in_no_test_is_refused_when_it_is_filled() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let target = target_file(folder.path(), &elsewhere(&emulate.url), ("100001", "secret-100001"), "");
    let steps =
        "  - call: gateway.v2.create\n    keep: { flag: message }\n  - call: gateway.v2.create\n    body: '{\"test\": \"{{ flag }}\"}'\n";
    let ended = verify(folder.path(), &script(steps), &target, &[]).with_code(2);
    says(&ended, &["1 skipped", "1 request,", "script.yaml:7:5: gateway.v2.create without `test: true` in its body"]);
}

#[test]
fn a_line_of_the_target_file_opens_it() {
    let folder = tempdir().unwrap();
    let target = target_file(folder.path(), FOREIGN, MAIN, "allow: { production: true }\ntimeout: 2s\n");
    let ended = verify(folder.path(), REAL, &target, &["--no-preflight"]);
    says(&ended, &["0 skipped", "1 request,", "can't be reached"]);
}

#[test]
fn a_test_payment_may_be_created_anywhere() {
    let folder = tempdir().unwrap();
    let target = target_file(folder.path(), FOREIGN, MAIN, "timeout: 2s\n");
    says(&verify(folder.path(), TEST, &target, &["--no-preflight"]), &["0 skipped", "1 request,", "can't be reached"]);
}

#[test]
fn a_control_api_elsewhere_is_refused_unless_opened() {
    let folder = tempdir().unwrap();
    let target = target_file(folder.path(), FOREIGN, MAIN, &emulated(FOREIGN));
    verify(folder.path(), TEST, &target, &[]).with_code(3).complaining(&["control API is refused", "allow: { control: true }"]);
    let opened = target_file(folder.path(), FOREIGN, MAIN, &format!("{}allow: {{ control: true }}\n", emulated(FOREIGN)));
    verify(folder.path(), TEST, &opened, &[]).with_code(4);
}

#[test]
fn a_control_api_here_for_a_target_elsewhere_is_refused_too() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let target = target_file(folder.path(), FOREIGN, MAIN, &emulated(&emulate.url));
    verify(folder.path(), TEST, &target, &[]).with_code(3).complaining(&["control API is refused"]);
}

#[test]
fn a_fault_elsewhere_is_refused_unless_opened() {
    let folder = tempdir().unwrap();
    let commands = "world: { commands: { gateway.fails: [\"true\"] } }\n";
    let target = target_file(folder.path(), FOREIGN, MAIN, commands);
    let ended = verify(folder.path(), FAULT, &target, &[]).with_code(2);
    says(&ended, &["1 skipped", "0 requests", "placing a fault is refused"]);
}

#[test]
fn all_mistakes_of_a_target_file_are_reported_with_their_places() {
    let folder = tempdir().unwrap();
    let text = "titel: T\nbase: { gatway: https://x.example, default: \"x.example\" }\ncredentials:\n  main: { merchant: \"1\", secret: { env: \
                PAYCHECK_NO_SUCH_VARIABLE } }\npaths: { gateway.v2.creat: /x, gateway.v2.status: /y }\nnotifications: { listen: here }\nworld: { \
                commands: { payer.pay: [x], payer.fails: [] } }\ntimeout: soon\nallow: { producton: true }\n";
    let target = file(folder.path(), "target.yaml", text);
    run(["verify", "--target", &target.display().to_string()]).with_code(3).complaining(&[
        "target.yaml:1:1",
        "did you mean `title`?",
        "target.yaml:2:9",
        "did you mean `gateway`?",
        "target.yaml:2:45",
        "target.yaml:4:34",
        "PAYCHECK_NO_SUCH_VARIABLE is not set",
        "target.yaml:5:10",
        "did you mean `gateway.v2.create`?",
        "target.yaml:5:51",
        "{transId}",
        "target.yaml:6:26",
        "target.yaml:7:22",
        "did you mean `payer.pays`?",
        "target.yaml:7:51",
        "target.yaml:8:10",
        "target.yaml:9:10",
        "did you mean `production`?",
    ]);
}

#[test]
fn a_secret_may_come_from_the_environment_or_a_file() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let secret = file(folder.path(), "secret", "secret-100001\n");
    for part in ["{ env: PAYCHECK_TEST_SECRET }".to_owned(), format!("{{ file: \"{}\" }}", secret.display())] {
        let text = format!(
            "title: T\nbase: {}\nassert-assumed: true\ncredentials: {{ main: {{ merchant: \"100001\", secret: {part} }} }}\n",
            emulate.url
        );
        let target = file(folder.path(), "target.yaml", &text);
        let script = file(folder.path(), "gateway/script.yaml", TEST).display().to_string();
        let mut command = paycheck(["verify", &script, "--target", &target.display().to_string()]);
        let ended = command.env("PAYCHECK_TEST_SECRET", "secret-100001").output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    }
}

#[test]
fn a_path_of_the_target_file_replaces_the_assumed_one() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let elsewhere =
        target_file(folder.path(), &emulate.url, ("100001", "secret-100001"), "paths: { gateway.v2.create: /v2.0/nothing-here.json }\n");
    let ended = verify(folder.path(), TEST, &elsewhere, &["--no-preflight"]).with_code(1);
    says(&ended, &["/v2.0/nothing-here.json"]);
    let right = target_file(folder.path(), &emulate.url, ("100001", "secret-100001"), "paths: { gateway.v2.create: /v2.0/payment.json }\n");
    verify(folder.path(), TEST, &right, &[]).with_code(0);
}

/// A payment that is known by the response to no call: its creation sends the payer on.
const FORGOTTEN: &str = "title: Given up\nclauses: [gateway.notification.change]\nsteps:\n  - call: gateway.v1.create\n    with: { refId: '{{ \
                         reference }}-given-up' }\n    without: [prepareOnly, secret]\n    http: { status: 302 }\n    keep: { page: { header: \
                         location } }\n  - world: payer.cancels\n    with: { transId: \"{{ (page | split('/'))[-1] }}\" }\n  - notification: { \
                         refId: '{{ reference }}-given-up', status: CANCELLED }\n";

/// An emulator's default world taken for a live shop: its payer is a command of the user's, and its notifications go to an address that
/// was set once. A command gets the parameters of its action one by one, or all of them as JSON.
#[test]
fn a_payer_of_the_user_s_own_moves_the_world() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let inbox = free_address(); // the shop knows it before the run
    let control = format!("{}/__emulator/worlds/default/actions", emulate.url);
    let set = format!("{{\"merchant\": \"100001\", \"notification-url\": \"http://{inbox}/shop\"}}");
    post(&format!("{control}/merchant.changes"), "application/json", &set);
    let script = "#!/bin/sh\nexec curl -sSf -H 'content-type: application/json' -d \"$2\" \"$1\"\n";
    let acts = file(folder.path(), "acts.sh", script).display().to_string();
    let more = format!(
        "world:\n  commands:\n    payer.pays: [sh, \"{acts}\", \"{control}/payer.pays\", '{{\"transId\": \"{{{{ transId }}}}\"}}']\n    \
         payer.cancels: [sh, \"{acts}\", \"{control}/payer.cancels\", \"{{{{ parameters }}}}\"]\nnotifications: {{ listen: \"{inbox}\", \
         within: 10s }}\npoll-every: 10ms\n"
    );
    let target = target_file(folder.path(), &emulate.url, ("100001", "secret-100001"), &more);
    let ended = verify(folder.path(), PAID, &target, &[]).with_code(0);
    says(&ended, &["2 passed", "2 notifications"]);
    let ended = verify(folder.path(), FORGOTTEN, &target, &[]).with_code(0);
    says(&ended, &["1 passed", "1 notification,"]);
}

#[test]
fn a_command_that_fails_is_no_finding() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let more = "world: { commands: { payer.pays: [sh, -c, \"echo the browser is gone >&2; exit 3\"] } }\nnotifications: { listen: \"127.0.0.1:0\" }\n";
    let target = target_file(folder.path(), &emulate.url, ("100001", "secret-100001"), more);
    let ended = verify(folder.path(), PAID, &target, &[]).with_code(2);
    says(&ended, &["2 not judged", "0 failed"]);
    let missing = target_file(
        folder.path(),
        &emulate.url,
        ("100001", "secret-100001"),
        "world: { commands: { payer.pays: [/no/such/program] } }\nnotifications: { listen: \"127.0.0.1:0\" }\n",
    );
    verify(folder.path(), PAID, &missing, &[]).with_code(2);
}

#[test]
fn a_shell_is_not_involved() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let trace = folder.path().join("trace");
    let more = format!(
        "world: {{ commands: {{ payer.pays: [touch, \"{};$(touch x)\"] }} }}\nnotifications: {{ listen: \"127.0.0.1:0\", within: 50ms }}\n",
        trace.display()
    );
    let target = target_file(folder.path(), &emulate.url, ("100001", "secret-100001"), &more);
    verify(folder.path(), PAID, &target, &[]).with_code(1);
    assert!(folder.path().join("trace;$(touch x)").exists());
}

#[test]
fn what_needs_a_payer_is_skipped_where_there_is_none() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let inbox = "notifications: { listen: \"127.0.0.1:0\" }\n";
    let target = target_file(folder.path(), &emulate.url, ("100001", "secret-100001"), inbox);
    let ended = verify(folder.path(), PAID, &target, &[]).with_code(2);
    says(&ended, &["2 skipped", "payer"]);
    // A run that proves something beside what it skips may be allowed to skip it.
    file(folder.path(), "gateway/test.yaml", TEST);
    let all = folder.path().join("gateway").display().to_string();
    let target = target.display().to_string();
    run(["verify", &all, "--target", &target]).with_code(2);
    run(["verify", &all, "--target", &target, "--allow-skipped"]).with_code(0);
}

#[test]
fn what_needs_an_inbox_is_skipped_where_there_is_none() {
    let folder = tempdir().unwrap();
    let emulate = Emulate::start(&[]);
    let target = target_file(folder.path(), &emulate.url, ("100001", "secret-100001"), "world: { commands: { payer.pays: [\"true\"] } }\n");
    let ended = verify(folder.path(), PAID, &target, &[]).with_code(2);
    says(&ended, &["2 skipped", "opens no inbox"]);
}

/// All scenarios share one world, one terminal and one device, as on a live test shop; what one run leaves
/// behind is there in the next.
#[test]
fn a_shared_world_is_judged_twice_without_a_false_alarm() {
    let folder = tempdir().unwrap();
    let merchants = serde_json::json!([credentials(MAIN.0, MAIN.1), credentials("200002", "another-secret-5577")]);
    let world = file(folder.path(), "world.yaml", &format!("clock: real\nmerchants: {merchants}\n")).display().to_string();
    let emulate = Emulate::start(&["--world", &world]);
    let more = "allow: { production: true }\npoll-every: 20ms\npoll-within: 1s\n";
    let target = target_file(folder.path(), &emulate.url, MAIN, more).display().to_string();
    for _ in 0..2 {
        let ended = run(["verify", "--target", &target]).with_code(2);
        says(&ended, &[" 0 failed, "]);
        assert!(ended.out.lines().any(|line| line.contains(" passed, 0 failed") && !line.contains(" 0 passed")), "{}", ended.out);
    }
}
