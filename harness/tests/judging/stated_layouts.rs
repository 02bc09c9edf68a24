//! A layout of CSV or ABO statements that the documents do not show is judged as the target file states it.

use std::sync::{Arc, LazyLock};

use harness::base::source::Source;
use harness::base::verdict::{Finding, Verdict};
use harness::engine::event::CaseFinished;
use harness::spec::contract::{Contracts, Files, Layouts};
use harness::spec::target;

use crate::live_shop::{everybody, judged_by};
use crate::support::binary::run;
use crate::support::live::Shop;
use crate::support::proxy::{Message, ObservedRequest, Statement, Table, Tamper};
use crate::support::{contracts, findings, shipped, story};

const STATED: &str = "layouts: { csv: { separator: ',', columns: { ID Service: Payment, Merchant: Merchant, ID od klienta: Client ID, Produkt: Product, \
     Potvrzená částka: Amount, Měna: Currency, Variabilní symbol převodu: Symbol } } }";

/// The same without headings, and with amounts of another form.
const PLAIN: &str = "layouts: { csv: { separator: ',', headings: false, decimal: '.', thousands: ' ', columns: { ID Service: 2, Merchant: 5, \
     ID od klienta: 3, Produkt: 4, Potvrzená částka: 6, Měna: 7, Variabilní symbol převodu: 1 } } }";

/// What is known of a shop that states a layout.
struct Stated {
    layouts: Layouts,
    contracts: Arc<Contracts>,
}

impl Stated {
    fn read(layouts: &str) -> Self {
        let text = format!("title: t\nbase: http://x.invalid\ncredentials: {{ main: {{}} }}\n{layouts}\n");
        let stated = target::parse(&Source::new("target.yaml", text), &contracts(), &|_| None);
        let layouts = stated.unwrap_or_else(|problems| panic!("{}", problems.render(false))).layouts;
        let contracts = Contracts::read(&Files::contracts().with_layouts(&layouts));
        Self { layouts, contracts: Arc::new(contracts.unwrap_or_else(|problems| panic!("{}", problems.render(false)))) }
    }
}

static HEADED: LazyLock<Stated> = LazyLock::new(|| Stated::read(STATED));
static PLACED: LazyLock<Stated> = LazyLock::new(|| Stated::read(PLAIN));
static GPC: LazyLock<Stated> = LazyLock::new(|| Stated::read("layouts: { abo: gpc }"));
static UNSTATED: LazyLock<Stated> = LazyLock::new(|| Stated { layouts: Layouts::default(), contracts: contracts() });

/// The columns of the shop, and which of the emulator's each is.
const COLUMNS: [(&str, &str); 7] = [
    ("Symbol", "Variabilní symbol převodu"),
    ("Payment", "ID Service"),
    ("Client ID", "ID od klienta"),
    ("Product", "Produkt"),
    ("Merchant", "Merchant"),
    ("Amount", "Potvrzená částka"),
    ("Currency", "Měna"),
];

/// The statement as the shop writes it, without a row of sums.
fn own(table: &mut Table) -> String {
    let places = COLUMNS.map(|(_, name)| table.column(name));
    let rows = table.payments().iter().map(|row| places.map(|place| row[place].clone()).to_vec());
    let lines = std::iter::once(COLUMNS.map(|(heading, _)| heading.to_owned()).to_vec()).chain(rows).collect();
    Table { lines }.written(",", false, "\n")
}

/// Writes the statement in a response as the shop does, changed in some way.
fn written(asked: &ObservedRequest<'_>, message: &mut Message, change: fn(String) -> String) {
    if (asked.is("csv") || asked.is("csvDay")) && message.fulfils() {
        message.file(|bytes| change(own(&mut Table::read(std::str::from_utf8(&bytes).unwrap()))).into_bytes());
    }
}

type Response = fn(&ObservedRequest<'_>, &mut Message);

const CASES: &[&str] = &[
    "the-daily-csv-tells-reference-and-product / v2.0",
    "a-csv-statement-comes-in-an-envelope-or-as-a-file",
    "a-csv-statement-repeats-the-detail",
    "money-that-is-released-is-not-transferred",
    "a-transfer-of-many-payments-is-told-whole",
];

async fn played(response: Response, stated: &Stated) -> Vec<Arc<CaseFinished>> {
    played_at(Tamper { response: Some(response), ..Tamper::default() }, CASES, stated).await
}

/// Cases at a shop that is broken in some way.
async fn played_at(tamper: Tamper, cases: &[&str], stated: &Stated) -> Vec<Arc<CaseFinished>> {
    let (shop, actions) = (Shop::open_broken(tamper).await, everybody());
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    let layouts = stated.layouts.clone();
    judged_by(Arc::clone(&stated.contracts), &shop, &actions, shipped(cases), 4, |target| target.layouts = layouts).await.0
}

fn counted(cases: &[Arc<CaseFinished>]) -> Vec<&Finding> {
    cases.iter().flat_map(|case| findings(case)).filter(|finding| finding.assumed.is_none()).collect()
}

#[tokio::test]
async fn a_shop_with_a_layout_of_its_own_is_judged_by_it() {
    let cases = played(|asked, message| written(asked, message, |file| file), &HEADED).await;
    assert!(cases.len() >= CASES.len() && counted(&cases).is_empty(), "{:?}", cases.iter().map(|case| story(case)).collect::<Vec<_>>());
    assert!(cases.iter().any(|case| case.verdict == Verdict::Passed && case.name.to_string().contains("daily-csv")));
}

#[tokio::test]
async fn what_differs_from_the_stated_layout_is_a_finding() {
    for (response, clause) in [
        (|asked, message| written(asked, message, |file| file.replacen("Client ID", "Client", 1)), "transfers.csv.statement"),
        (|asked, message| written(asked, message, |file| file.replace("ball-42", "ball-43")), "gateway.create.name.csv"),
        (|asked, message| written(asked, message, |file| file.replace(',', ";")), "transfers.csv.statement"),
        (|asked, message| written(asked, message, |file| file.replace("order-", "ordre-")), "transfers.csv.download.default"),
    ] as [(Response, &str); 4]
    {
        let cases = played(response, &HEADED).await;
        let found: Vec<_> = counted(&cases).into_iter().map(|finding| finding.clause().to_owned()).collect();
        assert!(found.iter().any(|found| found == clause), "{clause}: {found:?}");
        let unstated = played(response, &UNSTATED).await;
        assert!(counted(&unstated).is_empty(), "what is not stated is assumed");
    }
}

const ABO_CASES: &[&str] = &[
    "an-abo-statement-comes-in-an-envelope-or-as-a-file",
    "an-abo-statement-lists-fees-or-sums-them / CZK",
    "a-sample-abo-statement-is-answered",
    "a-day-has-one-file-for-each-transfer",
];

#[tokio::test]
async fn a_shop_whose_abo_files_are_as_stated_is_judged_by_it() {
    let cases = played_at(Tamper::default(), ABO_CASES, &GPC).await;
    assert!(counted(&cases).is_empty(), "{:?}", cases.iter().map(|case| story(case)).collect::<Vec<_>>());
    assert!(cases.iter().any(|case| case.verdict == Verdict::Passed && case.name.to_string().contains("fees")));
}

#[tokio::test]
async fn what_differs_from_the_stated_abo_layout_is_a_finding() {
    let amount: Response = |asked, message| message.statement(asked, |statement| Statement::put(statement.payment(), 49, "000000012346"));
    let kind: Response = |asked, message| message.statement(asked, |statement| Statement::put(statement.payment(), 61, "7"));
    let one_file: Response = |asked, message| {
        if asked.is("aboDay") {
            message.archive(|files| files.truncate(1))
        }
    };
    for (tamper, clause) in [
        (Tamper { response: Some(one_file), ..Tamper::default() }, "transfers.aboDay.files"),
        (Tamper { response: Some(amount), ..Tamper::default() }, "transfers.abo.turnover"),
        (Tamper { response: Some(kind), ..Tamper::default() }, "transfers.abo.statement"),
        (Tamper { way: Some(|_, path| path.replace("type=v1", "type=v2")), ..Tamper::default() }, "transfers.abo.type.v1"),
    ] {
        let cases = played_at(tamper, ABO_CASES, &GPC).await;
        let found: Vec<_> = counted(&cases).into_iter().map(|finding| finding.clause().to_owned()).collect();
        assert!(found.iter().any(|found| found == clause), "{clause}: {found:?}");
        let unstated = played_at(tamper, ABO_CASES, &UNSTATED).await;
        let counted: Vec<_> = counted(&unstated).into_iter().map(|finding| finding.clause().to_owned()).collect();
        assert!(!counted.iter().any(|found| found == clause), "{clause}: what is not stated is assumed: {counted:?}");
    }
}

/// The file without its headings, and with decimal points: only amounts are quoted in it, for their commas.
fn plain(file: &str) -> String {
    let rows = file.split_once('\n').unwrap().1.split('"').enumerate();
    rows.map(|(index, piece)| if index % 2 == 1 { piece.replace(',', ".") } else { piece.to_owned() }).collect()
}

#[tokio::test]
async fn a_file_without_headings_is_judged_by_the_places_of_its_columns() {
    let cases = played(|asked, message| written(asked, message, |file| plain(&file)), &PLACED).await;
    assert!(cases.len() >= CASES.len() && counted(&cases).is_empty(), "{:?}", cases.iter().map(|case| story(case)).collect::<Vec<_>>());
    assert!(cases.iter().any(|case| case.verdict == Verdict::Passed && case.name.to_string().contains("daily-csv")));
    for (response, clause) in [
        (|asked, message| written(asked, message, |file| file), "transfers.csv.statement"),
        (|asked, message| written(asked, message, |file| plain(&file).replace("123.45", "123;45")), "transfers.csv.download.file"),
        (|asked, message| written(asked, message, |file| plain(&file).replace("ball-42", "ball-43")), "gateway.create.name.csv"),
    ] as [(Response, &str); 3]
    {
        let cases = played(response, &PLACED).await;
        let found: Vec<_> = counted(&cases).into_iter().map(|finding| finding.clause().to_owned()).collect();
        assert!(found.iter().any(|found| found == clause), "{clause}: {found:?}");
    }
}

/// A load of sample statements.
const LOAD: &str = "title: Sample statements are read\nkind: constant-users\nusers: 1\nfor: 1s\nmix:\n  - scenario: \
     transfers/a-sample-csv-statement-is-answered\nconservation: off\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_judges_by_the_stated_layout() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (profile, stated, unstated) = (path("load.yaml"), path("stated.yaml"), path("unstated.yaml"));
    std::fs::write(&profile, LOAD).unwrap();
    for (response, code) in [
        ((|asked, message| written(asked, message, |file| file)) as Response, 0),
        (|asked, message| written(asked, message, |file| file.replacen("Client ID", "Client", 1)), 1),
    ] {
        let shop = Shop::open_broken(Tamper { response: Some(response), ..Tamper::default() }).await;
        std::fs::write(&stated, shop.target_file(&["payer.pays"], &format!("{STATED}\n"))).unwrap();
        std::fs::write(&unstated, shop.target_file(&["payer.pays"], "")).unwrap();
        for (target, code) in [(&stated, code), (&unstated, 0)] {
            let calls = [
                // The shop has no row of sums, which is a change and breaks nothing.
                vec!["compare", target, "emulator", "--filter", "sample-csv-statement", "--allow-changes"],
                vec!["load", &profile, "--target", target],
            ];
            for call in calls {
                let call: Vec<String> = call.into_iter().map(str::to_owned).collect();
                let ended = tokio::task::spawn_blocking(move || run(call)).await.unwrap();
                ended.with_code(code);
            }
        }
    }
}
