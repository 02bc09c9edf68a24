//! The command line as its users and their CI meet it: exit codes, messages, files.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::MAIN;
use crate::support::binary::{Silent, emulated, ended, file, paycheck, run, target_file};
use crate::support::whole_run::{WHOLE_RUN, WholeRun};
use tempfile::tempdir;

const ONE: &str = "a-paid-payment-is-notified-and-reads-as-paid";

/// A script with a wrong expectation.
const WRONG: &str = "title: A payment is born paid\nclauses: [gateway.payment.created]\nsteps:\n  - call: gateway.v2.create\n    \
                     keep: { payment: transId }\n  - call: gateway.v2.status\n    with: { transId: '{{ payment }}' }\n    \
                     expect: { status: PAID }\n    clause: gateway.payment.created\n";

/// A script with mistakes in lines 2, 4 and 6.
const MISTAKEN: &str = "title: T\nclauses: [gateway.payment.creatd]\nsteps:\n  - call: gateway.v2.creat\n    keep: { payment: transId }\n  \
                        - call: gateway.v2.status\n    wiht: { transId: '{{ payment }}' }\n";

/// A script that only asks, without a world.
const ASKING: &str = "title: Asks\nclauses: [gateway.v1.create.call]\nsteps:\n  - call: gateway.v1.create\n";

fn path(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn the_exit_codes_are_explained() {
    let ended = run(["exit-codes"]).with_code(0);
    let codes: Vec<_> = ended.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(codes, ["0", "1", "2", "3", "4", "70", "130"]);
}

#[test]
fn exit_0_when_everything_asked_for_holds() {
    let ended = run(["verify", "--filter", ONE]).with_code(0);
    assert!(ended.out.contains("4 cases"), "{}", ended.out);
}

#[test]
fn exit_1_when_something_is_found() {
    let folder = tempdir().unwrap();
    let script = file(folder.path(), "gateway/born-paid.yaml", WRONG);
    let ended = run(["verify", &path(&script)]).with_code(1);
    for part in ["gateway.payment.created", "born-paid", "PENDING", "PAID"] {
        assert!(ended.out.contains(part), "`{part}` is not in:\n{}", ended.out);
    }
}

#[test]
fn exit_2_when_nothing_was_selected() {
    let ended = run(["verify", "--filter", "no scenario is called like this"]).with_code(2);
    assert!(ended.out.contains("nothing"), "{}", ended.out);
}

#[test]
fn exit_3_when_a_name_is_misspelt() {
    let misspelt = [("a-creation-is-anwsered-with-a-payment", "a-creation-is-answered-with-a-payment"), ("gatway", "gateway")];
    for (name, near) in misspelt {
        run(["verify", "--filter", name]).with_code(3).complaining(&[name, &format!("did you mean `{near}`?")]);
    }
}

#[test]
fn exit_3_with_the_place_of_every_mistake_and_nothing_sent() {
    let folder = tempdir().unwrap();
    let silent = Silent::start();
    let target = target_file(folder.path(), &silent.url, MAIN, &emulated(&silent.url));
    let script = file(folder.path(), "gateway/mistaken.yaml", MISTAKEN);
    run(["verify", &path(&script), "--target", &path(&target)]).with_code(3).complaining(&[
        "mistaken.yaml:2:11",
        "mistaken.yaml:4:11",
        "mistaken.yaml:7:5",
        "did you mean `gateway.payment.created`?",
        "did you mean `gateway.v2.create`?",
        "did you mean `with`?",
    ]);
    assert!(!silent.was_visited(), "something was sent");
}

#[test]
fn exit_3_when_one_of_many_scripts_is_wrong_and_nothing_sent() {
    let folder = tempdir().unwrap();
    let silent = Silent::start();
    let target = target_file(folder.path(), &silent.url, MAIN, &emulated(&silent.url));
    file(folder.path(), "scripts/gateway/a-good-one.yaml", ASKING);
    file(folder.path(), "scripts/gateway/mistaken.yaml", MISTAKEN);
    let scripts = folder.path().join("scripts");
    run(["verify", &path(&scripts), "--target", &path(&target)]).with_code(3).complaining(&["mistaken.yaml:4:11"]);
    assert!(!silent.was_visited(), "something was sent");
}

#[test]
fn exit_3_for_arguments_that_are_not_valid() {
    run(["verify", "--fliter", "x"]).with_code(3).complaining(&["--fliter", "--filter"]);
    run(["verfy"]).with_code(3).complaining(&["verfy", "verify"]);
    run(["verify", "--jobs", "0"]).with_code(3).complaining(&["--jobs"]);
    run(["verify", "--seed", "minus one"]).with_code(3).complaining(&["--seed"]);
    run(["verify", "--clause", "gateway.payment.creatd"]).with_code(3).complaining(&["did you mean `gateway.payment.created`?"]);
    run(["verify", "no/such/file.yaml"]).with_code(3).complaining(&["no/such/file.yaml"]);
    run(["verify", "--target", "no/such/target.yaml"]).with_code(3).complaining(&["no/such/target.yaml"]);
    run(["verify", "--contracts", "no/such/folder"]).with_code(3).complaining(&["no/such/folder"]);
    run(["explore", "--sequences", "0"]).with_code(3).complaining(&["--sequences", "a whole number above 0"]);
    run(["fuzz", "--requests", "0"]).with_code(3).complaining(&["--requests", "a whole number above 0"]);
    run(["coverage", "no.such.clause"]).with_code(3).complaining(&["no clause's id contains `no.such.clause`"]);
    let elsewhere = ["verify", "--clause", "gateway.payment.created", "--filter", "a-closing-counts"];
    run(elsewhere).with_code(3).complaining(&["no case about `gateway.payment.created` has a name that contains `a-closing-counts`"]);
    run(Vec::<&str>::new()).with_code(3);
}

#[test]
fn exit_3_for_a_folder_without_contracts() {
    let folder = tempdir().unwrap();
    let ended =
        run(["verify", "--contracts", &path(folder.path())]).with_code(3).complaining(&["there is no contract in", ".openapi.yaml"]);
    assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
}

#[test]
fn exit_3_for_a_report_that_cannot_be_written_before_anything_is_sent() {
    for report in ["--events", "--junit", "--transcripts"] {
        let ended = run(["verify", "--filter", ONE, report, "/dev/null/report"]).with_code(3).complaining(&["/dev/null"]);
        assert_eq!(ended.out, "", "{report}");
    }
}

#[test]
fn exit_3_for_an_empty_folder_of_scenarios() {
    let folder = tempdir().unwrap();
    let ended = run(["verify", &path(folder.path())]);
    assert!(ended.code == 2 || ended.code == 3, "{}\n{}\n{}", ended.code, ended.out, ended.err);
}

#[test]
fn exit_4_when_the_emulator_cannot_be_reached() {
    let folder = tempdir().unwrap();
    let unreachable = Silent::start().url;
    let target = target_file(folder.path(), &unreachable, MAIN, &emulated(&unreachable));
    run(["verify", "--target", &path(&target)]).with_code(4).complaining(&["error: "]);
}

#[test]
fn exit_4_when_the_target_cannot_be_reached() {
    let folder = tempdir().unwrap();
    let target = target_file(folder.path(), &Silent::start().url, MAIN, "");
    let script = file(folder.path(), "gateway/asks.yaml", ASKING);
    let ended = run(["verify", &path(&script), "--target", &path(&target)]).with_code(4);
    assert!(ended.out.contains("reached") || ended.err.contains("reached"), "{}{}", ended.out, ended.err);
}

#[test]
fn a_log_that_is_no_terminal_has_no_colours() {
    let mut command = paycheck(["fuzz", "--requests", "1", "-f", "gateway.v1.create"]);
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env("PAYCHECK_LOG", "trace");
    let ended = ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    assert!(ended.err.contains("TRACE") && !ended.err.contains('\u{1b}'), "{}", ended.err);
}

#[test]
fn exit_130_when_the_user_ends_the_run_and_what_there_is_is_reported() {
    let folder = tempdir().unwrap();
    let silent = Silent::start();
    let target = target_file(folder.path(), &silent.url, MAIN, "");
    let script = file(folder.path(), "gateway/asks.yaml", ASKING);
    let junit = folder.path().join("junit.xml");
    let mut command = paycheck(["verify", &path(&script), "--target", &path(&target), "--junit", &path(&junit)]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Whoever connects is in the middle of the run, where the signal is listened for.
    let visitor = silent.visited();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ended = ended(child).with_code(130);
    drop(visitor);
    assert!(ended.out.contains("INTERRUPTED") || ended.out.contains("did not run") || ended.out.contains("ended early"), "{}", ended.out);
    assert!(junit.exists());
}

#[test]
fn an_emulator_on_its_own_ends_cleanly_on_a_signal() {
    for signal in ["-INT", "-TERM"] {
        let mut child = paycheck(["emulate", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.as_mut().unwrap()), &mut line).unwrap();
        assert!(line.contains("http://127.0.0.1:"), "{line}");
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        ended(child).with_code(0);
    }
}

#[test]
fn contracts_lists_the_operations_and_shows_one() {
    let list = run(["contracts"]).with_code(0).out;
    for operation in ["gateway.v1.create", "gateway.v2.status", "gateway.v2.notification"] {
        assert!(list.lines().any(|line| line.starts_with(operation)), "{operation} is not in:\n{list}");
    }
    let shown = run(["contracts", "gateway.v2.status"]).with_code(0).out;
    for part in ["GET /v2.0/payment/transId/{transId}.json", "application/json", "1400", "Basic"] {
        assert!(shown.contains(part), "`{part}` is not in:\n{shown}");
    }
    let actions = run(["contracts", "--actions"]).with_code(0).out;
    assert!(actions.lines().any(|line| line.starts_with("payer.pays ") && line.contains("completes the payment")), "{actions}");
    let action = run(["contracts", "payer.fails"]).with_code(0).out;
    assert!(action.contains("reason") && action.contains("driver for `payer.fails`"), "{action}");
    run(["contracts", "payer.pay"]).with_code(3).complaining(&["did you mean `payer.pays`?"]);
    run(["contracts", "gateway.v2.staus"]).with_code(3).complaining(&["gateway.v2.staus", "did you mean `gateway.v2.status`?"]);
}

#[test]
fn the_published_schemas_are_what_the_binary_prints() {
    let published = |path: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap();
    assert_eq!(run(["schema", "scenario"]).with_code(0).out, published("scenarios/scenario.schema.json"));
    assert_eq!(run(["schema", "profile"]).with_code(0).out, published("load/profile.schema.json"));
    assert_eq!(run(["schema", "events"]).with_code(0).out, published("docs/events.schema.json"));
    assert_eq!(run(["schema", "mutate"]).with_code(0).out, published("docs/mutate.schema.json"));
}

/// The bytes of the reports of a run.
fn reports(run: &WholeRun) -> (Vec<u8>, Vec<u8>) {
    (std::fs::read(run.junit()).unwrap(), std::fs::read(run.events()).unwrap())
}

/// The first line in which two texts differ, shortened to where they do.
fn difference(a: &[u8], b: &[u8]) -> Option<String> {
    let (a, b) = (String::from_utf8_lossy(a), String::from_utf8_lossy(b));
    let (left, right) = a.lines().zip(b.lines()).find(|(left, right)| left != right)?;
    let at = left.bytes().zip(right.bytes()).position(|(l, r)| l != r).unwrap_or(0).saturating_sub(60);
    let part = |text: &str| text.chars().skip(at).take(160).collect::<String>();
    Some(format!("\n{}\n{}", part(left), part(right)))
}

#[test]
fn the_same_seed_gives_the_same_bytes_whatever_runs_at_the_same_time() {
    let (one, many) = (reports(&WholeRun::play(&["--jobs", "1"])), reports(&WHOLE_RUN));
    assert_eq!(difference(&one.0, &many.0), None, "JUnit");
    assert_eq!(difference(&one.1, &many.1), None, "events");
    let few = |seed| reports(&WholeRun::play(&["--seed", seed, "--filter", "gateway / a-paid"]));
    assert_ne!(few("7").1, few("8").1, "another seed gives other identifiers");
}

#[test]
fn every_line_of_the_events_conforms_to_the_published_schema() {
    let folder = tempdir().unwrap();
    let script = file(folder.path(), "gateway/born-paid.yaml", WRONG);
    let events = folder.path().join("events.ndjson");
    run(["verify", &path(&script), "--events", &path(&events)]).with_code(1);
    let validator = jsonschema::validator_for(&harness::report::schema()).unwrap();
    let lines = crate::support::binary::events(&events);
    assert_eq!(lines.len(), 3);
    for line in lines {
        assert_eq!(validator.iter_errors(&line).map(|e| e.to_string()).collect::<Vec<_>>(), Vec::<String>::new());
    }
}

#[test]
fn a_closed_pipe_is_no_reason_to_panic() {
    for arguments in
        [&["verify", "--filter", ONE][..], &["contracts"], &["schema", "scenario"], &["exit-codes"], &["--help"], &["verify", "--list"]]
    {
        let mut child = paycheck(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended = ended(child);
        assert_ne!(ended.code, 101, "{arguments:?}: {}", ended.err);
    }
}

#[test]
fn colours_are_only_for_those_who_want_them() {
    let folder = tempdir().unwrap();
    let script = file(folder.path(), "gateway/born-paid.yaml", WRONG);
    let plain = run(["verify", &path(&script)]).with_code(1);
    assert!(!plain.out.contains('\u{1b}') && !plain.err.contains('\u{1b}'));
    let coloured = run(["verify", &path(&script), "--color", "always"]).with_code(1);
    assert!(coloured.out.contains('\u{1b}'));
    for (wanted, arguments) in [
        (true, &["verify", "--help", "--color", "always"][..]),
        (true, &["--color=always", "help", "verify"]),
        (false, &["verify", "--help"]),
        (false, &["verify", "--help", "--color", "never"]),
    ] {
        assert_eq!(run(arguments).with_code(0).out.contains('\u{1b}'), wanted, "{arguments:?}");
    }
    let mistake = |colour: &str| run(["verify", "--no-such-option", "--color", colour]).with_code(3).err;
    assert_eq!(["always", "never"].map(|colour| mistake(colour).contains('\u{1b}')), [true, false]);
}

#[test]
fn qr_data_is_judged_by_the_rules_of_its_format() {
    let judged = |part: &str, code| run(["qr", &format!("SPD*1.0*ACC:CZ6508000000192000145399*{part}*")]).with_code(code).out;
    assert!(!judged("AM:450.00*CC:CZK", 0).contains("wrong: "));
    for wrong in ["AM:450,00", "CC:123", "DT:20261399", "X-VS:12345678901"] {
        assert!(judged(wrong, 1).contains("\nwrong: "), "{wrong}");
    }
}
