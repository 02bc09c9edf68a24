//! The target: base URLs, credentials, what it can do and what it may receive.

mod base_url;
mod file;
mod safety;
mod schema;
mod settings;
mod world;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value};
use url::Url;

pub use file::{Lookup, parse, read, read_credential};
pub use safety::{LoadAsked, LoadRefusal, Refusal, is_loopback};
pub use schema::schema;
pub use settings::Settings;
pub use world::{DRIVER_NAMES, Driver, DriverBody, Drivers, HttpDriver, WorldKind};

use crate::spec::contract::{Authorization, Contracts, Operation};
use crate::wire::exchange::{Masker, Secret, is_ordinary};

/// The identity whose credentials are sent unless a step asks for others.
pub const MAIN: &str = "main";
/// How a part of a credential begins that no call sends, and that only templates of drivers name. All of them are secret.
pub(crate) const OWN_PART: &str = "x-";
/// Sends no credentials.
pub const NOBODY: &str = "nobody";
/// Sends `main`'s identifier with a secret that is not its own.
pub const WRONG_SECRET: &str = "wrong-secret";

/// What stands in place of the secret for [`WRONG_SECRET`].
const NOT_THE_SECRET: &str = "not-the-secret-0000";

/// One target.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name in reports.
    pub title: String,
    /// Base URL by API; an API without one uses `default`.
    pub bases: IndexMap<String, Url>,
    /// Credentials by identity: part → value.
    pub credentials: IndexMap<String, Credential>,
    /// The environment variables that secrets come from: identity → part → name.
    pub variables: IndexMap<String, IndexMap<String, String>>,
    /// Paths that replace the contract's, by operation.
    pub paths: IndexMap<String, String>,
    /// Requests of the target's own, by operation, where the documents do not show what one looks like.
    pub examples: IndexMap<String, Map<String, Value>>,
    /// What the shop is set to, as far as the file states it.
    pub settings: Settings,
    /// Whether what is assumed counts as a finding too.
    pub assert_assumed: bool,
    /// Where notifications are received.
    pub notifications: Notifications,
    /// What moves the world.
    pub world: WorldKind,
    /// How long a response may take.
    pub timeout: Duration,
    /// The pause between polls of a pending response.
    pub poll_every: Duration,
    /// How long a pending response is polled.
    pub poll_within: Duration,
    /// Additional trusted certificate (PEM) for HTTPS.
    pub certificate: Option<Vec<u8>>,
    /// What is opened by an explicit line.
    pub allow: Allow,
    /// The clauses that a run is meant to judge, where that is written down.
    pub reach: Option<BTreeSet<String>>,
}

/// The parts of one identity's credentials, by name (`merchant`, `secret`).
pub type Credential = IndexMap<String, String>;

/// Where notifications are received.
#[derive(Clone, Debug)]
pub struct Notifications {
    /// The address that the inbox listens on; none closes the inbox.
    pub listen: Option<SocketAddr>,
    /// The URL that the target is given instead of the inbox's own address (a tunnel, a proxy).
    pub public: Option<Url>,
    /// How long a notification step waits.
    pub within: Duration,
}

/// What the target file opens; everything else is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Allow {
    /// Creating payments that are not test payments.
    pub production: bool,
    /// Using the emulator's control API against something that is not on loopback.
    pub control: bool,
    /// World actions that place faults.
    pub faults: bool,
    /// Made-up, broken requests.
    pub fuzz: bool,
    /// Load against something that is not on loopback.
    pub load: Option<AllowedLoad>,
}

/// How much load a target that is not on this machine may be put under.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AllowedLoad {
    /// Iterations begun a second, at most.
    pub rate: f64,
    /// How long, warm-up included.
    pub duration: Duration,
}

impl Target {
    /// The base URL of an API.
    pub fn base(&self, api: &str) -> Option<&Url> {
        self.bases.get(api).or_else(|| self.bases.get("default"))
    }

    /// Why the path of an operation is assumed, if it is: the documents do not show it, and the target file neither states it nor wants
    /// assumptions asserted.
    pub fn assumed_path<'o>(&self, operation: &'o Operation) -> Option<&'o str> {
        let is_stated = self.assert_assumed || self.paths.contains_key(&operation.id);
        operation.assumed.as_deref().filter(|_| !is_stated)
    }

    /// The valid request that a step starts from: the target's own where it has one, else the contract's. Parameters of the path and
    /// the query that it leaves out are the contract's.
    pub fn example(&self, operation: &Operation) -> Map<String, Value> {
        let shown = operation.example();
        let Some(own) = self.examples.get(&operation.id).filter(|own| !own.is_empty()) else { return shown };
        let mut values = own.clone();
        for (name, value) in shown.into_iter().filter(|(name, _)| operation.parameters().any(|parameter| parameter == name)) {
            values.entry(name).or_insert(value);
        }
        values
    }

    /// The credentials of an identity; none for `nobody` or an unknown name.
    pub fn credential(&self, contracts: &Contracts, identity: &str) -> Option<Credential> {
        match identity {
            NOBODY => None,
            WRONG_SECRET => {
                let mut credential = self.credentials.get(MAIN)?.clone();
                for part in &contracts.secret_parts {
                    if let Some(value) = credential.get_mut(part) {
                        NOT_THE_SECRET.clone_into(value);
                    }
                }
                Some(credential)
            }
            name => self.credentials.get(name).cloned(),
        }
    }

    /// A masker that knows every secret of this target.
    pub fn masker(&self, contracts: &Contracts) -> Masker {
        let secrets = self.credentials.iter().flat_map(|(owner, credential)| {
            contracts.secret_parts.iter().filter_map(|part| {
                let value = credential.get(part)?.clone();
                let logins = users_of(contracts, part).iter().filter_map(|user| credential.get(user).cloned()).collect();
                Some(Secret { owner: owner.clone(), logins, value })
            })
        });
        let own = self.credentials.iter().flat_map(|(owner, credential)| {
            let parts = credential.iter().filter(|(part, _)| part.starts_with(OWN_PART));
            parts.map(|(_, value)| Secret { owner: owner.clone(), logins: Vec::new(), value: value.clone() })
        });
        Masker::new(secrets.chain(own).collect())
    }
}

impl Target {
    /// The secrets that are so short or so ordinary that they are hidden where credentials stand, and nowhere else: identity and part.
    pub fn ordinary_secrets<'t>(&'t self, contracts: &'t Contracts) -> impl Iterator<Item = (&'t str, &'t str)> {
        let parts =
            |credential: &'t Credential| contracts.secret_parts.iter().filter(|part| credential.get(*part).is_some_and(|s| is_ordinary(s)));
        self.credentials.iter().flat_map(move |(owner, credential)| parts(credential).map(move |part| (owner.as_str(), part.as_str())))
    }
}

/// The parts that stand before a password in Basic headers.
fn users_of(contracts: &Contracts, password: &str) -> Vec<String> {
    let mut users: Vec<String> = Vec::new();
    for operation in contracts.operations.values() {
        if let Authorization::Basic { username, password: part } = &operation.credentials.header
            && part == password
            && !users.contains(username)
        {
            users.push(username.clone());
        }
    }
    users
}
