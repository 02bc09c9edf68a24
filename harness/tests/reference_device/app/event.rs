//! "It is an event: remember the handled value and react only on a different one."

use super::Flaw;

/// Whether it happened again; then it is handled from now on. Null is not an event: "null means never".
pub fn happened(handled: &mut Option<i64>, announced: Option<i64>, flaw: Option<Flaw>) -> bool {
    let counts = announced.is_some() || flaw == Some(Flaw::TakesNullForAnEvent);
    let is_new = *handled != announced || flaw == Some(Flaw::RepeatsEvents);
    if !counts || !is_new || flaw == Some(Flaw::MissesEvents) {
        return false;
    }
    *handled = announced;
    true
}
