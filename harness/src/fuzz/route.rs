//! Which operation stands at an address.

use indexmap::IndexMap;
use url::Url;

use super::draft::Draft;
use crate::contract::{Contracts, PathTemplate};
use crate::target::Target;

/// The addresses of all operations on a target.
pub(super) struct Routes {
    /// Method, path below the base URL, operation.
    known: Vec<(String, PathTemplate, String)>,
}

impl Routes {
    pub(super) fn of(contracts: &Contracts, target: &Target) -> Self {
        Self::new(contracts.operations.values().map(|o| (o.method.clone(), o.path.clone(), o.id.clone())), &target.paths)
    }

    fn new(operations: impl Iterator<Item = (String, PathTemplate, String)>, own: &IndexMap<String, String>) -> Self {
        let with_own = |(method, path, id): (String, PathTemplate, String)| {
            let path = own.get(&id).map_or(path, |path| PathTemplate::new(path.as_str()));
            (method, path, id)
        };
        Self { known: operations.map(with_own).collect() }
    }

    /// The operation at the draft's address below a base URL. One without parameters goes before one with.
    pub(super) fn find(&self, base: &Url, draft: &Draft) -> Option<&str> {
        let prefix = base.path().trim_end_matches('/').as_bytes();
        let path = draft.path.strip_prefix(prefix)?;
        let fitting = self.known.iter().filter(|(method, template, _)| *method == draft.method && fits(template, path));
        fitting.min_by_key(|(_, template, _)| template.parameters().count()).map(|(_, _, id)| id.as_str())
    }
}

/// Whether a path is one of a template: a parameter stands for anything but a `/`.
fn fits(template: &PathTemplate, path: &[u8]) -> bool {
    let template: Vec<&str> = template.as_str().split('/').collect();
    let path: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    template.len() == path.len() && template.iter().zip(path).all(|(wanted, segment)| fits_segment(wanted, segment))
}

fn fits_segment(wanted: &str, segment: &[u8]) -> bool {
    let Some((before, rest)) = wanted.split_once('{') else { return wanted.as_bytes() == segment };
    let after = rest.rsplit_once('}').map_or("", |(_, after)| after);
    let inner = segment.strip_prefix(before.as_bytes()).and_then(|segment| segment.strip_suffix(after.as_bytes()));
    inner.is_some_and(|inner| !inner.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_stays_in_its_segment() {
        let template = PathTemplate::new("/v2.0/payment/transId/{transId}.json");
        for (path, expected) in [
            ("/v2.0/payment/transId/AB12.json", true),
            ("/v2.0/payment/transId/%2e%2e.json", true),
            ("/v2.0/payment/transId/.json", false),
            ("/v2.0/payment/transId/a/b.json", false),
            ("//v2.0/payment/transId/AB12.json", false),
            ("/v2.0/payment/transId/AB12.json/", false),
        ] {
            assert_eq!(fits(&template, path.as_bytes()), expected, "{path}");
        }
    }
}
