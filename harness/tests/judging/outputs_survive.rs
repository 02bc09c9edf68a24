//! What stands where an output goes: devices, pipes, links, inputs and earlier reports are all there afterwards.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use tempfile::{TempDir, tempdir};

use crate::support::binary::{ended, file, paycheck, run};

const SCENARIO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/gateway/a-paid-payment-is-refunded-in-parts.yaml");
const BEFORE: &str = "the report of yesterday";

fn text(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_output_that_is_an_input_is_refused_by_every_command() {
    let folder = tempdir().unwrap();
    for name in
        ["run.tape", "result.json", "scenario.yaml", "target.yaml", "profile.yaml", "world.yaml", "contracts/a.yaml", "known/a.yaml"]
    {
        file(folder.path(), name, BEFORE);
    }
    let at = |name: &str| text(&folder, name);
    let calls: &[&[&str]] = &[
        &["verify", &at("scenario.yaml"), "--junit", &at("scenario.yaml")],
        &["verify", "--target", &at("target.yaml"), "--events", &at("target.yaml")],
        &["verify", "--tape", &at("out"), "--junit", &at("out")],
        &["verify", "--transcripts", &at("out"), "--junit", &at("out")],
        &["verify", &at("known"), "--transcripts", &at("known")],
        &["verify", "--transcripts", &at("known"), "--junit", &at("known")],
        &["explore", "--contracts", &at("contracts"), "--out", &at("contracts")],
        &["explore", "--out", &at("out"), "--junit", &at("out")],
        &["fuzz", "--contracts", &at("contracts"), "--out", &at("contracts")],
        &["mutate", "--tape", &at("run.tape"), "--json", &at("run.tape")],
        &["compare", &at("run.tape"), "emulator", "--junit", &at("run.tape")],
        &["load", "merge", &at("result.json"), "--json", &at("result.json")],
        &["load", &at("profile.yaml"), "--hlog", &at("profile.yaml")],
        &["load", "journey", "--json", &at("out"), "--html", &at("out")],
        &["notify", "http://127.0.0.1:1/", "--credentials", &at("target.yaml"), "--junit", &at("target.yaml")],
        &["coverage", "--target", &at("target.yaml"), "--write", &at("target.yaml")],
        &["emulate", "--world", &at("world.yaml"), "--tls", &at("world.yaml")],
        &["qr", "SPD*1.0*ACC:CZ6508000000192000145399*", "--svg", &at("out"), "--png", &at("out")],
    ];
    for call in calls {
        let output = run(*call).with_code(3);
        assert!(output.err.contains("would be written"), "{call:?}: {}", output.err);
    }
    assert!(!folder.path().join("out").exists());
    for name in names(folder.path()).into_iter().filter(|name| name.contains('.')) {
        assert_eq!(fs::read_to_string(folder.path().join(&name)).unwrap(), BEFORE, "{name}");
    }
    for name in ["contracts", "known"] {
        assert_eq!(names(&folder.path().join(name)), ["a.yaml"], "{name}");
    }
}

#[test]
fn an_output_that_is_read_without_being_named_is_refused_too() {
    let folder = tempdir().unwrap();
    let script = file(folder.path(), "gateway/own.yaml", &fs::read_to_string(SCENARIO).unwrap());
    let mix = "title: T\nkind: constant-users\nusers: 1\nfor: 1s\nmix: [{ scenario: ./gateway/own.yaml }]\n";
    file(folder.path(), "profile.yaml", mix);
    file(folder.path(), "paycheck.toml", "quiet = true\n");
    file(folder.path(), "summary.md", BEFORE);
    let calls: [&[&str]; 3] = [
        &["load", "profile.yaml", "--json", "gateway/own.yaml"],
        &["verify", "-f", "a-creation", "--junit", "paycheck.toml"],
        &["verify", "-f", "a-creation", "--markdown", "summary.md"],
    ];
    for call in calls {
        let mut command = paycheck(call);
        command.current_dir(folder.path()).env("GITHUB_STEP_SUMMARY", "summary.md").stdout(Stdio::piped()).stderr(Stdio::piped());
        ended(command.spawn().unwrap()).with_code(3).complaining(&["would be written"]);
    }
    assert_eq!(fs::read_to_string(script).unwrap(), fs::read_to_string(SCENARIO).unwrap());
    assert_eq!(fs::read_to_string(folder.path().join("paycheck.toml")).unwrap(), "quiet = true\n");
    assert_eq!(fs::read_to_string(folder.path().join("summary.md")).unwrap(), BEFORE);
}

#[test]
fn manual_pages_are_replaced_whole() {
    let folder = tempdir().unwrap();
    let page = folder.path().join("paycheck.1");
    fs::write(&page, BEFORE).unwrap();
    let held = fs::File::open(&page).unwrap();
    run(["man", "--out", &text(&folder, "")]).with_code(0);
    assert_eq!(std::io::read_to_string(held).unwrap(), BEFORE, "whoever reads it goes on reading the former one");
    assert!(fs::read_to_string(page).unwrap().contains(".TH paycheck"));
}

#[test]
fn a_mistake_in_a_file_leaves_the_former_reports() {
    let folder = tempdir().unwrap();
    let target = file(folder.path(), "target.yaml", "title: T\nbas: http://127.0.0.1:1\n").display().to_string();
    for name in ["junit.xml", "events.ndjson", "run.tape"] {
        file(folder.path(), name, BEFORE);
    }
    let at = |name: &str| text(&folder, name);
    run(["verify", "--target", &target, "--junit", &at("junit.xml"), "--events", &at("events.ndjson"), "--tape", &at("run.tape")])
        .with_code(3);
    run(["mutate", "--target", &target, "--junit", &at("junit.xml"), "--json", &at("new.json")]).with_code(3);
    run(["compare", &target, "emulator", "--junit", &at("junit.xml"), "--json", &at("new/new.json")]).with_code(3);
    assert_eq!(names(folder.path()), ["events.ndjson", "junit.xml", "run.tape", "target.yaml"]);
    for name in ["junit.xml", "events.ndjson", "run.tape"] {
        assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), BEFORE, "{name}");
    }
}

#[test]
fn a_report_on_standard_output_has_it_for_itself() {
    for name in ["-", "/dev/stdout"] {
        let output = run(["verify", SCENARIO, "--junit", name]).with_code(0);
        assert!(output.out.starts_with("<?xml") && output.out.trim_end().ends_with("</testsuites>"), "{name}: {}", output.out);
        assert!(output.err.contains("PASSED"), "{name}: {}", output.err);
        if cfg!(not(unix)) {
            break;
        }
    }
}

#[test]
fn the_transcript_of_a_script_that_is_named_alone_is_in_the_folder() {
    let folder = tempdir().unwrap();
    file(folder.path(), "alone.yaml", &fs::read_to_string(SCENARIO).unwrap());
    let mut command = paycheck(["verify", "alone.yaml", "--transcripts", "transcripts"]);
    command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ended(command.spawn().unwrap()).with_code(0);
    assert_eq!(names(&folder.path().join("transcripts")), ["alone.txt"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{FileTypeExt as _, symlink};

    use super::*;

    #[test]
    fn pipes_get_the_reports_and_stay_pipes() {
        let folder = tempdir().unwrap();
        let outputs = ["junit.xml", "events.ndjson", "run.tape"];
        let readers = outputs.map(|name| {
            let path = folder.path().join(name);
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
            std::thread::spawn(move || fs::read_to_string(path).unwrap())
        });
        let at = |name: &str| text(&folder, name);
        run(["verify", SCENARIO, "--junit", &at("junit.xml"), "--events", &at("events.ndjson"), "--tape", &at("run.tape")]).with_code(0);
        let [junit, events, tape] = readers.map(|reader| reader.join().unwrap());
        assert!(junit.contains("</testsuites>") && events.contains("run-finished") && tape.contains("paycheck-tape"));
        for name in outputs {
            assert!(fs::metadata(folder.path().join(name)).unwrap().file_type().is_fifo(), "{name}");
        }
    }

    #[test]
    fn a_link_keeps_leading_to_its_file() {
        let folder = tempdir().unwrap();
        file(folder.path(), "elsewhere/real.xml", BEFORE);
        symlink(folder.path().join("elsewhere/real.xml"), folder.path().join("junit.xml")).unwrap();
        symlink(folder.path().join("nothing"), folder.path().join("dangling.xml")).unwrap();
        run(["verify", SCENARIO, "--junit", &text(&folder, "junit.xml")]).with_code(0);
        run(["verify", SCENARIO, "--junit", &text(&folder, "dangling.xml")]).with_code(3).complaining(&["a link to nothing"]);
        assert!(fs::symlink_metadata(folder.path().join("junit.xml")).unwrap().is_symlink());
        assert!(fs::read_to_string(folder.path().join("elsewhere/real.xml")).unwrap().contains("</testsuites>"));
        assert!(!folder.path().join("nothing").exists());
    }

    /// Runs with a limit for the size of files, as a disk that is full has one.
    fn with_full_disk(bytes: usize, arguments: &[&str]) -> crate::support::binary::CommandResult {
        let line = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", bytes.div_ceil(1024));
        let mut command = std::process::Command::new("bash");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_paycheck")]).args(arguments).env("NO_COLOR", "1").stdin(Stdio::null());
        ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    #[test]
    fn a_full_disk_costs_one_output_and_the_summary_is_printed() {
        let folder = tempdir().unwrap();
        for name in ["junit.xml", "events.ndjson", "run.tape"] {
            file(folder.path(), name, BEFORE);
        }
        let at = |name: &str| text(&folder, name);
        let (junit, events, tape) = (at("junit.xml"), at("events.ndjson"), at("run.tape"));
        let output =
            with_full_disk(2048, &["verify", SCENARIO, "--all-exchanges", "--junit", &junit, "--events", &events, "--tape", &tape]);
        let output = output.with_code(70).complaining(&["cannot be written", "its beginning is in"]);
        assert!(output.out.contains("1 passed") || output.out.contains("PASSED"), "{}", output.out);
        assert!(fs::read_to_string(&junit).unwrap().contains("</testsuites>"), "the small one is whole");
        assert_eq!([&events, &tape].map(|path| fs::read_to_string(path).unwrap()), [BEFORE, BEFORE], "and what was there stays");
    }

    #[test]
    fn a_full_disk_leaves_the_earlier_reports_of_every_command() {
        let folder = tempdir().unwrap();
        let at = |name: &str| text(&folder, name);
        run(["verify", SCENARIO, "--tape", &at("run.tape")]).with_code(0);
        let load =
            "title: T\nkind: constant-users\nusers: 1\nfor: 1s\nmix: [{ scenario: gateway/a-creation-is-answered-with-a-payment }]\n";
        let profile = file(folder.path(), "profile.yaml", load).display().to_string();
        let (page, tape) = (at("page.html"), at("run.tape"));
        let calls: [&[&str]; 3] = [
            &["load", &profile, "--html", &page],
            &["mutate", "--tape", &tape, "--html", &page],
            &["compare", &tape, &tape, "--html", &page],
        ];
        for call in calls {
            file(folder.path(), "page.html", BEFORE);
            with_full_disk(1024, call).with_code(70).complaining(&["page.html", "cannot be written"]);
            assert_eq!(fs::read_to_string(&page).unwrap(), BEFORE, "{call:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn of_several_files_that_can_t_be_written_each_is_named() {
        let folder = tempdir().unwrap();
        let [junit, events, html, json] = ["junit.xml", "events.ndjson", "page.html", "result.json"].map(|name| {
            std::os::unix::fs::symlink("/dev/full", folder.path().join(name)).unwrap();
            text(&folder, name)
        });
        let named = run(["verify", SCENARIO, "--junit", &junit, "--events", &events, "--html", &html]).with_code(70);
        assert_eq!(named.err.matches("cannot be written").count(), 3, "{}", named.err);
        named.complaining(&["error: ", &junit, &events, &html]);
        let load = ["load", "notification", "http://127.0.0.1:1", "--for", "100ms", "--html", &html, "--json", &json];
        run(load).with_code(70).complaining(&[&html, &json]);
    }

    /// Root may write anywhere but into a folder of the kernel's.
    #[test]
    fn a_folder_that_may_only_be_read_is_reported_before_anything_is_sent() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
        let is_root = fs::write(folder.path().join("probe"), "").is_ok();
        let at = if is_root { "/proc/self/task/junit.xml".to_owned() } else { text(&folder, "junit.xml") };
        run(["verify", SCENARIO, "--junit", &at]).with_code(3).complaining(&["cannot be written"]);
        run(["load", "create-v1", "--json", &at]).with_code(3).complaining(&["cannot be written"]);
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn an_unwritable_folder_is_reported_before_anything_is_sent() {
        let folder = tempdir().unwrap();
        let below = file(folder.path(), "a-file", BEFORE).join("junit.xml").display().to_string();
        run(["verify", SCENARIO, "--junit", &below]).with_code(3).complaining(&["a-file/junit.xml cannot be written"]);
    }

    #[test]
    fn a_run_that_is_killed_leaves_the_former_reports_and_readable_beginnings() {
        let folder = tempdir().unwrap();
        let names_of_outputs = ["junit.xml", "events.ndjson", "run.tape"];
        for name in names_of_outputs {
            file(folder.path(), name, BEFORE);
        }
        let at = |name: &str| text(&folder, name);
        let mut command = paycheck(["verify", "--verbose", "--jobs", "2", "--all-exchanges"]);
        command.args(["--junit", &at("junit.xml"), "--events", &at("events.ndjson"), "--tape", &at("run.tape")]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        // The first lines are on their way when some cases have ended.
        let mut seen = [0; 4096];
        child.stdout.as_mut().unwrap().read_exact(&mut seen).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        for name in names_of_outputs {
            assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), BEFORE, "{name}");
        }
        let partial = |begin: &str| names(folder.path()).into_iter().find(|name| name.starts_with(begin) && name.ends_with(".partial"));
        let events = fs::read_to_string(folder.path().join(partial("events.ndjson.").unwrap())).unwrap();
        let lines: Vec<&str> = events.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
        assert!(lines.len() > 1, "{events}");
        assert!(lines.iter().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
        let tape = harness::engine::tape::read(&folder.path().join(partial("run.tape.").unwrap())).unwrap();
        assert!(!tape.cases.is_empty());
    }
}
