//! The first files of a new user: what `init` writes is valid, commented, and plays.

use std::path::Path;
use std::process::Stdio;

use tempfile::tempdir;

use crate::support::binary::{CommandResult, Emulate, Silent, ended, paycheck, run};

fn run_in(folder: &Path, arguments: &[&str], secret: Option<&str>) -> CommandResult {
    let mut command = paycheck(arguments);
    command.current_dir(folder).envs(secret.map(|secret| ("PAYCHECK_SECRET", secret)));
    ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

#[test]
fn what_init_writes_is_played_as_it_is() {
    let folder = tempdir().unwrap();
    let emulator = Emulate::start(&[]);
    let secret = Some("secret-100001");
    let output = run_in(folder.path(), &["init", "--title", "Our: \"test\" shop", "--base", &emulator.url], secret).with_code(0);
    assert!(output.out.contains("knows the credentials"), "{}", output.out);
    let target = std::fs::read_to_string(folder.path().join("target.yaml")).unwrap();
    assert!(target.starts_with("# yaml-language-server: $schema=.paycheck/target.schema.json\n"), "{target}");
    assert!(!target.contains("secret-100001"), "{target}");
    let next = output.out.lines().find_map(|line| line.trim_start().strip_prefix("next   paycheck ")).unwrap();
    let words: Vec<&str> = next.split_whitespace().collect();
    let verified = run_in(folder.path(), &words, secret).with_code(0);
    assert!(verified.out.contains("Our: \"test\" shop") && verified.out.contains("PASSED"), "{}", verified.out);

    // Editors find the schema relative to each file.
    let scenario = folder.path().join("scenarios/gateway/my-first-scenario.yaml");
    let text = std::fs::read_to_string(&scenario).unwrap();
    let schema = text.lines().next().unwrap().strip_prefix("# yaml-language-server: $schema=").unwrap();
    assert!(scenario.parent().unwrap().join(schema).exists(), "{schema}");
}

#[test]
fn a_shop_without_a_gateway_has_first_files_of_its_own() {
    let emulator = Emulate::start(&[]);
    for (api, variable, secret) in [
        ("terminal", "PAYCHECK_TERMINAL_SECRET", "secret-T100001"),
        ("qr", "PAYCHECK_QR_PASSWORD", "secret-qr-100001"),
        ("device", "PAYCHECK_DEVICE_PASSWORD", "secret-device-100001"),
    ] {
        let folder = tempdir().unwrap();
        let run_in = |arguments: &[&str]| {
            let mut command = paycheck(arguments);
            command.current_dir(folder.path()).env(variable, secret);
            ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()).with_code(0)
        };
        let written = run_in(&["init", "--api", api, "--base", &emulator.url]);
        assert!(written.out.contains("knows the credentials"), "{}", written.out);
        let scenario = format!("scenarios/{api}/my-first-scenario.yaml");
        let verified = run_in(&["verify", &scenario, "--target", "target.yaml"]);
        assert!(verified.out.contains("1 passed, 0 failed, 0 skipped"), "{}", verified.out);
    }
}

#[test]
fn what_is_written_as_a_comment_is_valid_as_well() {
    let folder = tempdir().unwrap();
    run_in(folder.path(), &["init"], None).with_code(0);
    let path = folder.path().join("target.yaml");
    let written = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, uncommented(&written)).unwrap();
    let mut command = paycheck(["coverage", "--target", "target.yaml"]);
    let secrets = ["PAYCHECK_SECRET", "OTHER_SECRET", "TERMINAL_SECRET", "QR_PASSWORD", "DEVICE_PASSWORD"];
    command.current_dir(folder.path()).envs(secrets.map(|name| (name, "s3cret-77")));
    let reach = ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()).with_code(0);
    for opened in
        ["`terminal` in the credentials", "`qr-user` in the credentials", "`device-user` in the credentials", "driver for `payer.fails`"]
    {
        assert!(!reach.out.contains(opened), "{opened} is missing in what was commented:\n{}", reach.out);
    }
}

/// Keys that were comments are keys; sentences, which begin with a capital, stay, and so does the other way to have actions played.
fn uncommented(text: &str) -> String {
    let line = |line: &str| match line.split_once("# ") {
        Some((indent, key)) if indent.trim().is_empty() && !key.starts_with(char::is_uppercase) && !key.starts_with("world: {") => {
            format!("{indent}{key}\n")
        }
        _ => format!("{line}\n"),
    };
    let (schema, rest) = text.split_once('\n').unwrap();
    format!("{schema}\n{}", rest.lines().map(line).collect::<String>())
}

#[test]
fn what_exists_stays_as_it_is() {
    let folder = tempdir().unwrap();
    std::fs::write(folder.path().join("target.yaml"), "mine").unwrap();
    run_in(folder.path(), &["init"], None).with_code(3).complaining(&["target.yaml exists", "nothing was written"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("target.yaml")).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_wrong_secret_is_reported_at_once() {
    let folder = tempdir().unwrap();
    let emulator = Emulate::start(&[]);
    let output = run_in(folder.path(), &["init", "--base", &emulator.url], Some("wrong-secret-77"));
    assert!(output.code != 0 && output.err.contains("PAYCHECK_SECRET"), "{} {}", output.out, output.err);
    assert!(!format!("{}{}", output.out, output.err).contains("wrong-secret-77"));
}

#[test]
fn without_the_secret_or_offline_nothing_is_sent() {
    let silent = Silent::start();
    for (more, secret) in [(None, None), (Some("--offline"), Some("secret-100001"))] {
        let folder = tempdir().unwrap();
        let arguments: Vec<&str> = ["init", "--base", &silent.url].into_iter().chain(more).collect();
        let output = run_in(folder.path(), &arguments, secret).with_code(0);
        assert_eq!(output.out.contains("export PAYCHECK_SECRET="), secret.is_none(), "{}", output.out);
        assert!(output.out.contains("paycheck verify"), "{}", output.out);
    }
    assert!(!silent.was_visited());
}

#[test]
fn a_reply_that_is_no_base_or_no_name_is_refused_before_anything_is_written() {
    for (arguments, why) in [
        (["--base", "ftp://x.invalid"], "http://"),
        (["--base", "http://user:pass@x.invalid"], "without user name"),
        (["--secret-env", "s3cr3t-value!"], "environment variable"),
    ] {
        let folder = tempdir().unwrap();
        let output = run_in(folder.path(), &["init", arguments[0], arguments[1]], None).with_code(3).complaining(&[why]);
        assert!(!output.err.contains("s3cr3t"), "{}", output.err);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn the_schemas_of_what_users_write_are_printed() {
    for (of, key) in [("target", "credentials"), ("world", "merchants"), ("scenario", "steps")] {
        let printed = run(["schema", of]).with_code(0);
        let schema: serde_json::Value = serde_json::from_str(&printed.out).unwrap();
        assert_eq!(jsonschema::meta::validate(&schema).err().map(|error| error.to_string()), None, "{of}");
        assert!(schema["properties"][key].is_object(), "{of}: {}", schema["properties"]);
    }
}
