//! A layout of CSV statements that the documents do not show is judged as the target file states it.

use std::sync::{Arc, LazyLock};

use harness::base::source::Source;
use harness::base::verdict::{Finding, Verdict};
use harness::engine::event::CaseFinished;
use harness::spec::contract::{Contracts, Files, Layouts};
use harness::spec::target;

use crate::live_shop::{everybody, judged_by};
use crate::support::live::Shop;
use crate::support::proxy::{Message, ObservedRequest, Table, Tamper};
use crate::support::{contracts, findings, shipped, story};

const STATED: &str = "layouts: { csv: { separator: ',', columns: { ID Service: Payment, Merchant: Merchant, ID od klienta: Client ID, Produkt: Product, \
     Potvrzená částka: Amount, Měna: Currency, Variabilní symbol převodu: Symbol } } }";

static LAYOUTS: LazyLock<Layouts> = LazyLock::new(|| {
    let text = format!("title: t\nbase: http://x.invalid\ncredentials: {{ main: {{}} }}\n{STATED}\n");
    let stated = target::parse(&Source::new("target.yaml", text), &contracts(), &|_| None);
    stated.unwrap_or_else(|problems| panic!("{}", problems.render(false))).layouts
});

/// The contracts of a target that states the layout.
static CONTRACTS: LazyLock<Arc<Contracts>> = LazyLock::new(|| {
    let stated = Contracts::read(&Files::contracts().laid_out(&LAYOUTS));
    Arc::new(stated.unwrap_or_else(|problems| panic!("{}", problems.render(false))))
});

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

async fn played(response: Response, contracts: Arc<Contracts>) -> Vec<Arc<CaseFinished>> {
    let (shop, actions) = (Shop::open_broken(Tamper { response: Some(response), ..Tamper::default() }).await, everybody());
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    let layouts = if Arc::ptr_eq(&contracts, &CONTRACTS) { LAYOUTS.clone() } else { Layouts::default() };
    judged_by(contracts, &shop, &actions, shipped(CASES), 4, |target| target.layouts = layouts).await.0
}

fn counted(cases: &[Arc<CaseFinished>]) -> Vec<&Finding> {
    cases.iter().flat_map(|case| findings(case)).filter(|finding| finding.assumed.is_none()).collect()
}

#[tokio::test]
async fn a_shop_with_a_layout_of_its_own_is_judged_by_it() {
    let cases = played(|asked, message| written(asked, message, |file| file), Arc::clone(&CONTRACTS)).await;
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
        let cases = played(response, Arc::clone(&CONTRACTS)).await;
        let found: Vec<_> = counted(&cases).into_iter().map(|finding| finding.clause().to_owned()).collect();
        assert!(found.iter().any(|found| found == clause), "{clause}: {found:?}");
        let unstated = played(response, contracts()).await;
        assert!(counted(&unstated).is_empty(), "what is not stated is assumed");
    }
}
