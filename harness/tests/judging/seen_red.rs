//! Every clause that a run judges has been seen red: it came first in a finding when something was broken.
//! What a green run recorded is broken in one place at a time, and the checks, which need no server, are
//! asked again; targets that are wrong everywhere are judged; the rest has a break of its own in `breaks`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::support::proxy::{Message, ObservedRequest, Tamper};
use harness::base::verdict::Verdict;
use harness::engine::event::CaseFinished;
use harness::engine::runner::Case;
use harness::judge::check;
use harness::judge::record::Record;
use harness::spec::contract::{Content, Contracts, Operation};
use harness::wire::exchange::{Decoded, Direction, Exchange, ExchangeOutcome};
use serde_json::{Map, Value, json};
use tokio::sync::OnceCell;

/// What may stand in place of a value: other types, nothing, words and numbers that no list has.
fn substitutes() -> [Value; 8] {
    [json!({"not": "a text"}), json!([1]), json!(-1), json!(0.5), json!(true), json!(""), json!("no such value"), Value::Null]
}

/// What may stand at a place of a value instead, for each place at any depth: JSON Pointers, and what stands there.
fn changes(value: &Value, at: &str) -> Vec<(String, Value)> {
    let mut instead: Vec<Value> = substitutes().into_iter().filter(|other| other != value).collect();
    let mut below = Vec::new();
    match value {
        Value::Object(map) => {
            for (name, inner) in map {
                let mut without = map.clone();
                without.remove(name);
                instead.push(Value::Object(without));
                below.extend(changes(inner, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))));
            }
            // Fields that must not be there.
            instead.extend(["applepay", "applepayMessage", "paymentRejectedReason"].map(|name| with(map, name, json!("PAID"))));
        }
        Value::Array(items) => below.extend(items.iter().take(1).flat_map(|first| changes(first, &format!("{at}/0")))),
        _ => {}
    }
    instead.into_iter().map(|value| (at.to_owned(), value)).chain(below).collect()
}

fn with(map: &Map<String, Value>, name: &str, value: Value) -> Value {
    let mut changed = map.clone();
    changed.insert(name.to_owned(), value);
    Value::Object(changed)
}

/// The clauses that a schema carries.
fn carried(schema: &Value, clauses: &mut BTreeSet<String>) {
    match schema {
        Value::Object(map) => {
            for (key, below) in map {
                match key.as_str() {
                    "x-clause" => clauses.extend(below.as_str().map(str::to_owned)),
                    "x-clauses" => below.as_object().unwrap().values().for_each(|c| match c {
                        Value::Object(by_field) => clauses.extend(by_field.values().filter_map(Value::as_str).map(str::to_owned)),
                        other => clauses.extend(other.as_str().map(str::to_owned)),
                    }),
                    "examples" | "enum" | "const" | "default" => {}
                    _ => carried(below, clauses),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| carried(item, clauses)),
        _ => {}
    }
}

fn carried_by(contents: &[Content]) -> BTreeSet<String> {
    let mut clauses = BTreeSet::new();
    contents.iter().for_each(|content| carried(&content.schema.expanded, &mut clauses));
    clauses
}

fn body(exchange: &mut Exchange) -> Option<&mut Decoded> {
    match (exchange.direction, &mut exchange.outcome) {
        (Direction::Notification, _) => Some(&mut exchange.request.body.decoded),
        (Direction::Call, ExchangeOutcome::Response(response)) => Some(&mut response.body.decoded),
        (Direction::Call, ExchangeOutcome::Failed(_)) => None,
    }
}

/// Puts a value at a place of the body, and returns what stood there.
fn put(exchange: &mut Exchange, place: &str, value: Value) -> Value {
    let Some(Decoded::Value(body, _)) = body(exchange) else { panic!("no body") };
    std::mem::replace(body.pointer_mut(place).unwrap(), value)
}

/// The clauses that the checks name first when the exchange is broken in every way, one at a time.
fn red(contracts: &Contracts, operation: &Operation, exchange: &Exchange) -> BTreeSet<String> {
    let mut clauses = BTreeSet::new();
    let mut changed = exchange.clone();
    let Some(Decoded::Value(value, repeated)) = body(&mut changed) else { return clauses };
    repeated.clear();
    for (place, instead) in changes(&value.clone(), "") {
        let original = put(&mut changed, &place, instead);
        let judgement = match changed.direction {
            Direction::Call => check::response(operation, &changed),
            Direction::Notification => check::notification(contracts, operation, &changed, &Record::default(), &|_, _| None),
        };
        clauses.extend(judgement.findings.iter().map(|finding| finding.clause().to_owned()));
        put(&mut changed, &place, original);
    }
    clauses
}

/// The fields that are there, those below them, and whether lists have items.
fn places(value: &Value) -> Vec<String> {
    let below = |name: &str, inner: &Value| places(inner).into_iter().map(move |place| format!("{name}/{place}")).collect::<Vec<_>>();
    match value {
        Value::Object(map) => map.iter().flat_map(|(name, inner)| [vec![name.clone()], below(name, inner)].concat()).collect(),
        Value::Array(items) => items.first().map(|first| [vec!["items".to_owned()], below("0", first)].concat()).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// One exchange of each shape: operation and the fields that were there.
fn shapes(records: &[Arc<Exchange>]) -> Vec<&Arc<Exchange>> {
    let mut shapes = BTreeMap::new();
    for exchange in records {
        let mut copy = Exchange::clone(exchange);
        let Some(Decoded::Value(value, _)) = body(&mut copy) else { continue };
        let fields = places(value);
        let success = ["code", "platform"].map(|field| value.get(field).map(Value::to_string));
        shapes.entry((exchange.operation.clone(), fields, success)).or_insert(exchange);
    }
    shapes.into_values().collect()
}

/// The APIs whose clauses must all have been seen red.
const APIS: [&str; 6] = ["gateway", "status", "terminal", "transfers", "qr", "device"];

/// Everything but a thousand attempts, which take their time.
fn plan() -> Vec<Case> {
    let names = APIS.map(|api| format!("{api} / "));
    let mut plan = crate::support::shipped(&names.each_ref().map(String::as_str));
    plan.retain(|case| !case.name.scenario.contains("1000-times"));
    plan
}

/// A green run.
async fn sound() -> &'static [Arc<CaseFinished>] {
    static SOUND: OnceCell<Vec<Arc<CaseFinished>>> = OnceCell::const_new();
    let judged = || async {
        let emulator = crate::support::emulator().await;
        crate::support::judge(crate::support::target(&emulator.base_url().parse().unwrap()), plan(), 1, None).await
    };
    let ended = SOUND.get_or_init(judged).await;
    assert!(ended.iter().all(|case| case.verdict == Verdict::Passed), "{:#?}", crate::support::troubles(ended));
    ended
}

/// The clauses that come first when recordings are broken in every way.
async fn red_in_recordings(contracts: &Contracts) -> BTreeSet<String> {
    static RED: OnceCell<BTreeSet<String>> = OnceCell::const_new();
    let broken = || async {
        let records: Vec<_> = sound().await.iter().flat_map(|case| case.record.iter().cloned()).collect();
        let known =
            |exchange: &&Arc<Exchange>| contracts.operation(&exchange.operation).map(|operation| red(contracts, operation, exchange));
        shapes(&records).iter().filter_map(known).flatten().collect()
    };
    RED.get_or_init(broken).await.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_clause_of_a_response_or_a_notification_has_been_seen_red() {
    let contracts = crate::support::contracts();
    let mut seen = red_in_recordings(&contracts).await;
    // Recordings hold what the files in them say; that a file can't be read is broken in its bytes.
    seen.extend(crate::breaks::all().iter().map(|row| row.clause.to_owned()));
    let mut wanted = BTreeSet::new();
    for operation in contracts.operations.values().filter(|operation| APIS.contains(&operation.api.as_str())) {
        wanted.extend(carried_by(&operation.response));
        wanted.extend(carried_by(&operation.error_response));
    }
    for notification in contracts.notifications.values().filter(|notification| APIS.contains(&notification.api.as_str())) {
        wanted.extend(carried_by(notification.request.as_slice()));
    }
    let never: Vec<_> = wanted.difference(&seen).collect();
    assert!(wanted.len() > 250, "{}", wanted.len());
    assert!(never.is_empty(), "{} of {} clauses were never seen red: {never:#?}", never.len(), wanted.len());
}

/// Targets that are wrong everywhere, each in its own way.
fn wrong_everywhere() -> Vec<Tamper> {
    let answering = |response: fn(&ObservedRequest<'_>, &mut Message)| Tamper { response: Some(response), ..Tamper::default() };
    vec![
        // Everything is accepted.
        answering(|asked, message| message.grant(asked)),
        // Everything is refused.
        answering(|asked, message| message.deny(asked)),
        // Payments are created, and nothing can be done with them.
        answering(|asked, message| {
            if message.succeeds() && !asked.operation.ends_with("create") {
                message.refuse(1400)
            }
        }),
        // What is refused is refused with another code.
        answering(|_, message| {
            if message.has("code") && !message.succeeds() {
                message.refuse(if message.get("code") == "1500" { 1100 } else { 1500 })
            }
        }),
        // The status call tells something else.
        answering(|asked, message| {
            if asked.operation.ends_with("status") && message.succeeds() {
                otherwise(message);
            }
        }),
        // Notifications tell something else, or don't come.
        Tamper { push: Some(|_, push| otherwise(&mut push.message)), ..Tamper::default() },
        Tamper { push: Some(|_, push| push.times = 0), ..Tamper::default() },
    ]
}

/// The same for document 3, whose answers have no `code`.
fn wrong_in_document_3() -> Vec<Tamper> {
    let answering = |response: fn(&ObservedRequest<'_>, &mut Message)| Tamper { response: Some(response), ..Tamper::default() };
    vec![
        // What is refused is refused otherwise.
        answering(|asked, message| {
            if !message.fulfils() {
                let (status, code) =
                    if message.get("errorCode") == "INTERNAL_ERROR" { (429, "RATE_LIMITED") } else { (500, "INTERNAL_ERROR") };
                message.objects(asked, status, code);
            }
        }),
        // Responses with other values.
        answering(|_, message| {
            if message.fulfils() {
                otherwise(message);
            }
        }),
        // No error has a body.
        answering(|_, message| {
            if !message.fulfils() {
                message.becomes_an_error(message.status);
            }
        }),
        // Nothing happens in the world.
        Tamper {
            world: Some(|deed| {
                if !deed.action.starts_with("operator.re") {
                    deed.does_not_happen()
                }
            }),
            ..Tamper::default()
        },
    ]
}

/// The targets that are wrong everywhere, each with the cases that it may fail.
fn wrong_targets() -> impl Iterator<Item = (Tamper, Vec<Case>)> {
    // All but the first two go by `code` or by notifications, which document 3 doesn't have.
    let elsewhere = || plan().into_iter().filter(|case| !["qr", "device"].contains(&case.name.api.as_str())).collect();
    let everywhere = wrong_everywhere().into_iter().enumerate();
    let everywhere = everywhere.map(move |(at, tamper)| (tamper, if at < 2 { plan() } else { elsewhere() }));
    let in_document_3 = wrong_in_document_3().into_iter().map(|tamper| (tamper, crate::support::shipped(&["qr / ", "device / "])));
    everywhere.chain(in_document_3)
}

/// What says what a message is about, or opens the next call.
const KEPT: [&str; 10] =
    ["transId", "transRefundId", "status", "code", "message", "token", "deviceToken", "expiry", "expiration", "paymentData"];

/// Every text but those that say what the message is about says something else.
fn otherwise(message: &mut Message) {
    let named: Vec<String> = message.fields.iter().filter(|(_, value)| value.is_string()).map(|(name, _)| name.clone()).collect();
    for name in named.iter().filter(|name| !KEPT.contains(&name.as_str())) {
        message.replace(name, "another");
    }
}

/// Of the cases of a plan, as many as `for_each` that judge each of these clauses: first those that are about it.
async fn judging(clauses: &BTreeSet<&String>, plan: Vec<Case>, for_each: usize) -> Vec<Case> {
    let held: HashMap<String, HashSet<&String>> =
        sound().await.iter().map(|case| (case.name.to_string(), case.held.iter().collect())).collect();
    let held: Vec<_> = plan.iter().map(|case| held.get(&case.name.to_string())).collect();
    let holds = |at: usize, clause: &String| held[at].is_some_and(|held| held.contains(clause));
    let mut chosen = BTreeSet::new();
    for clause in clauses {
        let (about, in_passing): (Vec<usize>, Vec<usize>) =
            (0..plan.len()).filter(|at| holds(*at, clause)).partition(|at| plan[*at].clauses().any(|named| named == *clause));
        chosen.extend(about.into_iter().chain(in_passing).take(for_each));
    }
    chosen.into_iter().map(|at| plan[at].clone()).collect()
}

/// The breaks of the table are judged in `broken_target.rs`, which demands that their clause comes first; targets that are wrong
/// everywhere are judged about the other clauses.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_clause_that_is_judged_has_been_seen_red() {
    let contracts = crate::support::contracts();
    let mut seen = red_in_recordings(&contracts).await;
    seen.extend(crate::breaks::all().iter().map(|row| row.clause.to_owned()));
    let judged = contracts.clauses.values().filter(|c| c.unchecked.is_none() && c.checked_by.is_none());
    let wanted: BTreeSet<_> = judged.map(|c| &c.id).filter(|id| APIS.iter().any(|api| id.split('.').next() == Some(api))).collect();
    assert!(wanted.len() > 1200, "{}", wanted.len());
    let never = |seen: &BTreeSet<String>| wanted.iter().copied().filter(|id| !seen.contains(*id)).collect::<BTreeSet<_>>();
    let emulator = crate::support::emulator().await;
    // Of most clauses some cases show it; of the others, all are tried.
    for for_each in [20, usize::MAX] {
        for (tamper, plan) in wrong_targets() {
            let plan = judging(&never(&seen), plan, for_each).await;
            let ended = crate::support::judge_through(&emulator, tamper, plan, 1).await;
            seen.extend(ended.iter().flat_map(|case| crate::support::findings(case)).map(|finding| finding.clause().to_owned()));
        }
    }
    let never = never(&seen);
    assert!(never.is_empty(), "no test turns these red: {never:#?}");
}
