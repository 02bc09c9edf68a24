//! The EPC QR code of SEPA credit transfers (EPC069-12): lines in a fixed order.

use serde_json::{Map, Value};

use super::iban;
use super::rules::{bic, length};
use super::view::View;
use crate::base::file_position::FilePosition;
use crate::base::text::{counted, is_digits};
use crate::wire::exchange::BodyFault;

/// The lines in their order.
const LINES: [&str; 12] =
    ["tag", "version", "charset", "identification", "bic", "name", "iban", "amount", "purpose", "reference", "text", "information"];

/// The longest texts of the lines that have no other rule.
const LONGEST: [(&str, usize); 5] = [("name", 70), ("purpose", 4), ("reference", 35), ("text", 140), ("information", 70)];

/// The view `{bic, name, iban, currency, amount, purpose, reference, text, …}` of a code.
pub(super) fn decode(text: &str) -> Result<View, BodyFault> {
    let lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    if lines.first() != Some(&"BCD") {
        return Err(BodyFault::new(FilePosition::line(1), "an EPC QR code begins with the line `BCD`"));
    }
    let line = |name: &str| LINES.iter().position(|line| *line == name).and_then(|index| lines.get(index)).copied().unwrap_or_default();
    let amount = line("amount");
    let (currency, number) = amount.split_at_checked(3).unwrap_or((amount, ""));
    let mut faults = faults(line);
    let trailing = lines.iter().skip(LINES.len()).filter(|line| !line.is_empty()).count();
    if trailing > 0 {
        faults.push(fault("information", format!("{} beyond those of an EPC QR code", counted(trailing, "line"))));
    }
    if !amount.is_empty() && (currency != "EUR" || !is_amount(number)) {
        faults.push(fault("amount", format!("{amount:?} is no amount like EUR12.30, from EUR0.01 to EUR999999999.99")));
    }
    // The line of the amount has the currency, too.
    let fields = LINES.into_iter().filter(|name| *name != "amount").map(|name| (name.to_owned(), Value::String(line(name).to_owned())));
    let mut view: Map<String, Value> = fields.filter(|(_, value)| value != "").collect();
    if !amount.is_empty() {
        view.insert("currency".to_owned(), Value::String(currency.to_owned()));
        view.insert("amount".to_owned(), Value::String(number.to_owned()));
    }
    Ok(View { value: Value::Object(view), faults, ..View::default() })
}

/// A fault of a line.
fn fault(name: &str, message: String) -> BodyFault {
    let line = LINES.iter().position(|line| *line == name).map_or(0, |index| index + 1);
    BodyFault::new(FilePosition::line(line), message).about(format!("/{name}"))
}

/// The faults of all lines but the amount.
fn faults<'t>(line: impl Fn(&str) -> &'t str) -> Vec<BodyFault> {
    let mut faults = Vec::new();
    let mut fault = |name: &str, message: String| faults.push(fault(name, message));
    if !matches!(line("version"), "001" | "002") {
        fault("version", format!("{:?} is no version of the EPC QR code, 001 or 002", line("version")));
    }
    if !matches!(line("charset").parse::<u8>(), Ok(1..=8)) {
        fault("charset", format!("{:?} is no character set, 1 to 8", line("charset")));
    }
    if line("identification") != "SCT" {
        fault("identification", format!("{:?} is not `SCT`", line("identification")));
    }
    if line("name").is_empty() {
        fault("name", "the name of the beneficiary is missing".to_owned());
    }
    if let Some(message) = iban::fault(line("iban")) {
        fault("iban", message);
    }
    let bank = line("bic");
    if bank.is_empty() && line("version") == "001" {
        fault("bic", "version 001 needs the BIC of the bank".to_owned());
    } else if let Some(message) = bic(bank).filter(|_| !bank.is_empty()) {
        fault("bic", message);
    }
    for (name, most) in LONGEST {
        if let Some(message) = length(line(name), most) {
            fault(name, message);
        }
    }
    if !line("reference").is_empty() && !line("text").is_empty() {
        fault("text", "there is both a reference and a text, one of them may be there".to_owned());
    }
    if let Some(message) = iban::wrong_reference(line("reference")) {
        fault("reference", message);
    }
    faults
}

/// Digits, with a dot before at most two decimals; greater than zero.
fn is_amount(number: &str) -> bool {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str, most: usize| is_digits(text) && text.len() <= most;
    digits(whole, 9) && digits(decimals, 2) && number.bytes().any(|byte| matches!(byte, b'1'..=b'9'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CODE: &str = "BCD\n002\n1\nSCT\n\nObchod s.r.o.\nSK3112000000198742637541\nEUR12.30\n\n\nVS 77";

    #[test]
    fn a_code_is_read() {
        let view = decode(CODE).unwrap();
        assert_eq!(view.faults, []);
        assert_eq!(
            (&view.value["currency"], &view.value["amount"], &view.value["text"]),
            (&"EUR".into(), &"12.30".into(), &"VS 77".into())
        );
        assert_eq!(view.value.get("bic"), None);
    }

    #[test]
    fn each_fault_is_reported() {
        let fault = |from: &str, to: &str| decode(&CODE.replace(from, to)).unwrap().faults.first().unwrap().clone();
        assert_eq!(fault("002", "003").pointer, "/version");
        assert_eq!(fault("SCT", "INST").position.to_string(), "line 4");
        assert_eq!(fault("7541", "7540").pointer, "/iban");
        let amount = fault("EUR12.30", "12.30");
        assert_eq!((amount.pointer.as_str(), amount.position.to_string().as_str()), ("/amount", "line 8"));
        assert_eq!(fault("Obchod s.r.o.", "").pointer, "/name");
        assert_eq!(fault("VS 77", "VS 77\n\nmore").pointer, "/information");
        assert!(decode("SPD*1.0").is_err());
    }

    #[test]
    fn the_standards_own_rules_decide() {
        let fault = |from: &str, to: &str| {
            let faults = decode(&CODE.replacen(from, to, 1)).unwrap().faults;
            assert_eq!(faults.len(), 1, "{faults:?}");
            faults[0].pointer.clone()
        };
        for wrong in ["EUR12,30", "EUR12.345", "EUR", "EUR-1", "EUR0.00", "EUR1e3", "EURinf", "EUR1234567890", "CZK12.30", "EUR12."] {
            assert_eq!(fault("EUR12.30", wrong), "/amount", "{wrong}");
        }
        assert_eq!(fault("002", "001"), "/bic");
        assert_eq!(fault("SCT\n", "SCT\nTATR"), "/bic");
        assert_eq!(fault("Obchod", &"O".repeat(70)), "/name");
        assert_eq!(fault("\n\n\nVS", "\nGDDSX\n\nVS"), "/purpose");
        assert_eq!(fault("\n\n\nVS", "\n\nRF18539007547034\nVS"), "/text");
        assert_eq!(fault("\n\n\nVS 77", "\n\nRF19539007547034"), "/reference");
        assert_eq!(decode(&CODE.replace("\n\n\nVS 77", "\n\nRF18539007547034")).unwrap().faults, []);
        assert_eq!(fault("VS 77", &"V".repeat(141)), "/text");
        assert_eq!(fault("VS 77", &format!("VS\n{}", "i".repeat(71))), "/information");
        assert_eq!(decode(&CODE.replace("SCT\n", "SCT\nTATRSKBX").replace("002", "001")).unwrap().faults, []);
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd_to_read(text in "(BCD\n)?[\\PC\n]{0,60}") {
            let _ = decode(&text);
        }
    }
}
