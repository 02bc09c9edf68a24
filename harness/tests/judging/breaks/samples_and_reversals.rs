//! Samples that are not predefined, reversed refunds that read as kept, and files of a layout of their own for another merchant:
//! what a service built by strangers got away with.

use serde_json::json;

use super::Break;

const REVERSED: &str = "a-closing-agrees-with-the-status-of-a-reversed-refund";
const SAMPLE: &str = "a-sample-transfer-is-listed";
const FOREIGN: &str = "a-foreign-transfer-is-not-told";
const FOREIGN_EUROS: &str = "a-foreign-transfer-in-euros-is-not-told";

pub fn all() -> Vec<Break> {
    breaks! {
        "left out of the closing, and the refund is not told as reversed" in REVERSED => "terminal.refund.reversed.reported":
            response(|asked, message| if asked.is("refund.status") { message.replace("reversed", false) });
        "another sample transfer each time" in SAMPLE => "transfers.list.test":
            response(|asked, message| if asked.is("transfers.list") && asked.query_parameter("test") == "true" {
                let first = asked.first_time("sample");
                message.records(|items| items.iter_mut().for_each(|item| item["transferId"] = json!(if first { 11 } else { 12 })));
            });
        "another merchant is given an ABO file with a decimal comma" in FOREIGN => "transfers.access.foreign":
            response(|asked, message| if asked.is("abo") && asked.query_parameter("download") == "true" && !message.succeeds() {
                message.raw("TRX|9876,54|Beach ball\r\n");
            });
        "another merchant is given an ABO file in euros with a decimal point" in FOREIGN_EUROS => "transfers.access.foreign":
            response(|asked, message| if asked.is("abo") && asked.query_parameter("download") == "true" && !message.succeeds() {
                message.raw("TRX|9876.54|Beach ball\r\n");
            });
    }
}
