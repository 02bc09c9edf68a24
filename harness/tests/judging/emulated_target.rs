//! `paycheck emulate --target-file` and `--notify`: what a second terminal needs to judge, and to be notified by, an emulator.

use std::io::Read as _;
use std::net::TcpListener;

use tempfile::tempdir;

use crate::support::binary::{Emulate, file, post, run};

const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/gateway/a-paid-payment-is-refunded-in-parts.yaml");

#[test]
fn an_emulator_is_judged_by_the_target_file_that_it_writes() {
    let folder = tempdir().unwrap();
    let [target, world, certificate] = ["target.yaml", "world.yaml", "ca.pem"].map(|name| folder.path().join(name).display().to_string());
    file(folder.path(), "world.yaml", "merchants:\n  - merchant: \"300003\"\n    secret: \"a: b # c\"\n  - merchant: \"200002\"\n");
    for more in [&[][..], &["--world", &world, "--tls", &certificate, "--force"]] {
        let mut emulator = Emulate::start(&[&["--target-file", &target], more].concat());
        let next = std::iter::repeat_with(|| emulator.line()).find(|line| line.starts_with("target ") || line.is_empty()).unwrap();
        let words: Vec<&str> = next.split_once(": paycheck ").unwrap().1.split_whitespace().chain([SCENARIOS]).collect();
        let verified = run(words).with_code(0);
        assert!(verified.out.contains("emulator on http") && verified.out.contains("PASSED"), "{}", verified.out);
    }
    let text = std::fs::read_to_string(&target).unwrap();
    for line in
        ["    merchant: \"300003\"", "    secret: \"a: b # c\"", "    terminal-secret: \"secret-T300003\"", "    merchant: \"200002\""]
    {
        assert!(text.lines().any(|known| known == line), "{line} is not in {text}");
    }
}

/// The recipe of docs/emulator.md for clients that let no base URL be set: a name of the hosts file, here one that the client resolves.
#[test]
fn a_client_that_trusts_the_certificate_reaches_the_emulator_under_its_further_name() {
    let folder = tempdir().unwrap();
    let certificate = folder.path().join("ca.pem");
    let emulator = Emulate::start(&["--tls", &certificate.display().to_string(), "--host", "pay.shop.test"]);
    let address: std::net::SocketAddr = emulator.url.strip_prefix("https://").unwrap().parse().unwrap();
    let authority = reqwest::Certificate::from_pem(&std::fs::read(&certificate).unwrap()).unwrap();
    let client = reqwest::Client::builder().no_proxy().tls_certs_only([authority]).resolve("pay.shop.test", address).build().unwrap();
    let url = format!("https://pay.shop.test:{}/health", address.port());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let status = runtime.block_on(async { client.get(&url).send().await.map(|response| response.status().as_u16()) });
    assert_eq!(status.map_err(|error| format!("{error:?}")), Ok(200));
}

#[test]
fn an_existing_target_file_is_replaced_only_on_request() {
    let folder = tempdir().unwrap();
    let target = file(folder.path(), "target.yaml", "mine\n").display().to_string();
    run(["emulate", "--target-file", &target]).with_code(3).complaining(&["target.yaml exists", "--force"]);
    run(["emulate", "--target-file", &target, "--force", "--world", &target]).with_code(3).complaining(&["would be written"]);
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "mine\n");
}

#[test]
fn of_existing_files_only_the_certificate_of_an_emulator_is_replaced() {
    let folder = tempdir().unwrap();
    let notes = file(folder.path(), "notes.pem", "mine\n").display().to_string();
    run(["emulate", "--listen", "127.0.0.1:0", "--tls", &notes]).with_code(3).complaining(&["notes.pem exists", "--force"]);
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "mine\n");
    let empty = file(folder.path(), "empty.pem", "").display().to_string();
    for more in [&["--tls", &empty][..], &["--tls", &empty], &["--tls", &notes, "--force"]] {
        assert!(Emulate::start(more).url.starts_with("https://"));
    }
}

#[test]
fn notifications_of_a_merchant_without_an_address_go_where_the_command_line_says() {
    let merchant = TcpListener::bind("127.0.0.1:0").unwrap();
    let emulator = Emulate::start(&["--notify", &format!("http://{}/push", merchant.local_addr().unwrap())]);
    let creation = "merchant=100001&secret=secret-100001&prepareOnly=true&test=true&price=10000&curr=CZK&label=Book&refId=order-1&method=ALL\
                    &country=CZ&email=jane%40example.com&fullName=Jane+Roe";
    let created = post(&format!("{}/v1.0/create", emulator.url), "application/x-www-form-urlencoded", creation);
    let id = created.split('&').find_map(|field| field.strip_prefix("transId=")).unwrap_or_else(|| panic!("{created}"));
    let pays = format!("{}/__emulator/worlds/default/actions/payer.pays", emulator.url);
    post(&pays, "application/json", &format!("{{\"transId\": \"{id}\"}}"));
    let mut head = [0; 15];
    merchant.accept().unwrap().0.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"POST /push HTTP");
}
