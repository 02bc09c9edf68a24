//! A creation request out of the fields of either syntax.

use crate::gateway::core::creation::{AddressParts, Mode};
use crate::gateway::core::{Creation, Interface, Refund, Refusal, Violation};
use crate::wire::Fields;
use crate::wire::fields::Malformed;

/// Reads the creation fields. The mode is not among them: v1.0 has a field for it, v2.0 an endpoint.
pub(super) fn read<'f>(fields: &'f Fields<'_>, interface: Interface, mode: Mode, tolerant: bool) -> Result<Creation<'f>, Refusal> {
    let flag = |name| fields.flag(name).map(|flag| flag.unwrap_or(false));
    Ok(Creation {
        mode,
        test: flag("test")?,
        country: fields.text("country")?,
        price: fields.integer("price").map_err(|_| Violation::PriceMalformed)?,
        curr: fields.text("curr")?,
        label: fields.text("label")?,
        ref_id: fields.text("refId")?,
        method: fields.text("method")?,
        account: fields.text("account")?,
        email: fields.text("email")?,
        phone: fields.text("phone")?,
        full_name: fields.text("fullName")?,
        billing: billing(fields)?,
        delivery: fields.text("delivery")?,
        home: home(fields)?,
        category: fields.text("category")?,
        name: fields.text("name")?,
        lang: fields.text("lang")?,
        preauth: flag("preauth")?,
        init_recurring: flag("initRecurring")?,
        verification: flag("verification")?,
        expiration_time: fields.text("expirationTime")?,
        urls: [fields.text("url_paid")?, fields.text("url_cancelled")?, fields.text("url_pending")?],
        charge_unregulated_card_fees: fields.flag("chargeUnregulatedCardFees")?,
        enable_apple_pay_google_pay: fields.flag("enableApplePayGooglePay")?,
        three_ds_preference: three_ds_preference(fields, interface)?,
        tolerant,
    })
    .and_then(|creation| check_unused(fields).map(|()| creation))
}

/// "v2.0 only": in v1.0 it is a field like any unknown one, and ignored.
fn three_ds_preference<'f>(fields: &'f Fields<'_>, interface: Interface) -> Result<Option<&'f str>, Malformed> {
    match interface {
        Interface::V1 => Ok(None),
        Interface::V2 => fields.text("threeDSPreference"),
    }
}

/// The page of the emulator doesn't follow the payer's activity, so dynamic expiration changes nothing; still it has to
/// be a boolean.
fn check_unused(fields: &Fields<'_>) -> Result<(), Refusal> {
    fields.flag("dynamicExpiration")?;
    Ok(())
}

fn billing<'f>(fields: &'f Fields<'_>) -> Result<AddressParts<'f>, Malformed> {
    Ok(AddressParts {
        city: fields.text("billingAddrCity")?,
        street: fields.text("billingAddrStreet")?,
        postal_code: fields.text("billingAddrPostalCode")?,
        country: fields.text("billingAddrCountry")?,
    })
}

fn home<'f>(fields: &'f Fields<'_>) -> Result<AddressParts<'f>, Malformed> {
    Ok(AddressParts {
        city: fields.text("homeDeliveryCity")?,
        street: fields.text("homeDeliveryStreet")?,
        postal_code: fields.text("homeDeliveryPostalCode")?,
        country: fields.text("homeDeliveryCountry")?,
    })
}

/// Reads the refund fields.
pub(super) fn read_refund<'f>(fields: &'f Fields<'_>) -> Result<Refund<'f>, Refusal> {
    Ok(Refund {
        amount: fields.integer("amount").map_err(|_| Violation::AmountMalformed)?,
        test: fields.flag("test")?.unwrap_or(false),
        ref_id: fields.text("refId")?,
    })
}
