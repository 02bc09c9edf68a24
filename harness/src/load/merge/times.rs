//! Adds the times of all parts: each distribution is read once.

use super::error::MergeError;
use super::part::ResultPart;
use crate::load::latency::histogram;
use crate::load::result::{Latency, LoadResult, OperationResult, ScenarioResult};

/// Sets every distribution of `sum` to the sum over all parts.
pub(super) fn add_up(sum: &mut LoadResult, parts: &[ResultPart]) -> Result<(), MergeError> {
    for operation in &mut sum.operations {
        let name = operation.operation.clone();
        let (response, service) = (format!("the response time of {name}"), format!("the service time of {name}"));
        operation.response = sum_over_parts(parts, &response, |result| named(result, &name).map(|other| &other.response))?;
        operation.service = sum_over_parts(parts, &service, |result| named(result, &name).map(|other| &other.service))?;
    }
    for scenario in &mut sum.scenarios {
        let name = scenario.scenario.clone();
        let of_it = |result| scenarios(result).find(|other| other.scenario == name).map(|other| &other.response);
        scenario.response = sum_over_parts(parts, &format!("the scenario {name}"), of_it)?;
    }
    if let Some(notifications) = &mut sum.notifications {
        notifications.lag =
            sum_over_parts(parts, "the notifications' lag", |result| result.notifications.as_ref().map(|other| &other.lag))?;
    }
    sum.generator.scheduling = sum_over_parts(parts, "the scheduling", |result| Some(&result.generator.scheduling))?;
    Ok(())
}

fn named<'r>(result: &'r LoadResult, name: &str) -> Option<&'r OperationResult> {
    result.operations.iter().find(|operation| operation.operation == name)
}

fn scenarios(result: &LoadResult) -> impl Iterator<Item = &ScenarioResult> {
    result.scenarios.iter()
}

/// The sum of one distribution over all parts; `what` names it in errors.
fn sum_over_parts<'p>(
    parts: &'p [ResultPart],
    what: &str,
    latency: impl Fn(&'p LoadResult) -> Option<&'p Latency>,
) -> Result<Latency, MergeError> {
    let mut sum = histogram();
    for part in parts {
        let Some(latency) = latency(&part.result) else { continue };
        latency.add_to(&mut sum).map_err(|error| MergeError::Unreadable { file: part.file.clone(), what: what.to_owned(), error })?;
    }
    Ok(Latency::from_histogram(&sum))
}
