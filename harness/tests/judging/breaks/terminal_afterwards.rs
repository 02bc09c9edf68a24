//! Lies of a terminal and its transfers about what comes afterwards: after a closing, the next day, in euros, by another login.

use serde_json::{Value, json};

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, Statement, remember};

const GATEWAY: &str = "the-credentials-of-the-gateway-open-no-terminal";
const TERMINAL: &str = "the-credentials-of-the-terminal-open-no-gateway";
const OTHERS: &str = "terminal / calls-without-the-right-credentials-are-refused / with the secret of another terminal";
const NAMELESS: &str = "terminal / a-price-out-of-bounds-is-refused-without-a-reference-too";
const EACH: &str = "each-payment-of-a-transfer-tells-its-own";
const FORMS: &str = "an-abo-statement-takes-its-parameters-in-either-form";
const YESTERDAY: &str = "a-transfer-of-yesterday-is-told-as-on-its-day / CZK";
const YESTERDAY_EUR: &str = "a-transfer-of-yesterday-is-told-as-on-its-day / EUR";
const FOREIGN: &str = "a-foreign-transfer-in-euros-is-not-told";
const FOREIGN_YESTERDAY: &str = "a-foreign-transfer-is-not-shown-the-next-day";

pub fn all() -> Vec<Break> {
    [logins(), closed(), totals(), pending(), later(), foreign(), bounds(), statements(), yesterday(), others(), items(), of_its_own()]
        .into_iter()
        .flatten()
        .collect()
}

/// Whether it is the closing of this number, from 1, or a later one.
fn is_closing(asked: &ObservedRequest<'_>, number: usize) -> bool {
    asked.is("closing") && (1..number).all(|number| !asked.first_time(&format!("closing {number}")))
}

/// Changes each total from the closing of this number on.
fn totals_of(asked: &ObservedRequest<'_>, message: &mut Message, number: usize, change: impl Fn(&mut Value)) {
    if is_closing(asked, number)
        && let Some(Value::Array(totals)) = message.fields.get_mut("batchData")
    {
        totals.iter_mut().for_each(change);
    }
}

/// Puts an amount and a count on one side of a total.
fn side(total: &mut Value, name: &str, amount: i64, count: i64) {
    total[format!("{name}Amount")] = json!(amount);
    total[format!("{name}Count")] = json!(count);
}

/// Leaves out what is less than a crown or a euro.
fn rounded(total: &mut Value, amount: &str) {
    total[amount] = json!(total[amount].as_i64().unwrap() / 100 * 100);
}

/// Whether the caller is not the terminal of the main merchant.
fn is_foreign(asked: &ObservedRequest<'_>, call: &str) -> bool {
    asked.is(call) && asked.is_by_another_merchant()
}

fn logins() -> Vec<Break> {
    breaks! {
        "the login of the gateway asks for the terminal" in GATEWAY => "terminal.credentials":
            onward(|asked, sent| if asked.is("state") { sent.in_the_name_of_main(asked) });
        "the login of the gateway starts a payment" in GATEWAY => "terminal.credentials":
            onward(|asked, sent| if asked.is("terminal.create") { sent.in_the_name_of_main(asked) });
        "the login of the gateway cancels a payment" in GATEWAY => "terminal.cancel.unauthorized":
            onward(|asked, sent| if asked.is("terminal.cancel") { sent.in_the_name_of_main(asked) });
        "the login of the gateway reads a refund" in GATEWAY => "terminal.credentials":
            onward(|asked, sent| if asked.is("refund.status") { sent.in_the_name_of_main(asked) });
        "the login of the gateway cancels a refund" in GATEWAY => "terminal.refund.cancel.unauthorized":
            onward(|asked, sent| if asked.is("refund.cancel") { sent.in_the_name_of_main(asked) });
        "the login of the gateway closes the batch" in GATEWAY => "terminal.credentials":
            onward(|asked, sent| if asked.is("closing") { sent.in_the_name_of_main(asked) });
        "the login of the terminal reads a payment of the gateway" in TERMINAL => "gateway.v2.credentials":
            onward(|asked, sent| if asked.is("v2.status") { sent.in_the_name_of_main(asked) });
        "the login of the terminal cancels a payment of the gateway" in TERMINAL => "gateway.v2.credentials":
            onward(|asked, sent| if asked.is("v2.cancel") { sent.in_the_name_of_main(asked) });
        "the secret of another terminal cancels a payment" in OTHERS => "terminal.cancel.unauthorized":
            onward(|asked, sent| if asked.is("terminal.cancel") { sent.in_the_name_of_main(asked) });
        "the secret of another terminal closes the batch" in OTHERS => "terminal.credentials":
            onward(|asked, sent| if asked.is("closing") { sent.in_the_name_of_main(asked) });
    }
}

fn closed() -> Vec<Break> {
    breaks! {
        "nothing is closed while a payment is open" in "no-closed-payment-is-cancelled-beside-an-open-one / CZK"
            => "terminal.cancel.closed":
            response(|asked, message| if asked.is("terminal.cancel") { message.accept() });
        "a closing closes one currency" in "no-closed-payment-is-cancelled-beside-an-open-one / EUR" => "terminal.cancel.closed":
            response(|asked, message| if asked.is("terminal.cancel") && !asked.first_time("cancelled") { message.accept() });
        "a cancel that was refused counts as a return" in "no-closed-payment-is-cancelled-beside-an-open-one / EUR"
            => "terminal.closing.clears":
            response(|asked, message| totals_of(asked, message, 3, |total| side(total, "debits", 10000, 1)));
        "a closing is forgotten the next day" in "a-payment-is-closed-the-next-day-too / CZK" => "terminal.cancel.closed":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if asked.is("terminal.cancel") && asked.knows("a day later") { message.accept() });
        "a cancel of the next day is refused, and reverses" in "a-payment-is-closed-the-next-day-too / EUR"
            => "terminal.cancel.before-closing":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if asked.is("terminal.status") && asked.knows("a day later") { message.replace("reversed", true) });
        "after a closing nothing is cancelled any more" in "a-payment-is-closed-the-next-day-too / EUR" => "terminal.cancel.before-closing":
            instead(|asked| (asked.is("terminal.cancel") && asked.first_time("open")).then(|| Message::refusal(asked, 1400)));
        "what went back in part is cancelled after a closing" in "a-payment-that-went-back-in-part-stays-closed / EUR"
            => "terminal.cancel.closed":
            response(|asked, message| if asked.is("terminal.cancel") { message.accept() });
        "a cancel that was refused returns the rest" in "a-payment-that-went-back-in-part-stays-closed / CZK"
            => "terminal.status.amountRefunded.value":
            response(|asked, message| if asked.is("terminal.cancel") {
                asked.first_time("refused");
            } else if asked.is("terminal.status") && asked.knows("refused") {
                message.set("amountRefunded", "10000");
            });
    }
}

fn totals() -> Vec<Break> {
    breaks! {
        "a closing counts whole crowns" in "a-closing-counts-to-the-last-unit / CZK" => "terminal.closing.totals.payments":
            response(|asked, message| totals_of(asked, message, 1, |total| rounded(total, "creditsAmount")));
        "a closing counts refunds in whole euros" in "a-closing-counts-to-the-last-unit / EUR" => "terminal.closing.totals.refunds":
            response(|asked, message| totals_of(asked, message, 1, |total| rounded(total, "debitsAmount")));
        "the lowest price is not counted" in "a-closing-counts-to-the-last-unit / EUR" => "terminal.closing.totals.payments":
            response(|asked, message| totals_of(asked, message, 1, |total| if total["creditsCount"] == 3 {
                side(total, "credits", 1111, 2);
            }));
        "a closing counts what was paid today" in "a-closing-counts-two-days / CZK" => "terminal.closing.summary":
            response(|asked, message| totals_of(asked, message, 2, |total| side(total, "credits", 2300, 1)));
        "a closing counts what was paid yesterday" in "a-closing-counts-two-days / EUR" => "terminal.closing.summary":
            response(|asked, message| totals_of(asked, message, 2, |total| side(total, "credits", 4500, 1)));
        "a closing counts the refunds of today" in "a-closing-counts-two-days / EUR" => "terminal.closing.summary":
            response(|asked, message| totals_of(asked, message, 2, |total| side(total, "debits", 700, 1)));
        "a closing does not clear refunds" in "a-closing-clears-refunds-and-every-currency / CZK" => "terminal.closing.clears":
            response(|asked, message| totals_of(asked, message, 3, |total| side(total, "debits", 4000, 1)));
        "a currency is cleared by a closing that counts it" in "a-closing-clears-refunds-and-every-currency / EUR"
            => "terminal.closing.clears":
            response(|asked, message| if is_closing(asked, 3)
                && let Some(Value::Array(totals)) = message.fields.get_mut("batchData") {
                totals.push(json!({"curr": "CZK", "creditsAmount": 15000, "creditsCount": 1, "debitsAmount": 0, "debitsCount": 0}));
            });
        "what was given up in euros is counted" in "a-payment-in-euros-that-comes-to-nothing-is-cancelled / given up"
            => "terminal.closing.totals.payments":
            response(|asked, message| totals_of(asked, message, 2, |total| side(total, "credits", 5371, 2)));
        "what timed out in euros is counted" in "a-payment-in-euros-that-comes-to-nothing-is-cancelled / timed out"
            => "terminal.closing.totals.payments":
            response(|asked, message| totals_of(asked, message, 2, |total| side(total, "credits", 5371, 2)));
        "a closing that was refused clears refunds" in "a-terminal-that-is-busy-is-not-closed" => "terminal.closing.code.1500":
            response(|asked, message| totals_of(asked, message, 4, |total| side(total, "debits", 0, 0)));
        "the refunds of another terminal are counted" in "a-closing-counts-its-own-terminal" => "terminal.closing.totals.payments":
            response(|asked, message| if !asked.is_by_another_merchant() {
                totals_of(asked, message, 2, |total| side(total, "debits", 5500, 1));
            });
        "a closing clears the refunds of another terminal" in "a-closing-counts-its-own-terminal" => "terminal.closing.clears":
            response(|asked, message| if asked.is_by_another_merchant() {
                totals_of(asked, message, 1, |total| side(total, "debits", 0, 0));
            });
        "a refund without a reference is not counted" in "a-refund-without-a-reference-is-like-any-other / CZK"
            => "terminal.closing.totals.refunds":
            response(|asked, message| totals_of(asked, message, 2, |total| side(total, "debits", 700, 1)));
        "a payment without a reference is not counted" in "a-refund-without-a-reference-is-like-any-other / EUR"
            => "terminal.closing.totals.refunds":
            response(|asked, message| totals_of(asked, message, 2, |total| side(total, "credits", 0, 0)));
    }
}

fn pending() -> Vec<Break> {
    breaks! {
        "a payment in euros is cancelled while it waits" in "a-pending-payment-is-not-cancelled / EUR" => "terminal.cancel.not-paid":
            response(|asked, message| if asked.is("terminal.cancel") { message.accept() });
        "an e-mail cancels a payment that waits" in "a-pending-payment-is-not-cancelled / CZK" => "terminal.cancel.not-paid":
            response(|asked, message| if asked.is("terminal.cancel") && !asked.query_parameter("email").is_empty() { message.accept() });
        "an e-mail cancels a payment that was rejected" in "a-rejected-payment-is-not-cancelled" => "terminal.cancel.not-paid":
            response(|asked, message| if asked.is("terminal.cancel") && !asked.query_parameter("email").is_empty() { message.accept() });
        "a refund in euros is cancelled while it waits" in "a-pending-refund-is-not-cancelled / EUR" => "terminal.refund.cancel.not-paid":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "a refund in euros is not cancelled half a day later" in "a-refund-is-cancelled-hours-later / half a day in euros"
            => "terminal.refund.cancel.same-day":
            instead(|asked| asked.is("refund.cancel").then(|| Message::refusal(asked, 1400)));
        "a refund in euros of days ago is cancelled" in "a-refund-of-days-ago-is-not-cancelled / two days later in euros"
            => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "a closing makes a refund in euros of yesterday cancellable" in "a-refund-of-yesterday-is-not-cancelled-after-a-closing / EUR"
            => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "returns in euros do not add up" in "a-returned-amount-is-told / EUR" => "terminal.status.amountRefunded.value":
            response(|asked, message| if asked.is("terminal.status") && message.get("amountRefunded") == "5500" {
                message.set("amountRefunded", "3000");
            });
        "a refund without a reference is not cancelled" in "a-refund-without-a-reference-is-like-any-other / EUR"
            => "terminal.refund.cancel.paid":
            instead(|asked| (asked.is("refund.cancel") && asked.first_time("nameless")).then(|| Message::refusal(asked, 1400)));
        "a refund with an e-mail is not cancelled" in "a-refund-without-a-reference-is-like-any-other / CZK"
            => "terminal.refund.cancel.paid":
            instead(|asked| (asked.is("refund.cancel") && !asked.first_time("nameless")).then(|| Message::refusal(asked, 1400)));
    }
}

fn later() -> Vec<Break> {
    breaks! {
        "a payment in euros that was given up is paid a day later" in "a-cancelled-payment-stays-cancelled / EUR that was given up"
            => "terminal.payment.states":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if asked.is("terminal.status") && asked.knows("a day later") { message.replace("status", "PAID") });
        "a payment in euros is cancelled on its day only" in "a-payment-may-be-cancelled-on-a-later-day / EUR"
            => "terminal.cancel.before-closing":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            instead(|asked| (asked.is("terminal.cancel") && asked.knows("a day later")).then(|| Message::refusal(asked, 1400)));
        "a closing forgets a reversal" in "what-was-reversed-stays-reversed / CZK" => "terminal.payment.reversed.reported":
            response(|asked, message| if asked.is("closing") {
                asked.note("closed", "");
            } else if asked.is("terminal.status") && asked.knows("closed") {
                message.replace("reversed", false);
            });
        "the reversal of a refund is forgotten the next day" in "what-was-reversed-stays-reversed / EUR"
            => "terminal.refund.reversed.reported":
            world(|deed| if deed.with.get("seconds") == Some(&json!(90000)) { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if asked.is("refund.status") && asked.knows("a day later") { message.replace("reversed", false) });
        "a refund in euros that was declined is paid back a day later" in "a-refund-stays-what-it-became / EUR" => "terminal.refund.states":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if asked.is("refund.status") && asked.knows("a day later") { message.replace("status", "PAID") });
        "a refund is undone a day later" in "a-refund-stays-what-it-became / CZK" => "terminal.refund.states":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if is_later(asked, "refund.status") { message.replace("status", "CANCELLED") });
    }
}

fn foreign() -> Vec<Break> {
    breaks! {
        "another terminal reads a payment that waits" in "a-foreign-payment-is-not-read-in-any-state / payment in EUR"
            => "terminal.access.foreign":
            onward(|asked, sent| if is_foreign(asked, "terminal.status") && asked.first_time("read") { sent.in_the_name_of_main(asked) });
        "another terminal reads a refund that was declined" in "a-foreign-payment-is-not-read-in-any-state / refund in EUR"
            => "terminal.access.foreign":
            world(|deed| if deed.action == "cardholder.is-declined" { _ = remember(deed.memory, "declined") }),
            onward(|asked, sent| if is_foreign(asked, "refund.status") && asked.knows("declined") { sent.in_the_name_of_main(asked) });
        "another terminal reads what was reversed" in "a-foreign-payment-is-not-read-in-any-state / payment" => "terminal.access.foreign":
            world(|deed| if deed.action == "cardholder.pays" { _ = remember(deed.memory, "paid") }),
            onward(|asked, sent| if is_foreign(asked, "terminal.status") && asked.knows("paid") { sent.in_the_name_of_main(asked) });
        "an e-mail cancels a refund of another terminal" in "a-foreign-payment-is-not-read-in-any-state / refund"
            => "terminal.access.foreign":
            onward(|asked, sent| if is_foreign(asked, "refund.cancel") && !asked.query_parameter("email").is_empty() {
                sent.in_the_name_of_main(asked);
            });
    }
}

fn bounds() -> Vec<Break> {
    breaks! {
        "no lowest price without a reference" in NAMELESS => "terminal.create.price.min.CZK":
            response(|asked, message| if asked.is("terminal.create") && asked.text("price") == "99" { message.accept_creation() });
        "no highest price in euros without a reference" in NAMELESS => "terminal.create.price.max.EUR":
            response(|asked, message| if asked.is("terminal.create") && asked.text("price") == "4000001" { message.accept_creation() });
        "any tip without a reference" in NAMELESS => "terminal.create.tip.lower":
            response(|asked, message| if asked.is("terminal.create") && asked.text("tip") == "10000" { message.accept_creation() });
        "no lowest refund without a reference" in NAMELESS => "terminal.refund.create.price.min.CZK":
            response(|asked, message| if asked.is("refund.create") && asked.text("price") == "99" { message.accept_creation() });
        "no highest refund with an e-mail" in NAMELESS => "terminal.refund.create.price.max.CZK":
            response(|asked, message| if asked.is("refund.create") && asked.text("price") == "100000001" { message.accept_creation() });
    }
}

fn statements() -> Vec<Break> {
    breaks! {
        "the CSV file has the last payment alone" in EACH => "transfers.csv.download.file":
            response(|asked, message| if asked.query_parameter("download") == "true" {
                message.table(asked, |table| {
                    let last = table.lines.len() - 2;
                    _ = table.lines.drain(1..last);
                });
            });
        "the ABO file with a sum of fees is not that of the envelope" in EACH => "transfers.abo.download.file":
            response(|asked, message| if asked.query_parameter("download") == "true" && asked.query_parameter("type") == "v2" {
                message.statement(asked, |statement| Statement::put(statement.payment(), 62, "0000000001"));
            });
        "the CSV statement has no product" in "a-csv-statement-repeats-the-detail" => "transfers.csv.agrees":
            response(|asked, message| message.table(asked, |table| table.set("Produkt", "")));
        "the type does not count in windows-1250" in FORMS => "transfers.abo.type.v2":
            way(|asked, path| match asked.is("abo") && asked.query_parameter("encoding") == "win1250" {
                true => path.replace("type=v2", "type=v1"),
                false => path.to_owned(),
            });
        "fees are summed in windows-1250 unless told otherwise" in FORMS => "transfers.abo.type.default":
            way(|asked, path| match asked.query_parameter("encoding") == "win1250" && asked.query_parameter("type").is_empty() {
                true if asked.is("abo") => format!("{path}&type=v2"),
                _ => path.to_owned(),
            });
        "the type does not count in the archive in windows-1250" in FORMS => "transfers.aboDay.type.v2":
            way(|asked, path| match asked.is("aboDay") && asked.query_parameter("encoding") == "win1250" {
                true => path.replace("type=v2", "type=v1"),
                false => path.to_owned(),
            });
        "the encoding does not count in the archive with a sum of fees" in FORMS => "transfers.aboDay.encoding.win1250":
            way(|asked, path| match asked.is("aboDay") && asked.query_parameter("type") == "v2" {
                true => path.replace("encoding=win1250", "encoding=utf8"),
                false => path.to_owned(),
            });
        "fees in euros are never summed" in "an-abo-statement-lists-fees-or-sums-them / EUR" => "transfers.abo.type.v2":
            way(|asked, path| if asked.is("abo") { path.replace("type=v2", "type=v1") } else { path.to_owned() });
        "fees of a day in euros are never summed" in "abo-files-of-a-day-list-fees-or-sum-them / EUR" => "transfers.aboDay.type.v2":
            way(|asked, path| if asked.is("aboDay") { path.replace("type=v2", "type=v1") } else { path.to_owned() });
        "a terminal payment in euros has another amount in the ABO statement" in "a-terminal-payment-is-transferred / 40000 EUR"
            => "transfers.abo.agrees":
            response(|asked, message| message.statement(asked, |statement| Statement::put(statement.payment(), 49, "000000040000")));
    }
}

/// Whether this is the call, a day after the transfer.
fn is_later(asked: &ObservedRequest<'_>, call: &str) -> bool {
    asked.is(call) && asked.knows("a day later")
}

fn yesterday() -> Vec<Break> {
    breaks! {
        "the detail of a transfer of yesterday is empty" in YESTERDAY => "transfers.detail.again":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if is_later(asked, "transfers.detail") { message.records(Vec::clear) });
        "a payment of yesterday has another method" in YESTERDAY_EUR => "transfers.detail.again":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if is_later(asked, "transfers.detail") { message.each(|item| item["Metoda"] = json!("another")) });
        "the CSV statement of yesterday is empty" in YESTERDAY => "transfers.csv.statement":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if is_later(asked, "transfers.csv") { message.table(asked, |table| _ = table.lines.remove(1)) });
        "the CSV file of yesterday is empty" in YESTERDAY_EUR => "transfers.csv.download.file":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if is_later(asked, "transfers.csv") && asked.query_parameter("download") == "true" {
                message.table(asked, |table| _ = table.lines.remove(1));
            });
        "the ABO statement of yesterday has another amount" in YESTERDAY => "transfers.abo.statement":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if is_later(asked, "transfers.abo") {
                message.statement(asked, |statement| Statement::put(statement.payment(), 49, "000000054321"));
            });
        "the CSV files of yesterday are empty" in YESTERDAY_EUR => "transfers.csvDay.files":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if is_later(asked, "csvDay") { message.table(asked, |table| _ = table.lines.remove(1)) });
        "yesterday has no ABO files" in YESTERDAY => "transfers.aboDay.files":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            response(|asked, message| if is_later(asked, "aboDay") { message.archive(Vec::clear) });
    }
}

fn others() -> Vec<Break> {
    breaks! {
        "another merchant is told a transfer in euros" in FOREIGN => "transfers.access.foreign":
            onward(|asked, sent| if is_foreign(asked, "transfers.detail") { sent.in_the_name_of_main(asked) });
        "another merchant is given a sum of fees" in FOREIGN => "transfers.access.foreign":
            onward(|asked, sent| if is_foreign(asked, "abo") && asked.query_parameter("type") == "v2" { sent.in_the_name_of_main(asked) });
        "another merchant is given an ABO statement in windows-1250" in FOREIGN => "transfers.access.foreign":
            onward(|asked, sent| if is_foreign(asked, "abo") && asked.query_parameter("encoding") == "win1250" {
                sent.in_the_name_of_main(asked);
            });
        "the login of another gateway is told a transfer" in FOREIGN => "transfers.access.foreign":
            onward(|asked, sent| if is_foreign(asked, "transfers.detail") && !asked.credentials.0.starts_with('T') {
                sent.in_the_name_of_main(asked);
            });
        "another merchant is given a file of yesterday" in FOREIGN_YESTERDAY => "transfers.access.foreign":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            onward(|asked, sent| if is_foreign(asked, "csv") && is_later(asked, "csv") { sent.in_the_name_of_main(asked) });
        "another merchant is told what was transferred yesterday" in FOREIGN_YESTERDAY => "transfers.access.foreign":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "a day later") }),
            onward(|asked, sent| if is_foreign(asked, "list") && is_later(asked, "transfers.list") { sent.in_the_name_of_main(asked) });
    }
}

/// Notes the reference of what is created on the terminal under its first letter.
fn note(asked: &ObservedRequest<'_>) {
    let reference = asked.text("refId");
    if asked.is_of_api("terminal") && !reference.is_empty() {
        asked.note(&reference[..1], reference.as_str());
    }
}

/// Adds to the detail what was reversed, noted under this letter.
fn besides(asked: &ObservedRequest<'_>, message: &mut Message, letter: &str, amount: &str) {
    if asked.is("transfers.detail") {
        message.records(|items| {
            let mut item = items[0].clone();
            item["ID Service"] = json!("ZZZZYYYYXXXX");
            item["ID od klienta"] = json!(asked.recall(letter));
            item["Potvrzená částka"] = json!(amount);
            items.push(item);
        });
    }
}

fn items() -> Vec<Break> {
    breaks! {
        "a reversed payment in euros is paid out" in "what-was-reversed-is-neither-paid-out-nor-taken-off / EUR"
            => "transfers.detail.confirmed.value":
            onward(|asked, _sent| note(asked)),
            response(|asked, message| besides(asked, message, "p", "77,00"));
        "a reversed refund is taken off" in "what-was-reversed-is-neither-paid-out-nor-taken-off / CZK"
            => "transfers.detail.confirmed.value":
            onward(|asked, _sent| note(asked)),
            response(|asked, message| besides(asked, message, "r", "-44,00"));
        "what a terminal pays back in euros is paid out" in "money-that-is-returned-on-the-terminal-goes-back / of a part in euros"
            => "transfers.detail.confirmed.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| if item["Potvrzená částka"] == "-40,00" { item["Potvrzená částka"] = json!("40,00") });
            });
        "what a terminal pays back in euros reads as crowns" in "money-that-is-returned-on-the-terminal-goes-back / of a part in euros"
            => "transfers.detail.currency.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| if item["Potvrzená částka"] == "-40,00" { item["Měna"] = json!("CZK") });
            });
        "a capture of a part in euros pays out the whole" in "money-that-is-captured-is-transferred / a part in euros"
            => "transfers.detail.confirmed.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| if item["Potvrzená částka"] == "40,00" { item["Potvrzená částka"] = json!("100,00") });
            });
        "what a closing counts in euros is paid out with another amount" in "what-a-closing-counts-is-transferred / EUR"
            => "transfers.detail.confirmed.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| if item["Potvrzená částka"] == "123,00" { item["Potvrzená částka"] = json!("200,00") });
            });
        "identifiers begin anew in each transfer" in "two-transfers-are-told-apart" => "transfers.detail.id.unique":
            response(|asked, message| if asked.is("transfers.detail") { message.each(|item| item["ID Service"] = json!("AAAABBBBCCCC")) });
        "a terminal payment is paid when it is paid out" in "a-terminal-payment-tells-its-times / CZK" => "transfers.detail.paid.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| {
                    let day = item["Datum převodu"].as_str().unwrap_or_default().to_owned();
                    item["Datum zaplacení"] = json!(format!("{day} 10:00:00"));
                });
            });
        "a terminal payment is created when it is paid" in "a-terminal-payment-tells-its-times / EUR" => "transfers.detail.paid.value":
            response(|asked, message| if asked.is("transfers.detail") {
                message.each(|item| item["Datum založení"] = item["Datum zaplacení"].clone());
            });
    }
}

fn of_its_own() -> Vec<Break> {
    breaks! {
        "the reason of the last rejection for each" in "two-rejected-payments-have-their-own-reasons / CZK"
            => "terminal.status.paymentErrorReason.value":
            response(|asked, message| if asked.is("terminal.status") {
                if message.get("paymentErrorReason") == "REJECTED_BY_BANK" {
                    asked.note("rejected", "");
                } else if asked.knows("rejected") {
                    message.replace("paymentErrorReason", "REJECTED_BY_BANK");
                }
            });
        "the reason of the first rejection for each" in "two-rejected-payments-have-their-own-reasons / EUR"
            => "terminal.status.paymentErrorReason.value":
            response(|asked, message| if asked.is("terminal.status") { message.replace("paymentErrorReason", "NO_FUNDS") });
        "the reason of the last rejection for each, in words of its own" in "two-rejected-payments-have-their-own-reasons / EUR"
            => "terminal.status.paymentErrorReason.value":
            response(|asked, message| if asked.is("terminal.status") {
                if message.get("paymentErrorReason") == "REJECTED_BY_BANK" {
                    asked.note("rejected", "");
                }
                let words = if asked.knows("rejected") { "Zamítnuto bankou" } else { "Nedostatek prostředků" };
                message.replace("paymentErrorReason", words);
            });
        "another terminal reads a payment after its closing" in "a-foreign-payment-is-not-read-after-a-closing / payment in EUR"
            => "terminal.access.foreign":
            onward(|asked, sent| if is_foreign(asked, "terminal.status") { sent.in_the_name_of_main(asked) });
        "another terminal reads a refund after its closing" in "a-foreign-payment-is-not-read-after-a-closing / refund"
            => "terminal.access.foreign":
            onward(|asked, sent| if is_foreign(asked, "refund.status") { sent.in_the_name_of_main(asked) });
        "another terminal may cancel a refund after its closing" in "a-foreign-payment-is-not-read-after-a-closing / refund in EUR"
            => "terminal.access.foreign":
            onward(|asked, sent| if is_foreign(asked, "refund.cancel") { sent.in_the_name_of_main(asked) });
        "what was paid expires after three days" in "what-was-paid-stays-paid / CZK" => "terminal.payment.states":
            world(|deed| if deed.action == "clock.advances" { _ = remember(deed.memory, "expired") }),
            response(|asked, message| if asked.is("terminal.status") && asked.knows("expired") { message.replace("status", "CANCELLED") });
        "what was paid back expires after forty days" in "what-was-paid-stays-paid / EUR" => "terminal.refund.states":
            world(|deed| if deed.with.get("seconds") == Some(&json!(3196800)) { _ = remember(deed.memory, "expired") }),
            response(|asked, message| if asked.is("refund.status") && asked.knows("expired") { message.replace("status", "CANCELLED") });
        "a payment of which a part went back is not counted" in "a-closing-counts-what-went-back-in-part / CZK"
            => "terminal.closing.summary":
            response(|asked, message| totals_of(asked, message, 2, |total| {
                side(total, "credits", 0, 0);
                side(total, "debits", 0, 0);
            }));
        "a part that went back is counted in place of the payment" in "a-closing-counts-what-went-back-in-part / EUR"
            => "terminal.closing.summary":
            response(|asked, message| totals_of(asked, message, 2, |total| side(total, "credits", 250, 1)));
        "a refund of this day of the year is cancelled" in "a-refund-of-days-ago-is-not-cancelled / a year later"
            => "terminal.refund.cancel.same-day":
            response(|asked, message| if asked.is("refund.cancel") { message.accept() });
        "a closing of nothing has the number of the one before" in "two-closings-have-two-numbers" => "terminal.closing.batchNumber.value":
            response(|asked, message| if is_closing(asked, 3) {
                message.set("batchNumber", asked.recall("number").parse::<i64>().unwrap());
            } else if asked.is("closing") {
                asked.note("number", message.get("batchNumber"));
            });
    }
}
