//! PAY by square 1.1.0, the payment code of Slovak banks: fields joined by tabs, a CRC-32 in front, LZMA without its own
//! header, a header of two bytes and the length of the plain text, all in base 32.

use std::io::Write as _;

use data_encoding::BASE32HEX_NOPAD;
use lzma_rust2::{EncodeMode, LzmaOptions, LzmaWriter, MfType};

use super::payee::PayeeAccount;
use crate::qr::core::Currency;

/// Four nibbles: by square type 0 (PAY), version 1 (1.1.0), document type 0 (payment), reserved.
const HEADER: [u8; 2] = [0x01, 0x00];
/// "lc=3, lp=0, pb=2" and a dictionary of 128 KiB.
const DICTIONARY: u32 = 128 * 1024;

/// Account, amount, currency and variable symbol.
pub(super) fn write(payee: &PayeeAccount, amount: &str, currency: Currency, symbol: u32) -> String {
    let fields = fields(payee, amount, currency, symbol);
    let mut plain = crc32fast::hash(fields.as_bytes()).to_le_bytes().to_vec();
    plain.extend_from_slice(fields.as_bytes());
    // The fields are far shorter than 64 KiB.
    let length = u16::try_from(plain.len()).unwrap_or(u16::MAX);
    let mut code = HEADER.to_vec();
    code.extend(length.to_le_bytes());
    code.extend(compressed(&plain));
    BASE32HEX_NOPAD.encode(&code)
}

/// The fields in the order of the specification; what the payment doesn't have is empty.
fn fields(payee: &PayeeAccount, amount: &str, currency: Currency, symbol: u32) -> String {
    let (invoice_id, payments) = ("", "1");
    let payment_order = "1";
    let symbol = symbol.to_string();
    let (due_date, constant_symbol, specific_symbol, reference, note) = ("", "", "", "", "");
    let accounts = "1";
    let (standing_order, direct_debit) = ("0", "0");
    let (address_line_1, address_line_2) = ("", "");
    [
        invoice_id,
        payments,
        payment_order,
        amount,
        currency.as_str(),
        due_date,
        &symbol,
        constant_symbol,
        specific_symbol,
        reference,
        note,
        accounts,
        payee.iban,
        payee.bic,
        standing_order,
        direct_debit,
        payee.name,
        address_line_1,
        address_line_2,
    ]
    .join("\t")
}

/// Raw LZMA. It ends with a marker, as `xz --format=raw` writes it: readers that know the length ignore it, the others
/// need it.
fn compressed(plain: &[u8]) -> Vec<u8> {
    let options = LzmaOptions::new(DICTIONARY, 3, 0, 2, EncodeMode::Normal, 64, MfType::Hc4, 0);
    // Writing into a vector doesn't fail.
    let packed = LzmaWriter::new_no_header(Vec::new(), &options, true).and_then(|mut writer| {
        writer.write_all(plain)?;
        writer.finish()
    });
    packed.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use lzma_rust2::LzmaReader;
    use proptest::prelude::*;

    use super::super::payee::SLOVAK;
    use super::*;
    use crate::qr::core::currency::in_major_units;

    const PROPERTIES: u8 = (2 * 5 * 9) + 3;

    fn unpack(packed: &[u8], length: u64) -> Vec<u8> {
        let mut plain = Vec::new();
        LzmaReader::new_with_props(packed, length, PROPERTIES, DICTIONARY, None).unwrap().read_to_end(&mut plain).unwrap();
        plain
    }

    /// The fields of a code, as an application reads them.
    fn read(code: &str) -> Vec<String> {
        let bytes = BASE32HEX_NOPAD.decode(code.as_bytes()).unwrap();
        assert_eq!(bytes[..2], HEADER);
        let length = u16::from_le_bytes([bytes[2], bytes[3]]);
        let plain = unpack(&bytes[4..], u64::from(length));
        assert_eq!(unpack(&bytes[4..], u64::MAX), plain, "the end marker is there for readers that don't know the length");
        let (sum, fields) = plain.split_at(4);
        assert_eq!(sum, crc32fast::hash(fields).to_le_bytes());
        String::from_utf8(fields.to_vec()).unwrap().split('\t').map(str::to_owned).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn what_is_written_reads_back(amount in 1..=10_000_000_i64, symbol in 0..1_000_000_000_u32) {
            let fields = read(&write(&SLOVAK, &in_major_units(amount), Currency::Eur, symbol));
            prop_assert_eq!(fields.len(), 19);
            prop_assert_eq!(fields[3].replace('.', "").parse::<i64>().unwrap(), amount);
            prop_assert_eq!((fields[4].as_str(), fields[6].parse::<u32>().unwrap()), ("EUR", symbol));
            prop_assert_eq!((fields[12].as_str(), fields[13].as_str(), fields[16].as_str()), (SLOVAK.iban, SLOVAK.bic, SLOVAK.name));
        }
    }

    #[test]
    fn a_code_of_another_implementation_is_of_the_same_form() {
        // Made with liblzma and zlib: version 1.0.0, 100 EUR, symbol 123.
        let code = "0003O000FELSGAKG9BRR6T6DBO8SCT5CQC1FHP1IOPR5KDDB3KFHQFO3NH3ULEVU1I128LTQT1TLN46EMI1S3NVVVVNDUI00";
        let bytes = BASE32HEX_NOPAD.decode(code.as_bytes()).unwrap();
        let length = u16::from_le_bytes([bytes[2], bytes[3]]);
        let plain = unpack(&bytes[4..], u64::from(length));
        assert_eq!(plain[..4], crc32fast::hash(&plain[4..]).to_le_bytes());
        assert_eq!(plain[4..].split(|byte| *byte == b'\t').count(), 19);
    }
}
