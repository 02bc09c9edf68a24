//! The payment page, in a real browser.

use crate::browser::{Browser, DOWN, ENTER, TAB, ask};
use crate::common::{basic, valid_json, with};
use emulator::{Config, Emulator};
use serde_json::{Value, json};

/// An emulator and a browser in front of it.
struct Scene {
    emulator: Emulator,
    browser: Browser,
}

impl Scene {
    async fn open() -> Option<Self> {
        let browser = Browser::open()?;
        Some(Self { emulator: Emulator::start(Config::default()).await.unwrap(), browser })
    }

    fn call(&self, method: &str, path: &str, body: &str) -> Value {
        let authorization = basic("100001", "secret-100001");
        let headers = [("authorization", authorization.as_str()), ("content-type", "application/json")];
        serde_json::from_str(&ask(self.emulator.addr(), method, path, &headers, body).1).unwrap()
    }

    /// Creates a payment, opens its page as the shop would, and gives its code.
    fn start(&self, changes: Value) -> String {
        let created = self.call("POST", "/v2.0/payment.json", &with(valid_json(), changes).to_string());
        self.browser.go(created["redirect"].as_str().unwrap_or_else(|| panic!("{created}")));
        created["transId"].as_str().unwrap().to_owned()
    }

    fn status(&self, id: &str) -> Value {
        self.call("GET", &format!("/v2.0/payment/transId/{id}.json"), "")
    }

    /// A page of a shop: any response will do.
    fn shop(&self, path: &str) -> String {
        format!("{}/__emulator/{path}", self.emulator.base_url())
    }
}

/// Opens the scene, or ends the test where there is no browser.
macro_rules! scene {
    () => {
        match Scene::open().await {
            Some(scene) => scene,
            None => return,
        }
    };
}

#[tokio::test(flavor = "multi_thread")]
async fn the_payer_pays_with_the_chosen_method() {
    let scene = scene!();
    let id = scene.start(json!({ "price": 123_450, "lang": "cs", "test": true }));
    let browser = &scene.browser;
    assert_eq!((browser.title().as_str(), browser.text("#amount").as_str()), ("Platba: Shoes", "1 234,50 Kč"));
    assert_eq!(
        (browser.text("#label"), browser.text("#reference"), browser.text("#merchant")),
        ("Shoes".into(), "2026001".into(), "100001".into())
    );
    assert_eq!((browser.text("#status").as_str(), browser.text("#time-left").as_str()), ("PENDING", "1 d"));
    browser.click("input[value=BANK_CZ_RB]");
    browser.leave_by("button[value=pay]");
    assert_eq!(browser.text("#outcome"), "Platba je dokončena");
    assert!(browser.url().ends_with(&id), "without a result URL the payer stays");
    let status = scene.status(&id);
    assert_eq!((&status["status"], &status["method"]), (&json!("PAID"), &json!("BANK_CZ_RB")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_payer_gives_up_and_goes_back_to_the_shop() {
    let scene = scene!();
    let url = scene.shop("actions?id=${id}&ref=${refId}");
    let id = scene.start(json!({ "url_cancelled": url, "refId": "a b&c" }));
    scene.browser.leave_by("button[value=cancel]");
    assert_eq!(scene.browser.url(), scene.shop(&format!("actions?id={id}&ref=a%20b%26c")));
    assert_eq!(scene.status(&id)["paymentErrorReason"], "CUSTOMER_CLICK");
    scene.browser.go(&format!("{}/{id}", scene.emulator.base_url()));
    scene.browser.leave_by("#back");
    assert!(scene.browser.url().contains("&ref=a%20b%26c"), "the result page leads there too");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_fails_for_the_chosen_reason() {
    let scene = scene!();
    let id = scene.start(json!({ "lang": "de" }));
    scene.browser.click("#reason option:nth-child(11)");
    scene.browser.leave_by("button[value=fail]");
    assert_eq!(
        (scene.browser.text("#outcome").as_str(), scene.browser.text("#reason").as_str()),
        ("Die Zahlung wurde abgebrochen", "NO_FUNDS")
    );
    assert_eq!(scene.status(&id)["paymentErrorReason"], "NO_FUNDS");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_is_let_expire() {
    let scene = scene!();
    let id = scene.start(json!({ "lang": "en" }));
    scene.browser.leave_by("button[value=expire]");
    assert_eq!(scene.browser.text("#outcome"), "The time to pay is over");
    assert_eq!(scene.status(&id)["paymentErrorReason"], "CUSTOMER_TIMEOUT");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_is_left_pending() {
    let scene = scene!();
    let id = scene.start(json!({ "url_pending": scene.shop("health?${id}") }));
    scene.browser.leave_by("button[value=leave]");
    assert_eq!(scene.browser.url(), scene.shop(&format!("health?{id}")));
    assert_eq!(scene.status(&id)["status"], "PENDING");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keyboard_is_enough() {
    let scene = scene!();
    let id = scene.start(json!({ "lang": "en", "method": "CARD_ALL" }));
    let focus_comes_to = |value: &str| scene.browser.comes_to_say("document.activeElement.value", &json!(value));
    scene.browser.comes_to_say("document.hasFocus()", &json!(true));
    scene.browser.press(&[TAB]);
    focus_comes_to("CARD_CZ_CSOB_2");
    scene.browser.press(&[DOWN, DOWN, DOWN]);
    focus_comes_to("APPLEPAY_REDIRECT");
    assert_eq!(scene.browser.say("document.activeElement.checked"), true);
    for button in ["pay", "cancel", "CUSTOMER_CLICK", "fail", "expire", "leave"] {
        scene.browser.press(&[TAB]);
        focus_comes_to(button);
    }
    scene.browser.click("input[value=APPLEPAY_REDIRECT]");
    scene.browser.leave(|browser| browser.press(&[ENTER]));
    assert_eq!(scene.browser.text("#outcome"), "The payment is complete", "Enter pays");
    assert_eq!(scene.status(&id)["method"], "APPLEPAY_REDIRECT");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_payment_is_a_service_error_page() {
    let scene = scene!();
    scene.browser.go(&format!("{}/AAAA-BBBB-CCCC", scene.emulator.base_url()));
    assert_eq!(scene.browser.text("h1"), "There is no such payment");
    let (status, page) = ask(scene.emulator.addr(), "GET", "/AAAA-BBBB-CCCC", &[("accept-language", "hu,en")], "");
    assert!(status == 404 && page.contains("Nincs ilyen fizetés"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_a_shop_sends_becomes_part_of_the_page() {
    let scene = scene!();
    let (label, reference) = ("<img src=x>\"'&", "</title></style><script>document.title='broken'</script>");
    scene.start(json!({ "label": label, "refId": reference, "url_paid": "javascript:alert(1)" }));
    let browser = &scene.browser;
    assert_eq!((browser.text("#label").as_str(), browser.text("#reference").as_str()), (label, reference));
    assert_eq!(browser.title(), format!("Platba: {label}"));
    assert_eq!(browser.say("document.querySelectorAll('script, img').length"), 0);
    browser.leave_by("button[value=pay]");
    assert_eq!(browser.say("document.querySelectorAll('a').length"), 0, "no link to a script");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_sound_for_assistive_technology_and_small_screens() {
    let scene = scene!();
    scene.browser.narrow_to(320);
    for lang in ["bg", "cs", "de", "el", "en", "fi", "fr", "hu", "lv", "nl", "pl", "sk", "uk", "vi"] {
        scene.start(json!({ "lang": lang, "refId": "W".repeat(60), "test": true }));
        let say = |expression: &str| scene.browser.say(expression);
        assert_eq!(say("document.documentElement.lang"), lang);
        assert_eq!(say("document.documentElement.scrollWidth"), 320, "{lang}: nothing to scroll sideways");
        assert_eq!(say("document.querySelectorAll('h1').length"), 1);
        assert_eq!(
            say("[...document.querySelectorAll('input, select')].filter(e => !e.labels.length).length"),
            0,
            "{lang}: a label for each"
        );
        assert_eq!(say("[...document.querySelectorAll('button')].filter(e => e.offsetHeight < 44).length"), 0, "{lang}: targets to hit");
        assert_eq!(
            say("getComputedStyle(document.querySelector('.primary')).backgroundColor"),
            "rgb(11, 83, 148)",
            "the policy lets our style in"
        );
    }
}
