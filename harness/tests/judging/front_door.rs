//! The crate's front door, as a test of somebody else's uses it.

use harness::{Verification, VerificationError};

use crate::support::emulator;
use crate::support::proxy::{Proxy, Tamper};

const SCENARIO: &str = "a-creation-is-answered-with-a-payment";

fn target(base: &str) -> String {
    format!(
        "title: a shop\nbase: {base}\ncredentials:\n  main: {{ merchant: \"100001\", secret: secret-100001 }}\nworld: {{ emulator: \"{base}\" }}\n"
    )
}

#[tokio::test]
async fn a_target_that_keeps_the_documents_passes() {
    let emulator = emulator().await;
    let verified = Verification::from_text(target(&emulator.base_url())).only(SCENARIO).jobs(4).run().await.unwrap();
    assert!(verified.passed(), "{verified}");
    assert_eq!((verified.failures(), verified.missing()), (&[][..], Vec::new()));
    assert!(verified.to_string().contains("PASSED"), "{verified}");
}

#[tokio::test]
async fn a_target_that_breaks_them_fails_and_says_where() {
    let emulator = emulator().await;
    let tamper = Tamper {
        response: Some(|asked, message| {
            if asked.is("create") {
                message.remove("transId")
            }
        }),
        ..Tamper::default()
    };
    let proxy = Proxy::start(emulator.addr(), tamper).await;
    let verified = Verification::from_text(target(proxy.url().as_str())).only(SCENARIO).run().await.unwrap();
    assert!(!verified.passed() && !verified.failures().is_empty(), "{verified}");
    assert!(verified.to_string().contains("transId"), "{verified}");
}

#[tokio::test]
async fn what_can_not_be_judged_is_an_error_that_says_why() {
    let mistake = Verification::from_text("title: a shop\nbse: http://127.0.0.1:1\n").run().await.unwrap_err();
    assert!(matches!(&mistake, VerificationError::Invalid(_)) && mistake.to_string().contains("target:2"), "{mistake}");
    let unknown = Verification::from_text(target("http://127.0.0.1:1")).clause("gateway.no.such").run().await.unwrap_err();
    assert!(unknown.to_string().starts_with("there is no clause `gateway.no.such`"), "{unknown}");
    let silent = target("http://127.0.0.1:1").replace("world: { emulator: \"http://127.0.0.1:1\" }\n", "");
    let unreachable = Verification::from_text(silent).only(SCENARIO).run().await.unwrap_err();
    assert!(matches!(unreachable, VerificationError::Unreachable(_)), "{unreachable}");
    let missing = Verification::from_file(std::path::Path::new("no-such-target.yaml")).unwrap_err();
    assert!(missing.to_string().contains("no-such-target.yaml"), "{missing}");
}
