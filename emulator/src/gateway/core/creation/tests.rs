use super::*;
use crate::common::examples::{merchant, merchant_with};
use crate::gateway::core::examples::creation;

fn refused(change: impl FnOnce(&mut Creation<'static>)) -> Violation {
    let mut request = creation();
    change(&mut request);
    request.order(&merchant()).unwrap_err()
}

fn accepted(change: impl FnOnce(&mut Creation<'static>)) -> Order {
    let mut request = creation();
    change(&mut request);
    request.order(&merchant()).unwrap()
}

#[test]
fn every_required_field_is_required() {
    assert_eq!(refused(|r| r.price = None), Violation::Missing("price"));
    assert_eq!(refused(|r| r.curr = None), Violation::Missing("curr"));
    assert_eq!(refused(|r| r.label = None), Violation::LabelMissing);
    assert_eq!(refused(|r| r.ref_id = None), Violation::Missing("refId"));
    assert_eq!(refused(|r| r.method = None), Violation::MethodMissing);
    assert_eq!(refused(|r| r.full_name = None), Violation::Missing("fullName"));
}

#[test]
fn every_enumeration_is_closed() {
    assert_eq!(refused(|r| r.country = Some("JP")), Violation::Malformed("country"));
    assert_eq!(refused(|r| r.curr = Some("JPY")), Violation::UnknownCurrency);
    assert_eq!(refused(|r| r.delivery = Some("PIGEON")), Violation::Malformed("delivery"));
    assert_eq!(refused(|r| r.category = Some("FOOD")), Violation::UnknownCategory);
    assert_eq!(refused(|r| r.lang = Some("ja")), Violation::UnknownLanguage);
    assert_eq!(refused(|r| r.three_ds_preference = Some("AUTO")), Violation::Malformed("threeDSPreference"));
    assert_eq!(refused(|r| r.billing.country = Some("XX")), Violation::Malformed("billingAddrCountry"));
}

#[test]
fn euro_without_a_country_is_czech_euro_and_refused() {
    let violation = refused(|r| {
        r.country = None;
        r.curr = Some("EUR");
    });
    assert_eq!(violation, Violation::CountryAgainstCurrency(Country::DEFAULT, Currency::Eur));
}

#[test]
fn a_label_has_one_to_sixteen_characters_not_bytes() {
    assert_eq!(&*accepted(|r| r.label = Some("šestnáct žlutých")).label, "šestnáct žlutých");
    assert_eq!(refused(|r| r.label = Some("sedmnáct žlutých!")), Violation::LabelTooLong);
}

#[test]
fn one_of_email_and_phone_is_enough() {
    accepted(|r| r.email = None);
    accepted(|r| r.phone = None);
    let neither = refused(|r| {
        r.email = None;
        r.phone = None;
    });
    assert_eq!(neither, Violation::NoContact);
}

#[test]
fn a_phone_has_a_leading_plus() {
    assert_eq!(refused(|r| r.phone = Some("420777123456")), Violation::Malformed("phone"));
    assert_eq!(refused(|r| r.phone = Some("+")), Violation::Malformed("phone"));
    accepted(|r| r.phone = Some("+420 777 123 456"));
}

#[test]
fn a_delivery_address_goes_with_home_delivery_only() {
    for delivery in [None, Some("PICKUP"), Some("ELECTRONIC_DELIVERY")] {
        let violation = refused(|r| {
            r.delivery = delivery;
            r.home.city = Some("Brno");
        });
        assert_eq!(violation, Violation::AddressWithoutHomeDelivery);
    }
    accepted(|r| {
        r.delivery = Some("HOME_DELIVERY");
        r.home.city = Some("Brno");
    });
}

#[test]
fn preauthorized_and_initiation_payments_are_paid_by_card() {
    let marks: [fn(&mut Creation<'_>); 3] = [|r| r.preauth = true, |r| r.init_recurring = true, |r| r.verification = true];
    for set in marks {
        let by_bank = refused(|r| {
            set(r);
            r.method = Some("BANK_ALL");
        });
        assert_eq!(by_bank, Violation::NotByCard);
        assert!(accepted(set).methods.methods().all(|method| method.is_card()));
    }
}

#[test]
fn services_that_are_not_enabled_are_refused() {
    let order = |request: Creation<'_>| {
        request.order(&merchant_with(|settings| {
            settings.recurring = false;
            settings.preauth = false;
            settings.unregulated_card_fees = false;
            settings.redirect_creation = false;
        }))
    };
    assert_eq!(order(Creation { init_recurring: true, ..creation() }), Err(Violation::RecurringDisabled));
    assert_eq!(order(Creation { preauth: true, ..creation() }), Err(Violation::PreauthDisabled));
    assert_eq!(order(Creation { charge_unregulated_card_fees: Some(true), ..creation() }), Err(Violation::FeesNotApproved));
    assert_eq!(order(Creation { mode: Mode::Redirect, ..creation() }), Err(Violation::ModeNotAllowed));
}

#[test]
fn a_method_outside_of_the_merchants_list_is_not_allowed() {
    let cards_only = merchant_with(|settings| settings.methods = Some(vec!["CARD_ALL".into()]));
    let by_bank = Creation { method: Some("BANK_CZ_RB"), ..creation() };
    assert_eq!(by_bank.order(&cards_only), Err(Violation::MethodNotAllowed));
    assert!(creation().order(&cards_only).unwrap().methods.methods().all(|method| method.is_card()));
}

#[test]
fn surcharged_payments_offer_no_wallets_unless_they_are_enabled() {
    let offers_wallets = |fees, wallets| {
        let order = accepted(|r| {
            r.charge_unregulated_card_fees = fees;
            r.enable_apple_pay_google_pay = wallets;
        });
        order.methods != order.methods.without_wallets()
    };
    assert!(offers_wallets(None, None));
    assert!(!offers_wallets(Some(true), None));
    assert!(offers_wallets(Some(true), Some(true)));
    assert!(!offers_wallets(None, Some(false)));
}

#[test]
fn only_accounts_of_the_merchant_are_paid_out_to() {
    assert_eq!(refused(|r| r.account = Some("elsewhere")), Violation::UnknownAccount);
    assert_eq!(accepted(|r| r.account = Some("main")).account.as_deref(), Some("main"));
}

#[test]
fn tolerant_worlds_take_what_real_clients_send() {
    let sloppy = Creation {
        full_name: None,
        email: None,
        phone: None,
        label: Some("more than sixteen characters"),
        rules: WorldRules::tolerant(),
        ..creation()
    };
    assert!(sloppy.order(&merchant()).is_ok());
}

#[test]
fn a_tolerant_world_offers_all_methods_where_country_and_currency_do_not_match() {
    let order = |country, method| {
        let request = Creation { country, curr: Some("EUR"), method: Some(method), rules: WorldRules::tolerant(), ..creation() };
        request.order(&merchant()).unwrap()
    };
    assert_eq!(order(None, "ALL").methods, Selection::ALL);
    let czech = order(Some("CZ"), "BANK_SK_OTHER");
    assert_eq!((czech.country, czech.currency), (Country::DEFAULT, Currency::Eur), "both stay as they were sent");
    assert!(order(Some("SK"), "BANK_ALL").methods.methods().all(|method| method.country != Some("CZ")));
}

#[test]
fn a_tolerant_world_takes_a_phone_as_people_write_it() {
    for phone in ["777123456", "+420-777-123-456", "jan@example.com"] {
        assert_eq!(refused(|r| r.phone = Some(phone)), Violation::Malformed("phone"));
        assert!(Creation { phone: Some(phone), rules: WorldRules::tolerant(), ..creation() }.order(&merchant()).is_ok());
    }
}

#[test]
fn a_method_that_is_not_known_has_the_code_that_clients_know_in_tolerant_worlds() {
    assert_eq!(refused(|r| r.method = Some("nope")).ruling().0.number(), 1103);
    let tolerated = Creation { method: Some("nope"), rules: WorldRules::tolerant(), ..creation() }.order(&merchant()).unwrap_err();
    assert_eq!((tolerated.ruling().0.number(), tolerated.to_string().split(':').next()), (1109, Some("invalid payment method")));
}
