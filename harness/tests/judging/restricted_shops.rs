//! A shop that has only some currencies, countries and methods conforms: stated in its target file, what it lacks is skipped, and
//! nothing else is excused.

use harness::base::source::Source;
use harness::base::verdict::Verdict;
use harness::engine::event::CaseFinished;
use harness::spec::target::{self, Settings};
use serde_json::{Map, Value, json};

use crate::live_shop::{PAYER, judged};
use crate::support::live::Shop;
use crate::support::proxy::{Message, Tamper};
use crate::support::{contracts, findings, shipped, story};

/// Cases that name what the shop lacks, and cases that need nothing in particular.
const CASES: &[&str] = &[
    "country-sk-goes-with-eur-only",
    "every-other-country-is-accepted / AT",
    "a-paid-payment-tells-how-and-by-whom",
    "a-creation-is-answered-with-a-payment",
    "an-unknown-currency-has-its-code",
    "an-unknown-method-has-its-code",
    "a-refund-is-shown-by-its-reference",
    "a-price-out-of-bounds-is-refused-for-any-payment",
    "a-closing-tells-each-currency-apart",
    "a-listed-method-pays",
    "the-list-has-banks-and-the-generic-transfer",
    "crowns-are-drawn-as-spayd",
    "euros-are-drawn-as-epc",
    "a-lost-refund-is-recovered",
];

fn crowns() -> Value {
    json!({ "currencies": ["CZK"], "countries": ["CZ"], "methods": ["CARD_ALL"], "qr-methods": ["BANK_CZ_T_PB"] })
}

fn euros() -> Value {
    json!({ "currencies": ["EUR"], "countries": ["SK"], "methods": ["BANK_ALL"], "qr-methods": ["BANK_EUR_T_OTHER"] })
}

fn restrict(settings: &mut Map<String, Value>, to: Value) {
    let lists = to.as_object().unwrap().clone();
    settings["merchants"][0].as_object_mut().unwrap().extend(lists);
}

/// The settings of a target file that states these lists of its main merchant.
fn stating(main: &Value) -> Settings {
    let text = format!("title: t\nbase: http://x.invalid\ncredentials: {{ main: {{}} }}\nsettings: {{ merchants: {{ main: {main} }} }}\n");
    let target = target::parse(&Source::new("target.yaml", text), &contracts(), &|_| None);
    target.unwrap_or_else(|problems| panic!("{}", problems.render(false))).settings
}

async fn judge(tamper: Tamper, stated: Option<Value>) -> Vec<std::sync::Arc<CaseFinished>> {
    let shop = Shop::open_broken(tamper).await;
    let settings = stated.map(|lists| stating(&lists));
    let (finished, _) = judged(&shop, PAYER, shipped(CASES), 16, |target| {
        if let Some(settings) = settings {
            target.settings = settings;
        }
    })
    .await;
    finished
}

fn flagged(finished: &[std::sync::Arc<CaseFinished>]) -> Vec<String> {
    let flagged = finished.iter().filter(|case| matches!(case.verdict, Verdict::Failed { .. } | Verdict::NotJudged { .. }));
    flagged.map(|case| story(case)).collect()
}

fn in_crowns() -> Tamper {
    Tamper { setting: Some(|settings| restrict(settings, crowns())), ..Tamper::default() }
}

#[tokio::test]
async fn what_a_shop_lacks_is_skipped_and_the_rest_is_judged() {
    let in_euros = Tamper { setting: Some(|settings| restrict(settings, euros())), ..Tamper::default() };
    for (tamper, stated, lacks) in [
        (
            in_crowns(),
            crowns(),
            ["needs EUR; `merchants.main.currencies` in the target file states CZK", "needs BANK_CZ_RB; `merchants.main.methods`"],
        ),
        (
            in_euros,
            euros(),
            ["needs CZK; `merchants.main.currencies` in the target file states EUR", "needs USD; `merchants.main.currencies`"],
        ),
    ] {
        let finished = judge(tamper, Some(stated)).await;
        assert_eq!(flagged(&finished), Vec::<String>::new());
        let reason = |case: &CaseFinished| if let Verdict::Skipped { reason } = &case.verdict { Some(reason.to_string()) } else { None };
        let reasons: Vec<String> = finished.iter().filter_map(|case| reason(case)).collect();
        for reason in lacks {
            assert!(reasons.iter().any(|told| told.contains(reason)), "{reason}: {reasons:#?}");
        }
        let passed = finished.iter().filter(|case| case.verdict == Verdict::Passed).count();
        assert!(passed >= 8, "{passed} of {} passed", finished.len());
    }
}

#[tokio::test]
async fn without_the_setting_it_is_found() {
    let found = flagged(&judge(in_crowns(), None).await);
    assert!(found.len() >= 5, "{found:#?}");
}

/// The lists excuse what the shop does not have, and nothing that it has.
#[tokio::test]
async fn a_broken_shop_is_found_all_the_same() {
    let refuses = Tamper { instead: Some(|asked| asked.is("v1.create").then(|| Message::refusal(asked, 1310))), ..in_crowns() };
    let finished = judge(refuses, Some(crowns())).await;
    let found = finished.iter().flat_map(|case| findings(case)).filter(|finding| finding.assumed.is_none()).count();
    assert!(found > 0, "{:#?}", flagged(&finished));
}
