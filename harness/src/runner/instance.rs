//! One instance from its world's beginning to its end.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value};

use super::context::{Context, Worlds};
use super::place::Place;
use super::plan::Instance;
use super::session::{Session, Stop};
use crate::check::{self, Judgement};
use crate::event::InstanceFinished;
use crate::record::Entry;
use crate::scenario::{Given, Step, Verb, WorldStep};
use crate::target::{MAIN, NOBODY, WRONG_SECRET};
use crate::verdict::{Finding, Verdict};
use crate::world::World;

/// Runs one instance; `index` is its place in the plan.
pub(super) async fn run(context: &Context, instance: &Instance, index: usize) -> InstanceFinished {
    let started = Instant::now();
    let mut finished = InstanceFinished::begun(instance.name.clone(), instance.scenario.title.clone());
    match unmet(context, instance) {
        Some(reason) => finished.verdict = Verdict::Skipped { reason },
        None => {
            let _turn = context.turn(instance).await;
            judge(context, instance, index, &mut finished).await;
        }
    }
    finished.elapsed = started.elapsed();
    finished
}

async fn judge(context: &Context, instance: &Instance, index: usize, finished: &mut InstanceFinished) {
    let place = match Place::open(context, instance, index).await {
        Ok(place) => place,
        Err(error) => return finished.verdict = Verdict::Broken { reason: error.to_string() },
    };
    play(&place, context, instance, finished).await;
    if let Err(error) = place.close(context).await
        && finished.verdict == Verdict::Passed
    {
        finished.verdict = Verdict::Broken { reason: error.to_string() };
    }
}

pub(super) async fn play(place: &Place, context: &Context, instance: &Instance, finished: &mut InstanceFinished) {
    let mut session = Session::new(context, instance, place);
    let mut stop = session.steps(|_| true).await.err();
    if !matches!(stop, Some(Stop::Broken(_)))
        && let Err(broken) = session.judge_rest().await
    {
        stop = Some(broken);
    }
    session.finish(stop, finished);
}

/// What the instance needs and the target does not have.
pub(super) fn unmet(context: &Context, instance: &Instance) -> Option<String> {
    if !instance.scenario.setting.is_empty() && matches!(context.worlds, Worlds::Commands(_)) {
        return Some("it needs a world with settings of its own, which only an emulator gives".to_owned());
    }
    if let Some(need) = instance.scenario.needs.iter().find(|need| !context.worlds.is_able(need)) {
        return Some(format!("the target has no way to play `{need}`"));
    }
    let target = &context.target;
    instance.steps.iter().find_map(|step| match &step.verb {
        Verb::World(step) => {
            let action = step.action.render(&instance.case.values).ok()?;
            let action = action.as_str()?;
            let fault = context.contracts.actions.get(action).is_some_and(|a| a.fault);
            let refused = fault.then(|| target.may_fault().err()).flatten().map(|refusal| refusal.to_string());
            refused.or_else(|| context.worlds.cannot(action))
        }
        Verb::Call(call) => {
            let identity = call.identity.render(&instance.case.values).ok()?;
            let identity = identity.as_str()?;
            let known = [MAIN, NOBODY, WRONG_SECRET].contains(&identity) || target.credentials.contains_key(identity);
            (!known).then(|| format!("the target has no credentials for `{identity}`"))
        }
        Verb::Notification(_) | Verb::NoNotification(_) | Verb::Inbox(_) => {
            context.inbox.is_none().then(|| "the target file opens no inbox (`notifications: { listen: … }`)".to_owned())
        }
        Verb::Violations(_) => None,
    })
}

impl Worlds {
    fn is_able(&self, capability: &str) -> bool {
        match self {
            Self::Emulator(emulator) => emulator.is_able(capability),
            Self::Commands(commands) => commands.commands.keys().any(|action| action.split('.').next() == Some(capability)),
        }
    }

    pub(super) fn cannot(&self, action: &str) -> Option<String> {
        match self {
            Self::Emulator(emulator) => emulator.cannot(action),
            Self::Commands(commands) => commands.cannot(action),
        }
    }
}

impl Session<'_> {
    /// Plays those steps that are wanted.
    pub(super) async fn steps(&mut self, wanted: impl Fn(&Step) -> bool) -> Result<(), Stop> {
        for step in self.instance.steps.iter().filter(|step| wanted(step)) {
            match &step.verb {
                Verb::Call(call) => self.call(step, call).await?,
                Verb::World(world) => self.world_step(step, world).await?,
                Verb::Notification(wanted) => self.notification(step, wanted).await?,
                Verb::NoNotification(fields) => self.no_notification(step, fields).await?,
                Verb::Inbox(inbox) => self.inbox(inbox)?,
                // Written out when the plan was made.
                Verb::Violations(_) => {}
            }
        }
        self.judgement.held.extend(self.instance.scenario.clauses.iter().cloned());
        Ok(())
    }

    async fn world_step(&mut self, step: &Step, world: &WorldStep) -> Result<(), Stop> {
        let action = world.action.render(&self.variables).map_err(Stop::Broken)?;
        let action = action.as_str().unwrap_or_default().to_owned();
        let mut with = Map::new();
        for (name, value) in &world.with {
            with.insert(name.clone(), value.render(&self.variables).map_err(Stop::Broken)?);
        }
        self.moved = Instant::now();
        let answer = self.world.act(&action, &with).await;
        self.tokens.world_moved();
        let told = answer.as_ref().cloned().unwrap_or_default();
        self.record.entries.push(Entry::World { action: action.clone(), with, answer: told });
        let answer = answer.map_err(|e| Stop::Broken(format!("{}: `{action}`: {e}", step.place)))?;
        self.expect_of_world(step, world, &action, &answer)?;
        for keep in &world.keep {
            if let Some(value) = answer.pointer(&keep.pointer) {
                self.remember(&keep.name, value.clone());
            }
        }
        Ok(())
    }

    fn expect_of_world(&mut self, step: &Step, world: &WorldStep, action: &str, answer: &Value) -> Result<(), Stop> {
        let mut findings = Vec::new();
        for (name, matcher) in &world.expect {
            let pointer = format!("/{}", name.trim_start_matches('/'));
            let found = matcher.mismatches(&pointer, answer.pointer(&pointer), &Given::of(&self.variables)).map_err(Stop::Broken)?;
            for mismatch in found {
                let message = format!("the world's `{action}` answers something else than the scenario expects");
                let mut finding = Finding::new("", action, message).at(mismatch.pointer).compare(mismatch.expected, mismatch.got);
                finding.clauses = self.named_after(step, [], "");
                findings.push(finding);
            }
        }
        if findings.is_empty() {
            self.take(Judgement::holds(step.clauses.clone()), &step.place);
        }
        self.fail(findings, &step.place)
    }

    /// Whether the world, and the inbox's mailbox with it, belongs to this instance alone.
    pub(super) fn is_alone(&self) -> bool {
        self.place.alone
    }

    /// The last checks, and the verdict.
    fn finish(mut self, stop: Option<Stop>, finished: &mut InstanceFinished) {
        let transitions = check::transitions(&self.context.contracts, &self.record, self.is_alone());
        let place = self.instance.scenario.path.clone();
        self.take(transitions.judgement, &place);
        finished.rows = transitions.rows;
        let mut findings = self.judgement.findings;
        if self.context.target.assert_assumed {
            findings.iter_mut().for_each(|finding| finding.assumed = None);
        }
        let mut held = self.judgement.held;
        held.retain(|clause| !clause.is_empty() && !findings.iter().any(|f| f.clauses.contains(clause)));
        held.sort();
        held.dedup();
        finished.rows.sort();
        finished.rows.dedup();
        finished.held = held;
        finished.record = self.record.exchanges().map(Arc::clone).collect();
        finished.entries = self.record.entries;
        finished.verdict = verdict(findings, stop);
    }
}

fn verdict(mut findings: Vec<Finding>, stop: Option<Stop>) -> Verdict {
    let mut seen = HashSet::new();
    findings.retain(|finding| seen.insert(shown(finding)));
    match stop {
        _ if !findings.is_empty() => Verdict::Failed { findings },
        Some(Stop::Skipped(reason)) => Verdict::Skipped { reason },
        Some(Stop::Broken(reason)) => Verdict::Broken { reason },
        // A failed step always brings its finding.
        Some(Stop::Failed) | None => Verdict::Passed,
    }
}

/// What a finding shows: a second exchange, or a second item of a list, that shows the same adds nothing for a reader.
fn shown(finding: &Finding) -> String {
    let value = |value: &Option<Value>| value.as_ref().map(Value::to_string);
    format!("{:?}", (finding.cause(), &finding.message, value(&finding.expected), value(&finding.got)))
}
