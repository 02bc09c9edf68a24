//! Amounts in templates: `{{ row.price | minor_units }}`.

use minijinja::{Error, ErrorKind};
use serde_json::Value;

use crate::spec::contract::AmountFormat;

/// The filter `minor_units`: an amount with a decimal comma in minor units, so that a script can compute with it.
#[expect(clippy::needless_pass_by_value, reason = "a filter takes its value")]
pub(super) fn minor_units(text: String) -> Result<i64, Error> {
    let unreadable = || Error::new(ErrorKind::InvalidOperation, format!("`{text}` is no amount with a decimal comma"));
    AmountFormat::Comma.minor_units(&Value::from(text.as_str())).ok_or_else(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_a_whole_number_of_minor_units() {
        assert_eq!(["1,50", "-1 234,5600", "0,00"].map(|text| minor_units(text.to_owned()).unwrap()), [150, -123_456, 0]);
        assert!(minor_units("none".to_owned()).is_err());
    }
}
