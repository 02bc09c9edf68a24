//! Addresses that a command can't have, or must not have unasked, are invalid input: nothing is sent, nothing is lost.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::Stdio;

use tempfile::tempdir;

use crate::support::binary::{file, paycheck, run};

const BEFORE: &str = "the result of yesterday";

#[test]
fn an_address_that_is_taken_is_invalid_input_in_every_command_and_costs_no_report() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let folder = tempdir().unwrap();
    let result = file(folder.path(), "result.json", BEFORE).display().to_string();
    let listening = format!("title: T\nbase: http://127.0.0.1:1\ncredentials: {{}}\nnotifications: {{ listen: \"{address}\" }}\n");
    let target = file(folder.path(), "target.yaml", &listening).display().to_string();
    let calls: [&[&str]; 7] = [
        &["load", "create-v1", "--dashboard", &address, "--json", &result],
        &["load", "create-v1", "--goose-dashboard", &address, "--json", &result],
        &["load", "create-v1", "--prometheus", &address, "--json", &result],
        &["emulate", "--listen", &address],
        &["notify", "http://127.0.0.1:1/", "--gateway", &address, "--junit", &result],
        &["load", "notification", "http://127.0.0.1:1/", "--gateway", &address, "--json", &result],
        &["verify", "--target", &target, "--junit", &result],
    ];
    for call in calls {
        run(call).with_code(3).complaining(&[&address]);
        assert_eq!(fs::read_to_string(&result).unwrap(), BEFORE, "{call:?}");
    }
}

#[test]
fn a_taken_port_and_an_invalid_url_have_messages_of_their_own() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    run(["emulate", "--listen", &address]).with_code(3).complaining(&["is in use", "`--listen 127.0.0.1:0` takes a free port"]);
    run(["notify", "localhost"]).with_code(3).complaining(&["a URL begins with http:// or https://"]);
    for host in ["pay.example.com:443", "https://pay.example.com", "*.example.com", "a b"] {
        run(["emulate", "--host", host]).with_code(3).complaining(&["a name such as pay.example.com"]);
    }
}

#[test]
fn an_emulator_that_does_not_start_leaves_the_earlier_certificate() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let folder = tempdir().unwrap();
    let certificate = file(folder.path(), "emulator.pem", BEFORE).display().to_string();
    let world = file(folder.path(), "world.yaml", "merchant: []\n").display().to_string();
    run(["emulate", "--listen", "127.0.0.1:0", "--world", &world, "--tls", &certificate, "--force"]).with_code(3);
    assert_eq!(fs::read_to_string(&certificate).unwrap(), BEFORE, "after a typo");
    run(["emulate", "--listen", &address, "--tls", &certificate, "--force"]).with_code(3);
    assert_eq!(fs::read_to_string(&certificate).unwrap(), BEFORE, "after a port in use");
}

#[test]
fn an_emulator_that_is_opened_to_other_machines_warns() {
    for listen in ["127.0.0.1:0", "0.0.0.0:0"] {
        let mut child = paycheck(["emulate", "--listen", listen, "--allow-remote"]).stderr(Stdio::piped()).spawn().unwrap();
        let mut warning = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut warning).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(warning.starts_with("warning: every machine that reaches this emulator"), "{listen}: {warning}");
    }
}

#[test]
fn an_emulator_is_not_reachable_from_other_machines_unasked() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        run(["emulate", "--listen", address]).with_code(3).complaining(&["--allow-remote"]);
    }
}
