//! Files and texts inside answers.

use std::sync::LazyLock;

use harness::wire::exchange::Request;
use harness::wire::format::FileFormat;
use serde_json::{Value, json};

static ABO: LazyLock<FileFormat> = LazyLock::new(|| format(&json!({"abo": {"charset": "windows-1250"}})));
static BASE64: LazyLock<FileFormat> = LazyLock::new(|| format(&json!({"base64": {"abo": {}}})));
static BY_SQUARE: LazyLock<FileFormat> = LazyLock::new(|| format(&json!({"pay-by-square": {}})));
static CSV: LazyLock<FileFormat> = LazyLock::new(|| format(&json!({"csv": {"separator": ";", "charset": "windows-1250"}})));
static EPC: LazyLock<FileFormat> = LazyLock::new(|| format(&json!({"epc": {}})));
static SPAYD: LazyLock<FileFormat> = LazyLock::new(|| format(&json!({"spayd": {}})));
static ZIP: LazyLock<FileFormat> = LazyLock::new(|| format(&json!({"zip": {"csv": {"separator": ";"}}})));

fn format(value: &Value) -> FileFormat {
    FileFormat::parse(value).expect("a format")
}

/// Statements of accounts.
pub fn abo(bytes: &[u8]) {
    is_read_or_refused(&ABO, bytes);
}

/// Statements in Base64.
pub fn base64(bytes: &[u8]) {
    is_read_or_refused(&BASE64, bytes);
}

/// Slovak QR payments: packed texts.
pub fn by_square(bytes: &[u8]) {
    is_read_or_refused(&BY_SQUARE, bytes);
}

/// Tables.
pub fn csv(bytes: &[u8]) {
    is_read_or_refused(&CSV, bytes);
}

/// SEPA QR payments.
pub fn epc(bytes: &[u8]) {
    is_read_or_refused(&EPC, bytes);
}

/// Czech QR payments.
pub fn spayd(bytes: &[u8]) {
    is_read_or_refused(&SPAYD, bytes);
}

/// Archives of tables.
pub fn zip(bytes: &[u8]) {
    is_read_or_refused(&ZIP, bytes);
}

/// The bytes are read, or the fault has words. Twice the same bytes say twice the same.
fn is_read_or_refused(format: &FileFormat, bytes: &[u8]) {
    let request = Request::default();
    let read = format.decode(bytes, &request);
    match &read {
        Ok(view) => {
            assert!(view.faults.iter().all(|fault| !fault.message.is_empty()));
            let _ = view.places.position("/rows/0");
            let _ = view.value.to_string();
        }
        Err(fault) => assert!(!fault.message.is_empty()),
    }
    let _ = format.text(bytes, &request);
    assert_eq!(format.decode(bytes, &request), read);
}
