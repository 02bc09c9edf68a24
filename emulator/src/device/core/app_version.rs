//! The version of the application, "kept for diagnostics".

use super::Refusal;

/// "String up to 64 characters."
const LONGEST: usize = 64;

/// Checks an optional version.
pub(crate) fn check(version: Option<&str>) -> Result<Option<&str>, Refusal> {
    if version.is_some_and(|version| version.chars().count() > LONGEST) {
        return Err(Refusal::invalid("appVersion has up to 64 characters"));
    }
    Ok(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_up_to_64_characters() {
        let (longest, longer) = ("š".repeat(64), "š".repeat(65));
        assert_eq!(check(Some(&longest)), Ok(Some(longest.as_str())));
        assert!(check(Some(&longer)).is_err());
        assert_eq!(check(None), Ok(None));
    }
}
