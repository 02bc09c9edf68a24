//! Adds the times of all parts: each distribution is read once.

use super::error::MergeError;
use super::part::ResultPart;
use crate::load::latency::histogram;
use crate::load::result::{Latency, LoadResult, OperationResult};

/// Sets every distribution of the sum to that of all parts.
pub(super) fn add_up(sum: &mut LoadResult, parts: &[ResultPart]) -> Result<(), MergeError> {
    for operation in &mut sum.operations {
        let name = operation.operation.clone();
        operation.response = all(parts, |result| named(result, &name).map(|other| &other.response))?;
        operation.service = all(parts, |result| named(result, &name).map(|other| &other.service))?;
    }
    for scenario in &mut sum.scenarios {
        let name = scenario.scenario.clone();
        scenario.response = all(parts, |result| result.scenarios.iter().find(|other| other.scenario == name).map(|other| &other.response))?;
    }
    if let Some(notifications) = &mut sum.notifications {
        notifications.lag = all(parts, |result| result.notifications.as_ref().map(|other| &other.lag))?;
    }
    sum.generator.scheduling = all(parts, |result| Some(&result.generator.scheduling))?;
    Ok(())
}

fn named<'r>(result: &'r LoadResult, name: &str) -> Option<&'r OperationResult> {
    result.operations.iter().find(|operation| operation.operation == name)
}

fn all<'p>(parts: &'p [ResultPart], latency: impl Fn(&'p LoadResult) -> Option<&'p Latency>) -> Result<Latency, MergeError> {
    let mut sum = histogram();
    for part in parts {
        let Some(latency) = latency(&part.result) else { continue };
        latency.add_to(&mut sum).map_err(|error| MergeError::Unreadable {
            file: part.file.clone(),
            what: "a distribution".to_owned(),
            error,
        })?;
    }
    Ok(Latency::from_histogram(&sum))
}
