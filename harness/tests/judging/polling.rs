//! `until`: asks while the response is pending, stops at once on a wrong final state.

use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::raw::{Raw, hear, ok};
use tokio::io::AsyncWriteExt;

/// What no test comes to the end of, on however busy a machine.
const LONG: &str = "60s";
const CREATED: &str = r#"{"code":0,"message":"OK","transId":"AB12-CD34-EF56","redirect":"https://pay1.example.com/AB12-CD34-EF56"}"#;

fn status(state: &str) -> String {
    format!(
        r#"{{"code":0,"message":"OK","test":"true","price":"10000","curr":"CZK","label":"Beach ball","refId":"order-1001",
            "email":"payer@example.com","transId":"AB12-CD34-EF56","status":"{state}"}}"#
    )
}

/// A gateway whose payment goes through these states, one per question; the last one stays.
struct Gateway {
    server: Raw,
    /// Questions so far.
    asked: Arc<AtomicUsize>,
}

impl Gateway {
    async fn start(states: &[&str]) -> Self {
        let states: Arc<Vec<String>> = Arc::new(states.iter().map(|state| status(state)).collect());
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        let server = Raw::start(move |mut stream, _| {
            let (states, asked) = (Arc::clone(&states), Arc::clone(&counted));
            async move {
                let request = hear(&mut stream).await;
                let body = if request.starts_with(b"POST /v2.0/payment.json ") {
                    CREATED
                } else {
                    let question = asked.fetch_add(1, Ordering::SeqCst);
                    states.get(question).or(states.last()).unwrap()
                };
                let _ = stream.write_all(&ok("Content-Type: application/json\r\nConnection: close", body.as_bytes())).await;
            }
        });
        Self { server: server.await, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

async fn verify(gateway: &Gateway, until: &str, within: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let target = write(
        "target.yaml",
        format!(
            "title: scripted\nbase: {}\ncredentials: {{ main: {{ merchant: '1', secret: a-secret }} }}\npoll-every: 1ms\npoll-within: {within}\n",
            gateway.server.url
        ),
    );
    let script = write(
        "waits.yaml",
        format!(
            "title: Waits\nclauses: [gateway.payment.paid]\nsteps:\n  - call: gateway.v2.create\n    with: {{ refId: order-1001 }}\n    keep: {{ payment: transId }}\n  \
             - call: gateway.v2.status\n    with: {{ transId: '{{{{ payment }}}}' }}\n    until: {until}\n"
        ),
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_paycheck"));
    command.args(["verify", "--no-preflight", "--target"]).arg(target).arg(script);
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[tokio::test(flavor = "multi_thread")]
async fn it_polls_while_the_response_is_pending() {
    let gateway = Gateway::start(&["PENDING", "PENDING", "PAID"]).await;
    let output = verify(&gateway, "{ status: PAID }", LONG).await;
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert_eq!(gateway.asked(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_stops_at_once_on_a_wrong_final_state() {
    let gateway = Gateway::start(&["PENDING", "CANCELLED", "PAID"]).await;
    let output = verify(&gateway, "{ status: PAID }", LONG).await;
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    assert!(printed(&output).contains("gateway.payment.paid"), "{}", printed(&output));
    assert_eq!(gateway.asked(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_gives_up_when_the_time_is_over() {
    let gateway = Gateway::start(&["PENDING"]).await;
    let output = verify(&gateway, "{ status: PAID }", "20ms").await;
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    assert!(printed(&output).contains("PENDING"), "{}", printed(&output));
}
