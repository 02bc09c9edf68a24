//! The media type that a response states: the documents name those of requests alone.

use super::{in_responses, live, not_flagged_but_as_assumed};
use crate::support::thinned;

/// A client of the live service takes `text/html` for the form of a cancelled payment.
#[tokio::test]
async fn a_response_may_state_another_than_its_body_has() {
    let tamper = in_responses(|_, message| message.header("content-type", "text/html; charset=UTF-8"));
    let plan = live(&["gateway / ", "status / ", "terminal / ", "transfers / ", "qr / ", "device / "]);
    not_flagged_but_as_assumed(tamper, thinned(plan, 2)).await;
}
