//! `constant-users`: so many users all the time, each as fast as it is answered.

use super::{Kind, bounds};
use crate::source::{Fields, Problems};

/// As in the file.
pub(super) const NAME: &str = "constant-users";

/// Reads its keys.
pub(super) fn read(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Kind> {
    let users = bounds::users(fields, problems);
    let duration = bounds::time(fields, "for", problems);
    Some(Kind::ConstantUsers { users: users?, duration: duration? })
}
