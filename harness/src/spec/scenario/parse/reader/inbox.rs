//! Reads the responses of the merchant's endpoint.

use std::time::Duration;

use super::Reader;
use crate::base::source::{Fields, Node, NodeKind};
use crate::spec::scenario::step::{EndpointResponse, InboxStep};

impl Reader<'_, '_> {
    pub(super) fn inbox(&mut self, fields: &mut Fields<'_>) -> Option<InboxStep> {
        let mut inbox = fields.require("inbox", self.problems).and_then(|node| Fields::from_node(node, "inbox", self.problems))?;
        let responses = inbox.list("responses", self.problems).iter().filter_map(|node| self.endpoint_response(node)).collect();
        inbox.finish(self.problems);
        Some(InboxStep { responses })
    }

    fn endpoint_response(&mut self, node: &Node) -> Option<EndpointResponse> {
        if matches!(node.kind, NodeKind::Map(_)) {
            let mut fields = Fields::from_node(node, "a response", self.problems)?;
            let status = fields.require("status", self.problems).and_then(|n| self.template(n));
            let delay = self.time(&mut fields, "delay").unwrap_or_default();
            fields.finish(self.problems);
            return Some(EndpointResponse { status: status?, delay });
        }
        Some(EndpointResponse { status: self.template(node)?, delay: Duration::ZERO })
    }
}
