//! Responses of more than the usual length, over a real connection.

use std::time::Duration;

use indexmap::IndexMap;
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
  /long: { get: { operationId: shop.long, x-clause: a, x-largest: 6MB, responses: { 2XX: { content: { application/json: { schema: { items: { type: integer } } } } } } } }
";

/// The record of a list of numbers with this size in megabytes.
async fn asked(operation: &str, megabytes: usize) -> ExchangeOutcome {
    let contracts = Contracts::read(&Files::from_texts([
        ("clauses/a.yaml", "document: d\nclauses: { a: { section: s, says: x } }\n"),
        ("a.openapi.yaml", OPENAPI),
    ]));
    let contracts = contracts.unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    let contracts = Arc::new(contracts);
    let operation = contracts.operations.get(operation).unwrap();
    let server = MockServer::start().await;
    let response = format!("[{}1]", "100000000000000,".repeat(megabytes * 62_500));
    Mock::given(any()).respond_with(ResponseTemplate::new(200).set_body_raw(response, "application/json")).mount(&server).await;
    let base = Url::parse(&server.uri()).unwrap();
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
    let content = RequestContent::new(operation, serde_json::Map::new(), "nobody");
    let preparation = Preparation { contracts: &contracts, target: &target, guard: &guard };
    let request = preparation.prepare(operation, content, Some(&base), "a test").unwrap();
    let recorder = Arc::new(Recorder::new(Masker::default(), Vec::new()));
    let records = Records { recorder: &recorder, vault: &Arc::default() };
    Transport::new(&target).unwrap().send(operation, &request, records).await.outcome
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
