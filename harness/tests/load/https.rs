//! Load over https: responses are judged and connections counted as without TLS, by either version of HTTP.

use super::stage::Stage;
use super::support::binary::{Emulate, emulated};

const PROFILE: &str = "kind: constant-users
users: 2
for: 300ms
conservation: complete
mix:
  - { scenario: ./gateway/creation.yaml }
  - { scenario: gateway/a-paid-payment-is-notified-and-reads-as-paid, case: v2.0 }
";

#[tokio::test(flavor = "multi_thread")]
async fn an_encrypted_target_is_played_and_judged_over_either_version() {
    let folder = tempfile::tempdir().unwrap();
    let certificate = folder.path().join("emulator.pem").display().to_string();
    let emulate = Emulate::start(&["--tls", &certificate]);
    assert!(emulate.url.starts_with("https://"), "{}", emulate.url);
    for (http, version) in [("", "HTTP/2"), ("http: 1\n", "HTTP/1.1"), ("http: 2\n", "HTTP/2")] {
        let stage = Stage::with(&emulate.url, &format!("{}certificate: {certificate}\n{http}", emulated(&emulate.url)));
        let loaded = stage.load(PROFILE, &[]).await;
        assert_eq!((loaded.ended_with(0).all_errors(), loaded.notifications().lost), (0, 0), "{:?}", loaded.result.findings);
        let protocols: Vec<&str> = loaded.result.connections.iter().map(|spoken| spoken.protocol.as_str()).collect();
        assert_eq!(protocols, [version], "{http}");
        let conservation = loaded.result.conservation.clone().unwrap();
        assert!(conservation.examined > 0 && conservation.examined == conservation.held, "{conservation:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_is_not_trusted_ends_the_load_before_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let certificate = folder.path().join("emulator.pem").display().to_string();
    let emulate = Emulate::start(&["--tls", &certificate]);
    let profile = PROFILE.split("  - { scenario: gateway").next().unwrap();
    let ended = Stage::at(&emulate.url).refused(profile, &[]).await.with_code(4);
    assert!(ended.out.contains("invalid peer certificate: UnknownIssuer"), "{}", ended.out);
}
