//! SPAYD, the Short Payment Descriptor of Czech QR payments: `SPD*1.0*ACC:CZ…*AM:10.00*CC:CZK*`.

use serde_json::{Map, Value};

use super::iban;
use super::rules::{self, amount, bic, currency, day};
use super::view::View;
use crate::base::file_position::FilePosition;
use crate::base::text::{hex_byte, is_digits};
use crate::wire::exchange::BodyFault;

/// The view `{version, ACC, AM, CC, …}` of a descriptor; `ACC` without the BIC that may follow it.
pub(super) fn decode(text: &str) -> Result<View, BodyFault> {
    let mut parts = text.split('*');
    if parts.next() != Some("SPD") {
        return Err(BodyFault::new(FilePosition::whole(), "a SPAYD begins with `SPD*`"));
    }
    let version = parts.next().unwrap_or_default();
    let mut faults = Vec::new();
    if version.split_once('.').is_none_or(|(major, minor)| !is_digits(major) || !is_digits(minor)) {
        faults.push(BodyFault::new(FilePosition::whole(), format!("{version:?} is no version of SPAYD")).about("/version"));
    }
    let mut view = Map::from_iter([("version".to_owned(), Value::String(version.to_owned()))]);
    for (index, part) in parts.enumerate().filter(|(_, part)| !part.is_empty()) {
        let position = FilePosition::attribute(index + 1);
        let Some((key, value)) = part.split_once(':') else {
            faults.push(BodyFault::new(position, format!("{part:?} is no `KEY:value`")));
            continue;
        };
        if key.is_empty() || !key.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'-') {
            faults.push(BodyFault::new(position.clone(), format!("{key:?} is no key")));
        }
        let Some(value) = unescaped(value) else {
            faults.push(BodyFault::new(position, format!("{value:?} is not percent-encoded UTF-8")).about(format!("/{key}")));
            continue;
        };
        faults.extend(broken(key, &value).map(|message| BodyFault::new(position.clone(), message).about(format!("/{key}"))));
        if view.insert(key.to_owned(), Value::String(value)).is_some() {
            faults.push(BodyFault::new(position, format!("`{key}` is there twice")).about(format!("/{key}")));
        }
    }
    faults.extend(account(&mut view));
    faults.extend(wrong_checksum(text));
    Ok(View { value: Value::Object(view), faults, ..View::default() })
}

/// The rule of the standard that a value breaks; unknown keys are allowed.
fn broken(key: &str, value: &str) -> Option<String> {
    match key {
        "AM" => amount(value),
        "CC" => currency(value),
        "DT" => day(value),
        "RF" => rules::digits(value, 16),
        "X-VS" | "X-SS" | "X-KS" => rules::digits(value, 10),
        "X-PER" => rules::digits(value, 2),
        "PT" => rules::length(value, 3),
        "X-ID" => rules::length(value, 20),
        "RN" => rules::length(value, 35),
        "MSG" => rules::length(value, 60),
        "X-URL" => rules::length(value, 140),
        "NTA" => rules::length(value, 320),
        "NT" => (!matches!(value, "P" | "E")).then(|| format!("{value:?} is neither `P`, a phone, nor `E`, an e-mail")),
        "CRC32" => checksum(value),
        "ALT-ACC" => alternatives(value),
        _ => None,
    }
}

fn checksum(value: &str) -> Option<String> {
    let good = value.len() == 8 && value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'A'..=b'F'));
    (!good).then(|| format!("{value:?} is no checksum of 8 hexadecimal digits"))
}

/// Compares a checksum with the one of all other attributes.
fn wrong_checksum(text: &str) -> Option<BodyFault> {
    let (sums, others): (Vec<&str>, Vec<&str>) =
        text.split('*').filter(|part| !part.is_empty()).partition(|part| part.starts_with("CRC32:"));
    let [sum] = sums.as_slice() else { return None };
    let stated = sum.split_once(':').map(|(_, value)| value).filter(|value| checksum(value).is_none())?;
    let right = readings(&others).iter().any(|reading| format!("{:08X}", crc32fast::hash(reading.as_bytes())) == stated);
    (!right).then(|| BodyFault::new(FilePosition::whole(), format!("the checksum {stated} is wrong")).about("/CRC32"))
}

/// The texts that implementations sum: attributes sorted or as they stand, escaped or not, with or without the asterisk at the end.
fn readings(parts: &[&str]) -> Vec<String> {
    let Some((head, attributes)) = parts.split_at_checked(2) else { return Vec::new() };
    let plain = attributes.iter().map(|attribute| unescaped(attribute).unwrap_or_default()).collect();
    let mut orders: Vec<Vec<String>> = vec![attributes.iter().map(|&attribute| attribute.to_owned()).collect(), plain];
    orders.extend(orders.clone().into_iter().map(|mut order| {
        order.sort_unstable();
        order
    }));
    let joined = orders.into_iter().map(|order| format!("{}*{}", head.join("*"), order.join("*")));
    joined.flat_map(|text| [format!("{text}*"), text]).collect()
}

/// At most two more accounts, each `IBAN` or `IBAN+BIC`.
fn alternatives(value: &str) -> Option<String> {
    let accounts: Vec<&str> = value.split(',').collect();
    let fault = accounts.iter().find_map(|account| iban::fault(account.split('+').next().unwrap_or_default()).or_else(|| bank(account)));
    fault.or_else(|| (accounts.len() > 2).then(|| format!("{} accounts are more than the 2 that it may have", accounts.len())))
}

fn bank(account: &str) -> Option<String> {
    account.split_once('+').and_then(|(_, bank)| bic(bank))
}

/// Checks the required account, `IBAN` or `IBAN+BIC`.
fn account(view: &mut Map<String, Value>) -> Option<BodyFault> {
    let Some(Value::String(account)) = view.get_mut("ACC") else {
        return Some(BodyFault::new(FilePosition::whole(), "a SPAYD needs an account, `ACC`").about("/ACC"));
    };
    let (iban, bank) = (account.split('+').next().unwrap_or_default().to_owned(), bank(account));
    account.clone_from(&iban);
    iban::fault(&iban).or(bank).map(|message| BodyFault::new(FilePosition::whole(), message).about("/ACC"))
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' { hex_byte(rest.next()?, rest.next()?)? } else { byte });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_descriptor_is_read() {
        let view = decode("SPD*1.0*ACC:CZ6508000000192000145399+GIBACZPX*AM:450.00*CC:CZK*MSG:PLATBA%20%C5%BE*X-VS:1234567890*").unwrap();
        assert_eq!(view.faults, []);
        assert_eq!(
            view.value,
            json!({"version": "1.0", "ACC": "CZ6508000000192000145399", "AM": "450.00", "CC": "CZK", "MSG": "PLATBA ž", "X-VS": "1234567890"})
        );
    }

    #[test]
    fn each_fault_is_reported() {
        let fault = |text: &str| decode(text).unwrap().faults.first().map(|f| (f.pointer.clone(), f.message.clone())).unwrap();
        assert!(fault("SPD*1.0*ACC:CZ6508000000192000145398*").1.contains("check digits"));
        assert_eq!(fault("SPD*1.0*AM:1.00*").0, "/ACC");
        assert_eq!(fault("SPD*x*ACC:CZ6508000000192000145399*").0, "/version");
        assert!(fault("SPD*1.0*ACC:CZ6508000000192000145399*AM:1*AM:2*").1.contains("twice"));
        for escaped in ["%zz", "%+5", "%5", "%-1", "a%"] {
            assert!(fault(&format!("SPD*1.0*ACC:CZ6508000000192000145399*MSG:{escaped}*")).1.contains("percent"), "{escaped}");
        }
        assert!(decode("00020101").is_err());
    }

    #[test]
    fn the_standards_own_rules_decide() {
        for (attribute, words) in [
            ("AM:abc", "\"abc\" is no amount"),
            ("AM:450,00", "no amount"),
            ("CC:123", "no currency"),
            ("DT:20261399", "no day"),
            ("X-VS:12345678901", "1 to 10 digits"),
            ("X-SS:1a", "1 to 10 digits"),
            ("X-KS:", "1 to 10 digits"),
            ("X-PER:100", "1 to 2 digits"),
            ("RF:12345678901234567", "1 to 16 digits"),
            ("PT:IPIP", "4 characters are more than the 3"),
            ("NT:X", "neither `P`"),
            ("CRC32:8D8D1B9", "8 hexadecimal"),
            ("ALT-ACC:CZ6508000000192000145398", "check digits"),
            ("ALT-ACC:CZ6508000000192000145399+GIBA", "no BIC"),
            ("ALT-ACC:CZ6508000000192000145399,CZ6508000000192000145399,CZ6508000000192000145399", "3 accounts"),
        ] {
            let view = decode(&format!("SPD*1.0*ACC:CZ6508000000192000145399*{attribute}*")).unwrap();
            let [fault] = view.faults.as_slice() else { panic!("{attribute}: {:?}", view.faults) };
            assert!(fault.message.contains(words), "{attribute}: {}", fault.message);
            assert_eq!(fault.pointer, format!("/{}", attribute.split(':').next().unwrap()));
            assert_eq!(fault.position, FilePosition::attribute(2));
        }
        let sums = |sum: &str| decode(&format!("SPD*1.0*ACC:CZ6508000000192000145399*CC:CZK*AM:450.00*CRC32:{sum}")).unwrap().faults;
        for as_it_is_summed in
            ["SPD*1.0*ACC:CZ6508000000192000145399*AM:450.00*CC:CZK", "SPD*1.0*ACC:CZ6508000000192000145399*CC:CZK*AM:450.00*"]
        {
            assert_eq!(sums(&format!("{:08X}", crc32fast::hash(as_it_is_summed.as_bytes()))), []);
        }
        assert_eq!(sums("00003039")[0].pointer, "/CRC32");
        let long = format!("SPD*1.0*ACC:CZ6508000000192000145399*MSG:{}*", "%C5%BE".repeat(61));
        assert!(decode(&long).unwrap().faults[0].message.contains("61 characters"));
        let bank = decode("SPD*1.0*ACC:CZ6508000000192000145399+GIBA*").unwrap().faults;
        assert_eq!((bank.len(), bank[0].pointer.as_str()), (1, "/ACC"));
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd_to_read(text in "(SPD\\*)?\\PC{0,60}") {
            let _ = decode(&text);
        }
    }
}
