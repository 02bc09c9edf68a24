//! `ramping-users`: users come and go, linearly within each stage, from none.

use super::{Kind, UserStage, bounds, stages};
use crate::source::{Fields, Problems};

/// As in the file.
pub(super) const NAME: &str = "ramping-users";

/// Reads its keys.
pub(super) fn read(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Kind> {
    let stages = stages::read(fields, problems, |fields, problems| {
        let users = bounds::users_of_stage(fields, problems);
        let duration = bounds::time(fields, "for", problems);
        Some(UserStage { users: users?, duration: duration? })
    })?;
    if stages.list.iter().all(|stage| stage.users == 0) {
        stages.refuse("no stage has any users", problems);
        return None;
    }
    Some(Kind::RampingUsers { stages: stages.list })
}
