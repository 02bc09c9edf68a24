//! What a payment reads after its pre-authorization was captured or released: "not shown".

use crate::common::freedoms::Behaviour;
use crate::gateway::core::{Effect, NOTHING, Payment, State, Violation};
use crate::wire::Context;

/// Captures or releases. In worlds that behave so, the payment still reads AUTHORIZED; it can't be captured or released again, and its
/// money is in no transfer.
pub(super) fn preauth(
    context: Context<'_>,
    unchanged: Behaviour,
    payment: &mut Payment,
    action: impl FnOnce(&mut Payment) -> Result<&'static [Effect], Violation>,
) -> Result<&'static [Effect], Violation> {
    let action = |payment: &mut Payment| {
        let effects = action(payment).map_err(|violation| tolerated(context, violation))?;
        if let State::Paid { taken, .. } = payment.state
            && context.world.behaves(Behaviour::CapturedPriceTaken)
        {
            payment.order.price = taken;
        }
        Ok(effects)
    };
    if payment.settled {
        return Err(tolerated(context, Violation::NotAuthorized));
    }
    if !context.world.behaves(unchanged) {
        return action(payment);
    }
    let before = payment.state.clone();
    action(payment)?;
    payment.state = before;
    payment.settled = true;
    Ok(NOTHING)
}

/// The code that public clients know, in tolerant worlds.
fn tolerated(context: Context<'_>, violation: Violation) -> Violation {
    if violation == Violation::NotAuthorized && context.world.settings().tolerant { Violation::NotAuthorizedTolerant } else { violation }
}
