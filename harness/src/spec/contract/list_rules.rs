//! Lists whose items can be judged one by one, so that a list may be longer than what is kept of it.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::schema::{FaultCause, Schema};
use super::schema_path::{self, PathStep, SchemaPath};
use super::schema_walk::{self, Applies};
use super::sum::Sum;
use crate::wire::exchange::SchemaFault;

/// The lists of a schema that can be judged item by item.
#[derive(Debug)]
pub struct ListsByItem {
    schema: Arc<Schema>,
    /// Computed when the first long list is read.
    rules: OnceLock<Vec<ListRules>>,
}

impl ListsByItem {
    pub(super) fn new(schema: Arc<Schema>) -> Self {
        Self { schema, rules: OnceLock::new() }
    }

    /// The rules for the items of the list at a JSON Pointer, if they can be judged one by one.
    pub(crate) fn at(&self, pointer: &str) -> Option<&ListRules> {
        self.rules.get_or_init(|| ListRules::find_all(&self.schema)).iter().find(|list| list.is_at(pointer))
    }
}

/// The rules of a schema for each item of a list.
#[derive(Debug)]
pub struct ListRules {
    path: SchemaPath,
    /// Every subschema that describes an item.
    items: Vec<Schema>,
    /// The rules about totals that add up the list, by their place in the schema.
    sums: Vec<(usize, Sum)>,
}

/// A fault of an item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ItemFault {
    pub(crate) fault: SchemaFault,
    /// The schema that it breaks, and the cause; none for a total.
    cause: Option<(usize, FaultCause)>,
}

/// Causes that were reported often enough, by the index of their schema.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReportedCauses(Vec<Vec<FaultCause>>);

impl ReportedCauses {
    /// Stops further reports of this fault's cause.
    pub(crate) fn learn(&mut self, fault: ItemFault) {
        let Some((place, cause)) = fault.cause else { return };
        let missing = (place + 1).saturating_sub(self.0.len());
        self.0.extend(std::iter::repeat_n(Vec::new(), missing));
        if let Some(causes) = self.0.get_mut(place).filter(|causes| !causes.contains(&cause)) {
            causes.push(cause);
        }
    }
}

/// Keywords about a list as a whole: a list with one of them is not judged by its items alone.
const OF_THE_WHOLE: [&str; 7] = ["const", "contains", "enum", "maxItems", "prefixItems", "uniqueItems", "x-unique"];

/// All keywords about lists.
const OF_LISTS: [&str; 7] = ["contains", "items", "maxItems", "minItems", "prefixItems", "uniqueItems", "x-unique"];

impl ListRules {
    /// The rules of every list that a schema describes item by item and in no other way.
    fn find_all(schema: &Schema) -> Vec<Self> {
        let mut lists = Vec::<Self>::new();
        if branches_speak_of_lists(&schema.expanded) {
            return lists;
        }
        let holders = schema_path::holders(&schema.expanded, "items");
        for (path, _) in &holders {
            let same = || holders.iter().filter(|(other, _)| other == path).map(|(_, at)| at);
            if lists.iter().any(|list| list.path == *path) || same().any(|at| speaks_of_the_whole(&schema.expanded, at)) {
                continue;
            }
            let items: Option<Vec<Schema>> = same().map(|at| schema.part(&format!("{at}/items"))).collect();
            let Some(items) = items.filter(|items| items.iter().all(Schema::is_plain)) else { continue };
            let own = schema.sums().iter().enumerate().filter(|(_, (holder, sum))| adds_up(holder, sum, path));
            let sums = own.map(|(index, (_, sum))| (index, sum.clone())).collect();
            lists.push(Self { path: path.clone(), items, sums });
        }
        lists
    }

    /// Whether the rules are those of the list at a JSON Pointer.
    fn is_at(&self, pointer: &str) -> bool {
        schema_path::matches_pointer(&self.path, pointer)
    }

    /// All violations of an item, except those of known causes; pointers begin at the item.
    pub(crate) fn faults(&self, item: &Value, known: &ReportedCauses) -> Vec<ItemFault> {
        let mut faults = Vec::new();
        for (schema, place) in self.items.iter().zip(0..) {
            let known = known.0.get(place).map(Vec::as_slice).unwrap_or_default();
            let by_keyword = schema.faults_but(item, known).into_iter().map(|(cause, fault)| (Some((place, cause)), fault));
            let of_sums = schema.faults_of_sums(item, &[]).into_iter().map(|fault| (None, fault));
            faults.extend(by_keyword.chain(of_sums).map(|(cause, fault)| ItemFault { fault, cause }));
        }
        faults
    }

    /// The share of an item in each total: the index of the rule in the schema, and the amount; none if a term is missing.
    pub(crate) fn shares(&self, item: &Value) -> impl Iterator<Item = (usize, Option<i64>)> {
        self.sums.iter().map(|(index, sum)| (*index, sum.share(item)))
    }
}

/// Whether a rule of the subschema at `holder` adds up the list at the end of a path.
fn adds_up(holder: &SchemaPath, sum: &Sum, path: &SchemaPath) -> bool {
    let Some(list) = sum.list() else { return false };
    let list = list.iter().map(|name| PathStep::Field(name.clone()));
    holder.iter().cloned().chain(list).eq(path.iter().cloned())
}

fn speaks_of_the_whole(schema: &Value, at: &str) -> bool {
    let Some(list) = schema.pointer(at) else { return true };
    // One item is always kept.
    let wants_several = list.get("minItems").and_then(Value::as_u64).is_some_and(|least| least > 1);
    wants_several || OF_THE_WHOLE.iter().any(|keyword| list.get(keyword).is_some())
}

/// Whether a subschema that does not always apply constrains a list.
fn branches_speak_of_lists(schema: &Value) -> bool {
    schema_walk::subschemas(schema).any(|sub| match sub.by.applies {
        Applies::Always => branches_speak_of_lists(sub.schema),
        Applies::WhereItHolds | Applies::AfterIf(_) | Applies::Asked => mentions_lists(sub.schema),
        Applies::Decoded => false,
    })
}

fn mentions_lists(schema: &Value) -> bool {
    let own = OF_LISTS.iter().any(|keyword| schema.get(keyword).is_some());
    own || schema_walk::subschemas(schema).any(|sub| mentions_lists(sub.schema))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema(schema: Value) -> Arc<Schema> {
        Schema::compile("s.json".into(), schema, vec![("/properties/rows/items".into(), "row.json#".into())]).unwrap()
    }

    fn lists(of: Value) -> ListsByItem {
        ListsByItem::new(schema(of))
    }

    fn rows(of_the_list: Value) -> Value {
        let mut list = json!({"items": {"required": ["a"], "properties": {"a": {"type": "integer"}}}, "x-clause": "r.rows"});
        list.as_object_mut().unwrap().extend(of_the_list.as_object().unwrap().clone());
        json!({"properties": {"rows": list}, "x-clause": "r"})
    }

    #[test]
    fn an_item_alone_has_the_faults_that_it_has_in_its_list() {
        let schema = schema(rows(json!({})));
        let lists = ListsByItem::new(Arc::clone(&schema));
        for item in [json!({"a": 1}), json!({"a": "1"}), json!({}), json!(5)] {
            let alone = lists.at("/rows").unwrap().faults(&item, &ReportedCauses::default()).into_iter().map(|of_item| of_item.fault);
            let alone: Vec<_> = alone.map(|fault| SchemaFault { instance: format!("/rows/0{}", fault.instance), ..fault }).collect();
            assert_eq!(alone, schema.faults(&json!({"rows": [item]})));
        }
    }

    #[test]
    fn known_causes_are_not_reported_again() {
        let lists = lists(rows(json!({})));
        let list = lists.at("/rows").unwrap();
        let mut known = ReportedCauses::default();
        let of = |item: Value, known: &ReportedCauses| {
            list.faults(&item, known).into_iter().map(|of_item| of_item.fault.keyword).collect::<Vec<_>>()
        };
        known.learn(list.faults(&json!({}), &known).pop().unwrap());
        assert_eq!(of(json!({}), &known), Vec::<String>::new());
        assert_eq!(of(json!({"a": "1"}), &known), ["type"]);
    }

    #[test]
    fn a_list_that_is_described_as_a_whole_is_not_judged_by_its_items() {
        assert!(lists(rows(json!({"minItems": 1}))).at("/rows").is_some());
        for whole in [
            json!({"uniqueItems": true}),
            json!({"x-unique": "id"}),
            json!({"maxItems": 9}),
            json!({"minItems": 2}),
            json!({"contains": {"const": 1}}),
        ] {
            assert!(lists(rows(whole.clone())).at("/rows").is_none(), "{whole}");
        }
        let mut sometimes = rows(json!({}));
        sometimes["if"] = json!({"properties": {"rows": {"maxItems": 1}}});
        assert!(lists(sometimes).at("/rows").is_none());
    }

    #[test]
    fn a_list_that_a_branch_looks_into_is_not_judged_by_its_items_whatever_the_keyword() {
        for by in &schema_walk::APPLICATORS {
            let (schema, _, _) = schema_walk::holding(by, &json!({"properties": {"rows": {"maxItems": 1}}}), &json!({}));
            let is_branch = !matches!(by.applies, Applies::Always | Applies::Decoded);
            assert_eq!(branches_speak_of_lists(&schema), is_branch, "{}", by.keyword);
        }
    }
}
