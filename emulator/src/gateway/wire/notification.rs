//! The push notification, in the order of the document's table.

use super::status_record::{write_card, write_surcharge};
use crate::common::Merchant;
use crate::gateway::core::order::{Address, Order};
use crate::gateway::core::{Interface, Payment};
use crate::wire::{FormRecord, JsonRecord, Record, form, json};
use crate::world::NotificationBody;

/// Writes a form for payments created through v1.0, JSON for v2.0.
pub(crate) fn write(payment: &Payment, merchant: &Merchant) -> NotificationBody {
    match payment.interface {
        Interface::V1 => {
            let mut record = FormRecord::with_capacity(512);
            write_record(&mut record, payment, merchant);
            NotificationBody { media_type: form::MEDIA_TYPE, bytes: record.into_bytes().into(), headers: None }
        }
        Interface::V2 => {
            let mut record = JsonRecord::with_capacity(512);
            write_record(&mut record, payment, merchant);
            NotificationBody { media_type: json::MEDIA_TYPE, bytes: record.into_bytes().into(), headers: None }
        }
    }
}

fn write_record(record: &mut impl Record, payment: &Payment, merchant: &Merchant) {
    let order = &payment.order;
    let receipt = payment.receipt_if_any();
    let mut digits = itoa::Buffer::new();
    record.text("transId", payment.id.text().as_str());
    record.text("merchant", merchant.id());
    record.text("test", if order.test { "true" } else { "false" });
    record.text("price", digits.format(order.price));
    record.text("curr", order.currency.as_str());
    record.text("label", &order.label);
    record.text("refId", &order.ref_id);
    record.optional("payerId", order.payer_id.as_deref());
    record.optional("payer_name", receipt.and_then(|receipt| receipt.payer_name.as_deref()));
    record.optional("payer_acc", receipt.and_then(|receipt| receipt.payer_account.as_deref()));
    record.optional("method", receipt.map(|receipt| receipt.method.id));
    record.optional("account", payment.account());
    record.text("email", order.email.as_deref().unwrap_or_default());
    record.optional("phone", order.phone.as_deref());
    record.optional("name", order.name.as_deref());
    record.text("secret", &merchant.settings.secret);
    record.text("status", payment.state.as_str());
    record.optional("fee", merchant.settings.fee.as_deref());
    write_person(record, order);
    if let Some(card) = receipt.and_then(|receipt| receipt.card.as_ref()) {
        write_card(record, card);
    }
    write_surcharge(record, payment);
    record.text("vs", digits.format(payment.variable_symbol));
    record.optional("paymentErrorReason", payment.error_reason().map(|reason| reason.as_str()));
    if let Some(three_ds) = receipt.and_then(|receipt| receipt.three_ds) {
        record.text("threeDSPreference", three_ds.notification_name());
        record.flag("threeDSApplied", three_ds.applied());
    }
}

fn write_person(record: &mut impl Record, order: &Order) {
    const BILLING: [&str; 4] = ["billing_addr_city", "billing_addr_street", "billing_addr_postal_code", "billing_addr_country"];
    const HOME: [&str; 4] = ["home_delivery_city", "home_delivery_street", "home_delivery_postal_code", "home_delivery_country"];
    record.text("full_name", order.full_name.as_deref().unwrap_or_default());
    write_address(record, BILLING, order.billing.as_deref());
    record.optional("delivery", order.delivery.map(|delivery| delivery.as_str()));
    write_address(record, HOME, order.home.as_deref());
    record.optional("category", order.category.map(|category| category.as_str()));
}

fn write_address(record: &mut impl Record, [city, street, postal_code, country]: [&str; 4], address: Option<&Address>) {
    let Some(address) = address else { return };
    record.optional(city, address.city.as_deref());
    record.optional(street, address.street.as_deref());
    record.optional(postal_code, address.postal_code.as_deref());
    record.optional(country, address.country.as_deref());
}
