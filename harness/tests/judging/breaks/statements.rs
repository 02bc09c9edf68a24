//! Statements of transfers that can't be read, or contradict the transfer: CSV, ABO, and archives of them.

use encoding_rs::WINDOWS_1250;

use super::Break;
use crate::support::proxy::{Message, ObservedRequest, Statement};

const ENVELOPES: &str = "a-statement-comes-in-an-envelope";
const CSV: &str = "a-csv-statement-comes-in-an-envelope-or-as-a-file";
const ABO: &str = "an-abo-statement-comes-in-an-envelope-or-as-a-file";
const STORY: &str = "a-payment-tells-one-story-everywhere / CZK";
const FEES: &str = "an-abo-statement-lists-fees-or-sums-them";
const FEES_OF_DAY: &str = "abo-files-of-a-day-list-fees-or-sum-them";
const LETTERS: &str = "an-abo-statement-is-written-in-the-encoding-asked-for";
const LETTERS_OF_DAY: &str = "abo-files-of-a-day-are-written-in-the-encoding-asked-for";
const DAY: &str = "a-day-has-one-file-for-each-transfer";
const SAMPLES_OF_DAY: &str = "sample-files-of-a-day-are-answered";

/// Statements that break a rule.
pub fn all() -> Vec<Break> {
    [envelopes(), csv(), abo(), abo_asked(), archives()].into_iter().flatten().collect()
}

/// Replaces the value of a parameter.
fn with(path: &str, parameter: &str) -> String {
    let name = parameter.split('=').next().unwrap();
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let others = query.split('&').filter(|asked| !asked.is_empty() && asked.split('=').next() != Some(name));
    format!("{path}?{}", others.chain([parameter]).collect::<Vec<_>>().join("&"))
}

/// Replaces the value of a parameter where it has a certain value (empty: where it is absent).
fn instead_of(asked: &ObservedRequest<'_>, path: &str, call: &str, (name, value): (&str, &str), other: &str) -> String {
    if asked.is(call) && asked.query_parameter(name) == value { with(path, other) } else { path.to_owned() }
}

fn envelopes() -> Vec<Break> {
    breaks! {
        "a CSV envelope told as a page" in ENVELOPES => "transfers.csv.call":
            response(|asked, message| if asked.is("csv") { message.becomes_a_page(200, "<h1>Výpis</h1>") });
        "an ABO envelope told as a page" in ENVELOPES => "transfers.abo.call":
            response(|asked, message| if asked.is("abo") { message.becomes_a_page(200, "<h1>Výpis</h1>") });
        "a CSV statement that is not in Base64" in ENVELOPES => "transfers.csv.csv.base64":
            response(|asked, message| if asked.is("csv") { message.set("csv", "\"Merchant\";\"Datum založení\"") });
        "an ABO statement that is not in Base64" in ENVELOPES => "transfers.abo.abo.base64":
            response(|asked, message| if asked.is("abo") { message.set("abo", "0740000001234567890") });
        "Base64 of URLs" in ENVELOPES => "transfers.csv.csv.base64":
            response(|asked, message| if asked.is("csv") { message.set("csv", format!("_-{}", message.get("csv"))) });
        "no name of the file" in ENVELOPES => "transfers.csv.nazev.required":
            response(|asked, message| if asked.is("csv") { message.remove("nazev") });
        "an empty name of the file" in ENVELOPES => "transfers.abo.nazev.type":
            response(|asked, message| if asked.is("abo") { message.set("nazev", "") });
        "a file where an envelope is asked for" in CSV => "transfers.csv.download.default":
            way(|asked, path| instead_of(asked, path, "csv", ("download", ""), "download=true"));
        "an ABO file where an envelope is asked for" in ABO => "transfers.abo.download.default":
            way(|asked, path| instead_of(asked, path, "abo", ("download", "false"), "download=true"));
        "an envelope where the file is asked for" in CSV => "transfers.csv.download.file":
            way(|asked, path| instead_of(asked, path, "csv", ("download", "true"), "download=false"));
        "an envelope where the ABO file is asked for" in ABO => "transfers.abo.download.file":
            way(|asked, path| instead_of(asked, path, "abo", ("download", "true"), "download=false"));
    }
}

fn csv() -> Vec<Break> {
    breaks! {
        "no sample CSV statement" in "a-sample-csv-statement-is-answered" => "transfers.csv.test":
            way(|_, path| path.replace("test=true", "test=false"));
        "a row with a value too many" in ENVELOPES => "transfers.csv.statement":
            response(|asked, message| message.table(asked, |table| table.payments()[0].push("?".to_owned())));
        "a quote that is never closed" in CSV => "transfers.csv.statement":
            response(|asked, message| if asked.is("csv") {
                message.file(|bytes| [bytes.as_slice(), b"\"suma"].concat());
            });
        "a statement in windows-1250" in CSV => "transfers.csv.csv.base64":
            response(|asked, message| if asked.is("csv") {
                message.file(|bytes| WINDOWS_1250.encode(std::str::from_utf8(&bytes).unwrap()).0.into_owned());
            });
        "a file in windows-1250" in CSV => "transfers.csv.statement":
            response(|asked, message| if asked.is("csv") && asked.query_parameter("download") == "true" {
                message.file(|bytes| WINDOWS_1250.encode(std::str::from_utf8(&bytes).unwrap()).0.into_owned());
            });
        "a column is missing" in CSV => "transfers.csv.statement":
            response(|asked, message| message.table(asked, |table| table.lines.iter_mut().for_each(|line| _ = line.remove(5))));
        "a payment told twice" in CSV => "transfers.csv.statement":
            response(|asked, message| message.table(asked, |table| table.lines.insert(1, table.lines[1].clone())));
        "a sum that is not that of the payments" in CSV => "transfers.csv.statement":
            response(|asked, message| message.table(asked, |table| {
                let column = table.column("Potvrzená částka");
                table.lines.last_mut().unwrap()[column] = "123,46".to_owned();
            }));
        "a payment is missing" in STORY => "transfers.csv.agrees":
            response(|asked, message| message.table(asked, |table| _ = table.lines.remove(1)));
        "another amount, well added up" in STORY => "transfers.csv.agrees":
            response(|asked, message| message.table(asked, |table| {
                table.set("Potvrzená částka", "124,45");
                table.set("Převedená částka", "122,95");
            }));
        "two columns mixed up" in STORY => "transfers.csv.agrees":
            response(|asked, message| message.table(asked, |table| {
                let (one, other) = (table.column("Variabilní symbol plátce"), table.column("Variabilní symbol převodu"));
                table.payments().iter_mut().for_each(|row| row.swap(one, other));
            }));
        "the reference is left out" in "a-terminal-payment-is-transferred / 10 CZK" => "terminal.create.refId.csv":
            response(|asked, message| message.table(asked, |table| table.set("ID od klienta", "")));
    }
}

/// Changes the symbol of the first payment.
fn another_symbol(statement: &mut Statement) {
    Statement::put(statement.payment(), 62, "0000000001");
}

fn abo() -> Vec<Break> {
    breaks! {
        "no sample ABO statement" in "a-sample-abo-statement-is-answered / v1 in utf8" => "transfers.abo.test":
            way(|_, path| path.replace("test=true", "test=false"));
        "a record that is cut off" in ENVELOPES => "transfers.abo.statement":
            response(|asked, message| message.statement(asked, |statement| statement.payment().truncate(100)));
        "a day that is none" in ENVELOPES => "transfers.abo.statement":
            response(|asked, message| message.statement(asked, |statement| Statement::put(statement.payment(), 92, "310226")));
        "an item without an account" in ABO => "transfers.abo.abo.base64":
            response(|asked, message| message.statement(asked, |statement| _ = statement.records.remove(0)));
        "a code of posting that is none" in ABO => "transfers.abo.statement":
            response(|asked, message| message.statement(asked, |statement| Statement::put(statement.payment(), 61, "7")));
        "an amount one too high" in ABO => "transfers.abo.turnover":
            response(|asked, message| message.statement(asked, |statement| Statement::put(statement.payment(), 49, "000000012346")));
        "a payment is missing" in ABO => "transfers.abo.turnover":
            response(|asked, message| message.statement(asked, |statement| _ = statement.records.remove(1)));
        "a payment told twice" in ABO => "transfers.abo.turnover":
            response(|asked, message| message.statement(asked, |statement| statement.records.insert(1, statement.records[1].clone())));
        "a fee that is a credit" in ABO => "transfers.abo.turnover":
            response(|asked, message| message.statement(asked, |statement| statement.items().iter_mut().for_each(|item| item[60] = '2')));
        "a new balance that is the old one" in ABO => "transfers.abo.balance":
            response(|asked, message| message.statement(asked, |statement| {
                let old: String = statement.records[0][45..60].iter().collect();
                Statement::put(&mut statement.records[0], 61, &old);
            }));
        "another variable symbol" in STORY => "transfers.abo.agrees":
            response(|asked, message| if asked.is("abo") { message.statement(asked, another_symbol) });
        "another fee" in STORY => "transfers.abo.agrees":
            response(|asked, message| if asked.is("abo") {
                message.statement(asked, |statement| {
                    Statement::put(&mut statement.records[0], 76, "00000000000250");
                    Statement::put(&mut statement.items()[1], 49, "000000000250");
                });
            });
    }
}

fn abo_asked() -> Vec<Break> {
    breaks! {
        "fees are always summed" in FEES => "transfers.abo.type.v1":
            way(|asked, path| if asked.is("abo") { with(path, "type=v2") } else { path.to_owned() });
        "fees are never summed" in FEES => "transfers.abo.type.v2":
            way(|asked, path| if asked.is("abo") { with(path, "type=v1") } else { path.to_owned() });
        "fees are summed unless asked for" in FEES => "transfers.abo.type.default":
            way(|asked, path| instead_of(asked, path, "abo", ("type", ""), "type=v2"));
        "fees of a day are always summed" in FEES_OF_DAY => "transfers.aboDay.type.v1":
            way(|asked, path| if asked.is("aboDay") { with(path, "type=v2") } else { path.to_owned() });
        "fees of a day are never summed" in FEES_OF_DAY => "transfers.aboDay.type.v2":
            way(|asked, path| if asked.is("aboDay") { with(path, "type=v1") } else { path.to_owned() });
        "fees of a day are summed unless asked for" in FEES_OF_DAY => "transfers.aboDay.type.default":
            way(|asked, path| instead_of(asked, path, "aboDay", ("type", ""), "type=v2"));
        "always windows-1250" in LETTERS => "transfers.abo.encoding.utf8":
            way(|asked, path| if asked.is("abo") { with(path, "encoding=win1250") } else { path.to_owned() });
        "always UTF-8" in LETTERS => "transfers.abo.encoding.win1250":
            way(|asked, path| if asked.is("abo") { with(path, "encoding=utf8") } else { path.to_owned() });
        "windows-1250 unless asked for" in LETTERS => "transfers.abo.encoding.default":
            way(|asked, path| instead_of(asked, path, "abo", ("encoding", ""), "encoding=win1250"));
        "files of a day always in windows-1250" in LETTERS_OF_DAY => "transfers.aboDay.encoding.utf8":
            way(|asked, path| if asked.is("aboDay") { with(path, "encoding=win1250") } else { path.to_owned() });
        "files of a day always in UTF-8" in LETTERS_OF_DAY => "transfers.aboDay.encoding.win1250":
            way(|asked, path| if asked.is("aboDay") { with(path, "encoding=utf8") } else { path.to_owned() });
        "files of a day in windows-1250 unless asked for" in LETTERS_OF_DAY => "transfers.aboDay.encoding.default":
            way(|asked, path| instead_of(asked, path, "aboDay", ("encoding", ""), "encoding=win1250"));
        "no letters but those of English" in LETTERS => "transfers.abo.encoding.utf8":
            response(|asked, message| message.statement(asked, |statement| {
                statement.records.iter_mut().flatten().filter(|letter| !letter.is_ascii()).for_each(|letter| *letter = '?');
            }));
    }
}

/// An archive whose directory is missing.
fn cut_in_half(message: &mut Message) {
    let bytes = message.bytes();
    message.raw(&bytes[..bytes.len() / 2]);
}

fn archives() -> Vec<Break> {
    breaks! {
        "no sample files of a day" in SAMPLES_OF_DAY => "transfers.csvDay.test":
            way(|asked, path| if asked.is("csvDay") { path.replace("test=true", "test=false") } else { path.to_owned() });
        "no sample ABO files of a day" in SAMPLES_OF_DAY => "transfers.aboDay.test":
            way(|asked, path| if asked.is("aboDay") { path.replace("test=true", "test=false") } else { path.to_owned() });
        "an archive that is cut in half" in DAY => "transfers.csvDay.call":
            response(|asked, message| if asked.is("csvDay") { cut_in_half(message) });
        "an ABO archive that is cut in half" in DAY => "transfers.aboDay.call":
            response(|asked, message| if asked.is("aboDay") { cut_in_half(message) });
        "a file in place of an archive" in DAY => "transfers.csvDay.call":
            response(|asked, message| if asked.is("csvDay") { message.raw("\"Merchant\";\"Datum založení\"\r\n") });
        "a broken entry" in DAY => "transfers.csv.statement":
            response(|asked, message| if asked.is("csvDay") {
                // The content of the first entry starts after its header and its name.
                let mut bytes = message.bytes();
                let content = 30 + usize::from(bytes[26]) + usize::from(bytes[28]);
                bytes[content + 20..content + 40].fill(0);
                message.raw(bytes);
            });
        "a file without a name" in DAY => "transfers.csvDay.call":
            response(|asked, message| if asked.is("csvDay") { message.archive(|files| files[0].0.clear()) });
        "one file for two transfers" in DAY => "transfers.csvDay.files":
            response(|asked, message| if asked.is("csvDay") { message.archive(|files| _ = files.pop()) });
        "the same transfer in two files" in DAY => "transfers.csvDay.files":
            response(|asked, message| if asked.is("csvDay") { message.archive(|files| files[1].1 = files[0].1.clone()) });
        "no ABO file" in DAY => "transfers.aboDay.files":
            response(|asked, message| if asked.is("aboDay") { message.archive(Vec::clear) });
        "a file of text among the ABO files" in DAY => "transfers.abo.statement":
            response(|asked, message| if asked.is("aboDay") { message.archive(|files| files.push(("readme.txt".to_owned(), b"Hello".to_vec()))) });
        "another amount in the files of the day" in STORY => "transfers.csvDay.agrees":
            response(|asked, message| if asked.is("csvDay") {
                message.table(asked, |table| {
                    table.set("Potvrzená částka", "124,45");
                    table.set("Převedená částka", "122,95");
                });
            });
        "another symbol in the ABO files of the day" in STORY => "transfers.aboDay.agrees":
            response(|asked, message| if asked.is("aboDay") { message.statement(asked, another_symbol) });
        "no payment in the files of the day" in STORY => "transfers.csvDay.agrees":
            response(|asked, message| if asked.is("csvDay") { message.table(asked, |table| _ = table.lines.remove(1)) });
    }
}
