//! Creating a payment: the request as read from either interface, and the rules it has to keep.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::label::is_short;
use super::order::{Address, Category, Delivery, Order, ResultUrls, ThreeDsPreference};
use super::price::check_price;
use super::{Interface, Payment, Violation, WorldRules, language, tolerance};
use crate::common::country::is_iso_3166;
use crate::common::email::is_email;
use crate::common::{Country, Currency, Identifiers, Merchant, Selection, expiration};

/// How the payer gets to the payment page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mode {
    /// The response carries a `redirect` for the merchant.
    Background,
    /// The response itself redirects the payer.
    #[default]
    Redirect,
}

/// Parts of an address as sent.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AddressParts<'a> {
    /// City.
    pub(crate) city: Option<&'a str>,
    /// Street.
    pub(crate) street: Option<&'a str>,
    /// Postal code.
    pub(crate) postal_code: Option<&'a str>,
    /// ISO 3166 alpha-2.
    pub(crate) country: Option<&'a str>,
}

/// A payment creation request: its fields have the right types, and no rule is checked yet. Fields sent empty are `None`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "the fields are those of the document, under its names")]
pub(crate) struct Creation<'a> {
    pub(crate) mode: Mode,
    pub(crate) test: bool,
    pub(crate) country: Option<&'a str>,
    pub(crate) price: Option<i64>,
    pub(crate) curr: Option<&'a str>,
    pub(crate) label: Option<&'a str>,
    pub(crate) ref_id: Option<&'a str>,
    pub(crate) payer_id: Option<&'a str>,
    pub(crate) method: Option<&'a str>,
    pub(crate) account: Option<&'a str>,
    pub(crate) email: Option<&'a str>,
    pub(crate) phone: Option<&'a str>,
    pub(crate) full_name: Option<&'a str>,
    pub(crate) billing: AddressParts<'a>,
    pub(crate) delivery: Option<&'a str>,
    pub(crate) home: AddressParts<'a>,
    pub(crate) category: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    pub(crate) lang: Option<&'a str>,
    pub(crate) preauth: bool,
    pub(crate) init_recurring: bool,
    pub(crate) verification: bool,
    pub(crate) expiration_time: Option<&'a str>,
    pub(crate) urls: [Option<&'a str>; 3],
    pub(crate) charge_unregulated_card_fees: Option<bool>,
    pub(crate) enable_apple_pay_google_pay: Option<bool>,
    pub(crate) three_ds_preference: Option<&'a str>,
    /// Not sent: what the world adds.
    pub(crate) rules: WorldRules,
}

/// Creates a pending payment, which waits for its payer until it expires.
pub(crate) fn create(
    request: &Creation<'_>,
    interface: Interface,
    merchant: &Arc<Merchant>,
    ids: Identifiers,
    now: Timestamp,
) -> Result<Payment, Violation> {
    let order = request.order(merchant)?;
    Ok(Payment::new(order, interface, Arc::clone(merchant), ids, now))
}

impl Creation<'_> {
    /// Checks every rule of the creation request, in the order of the document's table.
    pub(crate) fn order(&self, merchant: &Merchant) -> Result<Order, Violation> {
        self.check_mode(merchant)?;
        let country = self.country.map_or(Some(Country::DEFAULT), |code| tolerance::country(code, self.rules.tolerant));
        let country = country.ok_or(Violation::Malformed("country"))?;
        let price = self.price.ok_or(Violation::Missing("price"))?;
        let currency = tolerance::currency(self.curr.ok_or(Violation::Missing("curr"))?, self.rules.tolerant);
        let currency = currency.ok_or(Violation::UnknownCurrency)?;
        if !merchant.takes_currency(currency.as_str()) {
            return Err(Violation::UnknownCurrency);
        }
        if !merchant.takes_country(country.code()) {
            return Err(Violation::Malformed("country"));
        }
        check_price(currency, price)?;
        let region = self.region(country, currency)?;
        let label = self.checked_label()?;
        let ref_id = self.ref_id.ok_or(Violation::Missing("refId"))?;
        let methods = self.offered(merchant, region)?;
        self.check_account(merchant)?;
        self.check_contacts()?;
        let delivery = named("delivery", self.delivery, Delivery::parse)?;
        Ok(Order {
            test: self.test,
            country,
            price,
            currency,
            label: label.into(),
            ref_id: ref_id.into(),
            payer_id: owned(self.payer_id),
            methods,
            account: owned(self.account),
            email: owned(self.email),
            phone: owned(self.phone),
            full_name: self.checked_full_name()?,
            billing: self.billing.checked("billingAddrCountry")?,
            delivery,
            home: self.checked_home(delivery)?,
            category: self.checked_category()?,
            name: owned(self.name),
            language: self.checked_language()?,
            preauth: self.preauth,
            init_recurring: self.init_recurring || self.verification,
            verification: self.verification,
            expiration: self.checked_expiration(merchant)?,
            urls: self.result_urls(),
            charge_unregulated_card_fees: self.checked_card_fees(merchant)?,
            three_ds: named("threeDSPreference", self.three_ds_preference, ThreeDsPreference::parse)?,
        })
    }

    /// The country whose methods are offered. A tolerant world offers those of all where country and currency don't match.
    fn region(&self, country: Country, currency: Currency) -> Result<Country, Violation> {
        if country.goes_with(currency) {
            Ok(country)
        } else if self.rules.tolerant {
            Ok(Country::ALL)
        } else {
            Err(Violation::CountryAgainstCurrency(country, currency))
        }
    }

    fn check_mode(&self, merchant: &Merchant) -> Result<(), Violation> {
        let allowed = match self.mode {
            Mode::Background => merchant.settings.background_creation,
            Mode::Redirect => merchant.settings.redirect_creation,
        };
        if allowed { Ok(()) } else { Err(Violation::ModeNotAllowed) }
    }

    fn checked_label(&self) -> Result<&str, Violation> {
        let label = self.label.ok_or(Violation::LabelMissing)?;
        if self.rules.tolerant || is_short(label, self.rules.labels_in_utf16) { Ok(label) } else { Err(Violation::LabelTooLong) }
    }

    /// The methods of the expression that this merchant may offer for this payment.
    fn offered(&self, merchant: &Merchant, country: Country) -> Result<Selection, Violation> {
        let chosen = self.chosen_methods()?.offered_in(country);
        if chosen.is_empty() {
            return Err(Violation::MethodNone);
        }
        let usable = if self.allows_wallets() { chosen } else { chosen.without_wallets() };
        let allowed = usable.and(merchant.methods);
        if allowed.is_empty() {
            return Err(Violation::MethodNotAllowed);
        }
        let cards_if_needed = self.by_card_if_needed(merchant, allowed)?;
        let open = cards_if_needed.without(self.rules.closed);
        if open.is_empty() { Err(Violation::MethodsOut) } else { Ok(open) }
    }

    fn chosen_methods(&self) -> Result<Selection, Violation> {
        if self.rules.tolerant {
            return Selection::parse_tolerantly(self.method.unwrap_or_default()).ok_or(Violation::MethodUnknownTolerant);
        }
        Selection::parse(self.method.ok_or(Violation::MethodMissing)?).ok_or(Violation::MethodUnknown)
    }

    /// "Default: false if `chargeUnregulatedCardFees` is used, otherwise true."
    fn allows_wallets(&self) -> bool {
        self.enable_apple_pay_google_pay.unwrap_or(self.charge_unregulated_card_fees != Some(true))
    }

    /// A pre-authorization or an initiation payment filters the choice down to cards: ALL becomes all cards.
    fn by_card_if_needed(&self, merchant: &Merchant, allowed: Selection) -> Result<Selection, Violation> {
        // "initRecurring need not then be sent": a verification payment is an initiation payment too.
        let recurring = self.init_recurring || self.verification;
        if !recurring && !self.preauth {
            return Ok(allowed);
        }
        if recurring && !merchant.settings.recurring {
            return Err(Violation::RecurringDisabled);
        }
        if self.preauth && !merchant.settings.preauth {
            return Err(Violation::PreauthDisabled);
        }
        let cards = allowed.by_card();
        if cards.is_empty() { Err(Violation::NotByCard) } else { Ok(cards) }
    }

    fn check_account(&self, merchant: &Merchant) -> Result<(), Violation> {
        if self.account.is_some_and(|account| !merchant.has_account(account)) { Err(Violation::UnknownAccount) } else { Ok(()) }
    }

    fn check_contacts(&self) -> Result<(), Violation> {
        if self.email.is_none() && self.phone.is_none() && !self.rules.tolerant {
            return Err(Violation::NoContact);
        }
        if self.email.is_some_and(|email| !is_email(email)) {
            return Err(Violation::Malformed("email"));
        }
        if !self.rules.tolerant && self.phone.is_some_and(|phone| !is_phone(phone)) {
            return Err(Violation::Malformed("phone"));
        }
        Ok(())
    }

    fn checked_full_name(&self) -> Result<Option<Box<str>>, Violation> {
        if self.full_name.is_none() && !self.rules.tolerant {
            return Err(Violation::Missing("fullName"));
        }
        Ok(owned(self.full_name))
    }

    fn checked_home(&self, delivery: Option<Delivery>) -> Result<Option<Box<Address>>, Violation> {
        if !self.home.is_empty() && delivery != Some(Delivery::Home) {
            return Err(Violation::AddressWithoutHomeDelivery);
        }
        self.home.checked("homeDeliveryCountry")
    }

    fn checked_category(&self) -> Result<Option<Category>, Violation> {
        self.category.map(|word| Category::parse(word).ok_or(Violation::UnknownCategory)).transpose()
    }

    fn checked_language(&self) -> Result<&'static str, Violation> {
        self.lang.map_or(Some(language::DEFAULT), |code| tolerance::language(code, self.rules.tolerant)).ok_or(Violation::UnknownLanguage)
    }

    fn checked_expiration(&self, merchant: &Merchant) -> Result<SignedDuration, Violation> {
        Ok(self.expiration_time.map_or(Ok(merchant.expiration), expiration::parse)?)
    }

    fn checked_card_fees(&self, merchant: &Merchant) -> Result<bool, Violation> {
        // "Usable only after approval by the service": with either value, it is used.
        if self.charge_unregulated_card_fees.is_some() && !merchant.settings.unregulated_card_fees {
            return Err(Violation::FeesNotApproved);
        }
        Ok(self.charge_unregulated_card_fees.unwrap_or(false))
    }

    fn result_urls(&self) -> Option<Box<ResultUrls>> {
        self.urls.iter().any(Option::is_some).then(|| {
            let [paid, cancelled, pending] = self.urls.map(owned);
            Box::new(ResultUrls { paid, cancelled, pending })
        })
    }
}

impl AddressParts<'_> {
    fn is_empty(&self) -> bool {
        [self.city, self.street, self.postal_code, self.country].iter().all(Option::is_none)
    }

    fn checked(&self, country_field: &'static str) -> Result<Option<Box<Address>>, Violation> {
        if self.is_empty() {
            return Ok(None);
        }
        if self.country.is_some_and(|code| !is_iso_3166(code)) {
            return Err(Violation::Malformed(country_field));
        }
        Ok(Some(Box::new(Address {
            city: owned(self.city),
            street: owned(self.street),
            postal_code: owned(self.postal_code),
            country: owned(self.country),
        })))
    }
}

fn owned(text: Option<&str>) -> Option<Box<str>> {
    text.map(Box::from)
}

fn named<T>(field: &'static str, word: Option<&str>, parse: fn(&str) -> Option<T>) -> Result<Option<T>, Violation> {
    word.map(|word| parse(word).ok_or(Violation::Malformed(field))).transpose()
}

/// A plus and digits, which may be spaced.
fn is_phone(text: &str) -> bool {
    let digits = text.strip_prefix('+').unwrap_or_default();
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.bytes().all(|b| b.is_ascii_digit() || b == b' ')
}

#[cfg(test)]
mod tests;
