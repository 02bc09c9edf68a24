//! Reads a call: the request that is sent, and what is expected of its response.

use super::Reader;
use crate::base::source::{Diagnostic, Fields, Node};
use crate::spec::contract::{Authorization, METHODS, Operation};
use crate::spec::scenario::parse::impossible::ExpectedMessage;
use crate::spec::scenario::step::{Call, Login, Twin};
use crate::spec::scenario::template::Template;
use crate::spec::target::MAIN;

impl<'c> Reader<'_, 'c> {
    pub(super) fn call(&mut self, fields: &mut Fields<'_>) -> Option<Call> {
        let node = fields.require("call", self.problems)?;
        let operation = self.template(node)?;
        let operations = self.operations(node, &operation);
        let link = self.optional_template(fields, "at").map(Box::new);
        let example = self.example(fields, &operations);
        let requests = self.field_names.of_requests(&operations);
        let with = self.values(fields, "with", Some(&requests));
        let (extra, extra_credentials) = self.values_and_credentials(fields, "extra");
        let (query, query_credentials) = self.values_and_credentials(fields, "query");
        let without = self.removed(fields, &requests);
        let responses = self.field_names.of_responses(&operations);
        let messages = ExpectedMessage::responses(fields, &operations);
        // In the order of the fields here, which is that of the messages.
        Some(Call {
            operation,
            link,
            example,
            with,
            extra,
            extra_credentials,
            query,
            query_credentials,
            without,
            identity: self.optional_template(fields, "as").unwrap_or_else(|| Template::text(MAIN)),
            body: self.optional_template(fields, "body").map(Box::new),
            media_type: fields.text("media-type", self.problems),
            plus_for_space: fields.flag("plus-for-space", self.problems),
            authorization: self.optional_template(fields, "authorization").map(Box::new),
            scheme: self.optional_template(fields, "scheme").map(Box::new),
            login: fields.optional("login").and_then(|node| self.login(node)),
            method: self.method(fields),
            token: self.optional_template(fields, "token").map(Box::new),
            expect: self.response_matchers(fields, &responses, &messages),
            http: self.http(fields),
            until: self.matchers(fields, "until", &responses, &messages),
            within: self.time(fields, "within"),
            prepares: fields.text("prepares", self.problems),
            documented: fields.flag("documented", self.problems),
            may_be_refused: fields.text("may-be-refused", self.problems),
            unless_stated: self.unless_stated(fields),
            keep: self.keep(fields, &responses),
            twin: self.twin(fields, &operations, !messages.is_empty()).map(Box::new),
        })
    }

    /// What is expected of the second of two equal requests; `is_documented` if the documents say what such a response has.
    fn twin(&mut self, fields: &mut Fields<'_>, operations: &[&'c Operation], is_documented: bool) -> Option<Twin> {
        let node = fields.optional("twin")?;
        for key in ["until", "at"].into_iter().filter(|key| fields.peek(key).is_some()) {
            self.problems.add(Diagnostic::at(node, format!("a call with `{key}` has no `twin`: only one request is sent at a time")));
        }
        let mut twin = Fields::from_node(node, "a twin", self.problems)?;
        let responses = self.field_names.of_responses(operations);
        let messages = if is_documented { ExpectedMessage::responses(&twin, operations) } else { Vec::new() };
        let expect = self.response_matchers(&mut twin, &responses, &messages);
        let http = self.http(&mut twin);
        let keep = self.keep(&mut twin, &responses);
        twin.finish(self.problems);
        Some(Twin { expect, http, keep })
    }

    /// The setting that ends the excuse of a refusal.
    fn unless_stated(&mut self, fields: &mut Fields<'_>) -> Option<String> {
        let node = fields.optional("unless-stated")?;
        let name = node.text().unwrap_or_default();
        let known: Vec<&str> = self.contracts.settings.iter().map(|setting| setting.name.as_str()).collect();
        if !known.contains(&name) {
            self.problems.add(Diagnostic::at(node, format!("there is no setting `{name}`")).names(name, known));
        } else if fields.peek("may-be-refused").and_then(Node::text).is_none() {
            self.problems.add(Diagnostic::at(node, "`unless-stated` goes with `may-be-refused`"));
        }
        Some(name.to_owned())
    }

    /// The HTTP method that the step sends instead of the documented one.
    fn method(&mut self, fields: &mut Fields<'_>) -> Option<String> {
        let node = fields.optional("method")?;
        let name = node.text().unwrap_or_default();
        if !METHODS.contains(&name) {
            self.problems.add(Diagnostic::at(node, format!("`{name}` is no method of a request")).names(name, METHODS));
        }
        Some(name.to_owned())
    }

    /// The login that an operation asks for.
    fn login(&mut self, node: &Node) -> Option<Login> {
        let name = node.text().unwrap_or_default();
        let login = |operation: &Operation| match &operation.credentials.header {
            Authorization::Basic { username, password } => Some(Login { username: username.clone(), password: password.clone() }),
            Authorization::None | Authorization::Bearer(_) => None,
        };
        let found = self.contracts.operations.get(name).and_then(login);
        if found.is_none() {
            let known = self.contracts.operations.values().filter(|operation| login(operation).is_some());
            let problem = Diagnostic::at(node, format!("`{name}` is no operation with a login (HTTP Basic)"));
            self.problems.add(problem.names(name, known.map(|operation| operation.id.as_str())));
        }
        found
    }
}
