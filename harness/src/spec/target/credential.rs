//! The credentials of one identity.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use crate::spec::contract::{Authorization, Contracts};

/// The parts of one identity's credentials, by name (`merchant`, `secret`).
pub type Credential = IndexMap<String, String>;

/// The parts of a credential before a password in Basic headers.
pub(super) fn users_of(contracts: &Contracts, password: &str) -> Vec<String> {
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

/// All of these parts, of whatever password.
pub(super) fn users(contracts: &Contracts) -> BTreeSet<String> {
    contracts.secret_parts.iter().flat_map(|part| users_of(contracts, part)).collect()
}
