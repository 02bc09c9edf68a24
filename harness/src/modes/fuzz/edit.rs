//! One change to a valid request. A mutated request is a valid one with a list of changes.

use super::raw_request::{BodyFields, RawRequest};
use super::spelling::Spelling;
use super::wire::{BodyEdit, HeaderEdit, TargetEdit};
use crate::base::pointer;
use crate::spec::contract::Content;

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Edit {
    /// Another value for a field.
    Set { pointer: String, spelling: Spelling },
    /// A field taken away.
    Remove { pointer: String },
    /// A field once more, with another value.
    Repeat { pointer: String, spelling: Spelling },
    /// A field that the documents don't know.
    Add { key: &'static str, spelling: Spelling },
    /// The bytes of the body.
    Body(BodyEdit),
    /// Path and query.
    Target(TargetEdit),
    /// The method.
    Method(&'static str),
    /// The headers, and how the body is framed.
    Header(HeaderEdit),
}

/// When a change is made: in this order, so that a later one finds the earlier ones made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Fields get other values.
    Values,
    /// Fields are removed.
    Removals,
    /// Fields are repeated or added.
    FurtherFields,
    /// The encoded body is changed.
    BodyBytes,
    /// Path, query and method are changed.
    RequestLine,
    /// Headers and the framing of the body are changed.
    Headers,
}

/// Methods: those of other calls, those of HTTP that no API expects, and some that are none.
pub(super) const METHODS: [&str; 10] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "post", "BREW"];

/// Keys that no API knows, and those with which parsers and languages have had trouble.
pub(super) const KEYS: [&str; 9] = ["", " ", "unknown", "__proto__", "constructor", "a.b[0]", "a\u{0}b", "ключ", "$ref"];

impl Edit {
    /// The stage at which the change is made; changes are made in the order of their stages.
    pub(super) fn stage(&self) -> Stage {
        match self {
            Self::Set { .. } => Stage::Values,
            Self::Remove { .. } => Stage::Removals,
            Self::Repeat { .. } | Self::Add { .. } => Stage::FurtherFields,
            Self::Body(_) => Stage::BodyBytes,
            Self::Target(_) | Self::Method(_) => Stage::RequestLine,
            Self::Header(_) => Stage::Headers,
        }
    }

    /// Whether it changes the decoded body rather than its bytes.
    pub(super) fn is_about_fields(&self) -> bool {
        self.stage() < Stage::BodyBytes
    }

    /// Whether a server may refuse the request for it before any operation reads it. The documents do not define the response
    /// then; HTTP does.
    pub(super) fn is_about_http(&self) -> bool {
        match self {
            Self::Set { spelling, .. } | Self::Add { spelling, .. } => spelling.is_malformed(),
            Self::Remove { .. } => false,
            Self::Repeat { .. } | Self::Body(_) | Self::Target(_) | Self::Method(_) | Self::Header(_) => true,
        }
    }

    /// Whether the request may reach another operation.
    pub(super) fn leads_elsewhere(&self) -> bool {
        matches!(self, Self::Target(edit) if edit.changes_path()) || matches!(self, Self::Method(_))
    }

    pub(super) fn apply(&self, raw: &mut RawRequest) {
        match self {
            Self::Set { pointer, spelling } => with_fields(raw, |fields| fields.set(pointer, spelling)),
            Self::Remove { pointer } => with_fields(raw, |fields| fields.remove(pointer)),
            Self::Repeat { pointer, spelling } => with_fields(raw, |fields| {
                let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
                fields.add(parent, &pointer::unescaped(name), spelling);
            }),
            Self::Add { key, spelling } => with_fields(raw, |fields| fields.add("", key, spelling)),
            Self::Body(edit) => edit.apply(raw),
            Self::Target(edit) => edit.apply(raw),
            Self::Method(method) => (*method).clone_into(&mut raw.method),
            Self::Header(edit) => edit.apply(raw),
        }
    }

    /// Smaller changes of the same kind, the smallest first.
    pub(super) fn smaller(&self) -> Vec<Self> {
        let with = |spelling: &Spelling, made: &dyn Fn(Spelling) -> Self| spelling.smaller().into_iter().map(made).collect();
        match self {
            Self::Set { pointer, spelling } => with(spelling, &|spelling| Self::Set { pointer: pointer.clone(), spelling }),
            Self::Repeat { pointer, spelling } => with(spelling, &|spelling| Self::Repeat { pointer: pointer.clone(), spelling }),
            Self::Add { key, spelling } => with(spelling, &|spelling| Self::Add { key, spelling }),
            Self::Header(edit) => edit.smaller().into_iter().map(Self::Header).collect(),
            Self::Remove { .. } | Self::Body(_) | Self::Target(_) | Self::Method(_) => Vec::new(),
        }
    }

    /// For people: `/price is 1e400`.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Set { pointer, spelling } => format!("{pointer} is {}", spelling.describe()),
            Self::Remove { pointer } => format!("{pointer} is not there"),
            Self::Repeat { pointer, spelling } => format!("{pointer} is repeated, the second time as {}", spelling.describe()),
            Self::Add { key, spelling } => format!("a further field {} is {}", serde_json::Value::from(*key), spelling.describe()),
            Self::Body(edit) => edit.describe(),
            Self::Target(edit) => edit.describe(),
            Self::Method(method) => format!("the method is {method}"),
            Self::Header(edit) => edit.describe(),
        }
    }
}

fn with_fields(raw: &mut RawRequest, change: impl FnOnce(&mut BodyFields)) {
    if let Some(fields) = &mut raw.fields {
        change(fields);
    }
}

impl RawRequest {
    /// Returns the request with these changes, whatever their order. `prepare` sees it after the changes to its fields
    /// and before those to its bytes.
    pub(super) fn with(&self, edits: &[Edit], content: Option<&Content>, prepare: impl FnOnce(&mut Self)) -> Self {
        let mut raw = self.clone();
        let mut ordered: Vec<&Edit> = edits.iter().collect();
        ordered.sort_by_key(|edit| edit.stage());
        let (fields, rest) = ordered.split_at(ordered.iter().take_while(|edit| edit.is_about_fields()).count());
        for edit in fields {
            edit.apply(&mut raw);
        }
        if let (Some(written), Some(content), false) = (&raw.fields, content, fields.is_empty()) {
            raw.body = written.encode(content);
        }
        prepare(&mut raw);
        for edit in rest {
            edit.apply(&mut raw);
        }
        raw
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::base::source::Source;
    use crate::engine::request::{Guard, Origin, Preparation, RequestContent};
    use crate::spec::contract::Contracts;
    use crate::spec::target;
    use serde_json::json;

    /// Whether a live target would receive a mutated request to an operation.
    fn is_sent(id: &str, edit: Option<Edit>) -> bool {
        let contracts = Contracts::shipped();
        let live = "title: live\nbase: http://192.0.2.1\ncredentials: { main: { merchant: '1', secret: not-a-secret-0 } }\n";
        let target = target::parse(&Source::new("target.yaml", live), &contracts, &|_| None).unwrap();
        let guard = Guard::new(Arc::clone(&contracts), &target);
        let operation = contracts.operations.get(id).unwrap();
        let base = target.base(&operation.api);
        let preparation = Preparation { contracts: &contracts, target: &target, guard: &guard };
        let prepared = preparation.prepare(operation, RequestContent::new(operation, operation.example(), "main"), base, "a test").unwrap();
        let raw = RawRequest::new(&prepared, prepared.to_connection().unwrap().headers(), operation.request.as_ref());
        let edits: Vec<Edit> = edit.into_iter().collect();
        let mutated = raw.with(&edits, operation.request.as_ref(), |_| {});
        mutated.consent(&guard, Origin { operation: id, place: "a test" }).is_ok()
    }

    #[test]
    fn a_mutation_that_takes_the_test_away_is_not_sent_to_a_live_target() {
        let (test, price) = (|| "/test".to_owned(), || "/price".to_owned());
        for id in ["gateway.v1.create", "gateway.v2.create"] {
            assert!(is_sent(id, None), "{id}");
            assert!(is_sent(id, Some(Edit::Set { pointer: price(), spelling: Spelling::Value(json!(-1)) })), "{id}");
            assert!(is_sent(id, Some(Edit::Target(TargetEdit::Query(b"a=1&a=2")))), "{id}");
            for edit in [
                Edit::Remove { pointer: test() },
                Edit::Set { pointer: test(), spelling: Spelling::Value(json!(false)) },
                Edit::Repeat { pointer: test(), spelling: Spelling::Value(json!("a")) },
                Edit::Body(BodyEdit::Cut(1)),
                Edit::Body(BodyEdit::Instead(b"")),
                Edit::Body(BodyEdit::Utf16),
                Edit::Header(HeaderEdit::Is("content-type", b"text/plain")),
                Edit::Header(HeaderEdit::Is("content-encoding", b"gzip")),
                Edit::Header(HeaderEdit::Without("content-type")),
            ] {
                assert!(!is_sent(id, Some(edit.clone())), "{id}: {edit:?}");
            }
        }
    }
}
