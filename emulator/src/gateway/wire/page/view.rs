//! What the templates are filled with.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::texts::{PageLanguage, Texts};
use super::{amount, result_url};
use crate::common::Refusal;
use crate::common::method::{Group, Method, Selection};
use crate::gateway::core::{Payment, Reason, State};

/// What is paid, to whom, and where it stands.
#[derive(Serialize)]
pub(super) struct OrderView<'p> {
    lang: &'static str,
    t: &'static Texts,
    id: String,
    status: &'static str,
    amount: String,
    plain_amount: String,
    label: &'p str,
    reference: &'p str,
    merchant: &'p str,
    test: bool,
}

/// A payment that waits for its payer.
#[derive(Serialize)]
pub(super) struct PendingView<'p> {
    #[serde(flatten)]
    order: OrderView<'p>,
    preauth: bool,
    groups: Vec<GroupView>,
    expires: Timestamp,
    time_left: String,
    reasons: Vec<&'static str>,
}

#[derive(Serialize)]
struct GroupView {
    heading: &'static str,
    methods: Vec<MethodView>,
}

#[derive(Serialize)]
struct MethodView {
    id: &'static str,
    name: &'static str,
    /// Chosen until the payer chooses another.
    first: bool,
}

/// A payment with its result.
#[derive(Serialize)]
pub(super) struct ResultView<'p> {
    #[serde(flatten)]
    order: OrderView<'p>,
    outcome: &'static str,
    reason: Option<&'static str>,
    back: Option<String>,
}

/// Something that can't be shown.
#[derive(Serialize)]
pub(super) struct ErrorView<'r> {
    lang: &'static str,
    heading: &'static str,
    detail: Option<&'static str>,
    code: Option<u16>,
    message: Option<&'r str>,
}

fn order(payment: &Payment) -> OrderView<'_> {
    let order = &payment.order;
    let language = PageLanguage::from_code(order.language);
    OrderView {
        lang: language.code,
        t: language.texts,
        id: payment.id.to_string(),
        status: payment.state.as_str(),
        amount: amount::for_people(order.price, order.currency, language.code),
        plain_amount: amount::for_programs(order.price, order.currency),
        label: &order.label,
        reference: &order.ref_id,
        merchant: payment.merchant.id(),
        test: order.test,
    }
}

/// The page of a pending payment.
pub(super) fn pending(payment: &Payment, now: Timestamp) -> PendingView<'_> {
    let order = order(payment);
    PendingView {
        preauth: payment.order.preauth,
        groups: groups(payment.order.methods, order.t),
        expires: payment.expires(),
        time_left: time_left(payment.expires().duration_since(now), order.t),
        reasons: Reason::ALL.iter().map(|reason| reason.as_str()).collect(),
        order,
    }
}

/// The page of any other one.
pub(super) fn result(payment: &Payment) -> ResultView<'_> {
    let order = order(payment);
    let outcome = match payment.state {
        State::Pending => "",
        State::Authorized { .. } => &order.t.authorized,
        State::Paid { .. } => &order.t.paid,
        State::Cancelled { reason: Reason::CustomerTimeout } => &order.t.expired,
        State::Cancelled { .. } => &order.t.cancelled,
    };
    ResultView { outcome, reason: payment.error_reason().map(Reason::as_str), back: result_url::result_url(payment), order }
}

/// There is no such payment.
pub(super) fn not_found(language: PageLanguage) -> ErrorView<'static> {
    let texts = language.texts;
    ErrorView { lang: language.code, heading: &texts.not_found, detail: Some(&texts.not_found_detail), code: None, message: None }
}

/// A payment could not be created.
pub(super) fn refused(language: PageLanguage, refusal: &Refusal) -> ErrorView<'_> {
    let (code, message) = (Some(refusal.code.number()), Some(refusal.message.as_str()));
    ErrorView { lang: language.code, heading: &language.texts.refused, detail: None, code, message }
}

/// The methods under their headings; the first one of all is chosen.
fn groups(offered: Selection, texts: &'static Texts) -> Vec<GroupView> {
    let kinds: [(&str, &[Group]); 6] = [
        (&texts.cards, &[Group::Card, Group::CardWallet]),
        (&texts.banks, &[Group::Bank]),
        (&texts.wallets, &[Group::Wallet]),
        (&texts.later, &[Group::Later]),
        (&texts.parts, &[Group::Part]),
        (&texts.loans, &[Group::Loan]),
    ];
    let mut first = true;
    let mut view = |method: &'static Method| MethodView { id: method.id, name: texts.name_of(method), first: std::mem::take(&mut first) };
    let groups = kinds.into_iter().map(|(heading, kind)| {
        let methods = offered.methods().filter(|method| kind.contains(&method.group)).map(&mut view).collect();
        GroupView { heading, methods }
    });
    groups.filter(|group| !group.methods.is_empty()).collect()
}

/// Days, hours and minutes; what has begun counts as a whole minute.
fn time_left(left: SignedDuration, texts: &Texts) -> String {
    let minutes = (left.as_secs().max(0) + 59) / 60;
    let parts = [(minutes / (24 * 60), &texts.day), (minutes / 60 % 24, &texts.hour), (minutes % 60, &texts.minute)];
    let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count}\u{a0}{unit}"));
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_shown_in_minutes_begun() {
        let shown = |seconds| time_left(SignedDuration::from_secs(seconds), PageLanguage::from_code("en").texts).replace('\u{a0}', " ");
        assert_eq!([shown(1), shown(60), shown(61)], ["1 min", "1 min", "2 min"]);
        assert_eq!([shown(86_400), shown(90_060), shown(7 * 86_400 - 1)], ["1 d", "1 d 1 h 1 min", "7 d"]);
    }

    #[test]
    fn one_method_is_chosen_whatever_is_offered() {
        for expression in ["ALL", "BANK_ALL", "PAYPAL+LATER_ALL"] {
            let offered = Selection::parse(expression).unwrap_or_default();
            let groups = groups(offered, PageLanguage::from_code("en").texts);
            let methods: Vec<_> = groups.iter().flat_map(|group| &group.methods).collect();
            assert_eq!(methods.len(), offered.methods().count());
            assert_eq!(methods.iter().filter(|method| method.first).count(), 1);
        }
    }
}
