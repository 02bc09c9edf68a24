//! The JSON Schema of a script, generated from the types of its syntax, for completion in editors.
//!
//! The types here only describe the syntax; [`super::parse`] reads it. Tests keep the two consistent: they have the same keys, and
//! every script in the repository is accepted by both.

use schemars::JsonSchema;
use serde_json::{Map, Value};

/// A scenario: a script that reads like the document's own table row.
#[derive(JsonSchema)]
#[schemars(rename = "scenario", rename_all = "kebab-case", deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct Script {
    /// What it shows, as a sentence.
    title: String,
    /// The clauses it carries.
    #[schemars(default)]
    clauses: OneOrMany,
    /// Capabilities of the world that the target must have; derived from the world actions used.
    #[schemars(default)]
    needs: OneOrMany,
    /// Settings of the world, laid over the default ones; a live target states its own as `settings`.
    #[schemars(default)]
    setting: Map<String, Value>,
    /// Settings of which a live target may state another value; templates read it as `settings`.
    #[schemars(default)]
    as_stated: OneOrMany,
    /// A table: the steps run once per row, each in a world of its own.
    #[schemars(default)]
    cases: Vec<Map<String, Value>>,
    /// What happens, in order.
    #[schemars(length(min = 1))]
    steps: Vec<Item>,
}

/// A text or a list of texts.
#[derive(JsonSchema, Default)]
#[schemars(untagged)]
#[allow(dead_code, reason = "the variants are read by the derive only")]
enum OneOrMany {
    #[default]
    None,
    One(String),
    Many(Vec<String>),
}

/// One step, or several that are repeated.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "the variants are read by the derive only")]
enum Item {
    Step(Box<Step>),
    Repeat(Repeat),
}

/// Steps that are played in turn, several times over.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct Repeat {
    /// How often.
    #[schemars(range(min = 2, max = 1000))]
    repeat: u16,
    /// On a target whose time can't be held, no further round begins later than this after the first one: `6s`.
    within: Option<String>,
    /// What happens each time, in order.
    #[schemars(length(min = 1))]
    steps: Vec<Step>,
}

/// One step; it has exactly one verb.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "the variants are read by the derive only")]
enum Step {
    Call(Box<Call>),
    World(World),
    Notification(Notification),
    NoNotification(NoNotification),
    Inbox(InboxStep),
    Violations(Violations),
}

/// Sends a request. Without an `expect` on the code, success is expected.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct Call {
    /// The operation, for example `gateway.v2.status`.
    call: String,
    /// The clauses that a failed expectation is named after.
    clause: Option<OneOrMany>,
    /// Why what it expects is assumed rather than documented: a mismatch is reported and does not count.
    assumed: Option<String>,
    /// The layout of a file that this assumption is about: it is none where the target file states the layout (`layouts`).
    layout: Option<String>,
    /// Under load: played once by each user, when the user starts; such steps come first.
    once: Option<bool>,
    /// The link to open in place of the operation's own address: one that the target gave.
    at: Option<String>,
    /// The named example to start from.
    example: Option<String>,
    /// Values laid over the example.
    with: Option<Map<String, Value>>,
    /// Fields that the contract does not know, sent anyway; `$credentials: [part]` sends parts of the credentials.
    extra: Option<Map<String, Value>>,
    /// What is sent in the query string; `$credentials: [part]` sends parts of the credentials.
    query: Option<Map<String, Value>>,
    /// Fields removed from the example.
    without: Option<OneOrMany>,
    /// Whose credentials: `main`, `nobody`, `wrong-secret`, `cut-secret`, `longer-secret`, `padded-secret`, `other-case-secret`,
    /// `empty-secret`, `wrong-user`, `others-secret`, `other-api-secret`, `other` or another of the target's.
    r#as: Option<String>,
    /// The token to send instead of the one that is got by itself.
    token: Option<String>,
    /// The `Authorization` header as it is, in place of that of `as`.
    authorization: Option<String>,
    /// The scheme under which the login is sent in place of `Basic`, for example `Bearer`.
    scheme: Option<String>,
    /// The HTTP method of the request, in place of the documented one: only what the step expects is judged of the response.
    method: Option<String>,
    /// The operation whose login (HTTP Basic, the credentials of `as`) is sent in place of what this one asks for, for example
    /// `qr.authenticate`.
    login: Option<String>,
    /// The body as it is, instead of the fields; empty: none.
    body: Option<String>,
    /// The media type of `body`, in place of the documented one.
    media_type: Option<String>,
    /// Whether a form spells a space as a plus sign, not as `%20`.
    plus_for_space: Option<bool>,
    /// What the response's body must be (matchers): by field, or a list or a matcher for the whole.
    expect: Option<Value>,
    /// What the HTTP response itself must be.
    http: Option<Http>,
    /// What to remember: name → field, JSON Pointer, `{ field: NAME, otherwise: VALUE }`, `{ header: NAME }` or `{ http: page }` of the response.
    keep: Option<Map<String, Value>>,
    /// What to poll for while the response is pending.
    until: Option<Map<String, Value>>,
    /// How long to poll: `30s`.
    within: Option<String>,
    /// What the response to a second, equal request that is sent at the same moment must be, if this one is as expected.
    twin: Option<Twin>,
    /// Whether what it expects is documented although the layout around it, or its request, is assumed: a mismatch counts.
    documented: Option<bool>,
    /// What it prepares, for example `a terminal without a pending transaction`: where cases share one world, a refusal skips the
    /// case.
    prepares: Option<String>,
    /// Why the settings of a merchant may refuse it, for example `The allowed creation mode is a merchant setting.`: where a live target
    /// refuses it, the case is skipped. An error of the server (5xx), or a success of another kind, is judged.
    may_be_refused: Option<String>,
    /// The setting that ends this excuse: a target file that states it as `true` says that the shop does not refuse it.
    unless_stated: Option<String>,
}

/// What the HTTP response itself must be.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct Http {
    /// The status (a matcher).
    status: Option<Value>,
    /// Headers by name (matchers).
    headers: Option<Map<String, Value>>,
    /// The text of the body (a matcher), for pages.
    body: Option<Value>,
    /// HTTP status and text of the body as one text (a matcher), for pages that must differ.
    page: Option<Value>,
}

/// What the response to the second of two equal requests must be.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct Twin {
    /// What its body must be (matchers): by field, or a list or a matcher for the whole.
    expect: Option<Value>,
    /// What the HTTP response itself must be.
    http: Option<Http>,
    /// What to remember of it, as on the call.
    keep: Option<Map<String, Value>>,
}

/// Something outside the API happens.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct World {
    /// The action, for example `payer.pays`.
    world: String,
    /// The clauses that a failed expectation is named after.
    clause: Option<OneOrMany>,
    /// Why what it expects is assumed rather than documented: a mismatch is reported and does not count.
    assumed: Option<String>,
    /// Under load: played once by each user, when the user starts; such steps come first.
    once: Option<bool>,
    /// Its parameters.
    with: Option<Map<String, Value>>,
    /// Time passes until the next step's notification has come, this long at most: where the clock can't be moved, that step waits up to
    /// `waits-up-to`, and the case is skipped if nothing has come by then.
    until_next: Option<bool>,
    /// What it prepares, for example `a transfer in each currency`: where cases share one world, another result skips the case with
    /// this reason.
    prepares: Option<String>,
    /// Whether it takes back what an earlier action changed for all: on a shared target it is carried out even if a step before it failed.
    restores: Option<bool>,
    /// What the world must return (matchers).
    expect: Option<Map<String, Value>>,
    /// What to remember of its response.
    keep: Option<Map<String, Value>>,
}

/// Waits for the next unclaimed notification with these fields.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct Notification {
    /// Its fields (matchers).
    notification: Map<String, Value>,
    /// The clauses that a failed expectation is named after.
    clause: Option<OneOrMany>,
    /// Why what it expects is assumed rather than documented: a mismatch is reported and does not count.
    assumed: Option<String>,
    /// Under load: played once by each user, when the user starts; such steps come first.
    once: Option<bool>,
    /// Under which condition none is due, and the step is left out: `"{{ state == 'AUTHORIZED' }}"`.
    unless: Option<String>,
    /// Which attempt it is, from 1.
    attempt: Option<Value>,
    /// How long to wait: `5s`.
    within: Option<String>,
    /// What to remember of it.
    keep: Option<Map<String, Value>>,
}

/// Nothing matching has arrived and nothing is under way.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct NoNotification {
    /// Its fields (matchers).
    no_notification: Map<String, Value>,
    /// The clauses that a failed expectation is named after.
    clause: Option<OneOrMany>,
    /// Why what it expects is assumed rather than documented: a mismatch is reported and does not count.
    assumed: Option<String>,
    /// Under load: played once by each user, when the user starts; such steps come first.
    once: Option<bool>,
}

/// The responses of the merchant's endpoint from now on.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct InboxStep {
    /// Its responses.
    inbox: Inbox,
    /// The clauses of this step.
    clause: Option<OneOrMany>,
    /// Under load: played once by each user, when the user starts; such steps come first.
    once: Option<bool>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct Inbox {
    /// In turn; the last one stays. A status, `reset`, or a status with a delay.
    responses: Vec<Value>,
}

/// Becomes one case per generated violation of the operation's request.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(dead_code, reason = "the fields are read by the derive only")]
struct Violations {
    /// The operation.
    violations: String,
    /// The clauses of this step.
    clause: Option<OneOrMany>,
    /// Why what it expects is assumed rather than documented: a mismatch is reported and does not count.
    assumed: Option<String>,
    /// The named example to start from.
    example: Option<String>,
    /// Values laid over every request.
    with: Option<Map<String, Value>>,
    /// Fields removed from every request.
    without: Option<OneOrMany>,
    /// Only violations of these fields.
    only: Option<OneOrMany>,
    /// No violations of these fields.
    except: Option<OneOrMany>,
}

/// The JSON Schema of a script.
pub fn schema() -> Value {
    schemars::schema_for!(Script).to_value()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::base::source::Source;
    use crate::base::source::asked::{Asked, asked_by, keys_of};
    use crate::spec::contract::Contracts;

    /// A step of each verb, with whatever has keys of its own in it.
    const STEPS: [(&str, &str); 6] = [
        ("call", "call: gateway.v2.status\n    http: { status: 200 }\n    twin: {}"),
        ("world", "world: payer.pays\n    with: { transId: AB12-CD34-EF56 }"),
        ("notification", "notification: {}"),
        ("no-notification", "no-notification: {}"),
        ("inbox", "inbox: { responses: [200] }"),
        ("violations", "violations: gateway.v2.create"),
    ];

    fn read(step: &str) -> Vec<Asked> {
        let contracts = Contracts::shipped();
        let source = Source::new("gateway/t.yaml", format!("title: t\nsteps:\n  - {step}\n"));
        asked_by(|| drop(super::super::parse("gateway/t.yaml", &source, &contracts).unwrap_or_else(|problems| panic!("{problems}"))))
    }

    /// The definition that has this key.
    fn with_key<'s>(schema: &'s Value, key: &str) -> &'s Value {
        let definitions = schema["$defs"].as_object().unwrap().values();
        definitions.into_iter().find(|one| one["required"].as_array().is_some_and(|keys| keys.contains(&key.into()))).unwrap()
    }

    #[test]
    fn it_has_the_keys_that_the_reader_asks_for() {
        let schema = schema();
        for (verb, step) in STEPS {
            let asked = read(step);
            for (what, keys) in &asked {
                let described = match *what {
                    "a scenario" => keys_of(&schema),
                    "http" => keys_of(&schema["$defs"]["Http"]),
                    "a twin" => keys_of(&schema["$defs"]["Twin"]),
                    "inbox" => keys_of(&schema["$defs"]["Inbox"]),
                    "a step" => keys_of(with_key(&schema, verb)),
                    other => panic!("{other} is not held against the schema"),
                };
                // The reader asks for it to say that it can't be.
                let refused: BTreeSet<&str> = if verb == "violations" && *what == "a step" { ["once"].into() } else { BTreeSet::new() };
                assert_eq!(keys - &refused, described, "{verb}: {what}");
            }
            assert!(asked.iter().any(|(what, _)| *what == "a step"), "{verb}");
        }
    }
}
