//! Allowances in the format of statements.

use super::transfers::everything;
use super::{in_responses, live, not_flagged, not_flagged_but_as_assumed};
use crate::support::proxy::{Message, ObservedRequest, Statement, Table};

/// Whether the response is a file, as requested.
fn is_file(asked: &ObservedRequest<'_>, message: &Message) -> bool {
    let direct = ["csvDay", "aboDay"].iter().any(|call| asked.is(call)) || asked.query_parameter("download") == "true";
    asked.is_of_api("transfers") && direct && message.fulfils()
}

#[tokio::test]
async fn files_of_unknown_media_types() {
    let tamper = in_responses(|asked, message| {
        if is_file(asked, message) {
            message.header("content-type", if asked.is("csv") { "application/force-download" } else { "application/octet-stream" });
            message.header("content-disposition", "attachment; filename=\"vypis\"");
        }
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn files_without_a_media_type() {
    let tamper = in_responses(|asked, message| {
        if is_file(asked, message) {
            message.headers.remove("content-type");
        }
    });
    not_flagged(tamper, everything()).await;
}

/// Writes a CSV statement in another spelling.
fn respelt(asked: &ObservedRequest<'_>, message: &mut Message, spell: impl Fn(&Table) -> String) {
    if (asked.is("csv") || asked.is("csvDay")) && message.fulfils() {
        message.file(|bytes| spell(&Table::read(std::str::from_utf8(&bytes).unwrap())).into_bytes());
    }
}

#[tokio::test]
async fn a_csv_statement_with_quotation_marks_only_where_they_must_be() {
    not_flagged(in_responses(|asked, message| respelt(asked, message, |table| table.written(";", false, "\r\n"))), everything()).await;
}

#[tokio::test]
async fn a_csv_statement_with_line_feeds_only() {
    not_flagged(in_responses(|asked, message| respelt(asked, message, |table| table.written(";", true, "\n"))), everything()).await;
}

#[tokio::test]
async fn a_csv_statement_that_does_not_end_its_last_line() {
    let tamper = in_responses(|asked, message| respelt(asked, message, |table| table.write().trim_end().to_owned()));
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn a_csv_statement_that_ends_with_empty_lines() {
    not_flagged(in_responses(|asked, message| respelt(asked, message, |table| table.write() + "\r\n\r\n")), everything()).await;
}

#[tokio::test]
async fn a_csv_statement_with_a_byte_order_mark() {
    not_flagged(in_responses(|asked, message| respelt(asked, message, |table| format!("\u{feff}{}", table.write()))), everything()).await;
}

#[tokio::test]
async fn columns_of_a_csv_statement_in_another_order_and_further_ones() {
    let tamper = in_responses(|asked, message| {
        message.table(asked, |table| {
            table.lines.iter_mut().for_each(|line| {
                line.reverse();
                line.insert(3, "1".to_owned());
            });
            table.lines[0][3] = "typ".to_owned();
        });
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn a_csv_statement_without_a_row_of_sums() {
    not_flagged(in_responses(|asked, message| message.table(asked, |table| _ = table.lines.pop())), everything()).await;
}

/// The document does not show the file, so a live target may use another layout; it says that the client IDs are in it.
#[tokio::test]
async fn a_csv_statement_of_another_layout() {
    let tamper =
        in_responses(|asked, message| respelt(asked, message, |table| format!("Statement|1\n{}", table.written("|", false, "\n"))));
    not_flagged_but_as_assumed(tamper, live(&["transfers / "])).await;
}

#[tokio::test]
async fn an_abo_statement_of_another_layout() {
    let tamper = in_responses(|asked, message| {
        if (asked.is("abo") || asked.is("aboDay")) && message.fulfils() {
            // Fees listed or summed: the two types still differ.
            message.file(|statement| [b"HD:11 011299\r\nKC:".as_slice(), &statement].concat());
        }
    });
    not_flagged_but_as_assumed(tamper, live(&["transfers / "])).await;
}

#[tokio::test]
async fn a_plus_in_an_abo_statement_as_a_zero_a_plus_or_nothing() {
    for tamper in [
        in_responses(|asked, message| message.statement(asked, |statement| signed(statement, '0'))),
        in_responses(|asked, message| message.statement(asked, |statement| signed(statement, '+'))),
        in_responses(|asked, message| message.statement(asked, |statement| signed(statement, ' '))),
    ] {
        not_flagged(tamper, everything()).await;
    }
}

/// Writes every sign of the account's record that is no minus in this way.
fn signed(statement: &mut Statement, plus: char) {
    for position in [60, 75, 90, 105] {
        let sign = &mut statement.records[0][position - 1];
        if *sign != '-' {
            *sign = plus;
        }
    }
}

#[tokio::test]
async fn records_of_texts_in_an_abo_statement() {
    let tamper = in_responses(|asked, message| {
        message.statement(asked, |statement| {
            for record in ["079Poděkování za nákup", "078Beach ball", "0762026000301"] {
                statement.records.insert(2, format!("{record:128}").chars().collect());
            }
        });
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn records_of_an_abo_statement_without_blanks_and_carriage_returns() {
    let tamper = in_responses(|asked, message| {
        if (asked.is("abo") || asked.is("aboDay")) && message.fulfils() {
            message.file(|bytes| {
                let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
                lines.collect::<Vec<_>>().join(&b'\n')
            });
        }
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn other_names_of_files() {
    let tamper = in_responses(|asked, message| {
        message.replace("nazev", "výpis č. 1");
        if asked.is("csvDay") || asked.is("aboDay") {
            message.archive(|files| files.iter_mut().enumerate().for_each(|(at, (name, _))| *name = format!("výpisy/{at}")));
        }
    });
    not_flagged(tamper, everything()).await;
}

#[tokio::test]
async fn base64_in_lines() {
    let tamper = in_responses(|asked, message| {
        for field in ["csv", "abo"] {
            if asked.is_of_api("transfers") && message.has(field) {
                let lines: Vec<_> =
                    message.get(field).as_bytes().chunks(76).map(|line| String::from_utf8(line.to_vec()).unwrap()).collect();
                message.set(field, lines.join("\r\n") + "\r\n");
            }
        }
    });
    not_flagged(tamper, everything()).await;
}
