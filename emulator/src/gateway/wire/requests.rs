//! Requests, read from the fields of either syntax.

use crate::common::Refusal;
use crate::common::freedoms::Behaviour;
use crate::gateway::core::creation::{AddressParts, Mode};
use crate::gateway::core::{Capture, Creation, Interface, Recurring, Refund, RefundPos, Violation, WorldRules};
use crate::wire::Fields;
use crate::wire::fields::Malformed;
use crate::world::World;

/// Reads the creation fields. The mode is not among them: v1.0 has a field for it, v2.0 an endpoint.
pub(super) fn read_creation<'f>(fields: &'f Fields<'_>, interface: Interface, mode: Mode, world: &World) -> Result<Creation<'f>, Refusal> {
    check_unused(fields)?;
    let flag = |name| fields.flag(name).map(|flag| flag.unwrap_or(false));
    Ok(Creation {
        mode,
        test: flag("test")?,
        country: fields.text("country")?,
        price: fields.integer("price").map_err(|_| Violation::PriceMalformed)?,
        curr: fields.text("curr")?,
        label: fields.text("label")?,
        ref_id: fields.text("refId")?,
        // Not in the document's table, but sent by real clients. Like any unknown field it may be anything; text is kept.
        payer_id: fields.text("payerId").unwrap_or_default(),
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
        rules: rules(world),
    })
}

fn rules(world: &World) -> WorldRules {
    WorldRules {
        tolerant: world.settings().tolerant,
        labels_in_utf16: world.behaves(Behaviour::LabelsInUtf16),
        closed: world.outages().closed_methods(world.now()),
    }
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
pub(super) fn read_refund<'f>(world: &World, fields: &'f Fields<'_>) -> Result<Refund<'f>, Refusal> {
    Ok(Refund {
        amount: fields.integer("amount").map_err(|_| Violation::AmountMalformed)?,
        test: fields.flag("test")?,
        ref_id: fields.text("refId")?,
        rules: rules(world),
    })
}

/// Reads the recurring fields.
pub(super) fn read_recurring<'f>(world: &World, fields: &'f Fields<'_>) -> Result<Recurring<'f>, Refusal> {
    Ok(Recurring {
        test: fields.flag("test")?.unwrap_or(false),
        price: fields.integer("price").map_err(|_| Violation::PriceMalformed)?,
        curr: fields.text("curr")?,
        label: fields.text("label")?,
        ref_id: fields.text("refId")?,
        account: fields.text("account")?,
        name: fields.text("name")?,
        init_recurring_id: fields.text("initRecurringId")?,
        rules: rules(world),
    })
}

/// Reads the capture fields.
pub(super) fn read_capture(fields: &Fields<'_>) -> Result<Capture, Refusal> {
    Ok(Capture { amount: fields.integer("amount").map_err(|_| Violation::AmountMalformed)? })
}

/// Reads the fields of a terminal payment's refund.
pub(super) fn read_refund_pos<'f>(fields: &'f Fields<'_>) -> Result<RefundPos<'f>, Refusal> {
    Ok(RefundPos {
        variable_symbol: fields.text("vs")?.ok_or(Violation::Missing("vs"))?,
        amount: fields.integer("amount").map_err(|_| Violation::AmountMalformed)?,
        date: fields.text("date")?.ok_or(Violation::Missing("date"))?,
    })
}
