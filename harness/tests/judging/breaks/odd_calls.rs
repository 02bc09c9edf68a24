//! What a card terminal or a bank does wrong for an odd call only, at an odd hour, or in a great number.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest};

const MANY: &str = "a-closing-counts-many-payments";
const METHOD: &str = "another-method-performs-nothing";
const SCHEME: &str = "another-scheme-opens-nothing";
const NIGHT: &str = "a-night-in-prague-is-of-the-day-that-begins";
const CLIENTS: &str = "a-statement-names-the-client-ids";

pub fn all() -> Vec<Break> {
    [numbers(), methods(), schemes(), hours(), files(), samples(), creations()].into_iter().flatten().collect()
}

/// Changes the only total of a closing.
fn total(asked: &ObservedRequest<'_>, message: &mut Message, change: impl Fn(&mut Value)) {
    if let Some(Value::Array(totals)) = message.fields.get_mut("batchData").filter(|_| asked.is("closing")) {
        totals.iter_mut().for_each(change);
    }
}

/// Whether it is the closing of this number, from 1.
fn is_closing(asked: &ObservedRequest<'_>, number: usize) -> bool {
    asked.is("closing") && (1..number).all(|number| !asked.first_time(&format!("closing {number}")))
}

fn numbers() -> Vec<Break> {
    breaks! {
        "a sum that is cut to 32 bits" in MANY => "terminal.closing.totals.payments":
            response(|asked, message| total(asked, message, |total| {
                total["creditsAmount"] = json!(total["creditsAmount"].as_i64().unwrap().rem_euclid(1 << 32));
            }));
        "fifty payments at most" in MANY => "terminal.closing.totals.payments":
            response(|asked, message| total(asked, message, |total| {
                total["creditsAmount"] = json!(total["creditsAmount"].as_i64().unwrap().min(5_000_000_000));
                total["creditsCount"] = json!(total["creditsCount"].as_i64().unwrap().min(50));
            }));
        "a row of totals for each payment" in "a-closing-counts-payments" => "terminal.closing.batchData.currencies":
            response(|asked, message| if let Some(Value::Array(totals)) = message.fields.get_mut("batchData").filter(|_| asked.is("closing")) {
                totals.extend(totals.clone());
            });
        "a transfer is listed twice" in "a-transfer-is-listed-on-its-day" => "transfers.list.once":
            response(|asked, message| if asked.is("transfers.list") { message.records(|transfers| transfers.extend(transfers.clone())) });
        "a terminal waits for another" in "a-busy-terminal-leaves-another-free" => "terminal.closing.message.busy":
            response(|asked, message| if is_closing(asked, 2) {
                message.refuse(1500);
                message.set("message", "Terminal busy");
            });
        "a closing clears the refunds, too" in "a-refund-is-cancelled-after-a-closing" => "terminal.refund.status.code.0":
            response(|asked, message| if asked.is("closing") {
                asked.note("closed", "");
            } else if asked.is("refund.status") && asked.knows("closed") {
                message.refuse(1400);
            });
        "a day that is over has no transfers" in "a-day-has-nothing-of-another-day" => "transfers.list.day":
            response(|asked, message| if asked.is("transfers.list") && asked.text("date") != asked.noted("day", asked.text("date")) {
                message.records(Vec::clear);
            });
        "the day before is forgotten" in "a-closing-counts-what-was-paid-the-day-before" => "terminal.closing.summary":
            response(|asked, message| if is_closing(asked, 2) { message.set("batchData", json!([])) });
    }
}

fn methods() -> Vec<Break> {
    breaks! {
        "a GET closes the batch" in METHOD => "terminal.closing.call":
            response(|asked, message| if is_closing(asked, 2) { message.set("batchData", json!([])) });
        "a GET with another method in its query cancels" in METHOD => "terminal.cancel.call":
            response(|asked, message| if asked.is("terminal.status") && message.get("status") == "PAID" && !asked.first_time("paid") {
                message.replace("reversed", true);
            });
    }
}

fn schemes() -> Vec<Break> {
    breaks! {
        "any scheme opens the terminal" in SCHEME => "terminal.credentials":
            onward(|asked, sent| if asked.is("terminal.state") { sent.in_the_name_of_main(asked) });
        "any scheme cancels" in SCHEME => "terminal.cancel.unauthorized":
            response(|asked, message| if asked.is("terminal.cancel") { message.accept() });
        "any scheme gets samples" in "calls-without-the-right-credentials-tell-nothing / under another scheme than Basic"
            => "transfers.credentials":
            onward(|asked, sent| if asked.is("transfers.list") { sent.in_the_name_of_main(asked) });
    }
}

fn hours() -> Vec<Break> {
    breaks! {
        "a refund of the evening in UTC is of the same day" in "a-refund-has-its-day-in-prague / midnight in Prague between"
            => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "a refund ends with the day in UTC" in "a-refund-has-its-day-in-prague / one day in Prague" => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.refuse(1400) });
        "twelve hours" in "an-evening-is-told-in-24-hours" => "transfers.detail.created.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| {
                    let time = item["Datum založení"].as_str().unwrap().to_owned();
                    let hour: u8 = time[11..13].parse().unwrap();
                    item["Datum založení"] = json!(format!("{}{:02}{}", &time[..11], hour % 12, &time[13..]));
                });
            });
        "thirty characters of a reference" in "an-evening-is-told-in-24-hours" => "transfers.detail.refId.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| item["ID od klienta"] = json!(item["ID od klienta"].as_str().unwrap().chars().take(30).collect::<String>()));
            });
        "a reason before there is one" in "what-has-not-happened-is-not-told" => "terminal.status.paymentErrorReason.value":
            response(|asked, message| if asked.is("terminal.status") && message.get("status") == "PENDING" {
                message.set("paymentErrorReason", "PENDING");
            });
    }
}

fn files() -> Vec<Break> {
    breaks! {
        "empty ABO files of a day" in CLIENTS => "transfers.aboDay.files":
            response(|asked, message| if asked.is("aboDay") {
                message.archive(|files| files.iter_mut().for_each(|(_, content)| content.clear()));
            });
        "empty CSV files of a day" in CLIENTS => "transfers.csvDay.files":
            response(|asked, message| if asked.is("csvDay") {
                message.archive(|files| files.iter_mut().for_each(|(_, content)| content.clear()));
            });
        "the encoding does not count in the archive" in "an-abo-statement-takes-its-parameters-in-either-form"
            => "transfers.aboDay.encoding.win1250":
            way(|asked, path| if asked.is("aboDay") { path.replace("encoding=win1250", "encoding=utf8") } else { path.to_owned() });
        "the encoding does not count with a sum of fees" in "an-abo-statement-takes-its-parameters-in-either-form"
            => "transfers.abo.encoding.win1250":
            way(|asked, path| if asked.query_parameter("type") == "v2" { path.replace("encoding=win1250", "encoding=utf8") } else { path.to_owned() });
    }
}

/// Returns a real transfer, or its files, as the sample.
fn real(asked: &ObservedRequest<'_>, path: &str, call: &str) -> String {
    if asked.is(call) { path.replace("test=true", "test=false") } else { path.to_owned() }
}

fn samples() -> Vec<Break> {
    breaks! {
        "real details as a sample" in NIGHT => "transfers.detail.test":
            way(|asked, path| real(asked, path, "transfers.detail"));
        "a real CSV statement as a sample" in NIGHT => "transfers.csv.test":
            way(|asked, path| real(asked, path, "transfers.csv"));
        "a real ABO statement as a sample" in NIGHT => "transfers.abo.test":
            way(|asked, path| real(asked, path, "transfers.abo"));
        "real CSV files of a day as a sample" in NIGHT => "transfers.csvDay.test":
            way(|asked, path| real(asked, path, "csvDay"));
        "real ABO files of a day as a sample" in NIGHT => "transfers.aboDay.test":
            way(|asked, path| real(asked, path, "aboDay"));
    }
}

fn creations() -> Vec<Break> {
    breaks! {
        "pounds" in "terminal / create-holds-its-limits / curr: a currency of another country" => "terminal.create.curr.enum":
            response(|asked, message| if asked.is("terminal.create") { message.accept_creation() });
        "a truth value is a price" in "terminal / create-holds-its-limits / price: a truth value" => "terminal.create.price.type":
            response(|asked, message| if asked.is("terminal.create") { message.accept_creation() });
        "XML is read" in "a-body-of-another-type-is-refused / a payment" => "terminal.json":
            response(|asked, message| if asked.is("terminal.create") { message.accept_creation() });
    }
}
