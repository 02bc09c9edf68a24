//! What a case needs and the target lacks, as far as that is known before anything is sent.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Map, Value};

use super::context::{Context, Worlds};
use super::plan::Case;
use super::prepare::TemplateScope;
use super::session::{OwnVariables, Stop, variables_of};
use crate::base::skip::SkipReason;
use crate::engine::request::{PrepareError, RequestContent};
use crate::spec::contract::{Authorization, WorldAction, capability_of};
use crate::spec::scenario::{Call, Step, StepVerb, Template, Variables, WorldStep};
use crate::spec::target::{MAIN, NOBODY, OTHER, OTHERS_SECRET, Offer};

/// Everything that keeps a case from being played.
pub fn blockers(context: &Context, case: &Case) -> Vec<SkipReason> {
    let without_base = without_base(context, case);
    if !without_base.is_empty() {
        return without_base;
    }
    let mut found = Vec::new();
    if let Worlds::Driven(driven) = &context.worlds {
        let (setting, as_stated) = (&case.scenario.setting, &case.scenario.as_stated);
        found.extend(context.target.settings.lacks(&context.contracts, setting, as_stated, driven.moves_time()));
    }
    let steps = case.steps.iter().flat_map(|step| match &step.verb {
        StepVerb::World(world) => of_action(context, case, world).into_iter().collect::<Vec<_>>(),
        StepVerb::Call(call) => of_call(context, case, step, call),
        StepVerb::Notification(_) | StepVerb::NoNotification(_) | StepVerb::Inbox(_) if context.inbox.is_none() => {
            vec![SkipReason::NoInbox]
        }
        StepVerb::Notification(_) | StepVerb::NoNotification(_) | StepVerb::Inbox(_) | StepVerb::Violations(_) => Vec::new(),
    });
    found.extend(steps);
    found.extend(asks_too_often(context, case));
    let named = |capability: &str| found.iter().filter_map(SkipReason::action).any(|action| capability_of(action) == capability);
    let needs = case.scenario.needs.iter().filter(|need| !context.worlds.is_able(need) && !named(need));
    let needs: Vec<_> = needs.map(|need| SkipReason::Needs(need.clone())).collect();
    // An API's calls share parts: the user's name, the terminal.
    in_one(needs.into_iter().chain(found), |parts, more| !parts.is_disjoint(more))
}

/// The APIs that a case calls and that the target file has no base URL for. Whatever else it lacks, nothing would come of it.
fn without_base(context: &Context, case: &Case) -> Vec<SkipReason> {
    let api = |call: &Call| {
        let name = call.operation.render(&case.row.values).ok()?;
        let api = &context.contracts.operations.get(name.as_str()?)?.api;
        context.target.base(api).is_none().then(|| api.clone())
    };
    let apis: BTreeSet<String> =
        case.steps.iter().filter_map(|step| if let StepVerb::Call(call) = &step.verb { api(call) } else { None }).collect();
    apis.into_iter().map(SkipReason::NoBase).collect()
}

/// The reasons, in their order. Missing parts of one identity's credentials that belong together are one reason, so that the user sees
/// all missing parts at once.
fn in_one(
    reasons: impl IntoIterator<Item = SkipReason>,
    together: impl Fn(&BTreeSet<String>, &BTreeSet<String>) -> bool,
) -> Vec<SkipReason> {
    let mut all: Vec<SkipReason> = Vec::new();
    for mut reason in reasons {
        let mut place = all.len();
        if let SkipReason::MissingParts { identity, parts } = &mut reason {
            let joins = |known: &SkipReason| match known {
                SkipReason::MissingParts { identity: of, parts: more } => of == identity && together(parts, more),
                _ => false,
            };
            // What has been kept apart may belong together by what comes now.
            place = all.iter().position(joins).unwrap_or(place);
            let joined: Vec<SkipReason> = all.extract_if(.., |known| joins(known)).collect();
            for known in joined {
                if let SkipReason::MissingParts { parts: more, .. } = known {
                    parts.extend(more);
                }
            }
        }
        all.insert(place, reason);
    }
    all
}

/// How often a case may ask a person for one action.
const ASKED: usize = 20;

/// The action that a case would ask a person for again and again.
fn asks_too_often(context: &Context, case: &Case) -> Option<SkipReason> {
    let Worlds::Driven(driven) = &context.worlds else { return None };
    let actions = case.steps.iter().filter_map(|step| match &step.verb {
        StepVerb::World(world) => world.action.render(&case.row.values).ok()?.as_str().map(str::to_owned),
        StepVerb::Call(_) | StepVerb::Notification(_) | StepVerb::NoNotification(_) | StepVerb::Inbox(_) | StepVerb::Violations(_) => None,
    });
    let mut times = BTreeMap::<String, usize>::new();
    actions.filter(|action| driven.asks_a_person(action)).for_each(|action| *times.entry(action).or_default() += 1);
    let (action, times) = times.into_iter().find(|(_, times)| *times > ASKED)?;
    Some(SkipReason::Other(format!("needs a driver for `{action}` other than a person, who would be asked {times} times")))
}

fn of_action(context: &Context, case: &Case, step: &WorldStep) -> Option<SkipReason> {
    let action = step.action.render(&case.row.values).ok()?;
    let action = action.as_str()?;
    context.cannot_act(action).or_else(|| {
        let Worlds::Driven(driven) = &context.worlds else { return None };
        if let Some(reason) = lacking_credential(context, step) {
            return Some(reason);
        }
        let mut known = case.row.values.clone();
        known.insert("settings".to_owned(), context.target.settings.laid_over(&case.scenario.setting));
        let asked = step.with.iter().filter_map(|(name, value)| Some((name.clone(), value.render(&known).ok()?))).collect();
        if let Some(reason) =
            Offer::new(&context.target.settings, &context.contracts, MAIN).of_scenario(&case.scenario.setting).lacks(action, &asked)
        {
            return Some(reason);
        }
        let bound = driven.longest_wait().filter(|_| !step.until_next);
        let clock = context.contracts.actions.get(action);
        if let Some(reason) = bound.zip(clock).and_then(|(bound, clock)| too_long(clock, &asked, bound)) {
            return Some(reason);
        }
        let left_out = driven.leaves_out(action, step.with.keys())?;
        Some(SkipReason::Other(format!("needs a driver for `{action}` that passes on `{left_out}`")))
    })
}

/// The part of the credentials that an action names and the target file lacks: a driver would get null for it.
fn lacking_credential(context: &Context, step: &WorldStep) -> Option<SkipReason> {
    step.with.values().flat_map(Template::attributes).find_map(|attribute| {
        let (identity, part) = attribute.strip_prefix("credentials.")?.split_once('.')?;
        let Some(own) = context.target.credentials.get(identity) else { return Some(SkipReason::NoCredentials(identity.to_owned())) };
        let missing = || SkipReason::MissingParts { identity: identity.to_owned(), parts: BTreeSet::from([part.to_owned()]) };
        (!own.contains_key(part)).then(missing)
    })
}

/// The reason to skip a case that has to wait longer than the target file allows.
fn too_long(action: &WorldAction, with: &Map<String, Value>, bound: Duration) -> Option<SkipReason> {
    let asked = action.time_passed(with)?;
    (asked > bound).then(|| SkipReason::Time { seconds: asked.as_secs(), bound: bound.as_secs(), action: action.name.clone() })
}

fn of_call(context: &Context, case: &Case, step: &Step, call: &Call) -> Vec<SkipReason> {
    let identity = call.identity.render(&case.row.values).ok();
    let Some(identity) = identity.as_ref().and_then(Value::as_str) else { return Vec::new() };
    let known = [MAIN, NOBODY].contains(&identity) || context.target.credential(&context.contracts, identity).is_some();
    if !known {
        let whose = if identity == OTHERS_SECRET { OTHER } else { identity };
        return vec![SkipReason::NoCredentials(whose.to_owned())];
    }
    // The worlds of an emulator have everything that their credentials and settings say.
    let Worlds::Driven(_) = &context.worlds else { return Vec::new() };
    let lacking = unsendable(context, case, step, call).into_iter().chain(no_token(context, case, call, identity));
    in_one(lacking.chain(not_offered(context, case, call, identity)), |_, _| true)
}

/// Why a call without credentials says nothing here: the target file has none for its API, so the target may not offer that.
fn not_offered(context: &Context, case: &Case, call: &Call, identity: &str) -> Option<SkipReason> {
    let name = call.operation.render(&case.row.values).ok().filter(|_| identity == NOBODY)?;
    let operation = context.contracts.operations.get(name.as_str()?)?;
    let own = context.target.credentials.get(MAIN);
    let is_known = context.contracts.credential_parts_of(&operation.api).iter().any(|part| own.is_some_and(|own| own.contains_key(part)));
    if is_known { None } else { context.cannot_call(&operation.id) }
}

/// Why the token that a call is sent with can't be asked for: the calls that return it need credentials, too.
fn no_token(context: &Context, case: &Case, call: &Call, identity: &str) -> Option<SkipReason> {
    if identity != MAIN || call.token.is_some() || call.authorization.is_some() || call.login.is_some() {
        return None;
    }
    let name = call.operation.render(&case.row.values).ok()?;
    let Authorization::Bearer(token) = &context.contracts.operations.get(name.as_str()?)?.credentials.header else { return None };
    context.cannot_call(&token.operation)
}

/// Why the request of a call cannot be sent, as far as its content is known.
fn unsendable(context: &Context, case: &Case, step: &Step, call: &Call) -> Option<SkipReason> {
    let name = call.operation.render(&case.row.values).ok()?;
    let operation = context.contracts.operations.get(name.as_str()?)?;
    let mut row: Variables = case.row.values.clone();
    // A value that a step keeps may change before then.
    row.retain(|name, _| !case.keeps(name));
    let reference = Value::String(case.name.to_string());
    let own = OwnVariables { world: Value::Null, digits: reference.clone(), reference, freed: Value::Bool(false) };
    let variables = variables_of(context, case, row, own);
    let scope = TemplateScope { context, variables: &variables, reference: None, setting: &case.scenario.setting };
    match scope.prepare(operation, call, context.target.base(&operation.api), None, step.place.as_str()) {
        Err(Stop::Skipped(reason)) => Some(reason),
        Ok(_) | Err(Stop::Failed | Stop::NotJudged(_) | Stop::Excused(_)) => None,
    }
}

impl Context {
    /// Why a call of the main merchant can't be made here, if it can't: its address or a part of the credentials is not known.
    pub(crate) fn cannot_call(&self, name: &str) -> Option<SkipReason> {
        let Worlds::Driven(_) = &self.worlds else { return None };
        let operation = self.contracts.operations.get(name)?;
        let content = RequestContent::new(operation, self.target.example(&self.contracts, operation, MAIN), MAIN);
        let prepared = self.preparation().prepare(operation, content, self.target.base(&operation.api), name);
        if let Err(PrepareError::NoCredentials(_) | PrepareError::MissingParts { .. } | PrepareError::NoBase(_)) = &prepared
            && let Stop::Skipped(reason) = Stop::from(prepared.err()?)
        {
            return Some(reason);
        }
        let Authorization::Bearer(token) = &operation.credentials.header else { return None };
        self.cannot_call(&token.operation)
    }

    /// Why an action of the world can't be done here, if it can't.
    pub(crate) fn cannot_act(&self, action: &str) -> Option<SkipReason> {
        let is_fault = self.contracts.actions.get(action).is_some_and(|known| known.fault);
        let refused = is_fault.then(|| self.target.may_fault().err()).flatten();
        refused.map(|refusal| SkipReason::Other(refusal.to_string())).or_else(|| self.worlds.cannot(action))
    }
}

impl Worlds {
    fn is_able(&self, capability: &str) -> bool {
        match self {
            Self::Emulator(emulator) => emulator.is_able(capability),
            Self::Driven(driven) => driven.is_able(capability),
        }
    }

    fn cannot(&self, action: &str) -> Option<SkipReason> {
        match self {
            Self::Emulator(emulator) => emulator.cannot(action).map(SkipReason::Other),
            Self::Driven(driven) => driven.cannot(action),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(identity: &str, parts: &[&str]) -> SkipReason {
        SkipReason::MissingParts { identity: identity.to_owned(), parts: parts.iter().map(|part| (*part).to_owned()).collect() }
    }

    #[test]
    fn parts_that_belong_together_are_one_reason() {
        let reasons = [
            missing("main", &["user"]),
            missing("main", &["serial"]),
            SkipReason::NoInbox,
            missing("other", &["user"]),
            missing("main", &["user", "serial"]),
            missing("main", &["terminal"]),
        ];
        let found = in_one(reasons, |parts, more| !parts.is_disjoint(more));
        let expected =
            [missing("main", &["serial", "user"]), SkipReason::NoInbox, missing("other", &["user"]), missing("main", &["terminal"])];
        assert_eq!(found, expected);
    }
}
