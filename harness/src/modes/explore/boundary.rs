//! The state in which a sequence begins, and the commands that end what it has left open.

use serde_json::{Map, Value};

use super::command::{Batch, Command};
use super::error::ModelError;
use super::model::{Model, OWN_WORLD, SETTINGS};
use super::state::PossibleStates;
use crate::spec::scenario::TemplateError;

/// The first key of the commands that end entities, beyond the keys of any sequence.
const FIRST_ENDING: usize = 1_000_000;

/// The state of the world at the beginning: `settings` are the settings that are known, `own_world` is whether nothing but the sequence
/// happens there.
pub(super) fn beginning(model: &Model, settings: Value, own_world: bool) -> Result<PossibleStates, ModelError> {
    let known = Map::from_iter([(SETTINGS.to_owned(), settings), (OWN_WORLD.to_owned(), own_world.into())]);
    let rendered = model.shared.iter().map(|(name, template)| Ok((name.clone(), template.render(&known)?)));
    let shared = rendered.collect::<Result<_, TemplateError>>().map_err(ModelError::expression)?;
    Ok(PossibleStates::initial(shared))
}

/// What ends every entity that is known, by the merchant of its own.
pub(super) fn endings(model: &Model, possible: &PossibleStates) -> Vec<Batch> {
    let endings = possible.entities().flat_map(|(key, entity)| {
        let actions = model.actions.iter().enumerate().filter(|(_, action)| action.ends && action.on.as_ref() == Some(&entity.resource));
        actions.map(move |(index, action)| (key, index, action.with.len()))
    });
    let commands = endings.zip(FIRST_ENDING..).map(|((on, action, fields), key)| Command {
        key,
        action,
        operation: 0,
        identity: 0,
        on: Some(on),
        choices: vec![0; fields],
    });
    commands.map(Batch::Single).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::modes::explore::read_all;
    use crate::spec::contract::{Contracts, Files};

    fn model(api: &str) -> Model {
        let models = read_all(&Files::contracts(), &Contracts::shipped()).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
        models.into_iter().find(|model| model.api == api).unwrap()
    }

    #[test]
    fn what_is_not_stated_is_not_known() {
        let shared = |settings: Value| beginning(&model("qr"), settings, false).unwrap().first().unwrap().shared.clone();
        let stated = shared(json!({ "qr-expiration-seconds": 2_220 }));
        assert_eq!((&stated["shortest"], &stated["longest"]), (&json!(2_220), &json!(2_220)));
        let unknown = shared(json!({}));
        assert_eq!((&unknown["shortest"], &unknown["longest"]), (&json!(0), &json!(1_000_000_000)));
    }

    #[test]
    fn a_terminal_that_others_use_is_not_clean() {
        for own in [true, false] {
            let begun = beginning(&model("terminal"), json!({}), own).unwrap();
            assert_eq!(begun.first().unwrap().shared["clean"], json!(own));
            assert!(endings(&model("terminal"), &begun).is_empty(), "there is nothing yet");
        }
    }
}
