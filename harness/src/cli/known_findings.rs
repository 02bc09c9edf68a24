//! The known findings that the arguments name.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::arguments::KnownArguments;
use super::failure::Failure;
use crate::engine::known_filter::{Filter, RunScope};
use crate::judge::known::{Known, read};
use crate::spec::contract::Contracts;

/// Reads the file, if there is one; without one nothing is accepted.
pub(super) fn filter(arguments: &KnownArguments, contracts: &Contracts, scope: RunScope) -> Result<Filter, Failure> {
    let known = arguments.known.as_deref().map(|path| read(path, contracts)).transpose()?;
    // One day for all users, in any time zone.
    let today = arguments.today.unwrap_or_else(|| Timestamp::now().to_zoned(TimeZone::UTC).date());
    Ok(Filter::new(known.unwrap_or_else(Known::default), today, scope))
}
