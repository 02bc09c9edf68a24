//! Load over HTTP/2: responses are judged as over HTTP/1.1, and the result counts the connections.

use harness::load::result::ConnectionResult;

use super::stage::Stage;
use super::support::binary::Emulate;

const PROFILE: &str = "kind: constant-users
users: 4
for: 300ms
mix: [{ scenario: ./gateway/creation.yaml }]
";

fn spoken(protocol: &str, opened: u64) -> impl Fn(&[ConnectionResult]) -> bool {
    move |connections| matches!(connections, [only] if (only.protocol.as_str(), only.opened) == (protocol, opened))
}

#[tokio::test(flavor = "multi_thread")]
async fn users_have_connections_of_their_own_or_share_them() {
    let emulate = Emulate::start(&[]);
    let stage = Stage::with(&emulate.url, &format!("{}http: 2\n", super::support::binary::emulated(&emulate.url)));
    let own = stage.load(PROFILE, &[]).await;
    own.ended_with(0);
    assert!(spoken("HTTP/2", 4)(&own.result.connections), "{:?}", own.result.connections);
    assert_eq!(own.result.connections[0].streams, 1, "a user has one request under way at a time");
    let shared = stage.load(&format!("{PROFILE}connections: 2\n"), &[]).await;
    shared.ended_with(0);
    assert!(spoken("HTTP/2", 2)(&shared.result.connections), "{:?}", shared.result.connections);
    assert!((1..=4).contains(&shared.result.connections[0].streams), "{:?}", shared.result.connections);
    let text = format!("{PROFILE}http: 1\n");
    let profile = stage.load(&text, &[]).await;
    assert!(spoken("HTTP/1.1", 4)(&profile.result.connections), "the profile wins: {:?}", profile.result.connections);
    assert!(profile.ended.out.contains("connections    4 of HTTP/1.1"), "{}", profile.ended.out);
    stage.refused(&format!("{text}connections: 2\n"), &[]).await.with_code(3).complaining(&["profile.yaml:7:14", "HTTP/2 only"]);
    stage.refused(&format!("{PROFILE}http: 3\n"), &[]).await.with_code(3).complaining(&["profile.yaml:6:7", "auto, 1 or 2"]);
}
