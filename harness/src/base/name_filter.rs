//! Selection by parts of a name: `--filter`.

/// Whether a name contains one of the parts. No part selects every name.
pub fn is_selected(name: &str, parts: &[String]) -> bool {
    parts.is_empty() || parts.iter().any(|part| name.contains(part.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_selected_by_any_part_and_by_none() {
        let parts = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
        assert!(is_selected("gateway / refund", &[]) && is_selected("gateway / refund", &parts(&["status", "refund"])));
        assert!(!is_selected("gateway / refund", &parts(&["status"])));
    }
}
