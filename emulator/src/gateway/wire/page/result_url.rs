//! Where the payer goes with a result: `url_paid`, `url_cancelled` or `url_pending` of the order.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::gateway::core::order::ResultUrls;
use crate::gateway::core::{Payment, State};
use crate::wire::form;

/// The URL for the state of the payment, if the order has one that a browser should follow.
pub(super) fn result_url(payment: &Payment) -> Option<String> {
    let urls: &ResultUrls = payment.order.urls.as_deref()?;
    let url = match payment.state {
        State::Paid { .. } | State::Authorized { .. } => urls.paid.as_deref(),
        State::Cancelled { .. } => urls.cancelled.as_deref(),
        State::Pending => urls.pending.as_deref(),
    };
    let url = url.filter(|url| is_of_the_web(url))?;
    Some(filled(url, payment.id.text().as_str(), &payment.order.ref_id))
}

/// Whether the URL is not of a scheme like `javascript:`.
fn is_of_the_web(url: &str) -> bool {
    let url = url.to_ascii_lowercase();
    url.starts_with("https://") || url.starts_with("http://")
}

/// What may not stand in a URL as it is: control characters and spaces. Other letters than those of ASCII are escaped too.
const UNSAFE: &AsciiSet = &CONTROLS.add(b' ');

/// "They may contain the placeholders `${id}` and `${refId}`." Braces of a URL may come escaped.
fn filled(url: &str, id: &str, ref_id: &str) -> String {
    let ref_id = utf8_percent_encode(ref_id, form::ESCAPED).to_string();
    let url = url.replace("${id}", id).replace("$%7Bid%7D", id).replace("${refId}", &ref_id).replace("$%7BrefId%7D", &ref_id);
    utf8_percent_encode(&url, UNSAFE).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_and_cannot_break_out() {
        assert_eq!(
            filled("https://shop.test/?id=${id}&ref=${refId}", "AB", "a b&c=${id}"),
            "https://shop.test/?id=AB&ref=a%20b%26c%3D%24%7Bid%7D"
        );
        assert_eq!(filled("https://shop.test/$%7Bid%7D", "AB", ""), "https://shop.test/AB");
    }

    #[test]
    fn letters_of_any_language_reach_the_shop() {
        assert_eq!(filled("https://shop.test/děkujeme?a=1#b", "", ""), "https://shop.test/d%C4%9Bkujeme?a=1#b");
        assert_eq!(filled("https://shop.test/\r\nSet-Cookie:a", "", ""), "https://shop.test/%0D%0ASet-Cookie:a");
    }

    #[test]
    fn only_addresses_of_the_web_are_followed() {
        assert!(is_of_the_web("HTTPS://shop.test"));
        assert!(!is_of_the_web("javascript:alert(1)") && !is_of_the_web("data:text/html,x"));
    }
}
