//! Runs one case: opens its world, plays its steps, judges, closes the world.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value};

use super::blockers::blockers;
use super::context::{Context, Worlds};
use super::environment::Environment;
use super::patience::Patience;
use super::plan::Case;
use super::rounds::Rounds;
use super::session::{Absence, Session, Stop};
use crate::base::skip::SkipReason;
use crate::base::verdict::{Finding, Verdict};
use crate::engine::event::{CaseFinished, UnlessThere};
use crate::engine::world::{Act, KnownResource, WorldError};
use crate::judge::check::{self, Judgement};
use crate::judge::record::Record;
use crate::spec::scenario::{Given, Keep, Kept, Step, StepVerb, TemplateError, Variables, WorldStep};

/// Runs one case; `index` is its place in the plan.
pub(super) async fn run(context: &Context, case: &Case, index: usize) -> CaseFinished {
    let started = Instant::now();
    tracing::debug!(case = %case.name, "a case begins");
    let mut finished = CaseFinished::begun(case.name.clone(), case.scenario.title.clone());
    match blockers(context, case).into_iter().next() {
        Some(reason) => finished.verdict = Verdict::Skipped { reason },
        None => {
            let _turn = context.turn(case).await;
            judge(context, case, index, &mut finished).await;
        }
    }
    finished.elapsed = started.elapsed();
    tracing::debug!(case = %case.name, verdict = finished.verdict.name(), elapsed = ?finished.elapsed, "a case ended");
    finished
}

async fn judge(context: &Context, case: &Case, index: usize, finished: &mut CaseFinished) {
    let environment = match Environment::open(context, case, index).await {
        Ok(environment) => environment,
        Err(error) => return finished.verdict = Verdict::NotJudged { reason: error.to_string().into() },
    };
    play(&environment, context, case, finished).await;
    if let Err(error) = environment.close(context).await
        && finished.verdict == Verdict::Passed
    {
        finished.verdict = Verdict::NotJudged { reason: error.to_string().into() };
    }
}

pub(super) async fn play(environment: &Environment, context: &Context, case: &Case, finished: &mut CaseFinished) {
    let mut session = Session::new(context, case, environment);
    session.absences = environment.player.is_none().then(Vec::new);
    let mut stop = session.steps(0, |_| true).await.err();
    if stop.is_some() && !environment.alone && environment.player.is_none() {
        session.restore().await;
    }
    if !matches!(stop, Some(Stop::NotJudged(_) | Stop::Excused(_)))
        && let Err(broken) = session.judge_rest().await
    {
        stop = Some(broken);
    }
    if !environment.alone {
        context.left.add(session.pending());
    }
    session.finish(stop, finished);
}

impl Session<'_> {
    /// Plays the selected steps, from the one with this index on.
    pub(super) async fn steps(&mut self, from: usize, selected: impl Fn(&Step) -> bool) -> Result<(), Stop> {
        let mut rounds = Rounds::default();
        for step in self.case.steps.iter().skip(from).filter(|step| selected(step)) {
            if !self.is_alone() && rounds.are_over(step, Instant::now()) {
                continue;
            }
            match &step.verb {
                StepVerb::Call(call) => self.call(step, call).await?,
                StepVerb::World(world) => self.world_step(step, world).await?,
                StepVerb::Notification(wanted) => self.notification(step, wanted).await?,
                StepVerb::NoNotification(fields) => self.no_notification(step, fields).await?,
                StepVerb::Inbox(inbox) => self.inbox(inbox)?,
                // Written out when the plan was made.
                StepVerb::Violations(_) => {}
            }
        }
        self.hold(self.case.scenario.clauses.clone(), &self.case.scenario.place());
        Ok(())
    }

    /// Takes back what the case changed for all, as far as a step that failed has left it so. Nothing more can be done if that fails, too.
    async fn restore(&mut self) {
        let case = self.case;
        let steps = case.steps.iter().filter_map(|step| match &step.verb {
            StepVerb::World(world) if world.restores => Some((step, world)),
            _ => None,
        });
        for (step, world) in steps.skip(self.restored) {
            let has_changed = rendered(world, &self.variables).is_ok_and(|(action, _)| self.record.has_acted(&action));
            if has_changed && let Err(stop) = self.world_step(step, world).await {
                tracing::warn!(case = %case.name, reason = stop.reason(), "what the case changed could not be taken back");
            }
        }
    }

    async fn world_step(&mut self, step: &Step, world: &WorldStep) -> Result<(), Stop> {
        let (action, with) = rendered(world, &self.variables)?;
        self.restored += usize::from(world.restores);
        if self.is_about_final(&action, &with) {
            return Ok(()); // a resource may become final by itself
        }
        self.moved = Instant::now();
        let resource = self.resource_of(&action, &with);
        let asked = self.context.contracts.actions.get(&action).and_then(|action| action.time_passed(&with));
        self.patience = self.world.longest_wait().filter(|_| world.until_next).map(|bound| Patience::new(asked, bound));
        let response = match self.patience {
            Some(_) => Ok(Value::Object(Map::new())),
            None => {
                tracing::debug!(case = %self.case.name, action, "the world changes");
                self.world.act(Act { action: &action, with: &with, resource: &resource }).await
            }
        };
        if let Err(WorldError::Failed(_) | WorldError::Driver(_)) = &response
            && self.has_become_final(&action, &with, step).await?
        {
            return Ok(());
        }
        self.tokens.world_moved();
        self.acted(step, world, (action, with), response).await
    }

    /// Records and judges an action that was carried out, and keeps values of its response.
    pub(super) async fn acted(
        &mut self,
        step: &Step,
        world: &WorldStep,
        (action, with): (String, Map<String, Value>),
        response: Result<Value, WorldError>,
    ) -> Result<(), Stop> {
        self.note_action(&action, &with, response.as_ref().unwrap_or(&Value::Null));
        let response = response.map_err(|error| match error.masked(&self.context.recorder) {
            WorldError::Declined(why) => Stop::Skipped(SkipReason::Declined(why)),
            // Without the place of the step: what fails in many cases is one reason.
            WorldError::Driver(why) => Stop::NotJudged(why),
            WorldError::Failed(why) => Stop::NotJudged(format!("`{action}`: {why}")),
        })?;
        self.await_visible(&action, &with, &response, step).await?;
        self.expect_of_world(step, world, &action, &response)?;
        for keep in &world.keep {
            match keep.pointer().and_then(|pointer| response.pointer(pointer)).or(keep.otherwise.as_ref()) {
                Some(value) => self.remember(&keep.name, value.clone()),
                None if self.is_driven() => return Err(Stop::Skipped(SkipReason::Other(not_returned(&action, keep)))),
                None => {}
            }
        }
        Ok(())
    }

    /// What the record shows of the resource that an action is about.
    pub(super) fn resource_of(&self, action: &str, with: &Map<String, Value>) -> KnownResource {
        let contracts = &self.context.contracts;
        let on = contracts.actions.get(action).and_then(|action| action.on.as_ref());
        let subject = on.and_then(|on| Some((on, on.subject(with)?)));
        let created = subject.and_then(|(on, id)| {
            let creation = |kind: &String| Some((kind.clone(), self.record.creation(contracts, kind, &id, None)?.0));
            on.resources.iter().find_map(creation)
        });
        let Some((kind, exchange)) = created else { return KnownResource::default() };
        let bodies = [exchange.request.body.value(), exchange.response_value()];
        let fields = bodies.into_iter().flatten().filter_map(Value::as_object).flatten();
        KnownResource { kind: Some(kind), fields: fields.map(|(name, value)| (name.clone(), value.clone())).collect() }
    }

    fn expect_of_world(&mut self, step: &Step, world: &WorldStep, action: &str, response: &Value) -> Result<(), Stop> {
        let mut findings = Vec::new();
        let recorder = &self.context.recorder;
        for (name, matcher) in &world.expect {
            let pointer = format!("/{}", name.trim_start_matches('/'));
            let found = matcher
                .mismatches(&pointer, response.pointer(&pointer), &Given::uncut(&self.variables))
                .map_err(|error| Stop::NotJudged(error.to_string()))?;
            for mismatch in found {
                let message = format!("the world's `{action}` returned something else than the scenario expects");
                let mut finding = Finding::new("", action, message)
                    .at(crate::base::place::Place::World(mismatch.pointer.into()))
                    .compare(recorder.value(&mismatch.expected), recorder.value(&mismatch.got));
                finding.clauses = self.named_after(step, [], "");
                findings.push(finding);
            }
        }
        if findings.is_empty() {
            self.hold(step.clauses.clone(), &step.place);
        } else if let (Some(what), false) = (&world.prepares, self.is_alone()) {
            return Err(Stop::Skipped(SkipReason::NotPrepared { what: what.clone(), action: Some(action.to_owned()) }));
        }
        self.fail(findings, step)
    }

    /// Whether drivers of the target file carry out the actions.
    pub(super) fn is_driven(&self) -> bool {
        matches!(self.context.worlds, Worlds::Driven(_))
    }

    /// Whether the world, and the inbox's mailbox with it, belongs to this case alone.
    pub(super) fn is_alone(&self) -> bool {
        self.environment.alone
    }

    /// Runs the last checks and gives the verdict, also for a target that lacks an operation.
    fn finish(mut self, stop: Option<Stop>, finished: &mut CaseFinished) {
        let absences = self.absences.take().unwrap_or_default();
        let judgement = std::mem::take(&mut self.judgement);
        let about = std::mem::take(&mut self.about);
        let whole = self.concluded(judgement, about, &self.record, stop);
        finished.unless_there = absences.into_iter().map(|absence| self.without(absence)).collect();
        finished.as_unknown_path = std::mem::take(&mut self.as_unknown_path);
        finished.verdict = whole.verdict;
        finished.held = whole.held;
        finished.about = whole.about;
        finished.rows = whole.rows;
        finished.record = self.record.exchanges().map(Arc::clone).collect();
        finished.entries = self.record.entries;
    }

    /// How the case ends if an operation is not there.
    fn without(&self, absence: Absence) -> UnlessThere {
        let Absence { operation, reason, judgement, about, entries } = absence;
        let record = Record { entries: self.record.entries.iter().take(entries).cloned().collect() };
        let ended = self.concluded(judgement, about, &record, Some(Stop::Excused(reason)));
        UnlessThere { operation, verdict: ended.verdict, held: ended.held, about: ended.about, rows: ended.rows }
    }

    /// The end of the case, from what was judged and what happened.
    fn concluded(&self, mut judgement: Judgement, mut about: BTreeSet<String>, record: &Record, stop: Option<Stop>) -> Concluded {
        let transitions = check::transitions(&self.context.contracts, record, self.is_alone());
        // The case is about every transition that it triggered.
        about.extend(transitions.judgement.held.iter().cloned());
        judgement.add(self.located(transitions.judgement, &self.case.scenario.place()));
        let Judgement { mut findings, mut held } = judgement;
        if self.environment.player.is_none() {
            super::shell::name_variables(&mut findings, record, self.context);
        }
        if self.context.target.assert_assumed {
            findings.iter_mut().for_each(|finding| finding.assumed = None);
        }
        held.retain(|clause| !clause.is_empty() && !findings.iter().any(|f| f.clauses.contains(clause)));
        held.sort();
        held.dedup();
        let mut rows = transitions.rows;
        rows.sort();
        rows.dedup();
        let about = held.iter().filter(|clause| about.contains(*clause)).cloned().collect();
        Concluded { verdict: verdict(findings, stop), held, about, rows }
    }
}

/// The end of a case.
struct Concluded {
    verdict: Verdict,
    held: Vec<String>,
    about: Vec<String>,
    rows: Vec<String>,
}

fn verdict(mut findings: Vec<Finding>, stop: Option<Stop>) -> Verdict {
    // One that counts is shown in place of the same one against what is assumed, whichever came first.
    let counted: HashSet<_> = findings.iter().filter(|finding| finding.assumed.is_none()).map(shown).collect();
    let mut seen = HashSet::new();
    findings.retain(|finding| (finding.assumed.is_none() || !counted.contains(&shown(finding))) && seen.insert(shown(finding)));
    let counts = findings.iter().any(|finding| finding.assumed.is_none());
    match stop {
        _ if counts => Verdict::Failed { findings },
        // An assumption that does not hold never hides that the rest was not judged.
        Some(Stop::Skipped(reason)) => Verdict::Skipped { reason },
        Some(Stop::NotJudged(reason)) => Verdict::NotJudged { reason: reason.into() },
        Some(Stop::Excused(reason)) => Verdict::NotJudged { reason },
        _ if !findings.is_empty() => Verdict::Failed { findings },
        // A failed step always brings its finding.
        Some(Stop::Failed) | None => Verdict::Passed,
    }
}

/// The reader's view of a finding. A second exchange, or a second item of a list, with the same finding adds nothing.
fn shown(finding: &Finding) -> String {
    let value = |value: &Option<Value>| value.as_ref().map(Value::to_string);
    format!("{:?}", (finding.cause(), &finding.message, value(&finding.expected), value(&finding.got)))
}

/// The name and the parameters of an action.
pub(super) fn rendered(world: &WorldStep, variables: &Variables) -> Result<(String, Map<String, Value>), Stop> {
    let broken = |error: TemplateError| Stop::NotJudged(error.to_string());
    let action = world.action.render(variables).map_err(broken)?.as_str().unwrap_or_default().to_owned();
    let with = world.with.iter().map(|(name, value)| Ok((name.clone(), value.render(variables).map_err(broken)?)));
    Ok((action, with.collect::<Result<_, Stop>>()?))
}

fn not_returned(action: &str, keep: &Keep) -> String {
    let name = match &keep.from {
        Kept::Body(pointer) => pointer.trim_start_matches('/'),
        Kept::Header(name) => name,
        Kept::Item { .. } => "item",
        Kept::Page => "page",
    };
    format!("the driver for `{action}` returns no `{name}`, which the following steps need")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::not_judged::NotJudgedReason;

    fn finding(assumed: Option<&str>) -> Finding {
        Finding { assumed: assumed.map(str::to_owned), ..Finding::new("c", "shop.send", format!("{assumed:?}")) }
    }

    #[test]
    fn what_is_only_assumed_hides_no_case_that_was_not_judged() {
        let gone = || NotJudgedReason::NotThere { operation: "shop.send".into(), status: 404, assumed: "not shown".into() };
        let excused = |findings| verdict(findings, Some(Stop::Excused(gone())));
        assert_eq!(excused(vec![finding(Some("not shown"))]), Verdict::NotJudged { reason: gone() });
        assert!(matches!(excused(vec![finding(Some("not shown")), finding(None)]), Verdict::Failed { findings } if findings.len() == 2));
        assert!(matches!(verdict(vec![finding(Some("not shown"))], None), Verdict::Failed { .. }));
        assert!(matches!(verdict(vec![finding(Some("not shown"))], Some(Stop::Skipped(SkipReason::NoInbox))), Verdict::Skipped { .. }));
        assert_eq!(verdict(Vec::new(), None), Verdict::Passed);
    }

    #[test]
    fn what_is_only_assumed_hides_no_finding_that_counts() {
        let same = |assumed: Option<&str>| Finding { message: "the same".to_owned(), ..finding(assumed) };
        let (first, last) = ([Some("not shown"), None], [None, Some("not shown")]);
        for order in [first, last] {
            assert_eq!(verdict(order.map(same).to_vec(), None), Verdict::Failed { findings: vec![same(None)] });
        }
    }
}
