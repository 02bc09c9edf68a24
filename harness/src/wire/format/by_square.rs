//! PAY by square, the QR payment of Slovak banks: base32hex of a header and of tab-separated fields with
//! a CRC32 before them, packed by LZMA.

use std::io::Read;

use lzma_rust2::LzmaReader;
use serde_json::{Map, Value, json};

use super::iban;
use super::rules::{self, bic, currency, day};
use super::view::View;
use crate::base::file_position::FilePosition;
use crate::base::text::is_digits;
use crate::wire::exchange::BodyFault;

/// The LZMA parameters of the standard; the stream carries no header of its own.
const LC: u32 = 3;
const LP: u32 = 0;
const PB: u32 = 2;
const DICTIONARY: u32 = 1 << 17;
/// The last version of the standard, 1.2, as the header counts them.
const LATEST: u8 = 2;
/// The bytes of the checksum before the fields.
const CRC: usize = 4;

/// The view `{invoiceId, payments: [{…}]}` of a code.
pub(super) fn decode(text: &str) -> Result<View, BodyFault> {
    let bytes = base32hex(text)?;
    let [first, _, low, high, packed @ ..] = bytes.as_slice() else { return Err(code_fault("the code is too short")) };
    if first >> 4 != 0 {
        return Err(code_fault(format!("the code is of the by square type {}, PAY by square is 0", first >> 4)));
    }
    if first & 0xf > LATEST {
        return Err(code_fault(format!("the code is of the version {}, the last of PAY by square is {LATEST}", first & 0xf)));
    }
    let size = u16::from_le_bytes([*low, *high]);
    let data = unpacked(packed, usize::from(size))?;
    let (crc, body) = data.split_at_checked(CRC).ok_or_else(|| code_fault("the code is too short"))?;
    let mut faults = Vec::new();
    if crc != crc32fast::hash(body).to_le_bytes() {
        faults.push(code_fault("the checksum (CRC32) is wrong"));
    }
    let body = std::str::from_utf8(body).map_err(|_| code_fault("the fields are not UTF-8"))?;
    let value = Fields::split(body).order(&mut faults).ok_or_else(|| code_fault("the fields end before the payment is whole"))?;
    Ok(View { value, faults, ..View::default() })
}

fn code_fault(message: impl Into<String>) -> BodyFault {
    BodyFault::new(FilePosition::whole(), message)
}

fn unpacked(packed: &[u8], size: usize) -> Result<Vec<u8>, BodyFault> {
    let broken = |error: std::io::Error| code_fault(format!("the code can't be unpacked: {error}"));
    let reader = LzmaReader::new(packed, size as u64, LC, LP, PB, DICTIONARY, None).map_err(broken)?;
    let mut data = Vec::new();
    reader.take(size as u64).read_to_end(&mut data).map_err(broken)?;
    Ok(data)
}

/// RFC 4648 base32hex without padding.
fn base32hex(text: &str) -> Result<Vec<u8>, BodyFault> {
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0_u32);
    for (index, c) in text.chars().enumerate() {
        let digit = c.to_digit(32).filter(|_| !c.is_ascii_lowercase());
        let digit = digit.ok_or_else(|| {
            BodyFault::new(
                FilePosition::character(index + 1),
                format!("{c:?} is no character of PAY by square, which has digits and the letters A to V"),
            )
        })?;
        held = (held << 5) | digit;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((held >> bits) & 0xff).unwrap_or_default());
            held &= (1 << bits) - 1;
        }
    }
    Ok(bytes)
}

/// The fields in their order.
struct Fields<'f> {
    rest: std::str::Split<'f, char>,
}

impl<'f> Fields<'f> {
    fn split(body: &'f str) -> Self {
        Self { rest: body.split('\t') }
    }

    fn text(&mut self) -> Option<String> {
        self.rest.next().map(str::to_owned)
    }

    fn count(&mut self) -> Option<usize> {
        let text = self.rest.next()?;
        if text.is_empty() { Some(0) } else { text.parse().ok().filter(|count| *count < 100) }
    }

    /// A payment order: the invoice, its payments, then the payees.
    fn order(&mut self, faults: &mut Vec<BodyFault>) -> Option<Value> {
        let invoice = self.text()?;
        faults.extend(rules::length(&invoice, 10).map(|message| code_fault(message).about("/invoiceId")));
        let count = self.count()?;
        let mut payments = (0..count).map(|index| self.payment(index, faults)).collect::<Option<Vec<_>>>()?;
        // Older versions of the standard end here.
        for payment in &mut payments {
            for name in ["beneficiaryName", "beneficiaryAddressLine1", "beneficiaryAddressLine2"] {
                if let Some(text) = self.text().filter(|text| !text.is_empty()) {
                    payment.insert(name.to_owned(), Value::String(text));
                }
            }
        }
        let payments: Vec<Value> = payments.into_iter().map(Value::Object).collect();
        Some(json!({ "invoiceId": invoice, "payments": payments }))
    }

    fn payment(&mut self, index: usize, faults: &mut Vec<BodyFault>) -> Option<Map<String, Value>> {
        let mut payment = Map::new();
        for name in ["type", "amount", "currency", "dueDate", "variableSymbol", "constantSymbol", "specificSymbol", "reference", "note"] {
            let text = self.text()?;
            if !text.is_empty() {
                faults.extend(broken(name, &text).map(|message| code_fault(message).about(format!("/payments/{index}/{name}"))));
                payment.insert(name.to_owned(), Value::String(text));
            }
        }
        let accounts = (0..self.count()?).map(|account| self.account(index, account, faults)).collect::<Option<Vec<_>>>()?;
        payment.insert("accounts".to_owned(), Value::Array(accounts));
        // A standing order has four fields more, a direct debit ten.
        for following in [4, 10] {
            if self.text()? == "1" {
                (0..following).try_for_each(|_| self.text().map(|_| ()))?;
            }
        }
        Some(payment)
    }

    fn account(&mut self, payment: usize, index: usize, faults: &mut Vec<BodyFault>) -> Option<Value> {
        let (iban, bank) = (self.text()?, self.text()?);
        if let Some(message) = iban::fault(&iban) {
            faults.push(code_fault(message).about(format!("/payments/{payment}/accounts/{index}/iban")));
        }
        if let Some(message) = bic(&bank).filter(|_| !bank.is_empty()) {
            faults.push(code_fault(message).about(format!("/payments/{payment}/accounts/{index}/bic")));
        }
        Some(json!({ "iban": iban, "bic": bank }))
    }
}

/// The rule of the standard that a field of a payment breaks.
fn broken(name: &str, text: &str) -> Option<String> {
    match name {
        "amount" => amount(text),
        "currency" => currency(text),
        "dueDate" => day(text),
        "variableSymbol" | "specificSymbol" => rules::digits(text, 10),
        "constantSymbol" => rules::digits(text, 4),
        "reference" => rules::length(text, 35),
        "note" => rules::length(text, 140),
        _ => None,
    }
}

/// At most fifteen characters, a dot before the decimals; zeros may follow the two decimals of the currency.
fn amount(text: &str) -> Option<String> {
    let (units, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let good = text.len() <= 15 && is_digits(units) && is_digits(decimals) && decimals.bytes().skip(2).all(|byte| byte == b'0');
    (!good).then(|| format!("{text:?} is no amount like 1.50, of at most 15 characters"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BODY: &str = "\t1\t1\t1.50\tEUR\t20261121\t77\t0308\t\t\tnote\t1\tSK3112000000198742637541\tTATRSKBX\t0\t0\tObchod\t\t";

    fn encoded(body: &str, spoil: impl Fn(&mut Vec<u8>)) -> String {
        use lzma_rust2::{LzmaOptions, LzmaWriter};
        use std::io::Write;
        let mut data = crc32fast::hash(body.as_bytes()).to_le_bytes().to_vec();
        data.extend_from_slice(body.as_bytes());
        spoil(&mut data);
        let options = LzmaOptions { dict_size: DICTIONARY, lc: LC, lp: LP, pb: PB, ..LzmaOptions::default() };
        let mut writer = LzmaWriter::new_no_header(Vec::new(), &options, true).unwrap();
        writer.write_all(&data).unwrap();
        let packed = writer.finish().unwrap();
        let mut bytes = vec![0, 0];
        bytes.extend_from_slice(&u16::try_from(data.len()).unwrap().to_le_bytes());
        bytes.extend(packed);
        let bits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
        let digits = bits.as_bytes().chunks(5).map(|chunk| format!("{:0<5}", std::str::from_utf8(chunk).unwrap()));
        digits.map(|five| char::from_digit(u32::from_str_radix(&five, 2).unwrap(), 32).unwrap().to_ascii_uppercase()).collect()
    }

    #[test]
    fn a_code_is_read() {
        let view = decode(&encoded(BODY, |_| {})).unwrap();
        assert_eq!(view.faults, []);
        let payment = &view.value["payments"][0];
        assert_eq!((&payment["amount"], &payment["currency"], &payment["variableSymbol"]), (&"1.50".into(), &"EUR".into(), &"77".into()));
        assert_eq!(payment["accounts"][0]["iban"], "SK3112000000198742637541");
        assert_eq!(payment["beneficiaryName"], "Obchod");
    }

    #[test]
    fn each_fault_is_reported() {
        let wrong_sum = decode(&encoded(BODY, |data| data[0] ^= 1)).unwrap();
        assert!(wrong_sum.faults[0].message.contains("CRC32"));
        let wrong_iban = decode(&encoded(&BODY.replace("7541", "7540"), |_| {})).unwrap();
        assert_eq!(wrong_iban.faults[0].pointer, "/payments/0/accounts/0/iban");
        for (right, wrong, pointer) in [
            ("1.50", "1,50", "/payments/0/amount"),
            ("1.50", "1.505", "/payments/0/amount"),
            ("EUR", "978", "/payments/0/currency"),
            ("20261121", "20261399", "/payments/0/dueDate"),
            ("\t77\t", "\t12345678901\t", "/payments/0/variableSymbol"),
            ("0308", "03088", "/payments/0/constantSymbol"),
            ("TATRSKBX", "TATR", "/payments/0/accounts/0/bic"),
            ("SK3112000000198742637541", "SK311200000019874263754", "/payments/0/accounts/0/iban"),
        ] {
            let faults = decode(&encoded(&BODY.replace(right, wrong), |_| {})).unwrap().faults;
            assert_eq!(faults.iter().map(|fault| fault.pointer.as_str()).collect::<Vec<_>>(), [pointer], "{wrong}");
        }
        assert!(decode(&encoded("\t1\t1\t1.50", |_| {})).unwrap_err().message.contains("end before"));
        assert!(decode("SPD*1.0").is_err());
        assert!(decode("").is_err());
        let whole = encoded(BODY, |_| {});
        assert!(decode(&whole[..whole.len() / 2]).is_err());
        assert!(decode(&format!("1S{}", &whole[2..])).unwrap_err().message.contains("version 15"));
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd_to_read(text in "[0-9A-V]{0,200}") {
            let _ = decode(&text);
        }
    }
}
