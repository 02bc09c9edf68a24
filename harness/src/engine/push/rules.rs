//! The documents' rules for a merchant that receives a notification.

use crate::spec::contract::{MerchantRules, Operation};

/// The rules for this notification, if the documents have any.
pub(crate) fn rules(notification: &Operation) -> Option<&MerchantRules> {
    notification.notification.as_ref()?.merchant.as_ref()
}
