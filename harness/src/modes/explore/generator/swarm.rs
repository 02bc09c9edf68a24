//! Swarm testing: each sequence favours some actions and values and omits others. Where everything is possible everywhere,
//! hardly anything ever happens three times in a row.

use super::random::RandomChoices;
use crate::modes::explore::model::Model;

/// The weight factors from which a sequence draws one for each action.
const FACTORS: [u32; 4] = [0, 1, 1, 3];

/// What one sequence favours and what it omits.
#[derive(Debug, Default)]
pub(super) struct SwarmConfig {
    /// A factor for the weight of each action.
    factors: Vec<u32>,
    /// For each action and field the only value it takes in this sequence, if it is limited to one.
    fixed: Vec<Vec<Option<usize>>>,
    /// The most entities of each kind.
    max_entities: Vec<usize>,
    /// Whether wrong identities are as frequent as the merchant's own.
    pub(super) equal_identities: bool,
}

impl SwarmConfig {
    /// Draws the configuration of one sequence.
    pub(super) fn draw(model: &Model, random: &mut RandomChoices) -> Self {
        let factors = draw_factors(model, random);
        let mut fixed = Vec::new();
        for action in &model.actions {
            fixed.push(action.with.values().map(|values| (random.below(3) == 0).then(|| random.index(values.len()))).collect());
        }
        let max_entities = model.resources.values().map(|resource| 1 + random.index(resource.max)).collect();
        Self { factors, fixed, max_entities, equal_identities: random.below(4) == 0 }
    }

    /// The factor for the weight of an action.
    pub(super) fn factor(&self, action: usize) -> u32 {
        self.factors.get(action).copied().unwrap_or(1)
    }

    /// The most entities of a kind.
    pub(super) fn max_entities(&self, resource: usize) -> usize {
        self.max_entities.get(resource).copied().unwrap_or_default()
    }

    /// The fixed values of an action's fields.
    pub(super) fn fixed(&self, action: usize) -> &[Option<usize>] {
        self.fixed.get(action).map(Vec::as_slice).unwrap_or_default()
    }
}

fn draw_factors(model: &Model, random: &mut RandomChoices) -> Vec<u32> {
    let mut factors: Vec<u32> = model.actions.iter().map(|_| FACTORS.get(random.index(FACTORS.len())).copied().unwrap_or(1)).collect();
    // At least one action must be able to create an entity.
    let initial: Vec<usize> = model.actions.iter().enumerate().filter(|(_, action)| action.is_initial()).map(|(index, _)| index).collect();
    let place = random.index(initial.len());
    if let Some(factor) = initial.get(place).and_then(|index| factors.get_mut(*index)) {
        *factor = (*factor).max(1);
    }
    factors
}
