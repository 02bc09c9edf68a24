//! The table of breaks: each is one way in which a real gateway can break one rule.
//!
//! `broken_target.rs` judges each of them and demands a finding that names the rule first; `seen_red.rs` adds their rules to
//! those that general breaks prove.

use crate::support::proxy::{Tamper, WorldAction, remember};

/// One way to break one rule.
pub struct Break {
    /// The defect of the target.
    pub name: &'static str,
    /// The cases that must find it, by a part of their name.
    pub case: &'static str,
    /// The clause that must come first in a finding.
    pub clause: &'static str,
    pub tamper: Tamper,
}

// Cases that many breaks share.
pub const READ_V1: &str = "a-paid-payment-is-notified-and-reads-as-paid / v1.0";
pub const READ_V2: &str = "a-paid-payment-is-notified-and-reads-as-paid / v2.0";
const FAILED_V2: &str = "a-failed-payment-tells-the-reason / NO_FUNDS in v2.0";
const PREFERENCE: &str = "a-3d-secure-preference-is-told-with-its-effect / FORCE";
const TEXTS_V1: &str = "texts-come-back-as-they-were-sent / Czech by v1.0";
const TEXTS_V2: &str = "texts-come-back-as-they-were-sent / Czech by v2.0";
const REFUSED_V1: &str = "a-price-too-high-has-its-code / v1.0";
const REFUSED_V2: &str = "a-price-too-high-has-its-code / v2.0";

/// Rows of the table: the defect, the cases that must find it, the clause, and how the proxy tampers.
macro_rules! breaks {
    ($($name:literal in $case:expr => $clause:literal: $($kind:ident($what:expr)),+;)*) => {
        vec![$(Break { name: $name, case: $case, clause: $clause, tamper: tamper!($($kind($what)),+) }),*]
    };
}

pub mod accepted_although;
pub mod broken_notifications;
pub mod card_rules;
pub mod cards;
pub mod closings;
pub mod conditions;
pub mod creations;
pub mod device_afterwards;
pub mod device_further_rules;
pub mod device_uploads;
pub mod device_versions;
pub mod devices;
pub mod followed_money;
pub mod further_calls;
pub mod gateway_afterwards;
pub mod gateway_further_rules;
pub mod gateway_last_rules;
pub mod gateway_rules;
pub mod independent_shops;
pub mod kept_for_some;
pub mod kinds_of_payments;
pub mod links;
pub mod live_rules;
pub mod malformed_responses;
pub mod money;
pub mod near_misses;
pub mod neighbours;
pub mod never_asked;
pub mod odd_calls;
pub mod one_of_several;
pub mod outages;
pub mod paid_out;
pub mod payments_side_by_side;
pub mod qr_afterwards;
pub mod qr_data;
pub mod qr_further_rules;
pub mod qr_payments;
pub mod qr_refunds;
pub mod qr_tokens;
pub mod qr_variants;
pub mod records_and_tokens;
pub mod registers_and_codes;
pub mod repeated_records;
pub mod same_moment;
pub mod samples_and_reversals;
pub mod second_looks;
pub mod shown_later;
pub mod statements;
pub mod status_api;
pub mod terminal_access;
pub mod terminal_afterwards;
pub mod terminal_further_rules;
pub mod terminal_payments;
pub mod terminal_refunds;
pub mod third_looks;
pub mod till_details;
pub mod till_further_rules;
pub mod till_rules;
pub mod till_states;
pub mod transfer_further_rules;
pub mod transfers;
pub mod transitions;
pub mod unreadable_responses;
pub mod values;
pub mod values_never_sent;
pub mod versions_and_notifications;
pub mod wrong_responses;
pub mod wrong_secrets;

/// The whole table.
pub fn all() -> Vec<Break> {
    let parts = [
        malformed_responses::all(),
        wrong_responses::all(),
        accepted_although::all(),
        unreadable_responses::all(),
        broken_notifications::all(),
        conditions::all(),
        creations::all(),
        independent_shops::all(),
        links::all(),
        card_rules::all(),
        cards::all(),
        values::all(),
        money::all(),
        transitions::all(),
        status_api::all(),
        outages::all(),
        terminal_payments::all(),
        terminal_refunds::all(),
        terminal_access::all(),
        closings::all(),
        transfers::all(),
        statements::all(),
        followed_money::all(),
        paid_out::all(),
        samples_and_reversals::all(),
        qr_payments::all(),
        qr_refunds::all(),
        qr_tokens::all(),
        qr_data::all(),
        qr_variants::all(),
        qr_afterwards::all(),
        qr_further_rules::all(),
        repeated_records::all(),
        devices::all(),
        device_further_rules::all(),
        device_uploads::all(),
        device_versions::all(),
        device_afterwards::all(),
        live_rules::all(),
        till_rules::all(),
        till_states::all(),
        till_details::all(),
        till_further_rules::all(),
        further_calls::all(),
        near_misses::all(),
        records_and_tokens::all(),
        registers_and_codes::all(),
        never_asked::all(),
        shown_later::all(),
        one_of_several::all(),
        odd_calls::all(),
        gateway_rules::all(),
        neighbours::all(),
        same_moment::all(),
        second_looks::all(),
        kept_for_some::all(),
        kinds_of_payments::all(),
        third_looks::all(),
        gateway_further_rules::all(),
        gateway_last_rules::all(),
        payments_side_by_side::all(),
        terminal_afterwards::all(),
        terminal_further_rules::all(),
        transfer_further_rules::all(),
        gateway_afterwards::all(),
        wrong_secrets::all(),
        values_never_sent::all(),
        versions_and_notifications::all(),
    ];
    parts.into_iter().flatten().collect()
}

/// UTF-8 taken for Latin-1, the classic.
/// Remembers as `later` that time has passed.
fn time_passes(deed: &mut WorldAction<'_>) {
    if deed.action == "clock.advances" {
        remember(deed.memory, "later");
    }
}

fn mangled(text: &str) -> String {
    text.bytes().map(char::from).collect()
}
