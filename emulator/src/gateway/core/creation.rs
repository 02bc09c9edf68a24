//! Creating a payment: the request as read from either interface, and the rules it has to keep.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::country::{self, Country};
use super::method::Selection;
use super::order::{Address, Category, Delivery, Order, ResultUrls, ThreeDsPreference};
use super::{Currency, Interface, Merchant, Payment, TransId, Violation, expiration, language};

/// How the payer gets to the payment page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The answer carries a `redirect` for the merchant.
    Background,
    /// The answer itself redirects the payer.
    #[default]
    Redirect,
}

/// Parts of an address as sent.
#[derive(Debug, Clone, Copy, Default)]
pub struct AddressParts<'a> {
    /// City.
    pub city: Option<&'a str>,
    /// Street.
    pub street: Option<&'a str>,
    /// Postal code.
    pub postal_code: Option<&'a str>,
    /// ISO 3166 alpha-2.
    pub country: Option<&'a str>,
}

/// A payment creation request: types are right, nothing else is known yet. Fields sent empty are `None`. Two
/// things are the world's: `tolerant`, as real clients break the rules on fullName, contacts and the length of the label,
/// and `closed`, the methods that are out.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // the fields are those of the document, under its names
pub struct Creation<'a> {
    pub mode: Mode,
    pub test: bool,
    pub country: Option<&'a str>,
    pub price: Option<i64>,
    pub curr: Option<&'a str>,
    pub label: Option<&'a str>,
    pub ref_id: Option<&'a str>,
    pub payer_id: Option<&'a str>,
    pub method: Option<&'a str>,
    pub account: Option<&'a str>,
    pub email: Option<&'a str>,
    pub phone: Option<&'a str>,
    pub full_name: Option<&'a str>,
    pub billing: AddressParts<'a>,
    pub delivery: Option<&'a str>,
    pub home: AddressParts<'a>,
    pub category: Option<&'a str>,
    pub name: Option<&'a str>,
    pub lang: Option<&'a str>,
    pub preauth: bool,
    pub init_recurring: bool,
    pub verification: bool,
    pub expiration_time: Option<&'a str>,
    pub urls: [Option<&'a str>; 3],
    pub charge_unregulated_card_fees: Option<bool>,
    pub enable_apple_pay_google_pay: Option<bool>,
    pub three_ds_preference: Option<&'a str>,
    pub tolerant: bool,
    pub closed: Selection,
}

/// What is drawn by lot for a new payment, and its place in the order of creation.
#[derive(Debug, Clone, Copy)]
pub struct Minted {
    /// The payment code.
    pub id: TransId,
    /// Ten digits at most.
    pub variable_symbol: u32,
    /// Counts the payments of a world.
    pub sequence: u64,
}

/// Creates a pending payment, which waits for its payer until it expires.
pub fn create(
    request: &Creation<'_>,
    interface: Interface,
    merchant: &Arc<Merchant>,
    minted: Minted,
    now: Timestamp,
) -> Result<Payment, Violation> {
    let order = request.order(merchant)?;
    Ok(Payment::new(order, interface, Arc::clone(merchant), minted, now))
}

impl Creation<'_> {
    /// Checks every rule of the creation request, in the order of the document's table.
    pub fn order(&self, merchant: &Merchant) -> Result<Order, Violation> {
        self.check_mode(merchant)?;
        let country = self.country.map_or(Some(Country::DEFAULT), Country::parse).ok_or(Violation::Malformed("country"))?;
        let price = self.price.ok_or(Violation::Missing("price"))?;
        let currency = Currency::parse(self.curr.ok_or(Violation::Missing("curr"))?).ok_or(Violation::UnknownCurrency)?;
        currency.check_price(price)?;
        country.check_currency(currency)?;
        let label = self.checked_label()?;
        let ref_id = self.ref_id.ok_or(Violation::Missing("refId"))?;
        let methods = self.offered(merchant, country)?;
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

    fn check_mode(&self, merchant: &Merchant) -> Result<(), Violation> {
        let allowed = match self.mode {
            Mode::Background => merchant.settings.background_creation,
            Mode::Redirect => merchant.settings.redirect_creation,
        };
        if allowed { Ok(()) } else { Err(Violation::ModeNotAllowed) }
    }

    fn checked_label(&self) -> Result<&str, Violation> {
        let label = self.label.ok_or(Violation::LabelMissing)?;
        // Characters, not bytes. The byte length settles it for almost all labels.
        let fits = label.len() <= 16 || label.chars().count() <= 16;
        if fits || self.tolerant { Ok(label) } else { Err(Violation::LabelTooLong) }
    }

    /// The methods of the expression that this merchant may offer for this payment.
    fn offered(&self, merchant: &Merchant, country: Country) -> Result<Selection, Violation> {
        let chosen = Selection::parse(self.method.ok_or(Violation::MethodMissing)?)?.offered_in(country);
        if chosen.is_empty() {
            return Err(Violation::MethodNone);
        }
        let usable = if self.allows_wallets() { chosen } else { chosen.without_wallets() };
        let allowed = usable.and(merchant.methods);
        if allowed.is_empty() {
            return Err(Violation::MethodNotAllowed);
        }
        let cards_if_needed = self.by_card_if_needed(merchant, allowed)?;
        let open = cards_if_needed.without(self.closed);
        if open.is_empty() { Err(Violation::MethodsOut) } else { Ok(open) }
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
        if self.email.is_none() && self.phone.is_none() && !self.tolerant {
            return Err(Violation::NoContact);
        }
        if self.email.is_some_and(|email| !is_email(email)) {
            return Err(Violation::Malformed("email"));
        }
        if self.phone.is_some_and(|phone| !is_phone(phone)) {
            return Err(Violation::Malformed("phone"));
        }
        Ok(())
    }

    fn checked_full_name(&self) -> Result<Option<Box<str>>, Violation> {
        if self.full_name.is_none() && !self.tolerant {
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
        self.lang.map_or(Some(language::DEFAULT), language::parse).ok_or(Violation::UnknownLanguage)
    }

    fn checked_expiration(&self, merchant: &Merchant) -> Result<SignedDuration, Violation> {
        self.expiration_time.map_or(Ok(merchant.expiration), expiration::parse)
    }

    fn checked_card_fees(&self, merchant: &Merchant) -> Result<bool, Violation> {
        // "Usable only after approval by the service": said either way, it is used.
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
        if self.country.is_some_and(|code| !country::is_iso_3166(code)) {
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

/// Something, an at sign, something; no document says more.
fn is_email(text: &str) -> bool {
    let halves = text.split_once('@');
    halves.is_some_and(|(user, host)| !user.is_empty() && !host.is_empty() && !host.contains('@')) && !text.contains(char::is_whitespace)
}

/// A plus and digits, which may be spaced.
fn is_phone(text: &str) -> bool {
    let digits = text.strip_prefix('+').unwrap_or_default();
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.bytes().all(|b| b.is_ascii_digit() || b == b' ')
}

#[cfg(test)]
#[path = "creation_tests.rs"]
mod tests;
