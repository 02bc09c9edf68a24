//! What ends by itself soon after its creation: `ends-by-itself` of a resource in `contracts/world.yaml`.

use std::time::Duration;

use crate::base::source::{Fields, Node, Problems};

/// When a resource may end by itself, as the payments of a test terminal do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Not before this long after its creation.
    pub after: Duration,
    /// The setting of a merchant that says, stated as false, that his do not.
    pub unless_off: String,
    /// What the documents say of it.
    pub says: String,
}

pub(super) fn read(node: &Node, problems: &mut Problems) -> Option<Ending> {
    let mut fields = Fields::from_node(node, "what ends by itself", problems)?;
    let seconds = fields.integer("seconds", problems);
    let [unless_off, says] = ["unless-off", "says"].map(|key| fields.require_text(key, problems));
    fields.finish(problems);
    Some(Ending { after: Duration::from_secs(seconds?), unless_off: unless_off?, says: says? })
}
