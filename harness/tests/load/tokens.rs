//! Tokens under load: a token that expires soon is renewed before it does, and calls don't wait for each other's tokens.

use jiff::Timestamp;

use super::stage::Behind;
use super::support::proxy::{Message, ObservedRequest, Tamper};

const READS: &str = "title: A QR payment is read again and again
clauses: [qr.status.result]
steps:
  - call: qr.create
    once: true
    keep: { payment: transId }
  - call: qr.status
    with: { transId: \"{{ payment }}\" }
    expect: { status: PENDING }
    clause: qr.status.result
";

/// Tokens live for one or two seconds.
const SHORT: fn(&ObservedRequest<'_>, &mut Message) = |asked, message| {
    if asked.operation == "qr.authenticate" {
        let expiry = Timestamp::from_second(Timestamp::now().as_second() + 2).unwrap();
        message.replace("expiry", expiry.to_string());
    }
};

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_renewed_before_it_expires() {
    let behind = Behind::a_proxy(Tamper { response: Some(SHORT), ..Tamper::default() }).await;
    behind.stage.script("reads", READS);
    let profile = "kind: constant-users\nusers: 2\nfor: 3s\nconservation: off\nmix: [{ scenario: ./gateway/reads.yaml }]\n";
    let loaded = behind.stage.load(profile, &[]).await;
    assert_eq!(loaded.ended_with(0).all_errors(), 0, "{:#?}", loaded.result.findings);
    let calls = |name: &str| loaded.result.operations.iter().find(|operation| operation.operation == name).map_or(0, |o| o.requests);
    let (tokens, reads) = (calls("qr.authenticate"), calls("qr.status"));
    // The first token of each user belongs to its `once` step, which is not measured.
    assert!(tokens >= 2, "each user renews its token at least once in three seconds: {tokens}");
    assert!(tokens < reads, "a token is for many calls: {tokens} for {reads}");
}
