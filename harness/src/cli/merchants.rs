//! The merchants of the emulator in this binary: `merchants.json`. Two, so that one can be compared with the other. Their secrets only
//! open worlds that end with the run; they are masked all the same.

use std::sync::LazyLock;

use indexmap::IndexMap;

use crate::spec::target::{Credential, MAIN, OTHER};

/// The field that identifies a merchant.
const ID: &str = "merchant";

/// A file that cannot be read gives no merchants; a test reads it.
static MERCHANTS: LazyLock<IndexMap<String, Credential>> =
    LazyLock::new(|| serde_json::from_str(include_str!("merchants.json")).unwrap_or_default());

/// Their credentials, by identity.
pub(super) fn credentials() -> &'static IndexMap<String, Credential> {
    &MERCHANTS
}

/// The names that target files have for the parts of a credential.
pub(super) fn parts() -> impl Iterator<Item = &'static str> {
    MERCHANTS.values().next().into_iter().flat_map(|credential| credential.keys()).map(String::as_str)
}

/// The merchant that is meant where none is named.
pub(super) fn main_id() -> &'static str {
    main_part(ID)
}

/// The merchant beside it.
pub(super) fn other_id() -> &'static str {
    other_part(ID)
}

/// A part of the credential of the merchant that is meant where none is named.
pub(super) fn main_part(part: &str) -> &'static str {
    part_of(MAIN, part)
}

/// A part of the credential of the merchant beside it.
pub(super) fn other_part(part: &str) -> &'static str {
    part_of(OTHER, part)
}

fn part_of(identity: &str, part: &str) -> &'static str {
    MERCHANTS.get(identity).and_then(|credential| credential.get(part)).map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use emulator::MerchantSettings;
    use serde_json::Value;

    use super::*;

    #[test]
    fn both_have_every_part_and_the_emulator_knows_each() {
        let settings = serde_json::to_value(MerchantSettings::named(main_id())).unwrap();
        for identity in [MAIN, OTHER] {
            let credential = &credentials()[identity];
            assert_eq!(credential.keys().map(String::as_str).collect::<Vec<_>>(), parts().collect::<Vec<_>>());
            for (part, value) in credential {
                assert!(!value.is_empty() && settings.get(part).is_some_and(Value::is_string), "{part}");
            }
        }
        assert_eq!(credentials().len(), 2);
        assert_ne!(main_id(), other_id());
    }
}
