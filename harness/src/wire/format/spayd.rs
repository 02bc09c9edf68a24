//! SPAYD, the Short Payment Descriptor of Czech QR payments: `SPD*1.0*ACC:CZ…*AM:10.00*CC:CZK*`.

use serde_json::{Map, Value};

use super::iban;
use super::view::View;
use crate::base::file_position::FilePosition;
use crate::wire::exchange::BodyFault;

/// The view `{version, ACC, AM, CC, …}` of a descriptor; `ACC` without the BIC that may follow it.
pub(super) fn decode(text: &str) -> Result<View, BodyFault> {
    let mut parts = text.split('*');
    if parts.next() != Some("SPD") {
        return Err(BodyFault::new(FilePosition::whole(), "a SPAYD begins with `SPD*`"));
    }
    let version = parts.next().unwrap_or_default();
    let mut faults = Vec::new();
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if version.split_once('.').is_none_or(|(major, minor)| !digits(major) || !digits(minor)) {
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
        if view.insert(key.to_owned(), Value::String(value)).is_some() {
            faults.push(BodyFault::new(position, format!("`{key}` is there twice")).about(format!("/{key}")));
        }
    }
    faults.extend(account(&mut view));
    Ok(View { value: Value::Object(view), faults, ..View::default() })
}

/// The account is `IBAN` or `IBAN+BIC`; it must be there and right.
fn account(view: &mut Map<String, Value>) -> Option<BodyFault> {
    let Some(Value::String(account)) = view.get_mut("ACC") else {
        return Some(BodyFault::new(FilePosition::whole(), "a SPAYD needs an account, `ACC`").about("/ACC"));
    };
    let iban = account.split('+').next().unwrap_or_default().to_owned();
    account.clone_from(&iban);
    iban::fault(&iban).map(|message| BodyFault::new(FilePosition::whole(), message).about("/ACC"))
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
        } else {
            byte
        });
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
    fn what_breaks_it_is_told() {
        let fault = |text: &str| decode(text).unwrap().faults.first().map(|f| (f.pointer.clone(), f.message.clone())).unwrap();
        assert!(fault("SPD*1.0*ACC:CZ6508000000192000145398*").1.contains("check digits"));
        assert_eq!(fault("SPD*1.0*AM:1.00*").0, "/ACC");
        assert_eq!(fault("SPD*x*ACC:CZ6508000000192000145399*").0, "/version");
        assert!(fault("SPD*1.0*ACC:CZ6508000000192000145399*AM:1*AM:2*").1.contains("twice"));
        assert!(fault("SPD*1.0*ACC:CZ6508000000192000145399*MSG:%zz*").1.contains("percent"));
        assert!(decode("00020101").is_err());
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd_to_read(text in "(SPD\\*)?\\PC{0,60}") {
            let _ = decode(&text);
        }
    }
}
