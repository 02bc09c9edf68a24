//! Judges the items of a long list as they are read. The result is the [`Rest`] of the list, which the checks see instead of the
//! items.

use serde_json::Value;

use crate::spec::contract::{FactRule, ItemFault, ListRules, ListsByItem, REPORTED_PER_CAUSE, ReportedCauses};
use crate::wire::exchange::{BodyFault, Masking, Request, Rest, SchemaFault};
use crate::wire::fact_table::{FactTable, SubjectPacker};
use crate::wire::ingest::{ItemJudge, ItemJudges};

/// One more fault per cause than is reported is remembered, so that the report can mention the others.
pub(crate) const FAULTS_OF_A_CAUSE: usize = REPORTED_PER_CAUSE + 1;

/// The rules for the items of a body, and the masking of what is recorded of them.
#[derive(Clone, Copy)]
pub(crate) struct ItemRules<'r> {
    /// The schema's rules for the items of each list.
    pub(crate) lists: &'r ListsByItem,
    /// The operation's rules about facts.
    pub(crate) fact_rules: &'r [FactRule],
    pub(crate) request: &'r Request,
    pub(crate) masking: &'r dyn Masking,
}

impl<'r> ItemJudges<'r> for ItemRules<'r> {
    fn judge_of(&self, pointer: &str) -> Option<Box<dyn ItemJudge + 'r>> {
        UnkeptItems::for_list(*self, pointer).map(|items| -> Box<dyn ItemJudge + 'r> { Box::new(items) })
    }
}

/// The items of a list that are judged and not kept.
struct UnkeptItems<'r> {
    list: &'r ListRules,
    rules: ItemRules<'r>,
    judged: usize,
    faults: Vec<SchemaFault>,
    /// Causes whose faults were reported often enough.
    known: ReportedCauses,
    sums: Vec<(usize, Option<i64>)>,
    tables: Vec<(usize, FactTable)>,
    packer: SubjectPacker,
}

impl<'r> UnkeptItems<'r> {
    /// Returns nothing if the items cannot be judged one by one.
    fn for_list(rules: ItemRules<'r>, pointer: &str) -> Option<Self> {
        let list = rules.lists.at(pointer)?;
        let mut tables = Vec::new();
        for (place, rule) in rules.fact_rules.iter().enumerate().filter(|(_, rule)| rule.is_for(rules.request)) {
            tables.extend(rule.by_items(pointer).ok()?.map(|table| (place, table)));
        }
        Some(Self {
            list,
            rules,
            judged: 0,
            faults: Vec::new(),
            known: ReportedCauses::default(),
            sums: Vec::new(),
            tables,
            packer: SubjectPacker::default(),
        })
    }

    fn add_up(&mut self, item: &Value) {
        for (at, (rule, share)) in self.list.shares(item).enumerate() {
            match self.sums.get_mut(at) {
                Some((_, sum)) => *sum = sum.zip(share).and_then(|(sum, share)| sum.checked_add(share)),
                None => self.sums.push((rule, share)),
            }
        }
    }

    /// Collects the facts of an item, secrets masked.
    fn collect_facts(&mut self, index: usize, item: &Value) {
        for (place, table) in &mut self.tables {
            let Some(rule) = self.rules.fact_rules.get(*place) else { continue };
            let mut states_facts = rule.pack(&mut self.packer, self.rules.request, item);
            if states_facts && self.rules.masking.touches(self.packer.bytes()) {
                let mut masked = item.clone();
                self.rules.masking.mask(&mut masked);
                states_facts = rule.pack(&mut self.packer, self.rules.request, &masked);
            }
            if states_facts {
                table.add(index, &self.packer);
            }
        }
    }

    /// Collects faults to report. Unreadable parts are reported already, and each cause only a few times.
    fn note(&mut self, faults: Vec<ItemFault>, item: &str, misspelt: &[BodyFault]) {
        for of_item in faults {
            let fault = &of_item.fault;
            let of_its_cause = self.faults.iter().filter(|other| other.contract == fault.contract && other.clause == fault.clause);
            if of_its_cause.count() >= FAULTS_OF_A_CAUSE {
                self.known.learn(of_item);
                continue;
            }
            let fault = SchemaFault { instance: format!("{item}{}", fault.instance), ..of_item.fault };
            if !misspelt.iter().any(|reported| reported.covers(&fault.instance)) {
                self.faults.push(fault);
            }
        }
    }
}

impl ItemJudge for UnkeptItems<'_> {
    fn judged(&self) -> usize {
        self.judged
    }

    fn judge(&mut self, list: &str, kept: usize, item: &Value, misspelt: &[BodyFault]) {
        let index = kept + self.judged;
        self.judged += 1;
        self.add_up(item);
        self.collect_facts(index, item);
        let mut faults = self.list.faults(item, &self.known);
        if faults.is_empty() {
            return;
        }
        let mut masked = item.clone();
        self.rules.masking.mask(&mut masked);
        if masked != *item {
            faults = self.list.faults(&masked, &self.known);
        }
        self.note(faults, &format!("{list}/{index}"), misspelt);
    }

    fn end(self: Box<Self>, pointer: String, kept: usize) -> Option<Rest> {
        let Self { judged, faults, sums, tables, .. } = *self;
        (judged > 0).then_some(Rest { pointer, kept, length: kept + judged, faults, sums, fact_tables: tables })
    }
}
