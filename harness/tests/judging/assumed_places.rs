//! What the documents do not show is assumed, and an assumption excuses its own place alone. Every operation whose path is
//! assumed is broken in every way; a new operation is covered as soon as its contract says `x-assumed`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use crate::support::binary::{Emulate, file, run};
use crate::support::proxy::{Ending, Message, ObservedRequest, Proxy, Tamper};
use crate::support::raw::Raw;
use crate::support::{contracts, emulator, findings, shipped, story, target};
use futures::StreamExt;
use harness::base::exit::Exit;
use harness::base::verdict::{Finding, Verdict};
use harness::engine::event::{CaseFinished, Event};
use harness::engine::outcome::{Collector, Ended, Verb as Command};
use harness::engine::runner::{self, Case, Context, Limits};
use harness::judge::record::redirected;
use harness::spec::contract::Operation;
use harness::spec::scenario::StepVerb;
use harness::spec::target::Target;
use harness::wire::exchange::{Coding, Exchange};
use serde_json::{Value, json};
use tempfile::tempdir;

/// The name under which the proxy learns what to break: the operation, how, and the field.
const BREAK: &str = "break";
/// Separates them.
const BAR: char = '|';

/// A run and how the process would end.
struct Judged {
    cases: Vec<Arc<CaseFinished>>,
    exit: Exit,
}

/// Judges a live target: what is assumed is not asserted. `paths` are those that its file states.
async fn judge_live(emulator: &emulator::Emulator, tamper: Tamper, plan: Vec<Case>, seed: u64, paths: &[(&str, &str)]) -> Judged {
    let states = |target: &mut Target| {
        target.paths = paths.iter().map(|(operation, path)| ((*operation).to_owned(), (*path).to_owned())).collect();
    };
    judge_stated(emulator, tamper, plan, seed, states).await
}

/// Judges a live target; `states` changes what its file says.
async fn judge_stated(
    emulator: &emulator::Emulator,
    tamper: Tamper,
    plan: Vec<Case>,
    seed: u64,
    states: impl FnOnce(&mut Target),
) -> Judged {
    let proxy = Proxy::start(emulator.addr(), tamper).await;
    let mut target = target(&proxy.url());
    target.assert_assumed = false;
    states(&mut target);
    target.notifications.public = Some(proxy.inbox_url());
    target.timeout = tamper.timeout.unwrap_or(target.timeout);
    let context = Arc::new(Context::start(contracts(), target, Vec::new(), seed).await.unwrap());
    if let Some(inbox) = &context.inbox {
        proxy.forward_to_inbox(inbox.address());
    }
    let mut collector = Collector::new(Command::Verify);
    let mut cases = Vec::new();
    let run = runner::run(context, plan, BTreeSet::new(), Limits { jobs: 64 }, std::future::pending(), |event| {
        collector.collect(event);
        if let Event::CaseFinished(case) = event {
            cases.push(Arc::clone(case));
        }
        Ok::<(), std::convert::Infallible>(())
    });
    let _ = run.await;
    Judged { cases, exit: collector.outcome(Ended::Completed).exit() }
}

/// An operation whose path is assumed, with a case that calls it with success, and what was answered then.
struct Subject {
    operation: &'static Operation,
    case: Case,
    answered: Arc<Exchange>,
}

/// The operations that a case calls by name.
fn called(case: &Case) -> BTreeSet<String> {
    let calls = case.steps.iter().filter_map(|step| match &step.verb {
        StepVerb::Call(call) => call.operation.render(&case.row.values).ok()?.as_str().map(str::to_owned),
        _ => None,
    });
    calls.collect()
}

static OPERATIONS: LazyLock<Arc<harness::spec::contract::Contracts>> = LazyLock::new(contracts);

/// Every operation whose path is assumed, with the first case that calls it with success.
async fn subjects(emulator: &emulator::Emulator) -> Vec<Subject> {
    let assumed: Vec<&Operation> = OPERATIONS.operations.values().filter(|operation| operation.assumed.is_some()).collect();
    let plan = shipped(&[" / "]);
    let mut chosen: BTreeMap<String, Case> = BTreeMap::new();
    for operation in &assumed {
        let calling = plan.iter().filter(|case| called(case).contains(&operation.id) && case.steps.len() < 12);
        chosen.extend(calling.take(12).map(|case| (case.name.to_string(), case.clone())));
    }
    let plan: Vec<Case> = chosen.into_values().collect();
    let sound = judge_live(emulator, Tamper::default(), plan.clone(), 1, &[]).await;
    let troubles: Vec<_> = sound.cases.iter().filter(|case| case.verdict != Verdict::Passed).map(|case| story(case)).collect();
    assert_eq!((troubles, sound.exit), (Vec::<String>::new(), Exit::Passed));
    let accepted = |operation: &Operation, case: &CaseFinished| {
        let calls = case.record.iter().filter(|exchange| exchange.operation == operation.id);
        calls.into_iter().find(|call| operation.accepted(call) || redirected(operation, call)).map(Arc::clone)
    };
    let subject = |operation: &'static Operation| {
        let found = plan.iter().zip(&sound.cases).find_map(|(case, judged)| Some((case.clone(), accepted(operation, judged)?)));
        let (case, answered) = found.unwrap_or_else(|| panic!("no case calls {} with success", operation.id));
        Subject { operation, case, answered }
    };
    assumed.into_iter().map(subject).collect()
}

/// A tamper that breaks what it is asked to.
fn breaking(operation: &str, how: &str, field: &str) -> Tamper {
    let fact: &'static str = Box::leak(format!("{operation}{BAR}{how}{BAR}{field}").into_boxed_str());
    let timeout = (how == "silence").then(|| Duration::from_secs(5));
    Tamper { fact: Some((BREAK, fact)), response: Some(break_response), timeout, ..Tamper::default() }
}

fn break_response(asked: &ObservedRequest<'_>, message: &mut Message) {
    let wanted = asked.recall(BREAK);
    let mut parts = wanted.split(BAR);
    let (operation, how, field) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    if asked.operation != operation {
        return;
    }
    match how {
        "HTTP 500 without a body" => message.becomes_an_error(500),
        "HTTP 503 with a page" => message.becomes_a_page(503, "<h1>Maintenance</h1>"),
        "silence" => message.ending = Ending::Never,
        "cut in the body" => message.ending = Ending::Cut,
        "cut before the first byte" => message.ending = Ending::Reset,
        "an empty body" => message.raw(""),
        "HTTP 404 with a page" => message.becomes_a_page(404, "<h1>Not found</h1>"),
        "HTTP 404 without a body" => message.becomes_an_error(404),
        "HTTP 405 without a body" => message.becomes_an_error(405),
        "HTTP 501 without a body" => message.becomes_an_error(501),
        "HTTP 404 with the fields of an error" => message.becomes_an_error_of_the_api(asked, 404),
        "a field is dropped" => message.remove(field),
        "a field of another type" => message.set(field, wrong(message.is_form())),
        other => panic!("nobody knows `{other}`"),
    }
}

/// A value of no documented type.
fn wrong(form: bool) -> Value {
    if form { json!("of another type") } else { json!({"of": "another type"}) }
}

/// Documented fields of a response whose absence, or whose other type, breaks the documents, and no assumption.
fn documented_fields(subject: &Subject) -> Vec<(&'static str, String)> {
    let Some(response) = subject.answered.response() else { return Vec::new() };
    let Some(content) = subject.operation.content_of(&subject.answered) else { return Vec::new() };
    let Some(Value::Object(body)) = response.body.value() else { return Vec::new() };
    let breaks = |changed: serde_json::Map<String, Value>| {
        content.schema.faults(&Value::Object(changed)).iter().any(|fault| fault.assumed.is_none())
    };
    let mut rows = Vec::new();
    for field in body.keys() {
        let (mut without, mut other) = (body.clone(), body.clone());
        without.shift_remove(field);
        other.insert(field.clone(), wrong(content.coding == Coding::Form));
        rows.extend(breaks(without).then(|| ("a field is dropped", field.clone())));
        rows.extend(breaks(other).then(|| ("a field of another type", field.clone())));
    }
    rows
}

/// The ways to break a response, with the field that is broken.
fn rows(subject: &Subject) -> Vec<(&'static str, String)> {
    let mut rows: Vec<(&'static str, String)> = ["HTTP 500 without a body", "silence", "cut in the body", "cut before the first byte"]
        .into_iter()
        .map(|how| (how, String::new()))
        .collect();
    let operation = subject.operation;
    let has_body = !operation.empty_response && !redirected(operation, &subject.answered);
    // An error page is documented for those that answer pages.
    rows.extend(has_body.then(|| ("HTTP 503 with a page", String::new())));
    rows.extend(has_body.then(|| ("an empty body", String::new())));
    let fields = documented_fields(subject);
    let shows_nothing = operation.response.iter().all(|content| content.schema.assumed.is_some() || !has_body);
    assert!(!fields.is_empty() || shows_nothing, "no documented field of {} can be broken", operation.id);
    rows.extend(fields);
    rows
}

/// What rows have to say, some of them at a time: each opens a client, a proxy and an inbox of its own.
async fn messages(rows: Vec<impl Future<Output = Option<String>>>) -> Vec<String> {
    let reported: Vec<Option<String>> = futures::stream::iter(rows).buffer_unordered(16).collect().await;
    reported.into_iter().flatten().collect()
}

fn counts(finding: &&Finding) -> bool {
    finding.counts()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_break_of_an_operation_at_an_assumed_path_counts() {
    let emulator = emulator().await;
    let subjects = subjects(&emulator).await;
    let cases = subjects.iter().flat_map(|subject| rows(subject).into_iter().map(move |(how, field)| (subject, how, field)));
    let judged = cases.enumerate().map(|(index, (subject, how, field))| {
        let (operation, emulator) = (subject.operation.id.as_str(), &emulator);
        async move {
            let tamper = breaking(operation, how, &field);
            let judged = judge_live(emulator, tamper, vec![subject.case.clone()], 100 + index as u64, &[]).await;
            let found = judged.cases.iter().flat_map(|case| findings(case)).filter(counts).any(|finding| finding.operation == operation);
            let stories: Vec<_> = judged.cases.iter().map(|case| story(case)).collect();
            (!found || judged.exit != Exit::Findings)
                .then(|| format!("{operation}: {how} {field}: {:?}\n{}", judged.exit, stories.join("\n")))
        }
    });
    let judged: Vec<_> = judged.collect();
    assert!(judged.len() > 100, "{} rows", judged.len());
    let excused = messages(judged).await;
    assert!(excused.is_empty(), "{} rows are excused:\n{}", excused.len(), excused.join("\n\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_nothing_is_at_an_assumed_path_nothing_is_judged_and_nothing_passes() {
    let emulator = emulator().await;
    let subjects = subjects(&emulator).await;
    let nothing = [
        "HTTP 404 with a page",
        "HTTP 404 without a body",
        "HTTP 404 with the fields of an error",
        "HTTP 405 without a body",
        "HTTP 501 without a body",
    ];
    let rows = subjects.iter().flat_map(|subject| nothing.into_iter().map(move |how| (subject, how)));
    let judged = rows.enumerate().map(|(index, (subject, how))| {
        let (operation, emulator) = (subject.operation.id.as_str(), &emulator);
        async move {
            let plan = vec![subject.case.clone()];
            let assumed = judge_live(emulator, breaking(operation, how, ""), plan.clone(), 1_000 + index as u64, &[]).await;
            let excused =
                |case: &Arc<CaseFinished>| matches!(&case.verdict, Verdict::NotJudged { reason } if reason.excused() == Some(operation));
            // The target file states the path, and may well state the one that was assumed.
            let paths = [(operation, subject.operation.path.as_str())];
            let stated = judge_live(emulator, breaking(operation, how, ""), plan, 2_000 + index as u64, &paths).await;
            let as_wanted = assumed.cases.iter().all(excused) && (assumed.exit, stated.exit) == (Exit::Inconclusive, Exit::Findings);
            let stories: Vec<_> = assumed.cases.iter().chain(&stated.cases).map(|case| story(case)).collect();
            (!as_wanted).then(|| format!("{operation}: {how}: {:?}, {:?}\n{}", assumed.exit, stated.exit, stories.join("\n")))
        }
    });
    let judged: Vec<_> = judged.collect();
    assert!(judged.len() > 50, "{} rows", judged.len());
    let wrong = messages(judged).await;
    assert!(wrong.is_empty(), "{} rows are judged otherwise:\n{}", wrong.len(), wrong.join("\n\n"));
}

/// An extension of a paid payment, and one of a pending payment.
const EXTENSIONS: [&str; 2] = ["qr / a-paid-payment-is-extended-to-no-effect", "qr / an-extension-needs-no-note"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_response_shows_that_an_operation_is_there_and_a_404_of_another_case_counts() {
    let lost = || {
        answering(|asked, message| {
            if asked.is("qr.extend") && message.get("status") == "PAID" {
                message.becomes_an_error(404);
            }
        })
    };
    let emulator = emulator().await;
    let [paid, _] = EXTENSIONS;
    let alone = judge_live(&emulator, lost(), shipped(&[paid]), 1, &[]).await;
    assert_eq!(alone.exit, Exit::Inconclusive, "nothing else shows that it is there");
    let together = judge_live(&emulator, lost(), shipped(&EXTENSIONS), 2, &[]).await;
    let verdicts: Vec<_> = together.cases.iter().map(|case| matches!(case.verdict, Verdict::Failed { .. })).collect();
    assert_eq!((verdicts, together.exit), (vec![true, false], Exit::Findings));
}

/// What counts of these cases, through a proxy, at a live target.
async fn counting(tamper: Tamper, cases: &[&str]) -> (Vec<String>, Exit) {
    let judged = judge_live(&emulator().await, tamper, shipped(cases), 1, &[]).await;
    let found = judged.cases.iter().flat_map(|case| findings(case)).filter(counts).map(|finding| finding.clause().to_owned());
    (found.collect(), judged.exit)
}

fn answering(response: fn(&ObservedRequest<'_>, &mut Message)) -> Tamper {
    Tamper { response: Some(response), ..Tamper::default() }
}

/// Cases that read a payment by v1.0, one of them a payment that is not there.
const READS_V1: [&str; 3] =
    ["a-paid-payment-is-notified-and-reads-as-paid / v1.0", "an-unknown-payment-has-no-status / v1.0", "a-payer-cancels / v1.0"];

#[tokio::test]
async fn a_v1_status_of_code_and_message_alone_conforms_and_without_message_it_does_not() {
    let bare = answering(|asked, message| {
        if asked.is("v1.status") {
            message.fields.retain(|field, _| field == "code" || field == "message");
        }
    });
    assert_eq!(counting(bare, &READS_V1).await, (Vec::new(), Exit::Passed));
    let barer = answering(|asked, message| {
        if asked.is("v1.status") {
            message.fields.retain(|field, _| field == "code");
        }
    });
    let (found, exit) = counting(barer, &READS_V1).await;
    assert!(found.iter().any(|clause| clause == "gateway.answer.message.required"), "{found:?}");
    assert_eq!(exit, Exit::Findings);
}

/// A refund that is refused, in either version.
const REFUSED: [&str; 2] = ["a-refund-beyond-the-price-is-refused", "a-cancelled-payment-is-not-refunded"];

#[tokio::test]
async fn a_code_that_is_listed_for_v1_alone_binds_v1_alone() {
    let other = |version: &'static str| -> Tamper {
        Tamper {
            fact: Some(("version", version)),
            ..answering(|asked, message| {
                if asked.is("refund") && asked.operation.contains(&asked.recall("version")) && !message.succeeds() {
                    message.set("code", 1777);
                }
            })
        }
    };
    let (of_v2, exit) = counting(other(".v2."), &REFUSED).await;
    assert_eq!((of_v2, exit), (Vec::new(), Exit::Passed), "the documents list no codes of this version");
    let (of_v1, exit) = counting(other(".v1."), &REFUSED).await;
    assert!(of_v1.iter().any(|clause| clause == "gateway.refund.codes"), "{of_v1:?}");
    assert_eq!(exit, Exit::Findings);
}

#[tokio::test]
async fn that_a_call_is_accepted_or_refused_is_no_matter_of_the_list_of_codes() {
    let accepted = answering(|asked, message| {
        if asked.is("v2.refund") {
            message.accept()
        }
    });
    assert_eq!(counting(accepted, &REFUSED).await.1, Exit::Findings);
    let refused = answering(|asked, message| {
        if asked.is("v2.refund") {
            message.refuse(1777)
        }
    });
    assert_eq!(counting(refused, &["a-refund-beyond-the-price-is-refused / v2.0"]).await.1, Exit::Findings);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_an_unknown_path_has_too_shows_nothing_of_an_operation() {
    let cases = ["a-refund-beyond-the-price-is-refused / v2.0"];
    let freedoms = Some(emulator::FreedomSettings::only("gateway.paths", "refused"));
    let stranger = emulator::Emulator::start(emulator::Config { freedoms, ..emulator::Config::default() }).await.unwrap();
    let judged = judge_live(&stranger, Tamper::default(), shipped(&cases), 1, &[]).await;
    let excused = |case: &Arc<CaseFinished>| {
        let is_excused = |reason: &harness::base::not_judged::NotJudgedReason| reason.excused() == Some("gateway.v2.refund");
        matches!(&case.verdict, Verdict::NotJudged { reason } if is_excused(reason))
    };
    let stories: Vec<_> = judged.cases.iter().map(|case| story(case)).collect();
    assert!(judged.cases.iter().all(excused), "{stories:?}");
    assert_eq!(judged.exit, Exit::Inconclusive);
    // Where unknown paths have another answer, the same one is of the operation.
    let refusing = answering(|asked, message| {
        if asked.is("v2.refund") {
            message.refuse(1400)
        }
    });
    assert_eq!(counting(refusing, &cases).await.1, Exit::Findings);
}

#[tokio::test]
async fn a_run_in_which_every_case_of_an_operation_was_excused_is_not_green() {
    let bare = answering(|asked, message| {
        if asked.is("v1.status") {
            message.fields.retain(|field, _| field == "code" || field == "message");
        }
    });
    let (found, exit) = counting(bare, &["a-paid-payment-is-notified-and-reads-as-paid / v1.0"]).await;
    assert_eq!((found, exit), (Vec::new(), Exit::Inconclusive));
}

#[tokio::test]
async fn an_expectation_that_a_script_calls_assumed_does_not_count() {
    let script = |mark: &str| {
        crate::support::scripted(&format!(
            "title: A payment is born paid\nclauses: [gateway.payment.created]\nsteps:\n  - call: gateway.v2.create\n    keep: {{ payment: \
             transId }}\n  - call: gateway.v2.status\n    with: {{ transId: '{{{{ payment }}}}' }}\n    expect: {{ status: PAID }}\n{mark}  - call: \
             gateway.v2.status\n    with: {{ transId: '{{{{ payment }}}}' }}\n    expect: {{ status: PENDING }}\n"
        ))
    };
    let emulator = emulator().await;
    let marked = judge_live(&emulator, Tamper::default(), script("    assumed: nobody knows\n"), 1, &[]).await;
    let found: Vec<_> = marked.cases.iter().flat_map(|case| findings(case)).collect();
    assert_eq!(found.iter().map(|f| f.assumed.as_deref()).collect::<Vec<_>>(), [Some("nobody knows")]);
    assert_eq!(marked.cases[0].record.len(), 3, "what follows is judged");
    assert_eq!(judge_live(&emulator, Tamper::default(), script(""), 2, &[]).await.exit, Exit::Findings);
}

/// Uploads whose records the documents do not show.
const UPLOADS: [&str; 1] = ["device / transactions-are-uploaded-as-they-happen"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_request_whose_fields_are_not_shown_is_not_judged_unless_the_target_file_shows_one() {
    let refusing = || {
        answering(|asked, message| {
            if asked.is("device.transactions") {
                message.objects(asked, 400, "INVALID_REQUEST")
            }
        })
    };
    let emulator = emulator().await;
    let plan = || shipped(&UPLOADS);
    let judged = judge_live(&emulator, refusing(), plan(), 1, &[]).await;
    let excused = |case: &Arc<CaseFinished>| matches!(&case.verdict, Verdict::NotJudged { reason } if reason.excused().is_some());
    assert!(judged.cases.iter().all(excused), "{:?}", judged.cases.iter().map(|case| story(case)).collect::<Vec<_>>());
    assert_eq!(judged.exit, Exit::Inconclusive);
    // The target file shows a request with the fields that the case sends: a refusal is the target's own.
    let shows = |target: &mut Target| {
        let example = json!({ "transactions": [{ "id": "sale-0001", "syncVersion": 1 }] });
        target.examples.extend(example.as_object().map(|example| ("device.transactions".to_owned(), example.clone())));
    };
    assert_eq!(judge_stated(&emulator, refusing(), plan(), 4, shows).await.exit, Exit::Findings);
    // Any other refusal is judged, and so is one without the documented fields.
    let other = answering(|asked, message| {
        if asked.is("device.transactions") {
            message.objects(asked, 409, "CONFLICT")
        }
    });
    assert_eq!(judge_live(&emulator, other, plan(), 2, &[]).await.exit, Exit::Findings);
    let empty = answering(|asked, message| {
        if asked.is("device.transactions") {
            message.becomes_an_error(400)
        }
    });
    assert_eq!(judge_live(&emulator, empty, plan(), 3, &[]).await.exit, Exit::Findings);
}

const TEST: &str = "title: A test payment\nclauses: [gateway.v2.create.call]\nsteps:\n  - call: gateway.v2.create\n";
const HEALTH: &str = "title: Health\nclauses: [status.health.call]\nsteps:\n  - call: status.health\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_may_declare_it_fine_that_nothing_is_at_an_assumed_path() {
    let folder = tempdir().unwrap();
    let nothing = Raw::saying("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\nNot found").await;
    let emulate = Emulate::start(&[]);
    let text = format!(
        "title: T\nbase: {{ default: \"{}\", gateway: \"{}\" }}\ncredentials: {{ main: {{ merchant: \"100001\", secret: secret-100001 }} }}\n",
        emulate.url, nothing.url
    );
    let target = file(folder.path(), "target.yaml", &text).display().to_string();
    file(folder.path(), "scripts/gateway/test.yaml", TEST);
    let alone = folder.path().join("scripts/gateway").display().to_string();
    // Where nothing else was judged, nothing is green, whatever is allowed.
    run(["verify", &alone, "--target", &target, "--no-preflight", "--allow-skipped"]).with_code(2);
    file(folder.path(), "scripts/status/health.yaml", HEALTH);
    let all = folder.path().join("scripts").display().to_string();
    let ended = run(["verify", &all, "--target", &target, "--no-preflight"]).with_code(2);
    let printed = ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["1 passed, 0 failed, 0 skipped, 1 not judged", "nothing of gateway.v2.create was judged", "HTTP 404", "`paths`"] {
        assert!(printed.contains(part), "`{part}` is not in:\n{}", ended.out);
    }
    let allowed = run(["verify", &all, "--target", &target, "--no-preflight", "--allow-skipped"]).with_code(0);
    assert!(allowed.out.contains("1 case not judged"), "{}", allowed.out);
}

/// Load on a path that is assumed, where nothing is: no rate of calls that went well.
#[tokio::test(flavor = "multi_thread")]
async fn load_on_nothing_does_not_pass() {
    let folder = tempfile::tempdir().unwrap();
    let server = wiremock::MockServer::start().await;
    wiremock::Mock::given(wiremock::matchers::any()).respond_with(wiremock::ResponseTemplate::new(404)).mount(&server).await;
    let script = "title: Creation\nclauses: [gateway.v2.create.call]\nsteps:\n  - call: gateway.v2.create\n";
    file(folder.path(), "gateway/creation.yaml", script);
    let profile = "title: Load\nkind: constant-users\nusers: 1\nfor: 1s\nmix: [{ scenario: ./gateway/creation.yaml }]\n";
    let profile = file(folder.path(), "load.yaml", profile).display().to_string();
    let text = format!("title: t\nbase: {}\ncredentials: {{ main: {{ merchant: \"1\", secret: some-secret }} }}\n", server.uri());
    let target = file(folder.path(), "target.yaml", &text).display().to_string();
    let ended = run(["load", &profile, "--target", &target]);
    assert!(ended.code == 1 || ended.code == 2, "{}: {}{}", ended.code, ended.out, ended.err);
    assert!(ended.out.contains("nothing was found at") || ended.out.contains("404"), "{}", ended.out);
}

/// Elsewhere than in `verify`, a 404 is excused only until another response shows that the operation is there.
#[tokio::test(flavor = "multi_thread")]
async fn one_response_shows_that_an_operation_is_there_in_every_command() {
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), "gateway/creation.yaml", TEST);
    let profile = "title: Load\nkind: constant-users\nusers: 1\nfor: 300ms\nmix: [{ scenario: ./gateway/creation.yaml }]\n";
    let profile = file(folder.path(), "load.yaml", profile).display().to_string();
    for command in [&["load", &profile][..], &["fuzz", "--requests", "30", "-f", "gateway.v2.create", "--no-preflight"]] {
        let server = wiremock::MockServer::start().await;
        let shown = wiremock::ResponseTemplate::new(200).set_body_json(serde_json::json!({ "code": 1101, "message": "Too many" }));
        let answers = |response| wiremock::Mock::given(wiremock::matchers::any()).respond_with(response);
        answers(shown).up_to_n_times(1).mount(&server).await;
        answers(wiremock::ResponseTemplate::new(404)).mount(&server).await;
        let text = format!("title: t\nbase: {}\ncredentials: {{ main: {{ merchant: \"1\", secret: some-secret }} }}\n", server.uri());
        let target = file(folder.path(), "target.yaml", &text).display().to_string();
        let ended = run(command.iter().copied().chain(["--target", target.as_str()])).with_code(1);
        assert!(ended.out.contains("404") && !ended.out.contains("`paths`"), "{}", ended.out);
    }
}
