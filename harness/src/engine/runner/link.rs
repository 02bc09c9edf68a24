//! Links from responses: a step opens them on the target's own host only.

use serde_json::Value;
use url::{Host, Url};

use super::prepare::text;
use super::session::{Session, Stop};
use crate::base::skip::SkipReason;
use crate::base::verdict::Finding;
use crate::spec::contract::Operation;
use crate::spec::scenario::{Call, Step};
use crate::spec::target::WorldKind;
use crate::wire::exchange::Exchange;

/// The destination of a link.
enum Destination {
    /// The host that returned it.
    Target(Url),
    /// Another host that may also belong to the target.
    Neighbour(String),
    /// Elsewhere; the address of the target, and that of the link.
    Elsewhere(String, String),
}

impl Session<'_> {
    /// Finds a link that leads away from the target. It is not opened.
    pub(super) fn check_link(&mut self, operation: &Operation, call: &Call, step: &Step) -> Result<(), Stop> {
        let Some(Destination::Elsewhere(own, link)) = self.destination(operation, call)? else { return Ok(()) };
        let mut finding = Finding::new("", &operation.id, "the link leads away from the target").compare(own, link);
        finding.clauses = self.named_after(step, [], &operation.clause);
        self.fail(vec![finding], step)?;
        // Nothing is opened there, whether it is documented or not.
        Err(Stop::Failed)
    }

    /// Returns the address on the target that a step opens in place of the operation's own, if it opens one.
    pub(super) fn link(&self, operation: &Operation, call: &Call) -> Result<Option<Url>, Stop> {
        match self.destination(operation, call)? {
            None => Ok(None),
            Some(Destination::Target(url)) => Ok(Some(url)),
            Some(Destination::Neighbour(link) | Destination::Elsewhere(_, link)) => {
                Err(Stop::Skipped(SkipReason::Other(format!("links are opened on the target's own host only, and one leads to {link}"))))
            }
        }
    }

    fn destination(&self, operation: &Operation, call: &Call) -> Result<Option<Destination>, Stop> {
        let Some(link) = &call.link else { return Ok(None) };
        let link = text(link, &self.variables)?;
        let link = Url::parse(&link).map_err(|error| Stop::NotJudged(format!("`{link}` can't be opened: {error}")))?;
        let base = self
            .world
            .base(&operation.api)
            .ok_or_else(|| Stop::NotJudged(format!("the target has no base URL for `{}`", operation.api)))?;
        // The address of the last request, as it is recorded; a recording knows no other.
        let asked = self.record.exchanges().filter_map(|exchange| Url::parse(&exchange.request.url).ok());
        let own: Vec<Url> = asked.filter(|url| !url.cannot_be_a_base()).collect();
        if own.iter().any(|own| own.origin() == link.origin()) {
            return Ok(Some(Destination::Target(below(base, &self.context.recorder.text(base.as_str()), &link))));
        }
        let known = matches!(self.context.target.world, WorldKind::Emulator(_));
        Ok(Some(match own.first() {
            Some(own) if is_elsewhere(own, &link, known) => Destination::Elsewhere(own.origin().ascii_serialization(), link.to_string()),
            Some(_) | None => Destination::Neighbour(link.origin().ascii_serialization()),
        }))
    }
}

/// The address behind a recorded link. `shown` is the base URL in records, which omit what differs from run to run.
fn below(base: &Url, shown: &str, link: &Url) -> Url {
    let shown = Url::parse(shown).map(|shown| shown.path().trim_end_matches('/').to_owned()).unwrap_or_default();
    let rest = link.path().strip_prefix(shown.as_str()).filter(|rest| rest.starts_with('/'));
    let mut url = base.clone();
    match rest {
        Some(rest) => url.set_path(&format!("{}{rest}", base.path().trim_end_matches('/'))),
        None => url.set_path(link.path()),
    }
    url.set_query(link.query());
    url
}

/// Whether a link cannot lead to the same service: to plain HTTP instead of TLS, or to another domain. A target addressed by an
/// IP address or as this machine may have any name, except for an emulator, which returns the name that it was addressed by.
fn is_elsewhere(own: &Url, link: &Url, knows_its_name: bool) -> bool {
    let in_the_clear = own.scheme() == "https" && link.scheme() != "https";
    let other_domain = match (own.host(), link.host()) {
        (Some(Host::Domain(own)), Some(Host::Domain(link))) if own.contains('.') => domain(own) != domain(link),
        _ => false,
    };
    in_the_clear || other_domain || knows_its_name
}

/// The last two labels of a name.
fn domain(name: &str) -> &str {
    let second = name.rmatch_indices('.').nth(1);
    second.and_then(|(at, dot)| name.get(at + dot.len()..)).unwrap_or(name)
}

/// A header of a response. `Location` is made absolute, as a browser does.
pub(super) fn header(exchange: &Exchange, name: &str) -> Option<Value> {
    let value = exchange.response()?.header(name)?;
    let absolute = (name == "location").then(|| Url::parse(&exchange.request.url).ok()?.join(value).ok()).flatten();
    Some(Value::String(absolute.map_or_else(|| value.to_owned(), String::from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_link_is_opened_where_it_leads() {
        let opened = |base: &str, shown: &str, link: &str| below(&Url::parse(base).unwrap(), shown, &Url::parse(link).unwrap()).to_string();
        let world = "http://127.0.0.1:9000/w/1-7-a3f9";
        assert_eq!(opened(world, "http://emulator/w/1-7", "http://emulator/w/1-7/AB12?lang=cs"), format!("{world}/AB12?lang=cs"));
        assert_eq!(opened(world, "http://emulator/w/1-7", "http://emulator/pay/AB12"), "http://127.0.0.1:9000/pay/AB12");
        let live = "https://payments.example.com/";
        assert_eq!(opened(live, live, "https://payments.example.com/AB12"), "https://payments.example.com/AB12");
    }

    #[test]
    fn a_link_leads_elsewhere_if_it_is_in_the_clear_or_of_another_domain() {
        let leads = |own: &str, link: &str| is_elsewhere(&Url::parse(own).unwrap(), &Url::parse(link).unwrap(), false);
        assert!(!leads("https://payments.example.com", "https://pay3.example.com/AB12"));
        assert!(!leads("https://example.com", "https://pay3.example.com/AB12"));
        assert!(leads("https://payments.example.com", "http://pay3.example.com/AB12"));
        assert!(leads("https://payments.example.com", "https://pay.example.org/AB12"));
        assert!(leads("https://payments.example.com", "https://example.com.evil.org/AB12"));
        assert!(!leads("http://127.0.0.1:9000", "https://pay1.example.com/AB12"), "a tunnel");
        assert!(is_elsewhere(&Url::parse("http://127.0.0.1:9000").unwrap(), &Url::parse("https://pay1.example.com").unwrap(), true));
    }
}
