//! The actions: everything that happens outside of the APIs, in the third person. One file for each actor.

mod bank;
mod bank_refunds;
mod cardholder;
mod clock;
mod context;
mod fault_code;
mod gateway;
mod merchant;
mod notification;
mod operator;
mod operator_device;
mod outage;
mod payer;
mod pos_faults;
mod qr_payer;
mod terminal;
mod world;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub(super) use self::context::ActionContext;
use self::context::ActionResult;
use super::error::ControlError;

/// Lists the actions: a name and the function that carries it out, whose second parameter describes the body.
macro_rules! actions {
    ($($name:literal => $verb:path),+ $(,)?) => {
        /// The names of all actions.
        pub(super) const ACTIONS: &[&str] = &[$($name),+];

        /// Carries an action out.
        pub(super) async fn perform(name: &str, context: ActionContext, parameters: Value) -> ActionResult {
            match name {
                $($name => $verb(context, read(name, parameters)?).await,)+
                _ => Err(unknown(name)),
            }
        }
    };
}

actions! {
    "payer.pays" => payer::pays,
    "payer.fails" => payer::fails,
    "payer.cancels" => payer::cancels,
    "payer.reads-mail" => payer::reads_mail,
    "payer.pays-late" => payer::pays_late,
    "clock.advances" => clock::advances,
    "clock.reads" => clock::reads,
    "world.settles" => world::settles,
    "world.resets" => world::resets,
    "world.fills" => world::fills,
    "gateway.fails" => gateway::fails,
    "gateway.stalls" => gateway::stalls,
    "gateway.disconnects" => gateway::disconnects,
    "notification.resends" => notification::resends,
    "outage.starts" => outage::starts,
    "outage.ends" => outage::ends,
    "terminal.charges" => terminal::charges,
    "terminal.changes" => terminal::changes,
    "cardholder.pays" => cardholder::pays,
    "cardholder.is-declined" => cardholder::is_declined,
    "cardholder.leaves" => cardholder::leaves,
    "cardholder.cancels" => cardholder::cancels,
    "cardholder.breaks-off" => cardholder::breaks_off,
    "bank.transfers" => bank::transfers,
    "bank.returns" => bank::returns,
    "merchant.changes" => merchant::changes,
    "merchant.reads-mail" => merchant::reads_mail,
    "bank.refunds" => bank_refunds::refunds,
    "bank.rejects" => bank_refunds::rejects,
    "operator.registers" => operator::registers,
    "operator.lists" => operator::lists,
    "operator.blocks" => operator::blocks,
    "operator.readies" => operator::readies,
    "operator.unregisters" => operator::unregisters,
    "operator.deactivates" => operator::deactivates,
    "operator.announces-deactivation" => operator::announces_deactivation,
    "operator.changes-config" => operator::changes_config,
    "operator.resets-pin" => operator::resets_pin,
    "operator.reports-terminal" => operator::reports_terminal,
    "operator.requires-app" => operator::requires_app,
    "operator.stocks" => operator::stocks,
    "operator.revokes" => operator_device::revokes,
    "operator.limits-rate" => operator_device::limits_rate,
    "operator.requests-logs" => operator_device::requests_logs,
    "operator.matches-codes" => operator_device::matches_codes,
    "operator.reads-transactions" => operator_device::reads_transactions,
    "operator.reads-closings" => operator_device::reads_closings,
    "operator.reads-logs" => operator_device::reads_logs,
}

fn read<T: DeserializeOwned>(name: &str, parameters: Value) -> Result<T, ControlError> {
    serde_json::from_value(parameters).map_err(|error| ControlError::bad(format!("{name}: {error}")))
}

/// There is no action of this name; the error names the one that was probably meant.
pub(super) fn unknown(name: &str) -> ControlError {
    let closeness = |action: &&&str| (strsim::jaro_winkler(name, action) * 1e6) as u64;
    let nearest = ACTIONS.iter().max_by_key(closeness).copied().unwrap_or_default();
    ControlError::unknown(format!("there is no action `{name}`; did you mean `{nearest}`?"))
}
