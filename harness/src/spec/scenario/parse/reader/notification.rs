//! Reads a notification that is waited for.

use indexmap::IndexMap;

use super::Reader;
use crate::base::source::Fields;
use crate::spec::scenario::matcher::Matcher;
use crate::spec::scenario::parse::impossible::ExpectedMessage;
use crate::spec::scenario::step::NotificationStep;

impl Reader<'_, '_> {
    pub(super) fn notification(&mut self, fields: &mut Fields<'_>) -> Option<NotificationStep> {
        let messages = ExpectedMessage::notifications(fields, self.contracts);
        let matchers = self.notification_fields(fields, "notification", &messages);
        let unless = self.optional_template(fields, "unless");
        let attempt = self.optional_template(fields, "attempt");
        let within = self.time(fields, "within");
        let known = self.field_names.of_notifications();
        let keep = self.keep(fields, &known);
        Some(NotificationStep { fields: matchers, unless, attempt, within, keep })
    }

    pub(super) fn notification_fields(
        &mut self,
        fields: &mut Fields<'_>,
        key: &'static str,
        messages: &[ExpectedMessage<'_>],
    ) -> IndexMap<String, Matcher> {
        let known = self.field_names.of_notifications();
        self.matchers(fields, key, &known, messages)
    }
}
