//! The target: base URLs, credentials, what it can do and what it may be sent.

mod base_url;
mod credential;
mod file;
mod give_up;
mod http_choice;
mod identity;
mod layouts;
mod offer;
mod own_calls;
mod safety;
mod schema;
mod settings;
mod world;
mod wrong_secret;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value};
use url::Url;

pub use credential::Credential;
use credential::users;
pub use file::{Lookup, parse, read, read_credential};
pub use give_up::GiveUp;
pub use http_choice::HttpChoice;
pub use identity::{MAIN, NOBODY};
pub use offer::Offer;
pub use safety::{LoadAsked, LoadRefusal, Refusal, is_loopback};
pub use schema::schema;
pub use settings::Settings;
pub use world::{ALL_PARAMETERS, DRIVER_NAMES, Driver, DriverBody, Drivers, HttpDriver, KNOWN_FIELDS, WorldKind};
use wrong_secret::NOT_A_USER;
pub use wrong_secret::WRONG_SECRET;
pub(crate) use wrong_secret::{OTHER, OTHERS_SECRET, impersonated, wrong_secret_of};

use crate::spec::contract::{Contracts, Layouts, Operation};
use crate::wire::exchange::{Masker, Secret, is_ordinary};

/// The prefix of a part of a credential that no call sends and only templates of drivers use. All of them are secret.
pub(crate) const OWN_PART: &str = "x-";

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
    /// Methods that replace the contract's, by operation.
    pub methods: IndexMap<String, String>,
    /// The target's own requests, by operation, for those that the documents do not show.
    pub examples: IndexMap<String, Map<String, Value>>,
    /// The layouts of its files, where the documents do not show them.
    pub layouts: Layouts,
    /// What the shop is set to, as far as the file states it.
    pub settings: Settings,
    /// Whether violations of assumptions count as findings.
    pub assert_assumed: bool,
    /// Where notifications are received.
    pub notifications: Notifications,
    /// What carries out actions of the world.
    pub world: WorldKind,
    /// The version of HTTP that it is asked to speak.
    pub http: HttpChoice,
    /// The time limit of a response.
    pub timeout: Duration,
    /// The pause between polls of a pending response.
    pub poll_every: Duration,
    /// How long a pending response is polled.
    pub poll_within: Duration,
    /// When it is given up if it does not respond.
    pub give_up: GiveUp,
    /// Additional trusted certificate (PEM) for HTTPS.
    pub certificate: Option<Vec<u8>>,
    /// What explicit lines of the target file allow.
    pub allow: Allow,
    /// The clauses that a run is meant to judge, if stated.
    pub reach: Option<BTreeSet<String>>,
}

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

/// What the target file allows; everything else is refused.
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

/// The load that a target on another machine may be put under.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AllowedLoad {
    /// Iterations started per second, at most.
    pub rate: f64,
    /// The longest duration, warm-up included.
    pub duration: Duration,
}

impl Target {
    /// An emulator on this machine, whose worlds are opened for each case.
    pub fn emulated(title: &str, base: Url, credentials: IndexMap<String, Credential>, notifications: Notifications) -> Self {
        Self {
            title: title.to_owned(),
            bases: IndexMap::from([("default".to_owned(), base.clone())]),
            credentials,
            paths: IndexMap::new(),
            methods: IndexMap::new(),
            examples: IndexMap::new(),
            layouts: Layouts::new(),
            assert_assumed: true,
            notifications,
            world: WorldKind::Emulator(base),
            http: HttpChoice::default(),
            timeout: Duration::from_secs(10),
            poll_every: Duration::from_millis(5),
            poll_within: Duration::from_millis(500),
            give_up: GiveUp::default(),
            certificate: None,
            variables: IndexMap::new(),
            settings: Settings::default(),
            reach: None,
            allow: Allow::default(),
        }
    }

    /// The base URL of an API.
    pub fn base(&self, api: &str) -> Option<&Url> {
        self.bases.get(api).or_else(|| self.bases.get("default"))
    }

    /// Why the path of an operation is assumed, if it is: the documents do not show it, and the target file neither states it nor
    /// wants assumptions asserted.
    pub fn assumed_path<'o>(&self, operation: &'o Operation) -> Option<&'o str> {
        let is_stated = self.assert_assumed || self.paths.contains_key(&operation.id);
        operation.assumed.as_deref().filter(|_| !is_stated)
    }

    /// The HTTP method of an operation: the one that the target file states, or the contract's.
    pub fn method<'t>(&'t self, operation: &'t Operation) -> &'t str {
        self.methods.get(&operation.id).unwrap_or(&operation.method)
    }

    /// The valid request that a step starts from: the target's own if it has one, else the contract's. Path and query parameters
    /// that it omits come from the contract. What the shop of the identity does not have is replaced by what it has.
    pub fn example(&self, contracts: &Contracts, operation: &Operation, identity: &str) -> Map<String, Value> {
        let shown = Offer::new(&self.settings, contracts, identity).fit(operation, operation.example());
        let Some(own) = self.examples.get(&operation.id).filter(|own| !own.is_empty()) else { return shown };
        let mut values = own.clone();
        for (name, value) in shown.into_iter().filter(|(name, _)| operation.parameters().any(|parameter| parameter == name)) {
            values.entry(name).or_insert(value);
        }
        values
    }

    /// The credentials of an identity; none for `nobody` or an unknown name.
    pub fn credential(&self, contracts: &Contracts, identity: &str) -> Option<Credential> {
        if let Some(whose) = impersonated(identity) {
            return wrong_secret::instead_of(self.credentials.get(whose)?, identity, contracts);
        }
        match identity {
            NOBODY => None,
            OTHERS_SECRET => {
                let (main, other) = (self.credentials.get(MAIN)?, self.credentials.get(OTHER)?);
                let mut mixed = main.clone();
                mixed.retain(|part, value| match other.get(part).filter(|_| contracts.secret_parts.contains(part)) {
                    Some(theirs) => {
                        value.clone_from(theirs);
                        true
                    }
                    None => !contracts.secret_parts.contains(part),
                });
                Some(mixed).filter(|mixed| mixed != main)
            }
            name => self.credentials.get(name).cloned(),
        }
    }

    /// A masker that knows every secret of this target.
    pub fn masker(&self, contracts: &Contracts) -> Masker {
        // A secret is also sent with the login of another API, or of nobody, on purpose.
        let users = users(contracts);
        let secret = |owner: &str, credential: &Credential, value: String| {
            let logins = users.iter().filter_map(|user| credential.get(user).cloned()).chain([NOT_A_USER.to_owned()]).collect();
            Secret { owner: owner.to_owned(), logins, value }
        };
        let secrets = self.credentials.iter().flat_map(|(owner, credential)| {
            contracts.secret_parts.iter().filter_map(move |part| Some(secret(owner, credential, credential.get(part)?.clone())))
        });
        let near = self.credentials.get(MAIN).into_iter().flat_map(|credential| {
            let rights = contracts.secret_parts.iter().filter_map(move |part| credential.get(part));
            rights.flat_map(move |right| wrong_secret::near_misses(right).map(move |(name, wrong)| secret(name, credential, wrong)))
        });
        let own = self.credentials.iter().flat_map(|(owner, credential)| {
            let parts = credential.iter().filter(|(part, _)| part.starts_with(OWN_PART));
            parts.map(|(_, value)| Secret { owner: owner.clone(), logins: Vec::new(), value: value.clone() })
        });
        Masker::new(secrets.chain(own).chain(near).collect())
    }
}

impl Target {
    /// The secrets that are so short or so ordinary that they are hidden where credentials are sent, and nowhere else: identity
    /// and part.
    pub fn ordinary_secrets<'t>(&'t self, contracts: &'t Contracts) -> impl Iterator<Item = (&'t str, &'t str)> {
        let parts =
            |credential: &'t Credential| contracts.secret_parts.iter().filter(|part| credential.get(*part).is_some_and(|s| is_ordinary(s)));
        self.credentials.iter().flat_map(move |(owner, credential)| parts(credential).map(move |part| (owner.as_str(), part.as_str())))
    }
}
