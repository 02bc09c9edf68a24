//! The HTML report in a real browser: at the width of a phone and a laptop, light, dark and on paper.

use crate::browser::Browser;
use crate::support::binary::{file, run};
use serde_json::json;
use tempfile::tempdir;

/// Finds something in a payment whose texts are markup.
const WRONG: &str = "title: A payment is born paid\nclauses: [gateway.payment.created]\nsteps:\n  - call: gateway.v2.create\n    with: { label: \
                     '<b id=x>x</b>' }\n    keep: { payment: transId }\n  - call: gateway.v2.status\n    with: { transId: '{{ payment }}' }\n    \
                     expect: { status: PAID }\n    clause: gateway.payment.created\n";

/// The texts with less than this contrast to what is behind them are hard to read (WCAG 2.2, AA).
const FAINT: &str = "(() => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => parts(colour).slice(0, 3).map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => { for (; e; e = e.parentElement) { const b = getComputedStyle(e).backgroundColor; const p = parts(b);
    if (p.length < 4 || p[3] > 0) return b; } return 'rgb(255, 255, 255)'; };
  const contrast = e => { const s = getComputedStyle(e); const [a, b] = [light(e.closest('svg') ? s.fill : s.color), light(behind(e))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); };
  return [...document.body.querySelectorAll('*')]
    .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
    .filter(e => contrast(e) < 4.5).map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 40));
})()";

#[test]
fn it_reads_well_wherever_it_is_opened() {
    let Some(browser) = Browser::open() else { return };
    let folder = tempdir().unwrap();
    let script = file(folder.path(), "gateway/born-paid.yaml", WRONG);
    let page = folder.path().join("report.html");
    let ended = run(["verify", script.to_str().unwrap(), "--html", page.to_str().unwrap()]);
    ended.with_code(1);
    browser.go(&format!("file://{}", page.display()));
    assert!(browser.title().starts_with("FAILED: paycheck verify"), "{}", browser.title());
    assert_eq!(browser.say("[document.scripts.length, performance.getEntriesByType('resource').length]"), json!([0, 0]));
    assert_eq!(browser.say("document.getElementById('x')"), json!(null), "what was sent is markup");
    assert!(browser.text("#findings .messages").contains("\"status\":\"PENDING\""));
    assert!(browser.text("#findings").contains("curl -i -X GET"));
    let parts = "[...document.querySelectorAll('nav a')].map(a => document.querySelector(a.getAttribute('href')) !== null)";
    assert_eq!(browser.say(parts), json!([true, true, true, true]));
    browser.shows_well(|browser, place| assert_eq!(browser.say(FAINT), json!([]), "{place}"));
    let opened = "[...document.querySelectorAll('details table')].map(table => table.getBoundingClientRect().height > 0)";
    assert!(browser.say(opened).as_array().unwrap().iter().all(|is_open| *is_open == json!(false)));
    browser.show_as("print", "dark");
    browser.narrow_to(718);
    assert!(browser.say(opened).as_array().unwrap().iter().all(|is_open| *is_open == json!(true)), "paper has nothing to click on");
    assert_eq!(browser.say("getComputedStyle(document.querySelector('nav')).display"), json!("none"));
    assert_eq!(browser.say("document.documentElement.scrollWidth <= innerWidth"), json!(true), "paper cuts the page");
    assert_eq!(browser.say("getComputedStyle(document.body).backgroundColor"), json!("rgb(255, 255, 255)"));
}

#[test]
fn the_pages_of_other_commands_read_as_well() {
    let Some(browser) = Browser::open() else { return };
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (tape, page, found) = (path("run.tape"), path("page.html"), path("found"));
    let one = ["--filter", "a-creation-is-answered"];
    run([&["verify", "--tape", &tape][..], &one[..]].concat()).with_code(0);
    let commands: [&[&str]; 4] = [
        &["fuzz", "--filter", "status.outages", "--requests", "20"],
        &["explore", "--api", "device", "--sequences", "4", "--steps", "6", "--out", &found],
        &["mutate", "--tape", &tape, "--operation", "gateway.v2.create", one[0], one[1]],
        &["compare", &tape, "emulator", one[0], one[1]],
    ];
    for command in commands {
        let ended = run([command, &["--html", &page]].concat());
        assert!(ended.code <= 2, "{command:?}: {}", ended.err);
        browser.go(&format!("file://{page}"));
        let title = browser.title();
        assert!(title.contains(&format!("paycheck {}", command[0])), "{title}");
        browser.shows_well(|browser, place| assert_eq!(browser.say(FAINT), json!([]), "{command:?} {place}"));
        std::fs::remove_file(&page).unwrap();
    }
}
