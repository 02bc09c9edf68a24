//! Responses of a hundred thousand items are judged as if all of them were kept.

use std::fmt::Write as _;
use std::io::{BufReader, Read};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{KEPT_TEXT, MAX_FILE_BYTES, Received, Recorder};
use crate::base::place::Place;
use crate::base::verdict::Finding;
use crate::judge::check;
use crate::judge::record::{Record, RecordEntry};
use crate::spec::contract::{Contracts, Files, Operation, REPORTED_PER_CAUSE};
use crate::wire::exchange::{
    Body, Decoded, Direction, Exchange, ExchangeOutcome, MAX_BODY_BYTES, Masker, Request, Response, Secret, Vault,
};
use crate::wire::ingest::KEPT_ITEMS;

const MANY: usize = 100_000;

const CLAUSES: &str = "
document: shop
clauses:
  shop.list.call: { section: s, says: Orders are listed. }
  shop.list.size: { section: s, says: A size has digits. }
  shop.list.price: { section: s, says: The price is net and tax. }
  shop.table.call: { section: s, says: Orders are in a table. }
  shop.table.size: { section: s, says: A size has digits. }
  shop.table.agrees: { section: s, says: As in the list. }
  shop.token.call: { section: s, says: A token is handed out. }
  shop.account.call: { section: s, says: Orders are in a statement. }
  shop.archive.call: { section: s, says: Orders are in an archive. }
  shop.account.sum: { section: s, says: Credits add up. }
";

const OPENAPI: &str = r#"
openapi: 3.1.0
paths:
  /list:
    get:
      operationId: shop.list
      x-clause: shop.list.call
      x-largest: 32MB
      x-facts: [{ thing: order, each: $response.body, id: id, facts: { price: { field: price, as: comma }, name: name }, clause: shop.list.call }]
      responses:
        2XX:
          content:
            application/json:
              schema:
                type: array
                items:
                  required: [id, size]
                  properties: { size: { type: string, pattern: "^[0-9]+$", x-clause: shop.list.size } }
                  x-adds-up: [{ total: price, plus: [net, tax], number: comma, clause: shop.list.price }]
  /table:
    get:
      operationId: shop.table
      x-clause: shop.table.call
      x-largest: 32MB
      x-facts: [{ thing: order, each: $response.body#/rows, id: id, facts: { price: { field: price, as: comma } }, clause: shop.table.agrees }]
      responses:
        2XX:
          content:
            text/csv:
              x-format: { csv: { separator: ";" } }
              schema: { properties: { rows: { items: { properties: { size: { pattern: "^[0-9]+$", x-clause: shop.table.size } } } } } }
  /token:
    post:
      operationId: shop.token
      x-clause: shop.token.call
      responses:
        2XX:
          content:
            application/json:
              schema: { required: [token], properties: { token: { type: string, x-secret: true } } }
  /archive:
    get:
      operationId: shop.archive
      x-clause: shop.archive.call
      responses:
        2XX: { content: { application/zip: { x-format: { zip: { csv: { separator: ";" } } } } } }
  /account:
    get:
      operationId: shop.account
      x-clause: shop.account.call
      x-largest: 32MB
      responses:
        2XX:
          content:
            application/json:
              schema:
                properties:
                  file:
                    type: string
                    x-format: { base64: { abo: {} } }
                    contentSchema:
                      properties:
                        accounts:
                          items:
                            properties: { items: { items: { type: object } } }
                            x-adds-up: [{ total: /header/credit, each: /items, where: { kind: ["2"] }, plus: [amount], clause: shop.account.sum }]
"#;

fn contracts() -> Contracts {
    let files = Files::from_texts([("clauses/shop.yaml", CLAUSES), ("shop.openapi.yaml", OPENAPI)]);
    Contracts::read(&files).unwrap_or_else(|problems| panic!("{}", problems.render(false)))
}

fn recorder() -> Recorder {
    let secret = Secret { owner: "main".into(), logins: Vec::new(), value: "s3cr3t-of-main".into() };
    Recorder::new(Masker::new(vec![secret]), Vec::new())
}

/// How a body is delivered: at once, or in pieces that are not kept.
#[derive(Clone, Copy, Debug)]
enum Delivery {
    Whole,
    InPieces,
}

fn body(operation: &Operation, bytes: &[u8], delivery: Delivery) -> Body {
    let (request, vault, recorder) = (Request::default(), Vault::default(), recorder());
    let content = operation.response.first().unwrap();
    let media_type = Some(content.media_type.as_str());
    let received = Received { media_type, content: Some(content), fact_rules: &operation.fact_rules, request: &request, vault: &vault };
    match delivery {
        Delivery::Whole => recorder.response(bytes, received),
        Delivery::InPieces => {
            let (head, rest) = bytes.split_at(bytes.len() / 3);
            recorder.long_response(head, &mut BufReader::with_capacity(4096, rest), received)
        }
    }
}

fn exchange(operation: &Operation, number: usize, body: Body) -> Exchange {
    let media_type = operation.response.first().unwrap().media_type.clone();
    Exchange {
        number,
        arrived: 0,
        direction: Direction::Call,
        operation: operation.id.clone(),
        identity: "main".into(),
        request: Request::default(),
        outcome: ExchangeOutcome::Response(Response { status: 200, headers: vec![("content-type".into(), media_type)], body }),
        elapsed: Duration::ZERO,
    }
}

/// The place of a finding as it is shown.
fn shown(finding: &Finding) -> String {
    finding.at.as_ref().map(Place::to_string).unwrap_or_default()
}

/// A response that was judged.
struct Judged {
    body: Body,
    findings: Vec<Finding>,
    held: Vec<String>,
}

impl Judged {
    fn named(&self) -> Vec<(&str, String)> {
        self.findings.iter().map(|finding| (finding.clause(), shown(finding))).collect()
    }
}

fn judged(id: &str, text: &str, delivery: Delivery) -> Judged {
    let contracts = contracts();
    let operation = contracts.operations.get(id).unwrap();
    let body = body(operation, text.as_bytes(), delivery);
    let judgement = check::response(operation, &exchange(operation, 0, body.clone()));
    Judged { body, findings: judgement.findings, held: judgement.held }
}

fn order(number: usize) -> Map<String, Value> {
    let order = json!({"id": format!("N{number}"), "size": "12", "price": "1,21", "net": "1,00", "tax": "0,21", "name": "Žluťoučký kůň"});
    order.as_object().cloned().unwrap()
}

/// A list of orders, some of them changed.
fn list(length: usize, change: impl Fn(usize, &mut Map<String, Value>)) -> String {
    let mut text = String::from("[");
    for number in 0..length {
        let mut order = order(number);
        change(number, &mut order);
        let comma = if number == 0 { "" } else { ",\n" };
        write!(text, "{comma}{}", Value::Object(order)).unwrap();
    }
    text + "]"
}

/// The same as a table.
fn table(length: usize, change: impl Fn(usize, &mut String)) -> String {
    let mut text = "id;size;price\r\n".to_owned();
    for number in 0..length {
        let mut row = format!("N{number};12;1,21\r\n");
        change(number, &mut row);
        text.push_str(&row);
    }
    text
}

#[test]
fn a_fault_in_the_last_of_many_items_is_found() {
    let wrong = list(MANY, |number, order| {
        if number == MANY - 1 {
            order.insert("size".into(), json!("large"));
        }
    });
    let judged = judged("shop.list", &wrong, Delivery::InPieces);
    assert_eq!(judged.named(), [("shop.list.size", "response body /99999/size".to_owned())]);
    assert_eq!(judged.findings[0].got, Some(json!("large")));
    assert_eq!(judged.findings[0].contract.as_deref().map(|contract| contract.ends_with("/items/properties/size/pattern")), Some(true));
}

#[test]
fn a_fault_in_the_last_of_many_rows_is_found_on_its_line() {
    let wrong = table(MANY, |number, row| {
        if number == MANY - 1 {
            *row = row.replace("12", "large");
        }
    });
    let judged = judged("shop.table", &wrong, Delivery::InPieces);
    assert_eq!(judged.named(), [("shop.table.size", "response body /rows/99999/size, line 100001, column 2 (`size`)".to_owned())]);
}

#[test]
fn only_the_first_items_are_kept_and_how_many_there_were_is_known() {
    let judged = judged("shop.list", &list(40_000, |_, _| {}), Delivery::InPieces);
    assert_eq!(judged.named(), []);
    assert_eq!(judged.held, ["shop.list.call", "shop.list.price", "shop.list.size"].map(str::to_owned));
    let kept = judged.body.value().and_then(Value::as_array).unwrap();
    assert!(kept.len() > 1_000 && json!(kept).to_string().len() <= KEPT_ITEMS + 2 * kept.len(), "{}", kept.len());
    let rest = judged.body.rests().first().unwrap();
    assert_eq!((rest.kept, rest.length), (kept.len(), 40_000));
    assert!(judged.body.text.len() <= KEPT_TEXT && judged.body.cut_from().is_some());
}

#[test]
fn a_total_over_items_that_are_not_kept_is_judged() {
    let account = |credit: u64| {
        let record = |text: String| format!("{text:<128}\r\n");
        let header = format!("074{:016}{:<20}140126{:014}+{:014}+{:014}0{credit:014}0015150126", 1, "Obchod", 0, credit, 0);
        let item = |kind: u8| {
            format!("075{:016}{:016}{:013}{:012}{kind}{:010}00{:04}{:04}{:010}150126{:<20}00203150126", 1, 2, 0, 3, 77, 100, 308, 0, "x")
        };
        let text: String = std::iter::once(record(header)).chain((0..16_000).flat_map(|_| [1, 2]).map(|kind| record(item(kind)))).collect();
        let file = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text);
        format!(r#"{{ "name": "a.gpc", "file": "{}" }}"#, file.replace('/', "\\/"))
    };
    for delivery in [Delivery::Whole, Delivery::InPieces] {
        assert_eq!(judged("shop.account", &account(48_000), delivery).named(), [], "{delivery:?}");
        let judged = judged("shop.account", &account(48_003), delivery);
        assert_eq!(
            judged.named(),
            [("shop.account.sum", "response body /file/accounts/0/header/credit, line 1, column 91".to_owned())],
            "{delivery:?}"
        );
        assert_eq!(judged.findings[0].expected, Some(json!(48_000)));
    }
}

#[test]
fn a_contradiction_between_items_that_are_not_kept_is_found() {
    let contracts = contracts();
    let exchanges = |id: &str, number: usize, text: &str| {
        let operation = contracts.operations.get(id).unwrap();
        exchange(operation, number, body(operation, text.as_bytes(), Delivery::InPieces))
    };
    let first = exchanges("shop.list", 0, &list(32_000, |_, _| {}));
    let judged = |second: Exchange| {
        let record = Record { entries: [first.clone(), second.clone()].map(|exchange| RecordEntry::Exchange(Arc::new(exchange))).into() };
        check::facts(&contracts, contracts.operations.get("shop.table").unwrap(), &second, &record)
    };
    // Of the table more rows are kept than of the list.
    assert_eq!(judged(exchanges("shop.table", 1, &table(32_000, |_, _| {}))).held, ["shop.table.agrees"]);
    for wrong in [10, 20_000, 31_999] {
        let changed = table(32_000, |number, row| {
            if number == wrong {
                *row = row.replace("1,21", "1,22");
            }
        });
        let judgement = judged(exchanges("shop.table", 1, &changed));
        let finding = judgement.findings.first().unwrap();
        assert_eq!((judgement.findings.len(), finding.clause()), (1, "shop.table.agrees"));
        assert_eq!(shown(finding), format!("response body /rows/{wrong}, line {}", wrong + 2));
        assert_eq!(finding.message, format!("the order N{wrong} has the price \"122\" here, but \"121\" in the response of shop.list"));
    }
}

#[test]
fn what_is_judged_while_it_is_read_is_judged_as_if_it_were_kept() {
    let wrong = |number: usize, order: &mut Map<String, Value>| match number {
        7 | 20_000 => drop(order.remove("size")),
        8 | 20_001 => drop(order.insert("price".into(), json!("1,20"))),
        20_002 => drop(order.insert("size".into(), json!(["s3cr3t-of-main"]))),
        _ => {}
    };
    let text = list(24_000, wrong);
    let (whole, pieces) = (judged("shop.list", &text, Delivery::Whole), judged("shop.list", &text, Delivery::InPieces));
    assert_eq!(whole.body.rests(), [], "it is short enough to be kept");
    assert_eq!(pieces.body.rests().len(), 1);
    let sorted = |mut judged: Judged| {
        judged.findings.sort_by_key(|finding| (finding.at.clone(), finding.clauses.clone()));
        judged.findings
    };
    let (whole, pieces) = (sorted(whole), sorted(pieces));
    assert_eq!(pieces, whole);
    assert_eq!(pieces.len(), 5);
}

#[test]
fn secrets_in_items_that_are_not_kept_are_masked() {
    let with_secret = |number: usize, order: &mut Map<String, Value>| {
        if number > 20_000 {
            order.insert("name".into(), json!("s3cr3t-of-main"));
            order.insert("size".into(), json!("s3cr3t-of-main"));
        }
    };
    let judged = judged("shop.list", &list(24_000, with_secret), Delivery::InPieces);
    assert!(judged.findings.iter().all(|finding| finding.got == Some(json!("***main***"))) && !judged.findings.is_empty());
    assert!(!format!("{:?}", judged.body).contains("s3cr3t"));
    let facts =
        judged.body.rests()[0].fact_tables[0].1.subjects().last().unwrap().facts().map(|fact| fact.map(<[u8]>::to_vec)).collect::<Vec<_>>();
    assert_eq!(facts, [Some(b"121".to_vec()), Some(b"***main***".to_vec())]);
}

#[test]
fn a_secret_in_a_body_that_is_unreadable_is_masked() {
    for text in ["\u{feff}{\"token\": \"handed-out\"}", "{\"token\": \"handed-out\"", "<p>token=handed-out</p>"] {
        let judged = judged("shop.token", text, Delivery::Whole);
        assert_eq!(judged.findings.len(), 1, "{text}");
        assert!(!judged.body.text.contains("handed-out") && judged.body.text.contains("token"), "{}", judged.body.text);
    }
}

#[test]
fn half_a_secret_at_the_cut_is_not_kept() {
    for at in KEPT_TEXT - 20..KEPT_TEXT {
        let text = format!("[\"{}s3cr3t-of-main{}\"]", "x".repeat(at - 2), "y".repeat(2 * KEPT_TEXT));
        assert!(!judged("shop.list", &text, Delivery::InPieces).body.text.contains("s3"), "{at}");
    }
}

#[test]
fn of_many_faults_of_one_cause_the_first_are_reported() {
    let judged = judged("shop.list", &list(32_000, |_, order| drop(order.insert("size".into(), json!("large")))), Delivery::InPieces);
    let rest = &judged.body.rests()[0];
    assert_eq!(rest.faults.iter().map(|fault| fault.instance.clone()).collect::<Vec<_>>().len(), crate::judge::items::FAULTS_OF_A_CAUSE);
    assert_eq!(rest.faults[0].instance, format!("/{}/size", rest.kept));
    assert_eq!(judged.findings.len(), REPORTED_PER_CAUSE);
    let more: Vec<_> = judged.findings.iter().map(|finding| finding.message.ends_with(" (more of the same are not listed)")).collect();
    assert_eq!(more, [vec![false; REPORTED_PER_CAUSE - 1], vec![true]].concat());
    let misspelt = self::judged("shop.table", &table(32_000, |_, row| *row = row.replace(";1,21", "")), Delivery::InPieces);
    assert_eq!(misspelt.findings.len(), crate::wire::exchange::LISTED_FAULTS + 1);
    assert_eq!(misspelt.findings.last().unwrap().message, "31900 more faults of this kind are not listed");
}

#[test]
fn a_fault_of_another_cause_is_found_after_thousands_of_one() {
    let wrong = list(MANY, |number, order| {
        order.insert("size".into(), json!("large"));
        if number == MANY - 1 {
            order.remove("id");
        }
    });
    let judged = judged("shop.list", &wrong, Delivery::InPieces);
    let last = judged.findings.last().unwrap();
    assert_eq!((last.message.as_str(), shown(last)), ("`id` is missing", format!("response body /{}/id", MANY - 1)));
}

#[test]
fn faults_of_a_long_json_text_are_reported_with_their_place() {
    let rows = list(5_000, |_, _| {});
    let unreadable = |text: &str| match judged("shop.list", text, Delivery::InPieces).body.decoded {
        Decoded::Unreadable(fault) => (fault.position.to_string(), fault.message),
        other => panic!("{other:?}"),
    };
    let cut = rows.get(..rows.len() - 1).unwrap();
    assert_eq!(unreadable(cut), (format!("byte {}", cut.len()), "not JSON: expected `]`".into()));
    assert_eq!(unreadable(&format!("{rows} x")).1, "not JSON: trailing characters");
    assert!(unreadable(&format!("{cut},]")).1.contains("EOF"));
    let (place, message) = unreadable(&rows.replace("\"N4999\"", "N4999"));
    assert_eq!(place, format!("byte {}", rows.find("\"N4999\"").unwrap()));
    assert!(message.starts_with("not JSON: expected value"), "{message}");
    assert!(unreadable(&format!("[\"{}\"]", "x".repeat(MAX_BODY_BYTES))).1.contains("is not read"));
    let object = judged("shop.account", "{\"file\": \"AAA\", \"name\": \"x\", \"name\": \"y\"}", Delivery::InPieces);
    let messages: Vec<_> = object.findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(messages, ["not Base64: Invalid padding", "the key `name` is repeated"]);
}

#[test]
fn a_source_without_end_takes_no_more_memory_than_its_bounds() {
    let contracts = contracts();
    let operation = contracts.operations.get("shop.list").unwrap();
    let (request, vault) = (Request::default(), Vault::default());
    let received = Received {
        media_type: None,
        content: operation.response.first(),
        fact_rules: &operation.fact_rules,
        request: &request,
        vault: &vault,
    };
    let endless = BufReader::new(b"[1".chain(std::io::repeat(b'1')));
    let body = recorder().long_response(b"", &mut { endless }, received);
    assert!(matches!(body.decoded, Decoded::Unreadable(fault) if fault.message.contains("is not read")));
}

fn archive(name: &str, content: &str) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    writer.start_file(name, stored).unwrap();
    std::io::Write::write_all(&mut writer, content.as_bytes()).unwrap();
    writer.finish().unwrap().into_inner()
}

/// A secret can't be masked in packed bytes, and a part of an archive can't be opened.
#[test]
fn a_short_archive_is_kept_unless_a_secret_is_in_it() {
    let contracts = contracts();
    let operation = contracts.operations.get("shop.archive").unwrap();
    let long = format!("id\n{}", "N1\n".repeat(MAX_FILE_BYTES / 3));
    for (name, content, is_kept) in [
        ("a.csv", "id\nN1\n", true),
        ("a.csv", "id\ns3cr3t-of-main\n", false),
        ("s3cr3t-of-main.csv", "id\nN1\n", false),
        ("a.csv", "id\n1;2;3\n", false),
        ("a.csv", &long, false),
    ] {
        let bytes = archive(name, content);
        let file = body(operation, &bytes, Delivery::Whole).file.unwrap();
        assert_eq!((file.size, file.bytes), (bytes.len(), is_kept.then_some(bytes)), "{name}");
    }
    let (bytes, kept) = (b"no archive", body(operation, b"no archive", Delivery::Whole).file.unwrap());
    assert_eq!((kept.size, kept.bytes), (bytes.len(), None));
}
