//! Reads matchers.

use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::Matcher;
use super::side::Side;
use crate::base::source::{Diagnostic, Node, NodeKind, Problems};
use crate::spec::scenario::interned::Interned;
use crate::spec::scenario::template::Template;

/// The names of all matchers.
pub(super) const NAMES: [&str; 19] = [
    "$any",
    "$absent",
    "$not",
    "$one-of",
    "$pattern",
    "$greater-than",
    "$less-than",
    "$at-least",
    "$at-most",
    "$near",
    "$length",
    "$amount",
    "$contains",
    "$lacks",
    "$somewhere",
    "$optional",
    "$unsigned",
    "$success",
    "$refusal",
];

impl Matcher {
    /// Reads a matcher.
    pub(crate) fn parse(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.kind {
            NodeKind::Map(entries) => match entries.as_slice() {
                [only] if only.key.starts_with('$') => Self::named(node, &only.key, &only.value, problems),
                entries if entries.iter().any(|e| e.key.starts_with('$')) => {
                    problems.add(Diagnostic::at(node, "a matcher must be the only key of its mapping"));
                    None
                }
                entries => {
                    Some(Self::Fields(entries.iter().filter_map(|e| Some((e.key.clone(), Self::parse(&e.value, problems)?))).collect()))
                }
            },
            NodeKind::List(items) => Some(Self::Items(items.iter().filter_map(|item| Self::parse(item, problems)).collect())),
            NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) => template(node, problems).map(Self::Equal),
        }
    }

    fn named(node: &Node, name: &str, value: &Node, problems: &mut Problems) -> Option<Self> {
        match name {
            "$any" => only_true(name, value, Self::Any, problems),
            "$absent" => only_true(name, value, Self::Absent, problems),
            "$success" => only_true(name, value, Self::Success, problems),
            "$refusal" => only_true(name, value, Self::Refusal, problems),
            "$not" => Self::parse(value, problems).map(|inner| Self::Not(Box::new(inner))),
            "$one-of" => {
                let items = value.list();
                if items.is_none() {
                    problems.add(Diagnostic::at(value, "`$one-of` takes a list"));
                }
                Some(Self::OneOf(items?.iter().filter_map(|item| Self::parse(item, problems)).collect()))
            }
            "$pattern" => pattern(value, problems).map(Self::Pattern),
            "$greater-than" => template(value, problems).map(|t| Self::Compare(Side::Greater, t)),
            "$less-than" => template(value, problems).map(|t| Self::Compare(Side::Less, t)),
            "$at-least" => template(value, problems).map(|t| Self::Compare(Side::AtLeast, t)),
            "$at-most" => template(value, problems).map(|t| Self::Compare(Side::AtMost, t)),
            "$near" => template(value, problems).map(Self::Near),
            "$length" => {
                // A template is filled in later.
                let is_number = value.to_json().as_u64().is_some() || value.text().is_some_and(|text| text.contains("{{"));
                if !is_number {
                    problems.add(Diagnostic::at(value, "`$length` takes a whole number"));
                }
                template(value, problems).filter(|_| is_number).map(Self::Length)
            }
            "$amount" => template(value, problems).map(Self::Amount),
            "$contains" => Self::parse(value, problems).map(|inner| Self::Contains(Box::new(inner))),
            "$lacks" => Self::parse(value, problems).map(|inner| Self::Lacks(Box::new(inner))),
            "$somewhere" => Self::parse(value, problems).map(|inner| Self::Somewhere(Box::new(inner))),
            "$optional" => Self::parse(value, problems).map(|inner| Self::Optional(Box::new(inner))),
            "$unsigned" => Self::parse(value, problems).map(|inner| Self::Unsigned(Box::new(inner))),
            _ => {
                problems.add(Diagnostic::at(node, format!("there is no matcher `{name}`")).names(name, NAMES));
                None
            }
        }
    }
}

/// A matcher without a value of its own: `true` stands in its place, and anything else would not be looked at.
fn only_true(name: &str, value: &Node, matcher: Matcher, problems: &mut Problems) -> Option<Matcher> {
    if value.kind == NodeKind::Bool(true) {
        return Some(matcher);
    }
    problems.add(Diagnostic::at(value, format!("`{name}` takes only `true`, but this is {}", value.describe())));
    None
}

fn pattern(node: &Node, problems: &mut Problems) -> Option<Arc<Regex>> {
    static IN_USE: LazyLock<Interned<Regex>> = LazyLock::new(Interned::default);
    let Some(text) = node.text() else {
        problems.add(Diagnostic::at(node, format!("`$pattern` takes a text, but this is {}", node.describe())));
        return None;
    };
    IN_USE.compiled(text, Regex::new).map_err(|error| problems.add(Diagnostic::at(node, format!("this is not a pattern: {error}")))).ok()
}

/// A template from a node.
pub(in crate::spec::scenario) fn template(node: &Node, problems: &mut Problems) -> Option<Template> {
    Template::parse(&node.to_json()).map_err(|e| problems.add(Diagnostic::at(node, format!("this template can't be read: {e}")))).ok()
}
