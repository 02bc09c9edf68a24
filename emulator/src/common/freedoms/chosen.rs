//! The alternatives that a world has chosen.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::behaviour::Behaviour;
use super::catalogue::{Freedom, freedoms};
use super::change::Change;
use crate::base::mix::mix;

/// The key under which a setting names the seed of a random choice.
const RANDOM: &str = "random";

/// The setting `freedoms`: alternatives by the id of their freedom; `random: SEED` chooses the others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct FreedomSettings(BTreeMap<String, String>);

impl FreedomSettings {
    /// Reads `id=alternative,…`, with `random:SEED` among them.
    pub fn parse(text: &str) -> Result<Self, FreedomError> {
        let entry = |part: &str| {
            let random = part.strip_prefix("random:").map(|seed| (RANDOM, seed));
            let (id, alternative) = random.or_else(|| part.split_once('=')).ok_or_else(|| FreedomError::Unreadable(part.to_owned()))?;
            Ok((id.trim().to_owned(), alternative.trim().to_owned()))
        };
        let settings = Self(text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(entry).collect::<Result<_, _>>()?);
        Freedoms::choose(&settings).map(|_| settings)
    }

    /// The choices of a world, laid over those of the emulator.
    pub(crate) fn laid_over(all: Option<&Self>, own: Option<Self>) -> Option<Self> {
        let (Some(all), Some(own)) = (all, &own) else { return own.or_else(|| all.cloned()) };
        Some(Self(all.0.iter().chain(&own.0).map(|(id, name)| (id.clone(), name.clone())).collect()))
    }

    /// Chooses one alternative, and the default of all other freedoms.
    pub fn only(id: &str, alternative: &str) -> Self {
        Self(BTreeMap::from([(id.to_owned(), alternative.to_owned())]))
    }

    /// Chooses an alternative of each freedom, the same under the same seed.
    pub fn random(seed: u64) -> Self {
        Self::only(RANDOM, &seed.to_string())
    }
}

impl<'de> Deserialize<'de> for FreedomSettings {
    /// A name may be written as a number or as a word of YAML: `200`, `null`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = BTreeMap::<String, serde_json::Value>::deserialize(deserializer)?;
        let name = |value: serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Ok(Self(entries.into_iter().map(|(id, value)| (id, name(value))).collect()))
    }
}

/// A choice that can't be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FreedomError {
    /// Neither `id=alternative` nor `random:SEED`.
    #[error("`{0}` chooses no freedom: write id=alternative or random:SEED")]
    Unreadable(String),
    /// There is no such freedom.
    #[error("there is no freedom `{id}`{}", nearest(nearest_name))]
    Unknown {
        /// As given.
        id: String,
        /// The nearest known name.
        nearest_name: Option<&'static str>,
    },
    /// The freedom has no such alternative.
    #[error("the freedom `{id}` has no alternative `{alternative}`: {known}")]
    UnknownAlternative {
        /// The freedom.
        id: String,
        /// As given.
        alternative: String,
        /// Those that it has.
        known: String,
    },
    /// The seed is no number.
    #[error("`random` takes a seed, a number from 0 on, not `{0}`")]
    Seed(String),
}

fn nearest(name: &Option<&'static str>) -> String {
    name.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// The choices of a world.
#[derive(Debug, Clone, Default)]
pub(crate) struct Freedoms {
    /// Alternatives other than the defaults, in the order of the file.
    chosen: Vec<(&'static str, &'static str)>,
    behaviours: Vec<Behaviour>,
    changes: Vec<&'static Change>,
}

impl Freedoms {
    /// Makes the choices of a setting.
    pub(crate) fn choose(settings: &FreedomSettings) -> Result<Self, FreedomError> {
        check(settings)?;
        let seed = settings.0.get(RANDOM).map(|seed| seed.parse().map_err(|_| FreedomError::Seed(seed.clone()))).transpose()?;
        let mut choice = Self::default();
        for freedom in freedoms() {
            let stated = settings.0.get(&freedom.id).map(String::as_str);
            let name = stated.or_else(|| seed.and_then(|seed| draw(freedom, seed))).unwrap_or(&freedom.default);
            choice.choose_alternative(freedom, name);
        }
        // Something is added where the world has nothing, and not where another freedom leaves out what the world has.
        choice.changes.sort_by_key(|change| !change.adds_fields());
        Ok(choice)
    }

    fn choose_alternative(&mut self, freedom: &'static Freedom, name: &str) {
        if name == freedom.default {
            return;
        }
        let Some((name, alternative)) = freedom.alternatives.get_key_value(name) else { return };
        self.chosen.push((&freedom.id, name));
        self.behaviours.extend(Behaviour::find(&freedom.id, name));
        self.changes.extend(&alternative.changes);
    }

    /// Whether the world behaves in this way.
    pub(crate) fn include(&self, behaviour: Behaviour) -> bool {
        self.behaviours.contains(&behaviour)
    }

    /// The changes of the responses of this operation.
    pub(crate) fn changes(&self, operation: &str) -> impl Iterator<Item = &'static Change> {
        self.changes.iter().copied().filter(move |change| change.is_about(operation))
    }

    /// Whether there is nothing at the path of this operation.
    pub(crate) fn hide(&self, operation: &str) -> bool {
        self.changes(operation).any(|change| change.not_there)
    }

    /// Whether there is nothing but the defaults.
    pub(crate) fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The alternatives other than the defaults, by the id of their freedom.
    pub(crate) fn chosen(&self) -> &[(&'static str, &'static str)] {
        &self.chosen
    }
}

fn check(settings: &FreedomSettings) -> Result<(), FreedomError> {
    settings.0.iter().filter(|(id, _)| *id != RANDOM).try_for_each(|(id, alternative)| {
        let freedom = freedoms().iter().find(|freedom| freedom.id == *id);
        let freedom = freedom.ok_or_else(|| FreedomError::Unknown { id: id.clone(), nearest_name: nearest_id(id) })?;
        if freedom.alternatives.contains_key(alternative) {
            return Ok(());
        }
        let known = freedom.alternatives.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        Err(FreedomError::UnknownAlternative { id: id.clone(), alternative: alternative.clone(), known })
    })
}

fn nearest_id(id: &str) -> Option<&'static str> {
    let distance = |freedom: &&Freedom| strsim::damerau_levenshtein(id, &freedom.id);
    freedoms().iter().min_by_key(distance).map(|freedom| freedom.id.as_str())
}

/// An alternative by the seed and the id, so that a new freedom changes no other choice.
fn draw(freedom: &'static Freedom, seed: u64) -> Option<&'static str> {
    if freedom.only_by_name {
        return None;
    }
    let hash = freedom.id.bytes().fold(mix(seed), |hash, byte| mix(hash ^ u64::from(byte)));
    let count = u64::try_from(freedom.alternatives.len()).ok()?;
    let at = usize::try_from(hash.checked_rem(count)?).ok()?;
    freedom.alternatives.get_index(at).map(|(name, _)| name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_setting_every_freedom_has_its_default() {
        assert!(Freedoms::choose(&FreedomSettings::default()).unwrap().is_empty());
    }

    #[test]
    fn the_same_seed_chooses_the_same_and_another_something_else() {
        let chosen = |seed| Freedoms::choose(&FreedomSettings::random(seed)).unwrap().chosen().to_vec();
        assert_eq!(chosen(1), chosen(1));
        assert_ne!(chosen(1), chosen(2));
    }

    #[test]
    fn what_is_left_out_is_not_added_again() {
        let settings = FreedomSettings::parse("gateway.optional.phone=absent,gateway.empty=empty").unwrap();
        let freedoms = Freedoms::choose(&settings).unwrap();
        let changes: Vec<_> = freedoms.changes("gateway.v2.status").collect();
        let place = |is: fn(&Change) -> bool| changes.iter().position(|change| is(change)).unwrap();
        assert!(place(|change| change.add.contains_key("phone")) < place(|change| change.absent.iter().any(|field| field == "phone")));
    }

    #[test]
    fn what_is_stated_wins_over_chance() {
        for seed in 0..20 {
            let settings = FreedomSettings::parse(&format!("random:{seed},terminal.closing.sides=swapped")).unwrap();
            assert!(Freedoms::choose(&settings).unwrap().include(Behaviour::ClosingSidesSwapped));
        }
    }

    #[test]
    fn what_is_unknown_is_refused_with_the_nearest_name() {
        let error = |text: &str| FreedomSettings::parse(text).unwrap_err().to_string();
        assert!(error("terminal.closing.side=swapped").contains("did you mean `terminal.closing.sides`?"));
        assert!(error("terminal.closing.sides=other").contains("swapped"));
        assert!(error("random:x").contains("a seed"));
        assert!(error("swapped").contains("id=alternative"));
    }
}
