//! All worlds, by name.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use super::{World, WorldSettings};
use crate::base::journal::Journal;
use crate::base::sync::{read, write};
use crate::common::freedoms::FreedomSettings;
use crate::world::{Notifier, SettingsError};

/// The name of the world at the root.
pub(crate) const DEFAULT_WORLD: &str = "default";

/// The most worlds at a time: twice as many as a load has users.
pub(crate) const MOST_WORLDS: usize = 20_000;

/// Why a world can't be opened or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WorldError {
    /// A world of this name exists.
    Taken(String),
    /// There are [`MOST_WORLDS`] already.
    TooMany,
    /// There is an error in the settings.
    Settings(SettingsError),
    /// There is no world of this name.
    Unknown,
    /// The default world is always there.
    Default,
}

/// Worlds, each behind a handle of its own: calls in one never wait for another.
pub(crate) struct Worlds {
    by_name: RwLock<HashMap<String, Arc<World>>>,
    notifier: Arc<dyn Notifier>,
    named: AtomicU64,
    /// The freedoms of every world; its own take precedence.
    freedoms: Option<FreedomSettings>,
    /// What every world keeps whose settings don't say.
    keep_finished: Option<usize>,
    journal: Option<Journal>,
}

impl Worlds {
    /// The default world alone. Every world has the freedoms; the default world's own are its own only.
    pub(crate) fn new(
        mut default: WorldSettings,
        freedoms: Option<FreedomSettings>,
        notifier: Arc<dyn Notifier>,
    ) -> Result<Self, SettingsError> {
        default.freedoms = FreedomSettings::laid_over(freedoms.as_ref(), default.freedoms);
        let keep_finished = default.keep_finished;
        let world = World::open(DEFAULT_WORLD.to_owned(), path_of(DEFAULT_WORLD), default, Arc::clone(&notifier))?;
        let by_name = RwLock::new(HashMap::from([(DEFAULT_WORLD.to_owned(), world)]));
        Ok(Self { by_name, notifier, named: AtomicU64::new(0), freedoms, keep_finished, journal: None })
    }

    /// Keeps a journal of the newest `most` requests; no journal if that is 0.
    pub(crate) fn with_journal(self, most: usize) -> Self {
        Self { journal: (most > 0).then(|| Journal::of(most)), ..self }
    }

    /// The journal of all worlds, if one is kept.
    pub(crate) fn journal(&self) -> Option<&Journal> {
        self.journal.as_ref()
    }

    /// Finds a world.
    pub(crate) fn find(&self, name: &str) -> Option<Arc<World>> {
        read(&self.by_name).get(name).cloned()
    }

    /// The names of the first worlds in order, `most` at most, and how many there are altogether.
    pub(crate) fn names(&self, most: usize) -> (Vec<String>, usize) {
        let mut names: Vec<_> = read(&self.by_name).keys().cloned().collect();
        names.sort_unstable();
        let all = names.len();
        names.truncate(most);
        (names, all)
    }

    /// Opens a world, under the name in its settings or one made up.
    pub(crate) fn open(&self, settings: WorldSettings) -> Result<Arc<World>, WorldError> {
        let name = settings.name.clone().unwrap_or_else(|| self.unused_name());
        check_name(&name).map_err(WorldError::Settings)?;
        if self.find(&name).is_some() {
            return Err(WorldError::Taken(name));
        }
        let world = self.open_named(&name, settings)?;
        let mut by_name = write(&self.by_name);
        if by_name.contains_key(&name) {
            return Err(WorldError::Taken(name));
        }
        if by_name.len() >= MOST_WORLDS {
            return Err(WorldError::TooMany);
        }
        by_name.insert(name, Arc::clone(&world));
        Ok(world)
    }

    /// Ends a world and frees all that was in it.
    pub(crate) fn delete(&self, name: &str) -> Result<(), WorldError> {
        if name == DEFAULT_WORLD {
            return Err(WorldError::Default);
        }
        let world = write(&self.by_name).remove(name).ok_or(WorldError::Unknown)?;
        world.close();
        self.journal.iter().for_each(|journal| journal.forget(name));
        Ok(())
    }

    /// Replaces a world by a new one with the same settings.
    pub(crate) fn reset(&self, old: &Arc<World>) -> Result<Arc<World>, WorldError> {
        let (name, settings) = (old.name().to_owned(), old.settings().clone());
        let world = self.open_named(&name, settings)?;
        let mut by_name = write(&self.by_name);
        match by_name.get_mut(&name) {
            // Another request may have reset or deleted it in the meantime.
            Some(place) if Arc::ptr_eq(place, old) => *place = Arc::clone(&world),
            _ => return Err(WorldError::Unknown),
        }
        old.close();
        self.journal.iter().for_each(|journal| journal.forget(&name));
        Ok(world)
    }

    /// Ends all deliveries.
    pub(crate) fn close(&self) {
        read(&self.by_name).values().for_each(|world| world.close());
    }

    fn open_named(&self, name: &str, mut settings: WorldSettings) -> Result<Arc<World>, WorldError> {
        settings.freedoms = FreedomSettings::laid_over(self.freedoms.as_ref(), settings.freedoms);
        settings.keep_finished = settings.keep_finished.or(self.keep_finished);
        World::open(name.to_owned(), path_of(name), settings, Arc::clone(&self.notifier)).map_err(WorldError::Settings)
    }

    fn unused_name(&self) -> String {
        loop {
            let name = format!("w{}", self.named.fetch_add(1, Ordering::Relaxed) + 1);
            if self.find(&name).is_none() {
                return name;
            }
        }
    }
}

/// Where the APIs of a world begin.
fn path_of(name: &str) -> String {
    if name == DEFAULT_WORLD { String::new() } else { format!("/w/{name}") }
}

fn check_name(name: &str) -> Result<(), SettingsError> {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    let fits = plain && (1..=64).contains(&name.len()) && !name.starts_with('.');
    if fits { Ok(()) } else { Err(SettingsError::Name(name.to_owned())) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::common::Merchant;
    use crate::common::freedoms::Freedoms;
    use crate::gateway::core::Payment;
    use crate::world::{Notification, NotificationBody, PendingDelivery, TrustError};

    /// Nothing is notified here.
    struct Nobody;

    impl Notifier for Nobody {
        fn trusting(&self, _: &str) -> Result<Arc<dyn Notifier>, TrustError> {
            unreachable!("no certificate is given")
        }

        fn write(&self, _: &Payment, _: &Merchant, _: &Freedoms) -> NotificationBody {
            unreachable!("there are no payments")
        }

        fn send<'n>(&'n self, _: &'n Notification, _: Duration) -> PendingDelivery<'n> {
            unreachable!("there are no payments")
        }
    }

    #[tokio::test]
    async fn a_world_keeps_what_the_default_world_keeps_unless_it_says_otherwise() {
        let keeping = |keep_finished| WorldSettings { keep_finished, ..WorldSettings::default() };
        let worlds = Worlds::new(keeping(Some(7)), None, Arc::new(Nobody)).unwrap();
        let kept = |settings| worlds.open(settings).unwrap().settings().keep_finished;
        assert_eq!((kept(keeping(None)), kept(keeping(Some(9)))), (Some(7), Some(9)));
    }

    #[tokio::test]
    async fn a_world_has_the_freedoms_of_every_world_and_not_those_of_the_default_world() {
        let parse = |text| FreedomSettings::parse(text).unwrap();
        let default = WorldSettings { freedoms: Some(parse("http.identifiers=small")), ..WorldSettings::default() };
        let worlds = Worlds::new(default, Some(parse("http.identifiers=long,random:7")), Arc::new(Nobody)).unwrap();
        let [default, other] = [worlds.find(DEFAULT_WORLD).unwrap(), worlds.open(WorldSettings::default()).unwrap()];
        assert_eq!(default.settings().freedoms, Some(parse("http.identifiers=small,random:7")));
        assert_eq!(other.settings().freedoms, Some(parse("http.identifiers=long,random:7")));
        let reset = worlds.reset(&other).unwrap();
        assert_eq!(reset.settings().freedoms, other.settings().freedoms);
    }

    #[tokio::test]
    async fn worlds_have_a_limit_and_a_deleted_one_makes_room() {
        let worlds = Worlds::new(WorldSettings::default(), None, Arc::new(Nobody)).unwrap();
        let world = worlds.find(DEFAULT_WORLD).unwrap();
        let opened = (1..MOST_WORLDS).map(|number| (format!("full{number}"), Arc::clone(&world)));
        write(&worlds.by_name).extend(opened);
        assert_eq!(worlds.open(WorldSettings::default()).err(), Some(WorldError::TooMany));
        worlds.delete("full1").unwrap();
        assert!(worlds.open(WorldSettings::default()).is_ok());
    }
}
