//! Selection by parts of a name: `--filter` and `--exclude`.

/// Which names are selected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameFilter {
    /// Names that contain one of these; all when empty.
    pub only: Vec<String>,
    /// Of those, none that contains one of these.
    pub except: Vec<String>,
}

impl NameFilter {
    /// Whether a name is selected.
    pub fn takes(&self, name: &str) -> bool {
        is_selected(name, &self.only) && !self.except.iter().any(|part| name.contains(part.as_str()))
    }

    /// Whether every name is selected.
    pub fn takes_all(&self) -> bool {
        self.only.is_empty() && self.except.is_empty()
    }
}

/// Whether a name contains one of the parts. No part selects every name.
pub fn is_selected(name: &str, parts: &[String]) -> bool {
    parts.is_empty() || parts.iter().any(|part| name.contains(part.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(parts: &[&str]) -> Vec<String> {
        parts.iter().map(|part| (*part).to_owned()).collect()
    }

    #[test]
    fn a_name_is_selected_by_any_part_and_by_none() {
        assert!(is_selected("gateway / refund", &[]) && is_selected("gateway / refund", &parts(&["status", "refund"])));
        assert!(!is_selected("gateway / refund", &parts(&["status"])));
    }

    #[test]
    fn what_is_left_out_is_left_out_of_what_is_selected() {
        let filter = |only: &[&str], except: &[&str]| NameFilter { only: parts(only), except: parts(except) };
        assert!(filter(&[], &[]).takes_all() && filter(&[], &[]).takes("gateway / refund"));
        let without = filter(&[], &["qr", "late"]);
        assert!(!without.takes_all() && without.takes("gateway / refund") && !without.takes("qr / refund"));
        let both = filter(&["refund"], &["qr"]);
        assert!(both.takes("gateway / refund") && !both.takes("qr / refund") && !both.takes("gateway / status"));
    }
}
