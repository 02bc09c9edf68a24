//! Transfers and statements on the wire.

use std::io::{Cursor, Read as _};

use crate::common::{World, basic, with};
use axum::body::Body;
use base64::Engine as _;
use http::{HeaderMap, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    fn header(&self, name: header::HeaderName) -> &str {
        self.headers[name].to_str().unwrap()
    }

    /// Names and contents of the entries of a ZIP file.
    fn entries(&self) -> Vec<(String, Vec<u8>)> {
        let mut archive = zip::ZipArchive::new(Cursor::new(&self.body)).unwrap();
        let mut entries = Vec::new();
        for at in 0..archive.len() {
            let mut file = archive.by_index(at).unwrap();
            let mut contents = Vec::new();
            file.read_to_end(&mut contents).unwrap();
            entries.push((file.name().unwrap().into_owned(), contents));
        }
        entries
    }
}

async fn get_as(world: &World, authorization: &str, path: &str) -> Answer {
    let request = Request::get(format!("{}/v2.0/{path}", world.path())).header(header::AUTHORIZATION, authorization);
    let response = world.send(request.body(Body::empty()).unwrap()).await;
    let (head, body) = response.into_parts();
    Answer { status: head.status, headers: head.headers, body: body.collect().await.unwrap().to_bytes().to_vec() }
}

async fn get(world: &World, path: &str) -> Answer {
    get_as(world, &basic("T100001", "secret-T100001"), path).await
}

/// The bank pays out, and the numbers of the transfers.
async fn transfers(world: &World) -> Vec<u64> {
    let response = world.act("bank.transfers", json!({ "merchant": "100001" })).await;
    response["transfers"].as_array().unwrap().iter().map(|transfer| transfer["transferId"].as_u64().unwrap()).collect()
}

async fn rows(world: &World, transfer: u64) -> Vec<Value> {
    get(world, &format!("singleTransfer/transferId/{transfer}.json")).await.json().as_array().unwrap().clone()
}

async fn paid_on_terminal(world: &World, changes: Value) -> String {
    let order = with(json!({ "price": 10000, "curr": "CZK", "refId": "2026001" }), changes);
    let (_, response) = world.v2_as(&basic("T100001", "secret-T100001"), "POST", "terminalPayment.json", Some(&order)).await;
    world.act("cardholder.pays", json!({ "transId": response["transId"] })).await;
    response["transId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_bank_pays_out_what_is_paid_in_production_once() {
    let world = World::default().await;
    let id = world.paid(json!({ "refId": "real" })).await;
    world.paid(json!({ "test": true, "refId": "test" })).await;
    world.created(json!({ "refId": "pending" })).await;
    let transfer = transfers(&world).await;
    assert_eq!(
        get(&world, "transferList/date/2026-01-15.json").await.json(),
        json!([{
            "transferId": transfer[0], "transferDate": "2026-01-15", "accountCounterparty": "1890662018/0800",
            "accountOutgoing": "1299055720/0800", "variableSymbol": "4000100001",
        }])
    );
    let rows = rows(&world, transfer[0]).await;
    assert_eq!((rows.len(), &rows[0]["ID od klienta"], &rows[0]["ID Service"]), (1, &json!("real"), &json!(id.replace('-', ""))));
    assert_eq!(transfers(&world).await.len(), 0);
}

#[tokio::test]
async fn without_the_bank_the_clock_pays_out() {
    let world = World::open(json!({ "start": "2026-01-16T12:00:00Z" })).await;
    world.paid(json!({})).await;
    let list = async || get(&world, "transferList/date/2026-01-19.json").await.json().as_array().unwrap().len();
    world.act("clock.advances", json!({ "to": "2026-01-20T04:59:59Z" })).await;
    assert_eq!(list().await, 0);
    world.act("clock.advances", json!({ "seconds": 1 })).await;
    assert_eq!(list().await, 1, "paid on Friday, transferred on Monday, listed on Tuesday morning");
}

#[tokio::test]
async fn a_payment_is_the_same_in_status_detail_csv_and_abo() {
    let world = World::open(json!({ "merchants": [{ "merchant": "100001", "fee": "250" }] })).await;
    let id = world.paid(json!({ "price": 123_456, "label": "Žluté boty", "name": "boots", "method": "CARD_ALL" })).await;
    let status = world.status(&id).await;
    let transfer = transfers(&world).await[0];
    let row = &rows(&world, transfer).await[0];
    assert_eq!(row.as_object().unwrap().len(), 22);
    assert_eq!(
        (&row["Potvrzená částka"], &row["Poplatek celkem"], &row["Převedená částka"]),
        (&json!("1234,56"), &json!("2,50"), &json!("1232,06"))
    );
    assert_eq!((&status["price"], &status["fee"], &status["vs"]), (&json!("123456"), &json!("250"), &row["Variabilní symbol plátce"]));
    assert_eq!((&row["Popis"], &row["Produkt"], &row["Metoda"]), (&json!("Žluté boty"), &json!("boots"), &status["method"]));
    let csv = get(&world, &format!("csvSingleTransfer/transferId/{transfer}.json?download=true")).await;
    assert!(csv.text().contains(r#";"Žluté boty";"jan@example.com";"#) && csv.text().contains(r#""1234,56";"1232,06";"2,50""#));
    let abo = get(&world, &format!("aboSingleTransfer/transferId/{transfer}.json?download=true")).await.text();
    let symbol = format!("{:0>10}", status["vs"].as_str().unwrap());
    assert!(abo.contains(&format!("0000001234562{symbol}")) && abo.contains(&format!("0000000002501{symbol}")), "{abo}");
}

#[tokio::test]
async fn terminal_payments_and_refunds_are_paid_out_too() {
    let world = World::default().await;
    let reversed = paid_on_terminal(&world, json!({ "refId": "reversed" })).await;
    world.v2_as(&basic("T100001", "secret-T100001"), "DELETE", &format!("terminalPayment/transId/{reversed}.json"), None).await;
    let kept = paid_on_terminal(&world, json!({ "refId": "kept" })).await;
    let refunded = world.paid(json!({ "refId": "shoes" })).await;
    world.v2("POST", "refund.json", Some(&json!({ "transId": refunded, "amount": 4_000, "refId": "back" }))).await;
    let transfer = transfers(&world).await;
    let shown: Vec<_> = rows(&world, transfer[0])
        .await
        .iter()
        .map(|row| (row["typ"].clone(), row["ID od klienta"].clone(), row["Převedená částka"].clone()))
        .collect();
    assert_eq!(
        shown,
        [(json!(1), json!("kept"), json!("99,00")), (json!(1), json!("shoes"), json!("99,00")), (json!(2), json!("back"), json!("-40,00"))]
    );
    world.act("bank.returns", json!({ "transId": kept, "amount": 1_000 })).await;
    let next = transfers(&world).await;
    let row = &rows(&world, next[0]).await[0];
    assert_eq!((&row["typ"], &row["Převedená částka"], &row["Měsíc fakturace"]), (&json!(2), &json!("-10,00"), &Value::Null));
}

#[tokio::test]
async fn each_currency_and_account_has_a_transfer_of_its_own() {
    let world = World::open(json!({ "merchants": [{ "merchant": "100001", "accounts": ["19-2000145399/0800", "other"] }] })).await;
    world.paid(json!({})).await;
    world.paid(json!({ "curr": "EUR", "country": "SK" })).await;
    world.paid(json!({ "account": "other" })).await;
    world.paid(json!({})).await;
    let numbers = transfers(&world).await;
    let list = get(&world, "transferList/date/2026-01-15.json").await.json();
    assert_eq!((numbers.len(), list.as_array().unwrap().len()), (3, 3));
    assert_eq!(list[0]["accountCounterparty"], "19-2000145399/0800");
    assert_eq!(rows(&world, numbers[0]).await.len(), 2);
}

#[tokio::test]
async fn statements_come_in_an_envelope_or_as_a_file() {
    let world = World::default().await;
    world.paid(json!({})).await;
    let transfer = transfers(&world).await[0];
    for (call, key, name, media_type) in [
        ("csvSingleTransfer", "csv", format!("prevod-2026-01-15-{transfer}-CZK.csv"), "text/csv; charset=UTF-8"),
        ("aboSingleTransfer", "abo", format!("prevod-2026-01-15-{transfer}-CZK.gpc"), "text/plain; charset=UTF-8"),
    ] {
        let path = format!("{call}/transferId/{transfer}.json");
        let file = get(&world, &format!("{path}?download=true")).await;
        assert_eq!(file.header(header::CONTENT_TYPE), media_type);
        assert_eq!(file.header(header::CONTENT_DISPOSITION), format!("attachment; filename=\"{name}\""));
        for envelope in ["", "?download=", "?download=false"] {
            let envelope = get(&world, &format!("{path}{envelope}")).await;
            assert_eq!(envelope.header(header::CONTENT_TYPE), "application/json; charset=UTF-8");
            let encoded = base64::engine::general_purpose::STANDARD.encode(&file.body);
            assert_eq!(envelope.json(), json!({ "nazev": name, key: encoded }));
        }
    }
}

#[tokio::test]
async fn a_day_comes_as_an_archive_with_one_file_for_each_transfer() {
    let world = World::default().await;
    world.paid(json!({})).await;
    let first = transfers(&world).await[0];
    world.paid(json!({ "curr": "EUR", "country": "SK" })).await;
    let second = transfers(&world).await[0];
    for (day, single, query) in [
        ("csvDownload", "csvSingleTransfer", ""),
        ("aboDownload", "aboSingleTransfer", ""),
        ("aboDownload", "aboSingleTransfer", "&type=v2&encoding=win1250"),
    ] {
        let archive = get(&world, &format!("{day}/date/2026-01-15?test={query}")).await;
        assert_eq!(archive.header(header::CONTENT_TYPE), "application/zip");
        let entries = archive.entries();
        assert_eq!(entries.len(), 2);
        for ((name, contents), transfer) in entries.iter().zip([first, second]) {
            let file = get(&world, &format!("{single}/transferId/{transfer}.json?download=true{query}")).await;
            assert_eq!(contents, &file.body);
            assert!(file.header(header::CONTENT_DISPOSITION).contains(name), "{name}");
        }
    }
    assert_eq!(get(&world, "csvDownload/date/2026-01-14").await.entries(), []);
}

#[tokio::test]
async fn an_abo_statement_is_encoded_as_asked() {
    let world = World::default().await;
    world.paid(json!({ "refId": "Žluťoučký kůň" })).await;
    let transfer = transfers(&world).await[0];
    let abo = async |query: &str| get(&world, &format!("aboSingleTransfer/transferId/{transfer}.json?download=true{query}")).await;
    let (utf8, win1250) = (abo("").await, abo("&encoding=win1250").await);
    assert_eq!(win1250.header(header::CONTENT_TYPE), "text/plain; charset=windows-1250");
    assert!(String::from_utf8(win1250.body.clone()).is_err());
    let (text, ..) = encoding_rs::WINDOWS_1250.decode(&win1250.body);
    assert_eq!(text, utf8.text());
    assert!(text.contains("Žluťoučký kůň"));
    assert_eq!(abo("&type=v1").await.body, utf8.body);
    assert!(abo("&type=v2").await.text().contains("Poplatky úhrnem"));
}

#[tokio::test]
async fn every_call_returns_the_sample() {
    let world = World::default().await;
    assert_eq!(
        get(&world, "transferList/date/2026-01-16.json?test=true").await.json(),
        json!([{
            "transferId": 1, "transferDate": "2026-01-16", "accountCounterparty": "0/0000", "accountOutgoing": "1/0000",
            "variableSymbol": "0123456789",
        }])
    );
    let detail = get(&world, "singleTransfer/transferId/1.json?test=true").await.json();
    assert_eq!((detail.as_array().unwrap().len(), detail[0].as_object().unwrap().len()), (2, 22));
    assert!(get(&world, "csvSingleTransfer/transferId/1.json?test=true&download=true").await.text().ends_with("\"\"\r\n"));
    assert!(get(&world, "csvSingleTransfer/transferId/1.json?test=true").await.json()["csv"].is_string());
    assert!(get(&world, "aboSingleTransfer/transferId/1.json?test=true&download=true").await.text().starts_with("0740000000000000000"));
    assert_eq!(get(&world, "csvDownload/date/2026-01-16?test=true").await.entries().len(), 1);
    assert_eq!(get(&world, "aboDownload/date/2026-01-16?test=true").await.entries().len(), 1);
    assert_eq!(get(&world, "transferList/date/2026-01-16.json?test=false").await.json(), json!([]));
}

#[tokio::test]
async fn a_wrong_query_is_refused() {
    let world = World::open(json!({ "error-status": 422 })).await;
    for path in [
        "transferList/date/yesterday.json",
        "transferList/date/2026-02-30.json",
        "transferList/date/2026-01-16.json?test=maybe",
        "transferList/date/2026-01-16.json?test=%ff",
        "singleTransfer/transferId/1.json",
        "singleTransfer/transferId/x.json?test=true",
        "singleTransfer/transferId/+1.json?test=true",
        "singleTransfer/transferId/99999999999999999999.json",
        "csvSingleTransfer/transferId/1.json?test=true&download=perhaps",
        "aboSingleTransfer/transferId/1.json?test=true&type=v3",
        "aboSingleTransfer/transferId/1.json?test=true&encoding=latin2",
        "csvDownload/date/2026-01",
        "aboDownload/date/2026-01-16.json",
        "aboDownload/date/2026-01-16?test=true&type=v3",
    ] {
        let response = get(&world, path).await;
        assert_eq!((response.status.as_u16(), &response.json()["code"]), (422, &json!(1400)), "{path}");
    }
}

#[tokio::test]
async fn only_the_terminal_and_the_gateway_of_a_merchant_may_read() {
    let world = World::open(json!({ "merchants": [{ "merchant": "100001" }, { "merchant": "100002" }] })).await;
    world.paid(json!({})).await;
    let transfer = transfers(&world).await[0];
    let path = format!("singleTransfer/transferId/{transfer}.json");
    for (user, secret, length) in [
        ("T100001", "secret-T100001", Some(1)),
        ("100001", "secret-100001", Some(1)),
        ("100002", "secret-100002", None),
        ("T100001", "no", None),
    ] {
        let response = get_as(&world, &basic(user, secret), &path).await.json();
        assert_eq!(response.as_array().map(Vec::len), length, "{user} {secret}");
    }
    assert_eq!(get_as(&world, "", "transferList/date/2026-01-15.json?test=true").await.json()["code"], 1400);
    let elsewhere = world.beside(json!({ "allowed-addresses": ["10.0.0.1"] })).await;
    assert_eq!(get(&elsewhere, "transferList/date/2026-01-15.json").await.json()["code"], 1400);
}

#[tokio::test]
async fn faults_strike_transfers_too() {
    let world = World::default().await;
    for (operation, path) in [
        ("transfers.list", "transferList/date/2026-01-15.json"),
        ("transfers.detail", "singleTransfer/transferId/1.json?test=true"),
        ("transfers.csv", "csvSingleTransfer/transferId/1.json?test=true"),
        ("transfers.abo", "aboSingleTransfer/transferId/1.json?test=true"),
        ("transfers.csvDay", "csvDownload/date/2026-01-15"),
        ("transfers.aboDay", "aboDownload/date/2026-01-15"),
    ] {
        for code in [1100, 1200, 1400, 1500] {
            world.act("gateway.fails", json!({ "operation": operation, "code": code })).await;
            assert_eq!(get(&world, path).await.json()["code"], code, "{operation}");
        }
        assert_eq!(get(&world, path).await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn a_world_is_filled_with_payments_that_vary() {
    let world = World::open(json!({ "seed": 7 })).await;
    for (curr, payments) in [("CZK", 300), ("EUR", 20), ("HUF", 20), ("PLN", 20)] {
        world.act("world.fills", json!({ "merchant": "100001", "payments": payments, "curr": curr })).await;
    }
    let numbers = transfers(&world).await;
    let rows = rows(&world, numbers[0]).await;
    assert_eq!((numbers.len(), rows.len(), world.see("").await["payments"].clone()), (4, 300, json!(360)));
    let distinct = |key: &str| rows.iter().map(|row| row[key].to_string()).collect::<std::collections::BTreeSet<_>>().len();
    assert_eq!((distinct("ID Service"), distinct("ID od klienta"), distinct("Datum převodu")), (300, 300, 1));
    assert!(distinct("Potvrzená částka") > 100 && distinct("Metoda") > 5 && distinct("Popis") == 8 && distinct("Typ karty") > 2);
    assert!(rows.iter().any(|row| row["Poplatek zpracovatel"].as_str().unwrap().starts_with('-')), "the processor's part may be negative");
    assert!(rows.iter().any(|row| row["Produkt"].is_null()));
    assert!(rows.iter().all(|row| row["Datum zaplacení"].as_str().unwrap().starts_with("2026-01-15 ")));
    for wrong in [
        json!({ "merchant": "9", "payments": 1 }),
        json!({ "merchant": "100001", "payments": 1, "curr": "HRK" }),
        json!({ "merchant": "100001", "payments": 1_000_001 }),
    ] {
        assert!(world.try_act("world.fills", wrong).await.0.is_client_error());
    }
}

#[tokio::test]
async fn only_get_reads_transfers() {
    let world = World::default().await;
    let (status, response) = world.v2("POST", "transferList/date/2026-01-15.json", None).await;
    assert_eq!((status, &response["code"]), (StatusCode::METHOD_NOT_ALLOWED, &json!(1400)));
}
