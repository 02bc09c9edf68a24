//! The judged target, as far as the judgement depends on it.

use std::collections::BTreeSet;
use std::time::Duration;

use indexmap::IndexMap;

use crate::spec::contract::{Contracts, Layouts};
use crate::spec::target::{Allow, Credential, GiveUp, HttpChoice, Notifications, Settings, Target, WorldKind};
use crate::wire::exchange::mark_of;

/// The judged target, as far as the judgement depends on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct JudgedTarget {
    /// The target's title.
    pub title: String,
    /// Its credentials by identity; secrets are marks.
    pub credentials: IndexMap<String, Credential>,
    /// The paths that its target file stated, which are not assumed.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub paths: IndexMap<String, String>,
    /// The methods that it stated with them.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub methods: IndexMap<String, String>,
    /// The operations for which its target file had an example.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// The layouts of files that it stated.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub layouts: Layouts,
    /// Whether violations of assumptions counted as findings.
    pub assert_assumed: bool,
    /// Whether every case had a world of its own.
    pub alone: bool,
    /// The APIs that it has no base URL for: the summary of a run leaves them out.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub without_base: BTreeSet<String>,
}

impl JudgedTarget {
    /// Returns what a tape keeps of a target.
    pub fn from_target(target: &Target, contracts: &Contracts, alone: bool) -> Self {
        let masked = |owner: &String, part: &String, value: &String| {
            let value = if contracts.secret_parts.contains(part) { mark_of(owner) } else { value.clone() };
            (part.clone(), value)
        };
        let credentials = target
            .credentials
            .iter()
            .map(|(owner, credential)| (owner.clone(), credential.iter().map(|(part, value)| masked(owner, part, value)).collect()));
        Self {
            title: target.title.clone(),
            credentials: credentials.collect(),
            paths: target.paths.clone(),
            methods: target.methods.clone(),
            examples: target.examples.keys().cloned().collect(),
            layouts: target.layouts.clone(),
            assert_assumed: target.assert_assumed,
            alone,
            without_base: contracts.operations.values().map(|o| &o.api).filter(|api| target.base(api).is_none()).cloned().collect(),
        }
    }

    /// The target as the checks see it. It has no address to send to.
    pub fn target(&self) -> Target {
        Target {
            title: self.title.clone(),
            bases: IndexMap::new(),
            credentials: self.credentials.clone(),
            paths: self.paths.clone(),
            methods: self.methods.clone(),
            examples: self.examples.iter().map(|operation| (operation.clone(), serde_json::Map::new())).collect(),
            layouts: self.layouts.clone(),
            assert_assumed: self.assert_assumed,
            notifications: Notifications { listen: None, public: None, within: Duration::ZERO },
            world: WorldKind::without_actions(),
            http: HttpChoice::default(),
            timeout: Duration::from_secs(1),
            poll_every: Duration::ZERO,
            poll_within: Duration::ZERO,
            give_up: GiveUp::default(),
            certificate: None,
            variables: IndexMap::new(),
            settings: Settings::default(),
            reach: None,
            allow: Allow { production: true, faults: true, ..Allow::default() },
        }
    }
}
