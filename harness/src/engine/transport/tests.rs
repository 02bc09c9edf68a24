//! Responses of more than the usual length, and connections that end, over real connections.

use std::time::Duration;

use indexmap::IndexMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use url::Url;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::engine::request::{Guard, Preparation, RequestContent};
use crate::spec::contract::{Contracts, Files};
use crate::spec::target::{Allow, GiveUp, HttpChoice, Notifications, Settings, WorldKind};
use crate::wire::exchange::Masker;

const OPENAPI: &str = "
openapi: 3.1.0
paths:
  /short: { get: { operationId: shop.short, x-clause: a, responses: { 2XX: { content: { application/json: { schema: { items: { type: integer } } } } } } } }
  /send: { post: { operationId: shop.send, x-clause: a, responses: { 2XX: { content: { application/json: { schema: { items: { type: integer } } } } } } } }
  /long: { get: { operationId: shop.long, x-clause: a, x-largest: 6MB, responses: { 2XX: { content: { application/json: { schema: { items: { type: integer } } } } } } } }
";

/// The record of a list of numbers with this size in megabytes.
async fn asked(operation: &str, megabytes: usize) -> ExchangeOutcome {
    let server = MockServer::start().await;
    let response = format!("[{}1]", "100000000000000,".repeat(megabytes * 62_500));
    Mock::given(any()).respond_with(ResponseTemplate::new(200).set_body_raw(response, "application/json")).mount(&server).await;
    outcomes(&[operation], &server.uri()).await.remove(0)
}

/// The outcomes of calls, one after the other.
async fn outcomes(operations: &[&str], base: &str) -> Vec<ExchangeOutcome> {
    let contracts = Contracts::read(&Files::from_texts([
        ("clauses/a.yaml", "document: d\nclauses: { a: { section: s, says: x } }\n"),
        ("a.openapi.yaml", OPENAPI),
    ]));
    let contracts = contracts.unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    let contracts = Arc::new(contracts);
    let base = Url::parse(base).unwrap();
    let target = Target {
        title: String::new(),
        bases: IndexMap::new(),
        credentials: IndexMap::new(),
        paths: IndexMap::new(),
        methods: IndexMap::new(),
        examples: IndexMap::new(),
        layouts: IndexMap::new(),
        assert_assumed: true,
        notifications: Notifications { listen: None, public: None, within: Duration::ZERO },
        world: WorldKind::without_actions(),
        http: HttpChoice::default(),
        timeout: Duration::from_secs(60),
        poll_every: Duration::ZERO,
        poll_within: Duration::ZERO,
        give_up: GiveUp::default(),
        certificate: None,
        variables: IndexMap::new(),
        settings: Settings::default(),
        reach: None,
        allow: Allow::default(),
    };
    let guard = Guard::new(Arc::clone(&contracts), &target);
    let preparation = Preparation { contracts: &contracts, target: &target, guard: &guard };
    let recorder = Arc::new(Recorder::new(Masker::default(), Vec::new()));
    let records = Records { recorder: &recorder, vault: &Arc::default() };
    let transport = Transport::new(&target).unwrap();
    let mut outcomes = Vec::new();
    for operation in operations.iter().map(|name| contracts.operations.get(*name).unwrap()) {
        let content = RequestContent::new(operation, serde_json::Map::new(), "nobody");
        let request = preparation.prepare(operation, content, Some(&base), "a test").unwrap();
        outcomes.push(transport.send(operation, &request, records).await.outcome);
    }
    outcomes
}

/// Serves as many requests on each connection as stated; the next one is read, and the connection is closed. Returns the outcome of each
/// call in a word, and how many connections were opened.
async fn closing(served: usize, operations: &[&str]) -> (Vec<&'static str>, usize) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let opened = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&opened);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(async move {
                for number in 0..=served {
                    if stream.read(&mut [0; 4096]).await.is_ok_and(|read| read > 0) && number < served {
                        let response = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 3\r\n\r\n[1]";
                        stream.write_all(response.as_bytes()).await.unwrap();
                    }
                }
            });
        }
    });
    let word = |outcome: &ExchangeOutcome| match outcome {
        ExchangeOutcome::Response(_) => "responded",
        ExchangeOutcome::Failed(failure) if failure.kind == TransportFailureKind::Broken => "broken",
        ExchangeOutcome::Failed(_) => "failed otherwise",
    };
    let words = outcomes(operations, &base).await.iter().map(word).collect();
    (words, opened.load(Ordering::Relaxed))
}

#[tokio::test]
async fn a_connection_that_ends_between_two_requests_is_not_the_failure_of_a_call() {
    let gets = ["shop.short", "shop.short", "shop.short"];
    assert_eq!(closing(1, &gets).await.0, ["responded"; 3]);
    let sends = ["shop.send", "shop.send", "shop.short", "shop.send"];
    assert_eq!(closing(1, &sends).await, (vec!["responded"; 4], 4), "each goes over a connection of its own");
}

#[tokio::test]
async fn a_new_connection_that_ends_without_a_response_is_the_failure_of_the_call() {
    assert_eq!(closing(0, &["shop.short", "shop.send"]).await, (vec!["broken"; 2], 2), "nothing is sent again");
}

#[tokio::test]
async fn a_long_response_is_judged_where_the_contract_allows_it() {
    let ExchangeOutcome::Response(response) = asked("shop.long", 5).await else { panic!("there is a response") };
    let rest = response.body.rests().first().unwrap();
    assert_eq!((rest.length, response.body.cut_from()), (312_501, Some(5_000_003)));
}

#[tokio::test]
async fn nowhere_is_more_read_than_the_contract_allows() {
    for (operation, megabytes, most) in [("shop.short", 5, 4_194_304), ("shop.long", 7, 6_000_000)] {
        let ExchangeOutcome::Failed(failure) = asked(operation, megabytes).await else { panic!("{operation} was read") };
        assert_eq!(failure.kind, TransportFailureKind::TooLarge);
        assert_eq!(failure.detail, format!("more than {most} bytes; the rest was not read"));
    }
}
