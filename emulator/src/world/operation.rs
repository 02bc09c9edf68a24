//! The operations of the gateway, of terminals and about transfers, as faults name them.

use crate::common::{Code, Refusal};
use crate::gateway::core::{Call, Interface};
use crate::terminal::core::{Call as TerminalCall, ClosingError};
use crate::transfers::core::Call as TransfersCall;

/// A documented call, as faults know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Of the gateway, through one of the interfaces: `gateway.v1.create`.
    Gateway { interface: Interface, call: Call },
    /// Of the card terminal: `terminal.refund.create`.
    Terminal(TerminalCall),
    /// About transfers: `transfers.list`.
    Transfers(TransfersCall),
}

impl Operation {
    /// Reads the name of an operation.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::all().find(|operation| operation.name() == name)
    }

    /// The names of all operations.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        Self::all().map(Self::name)
    }

    fn all() -> impl Iterator<Item = Self> {
        let interfaces = [Interface::V1, Interface::V2].into_iter();
        let gateway = interfaces.flat_map(|interface| Call::ALL.map(|call| Self::Gateway { interface, call }));
        let terminal = TerminalCall::ALL.iter().copied().map(Self::Terminal);
        gateway.chain(terminal).chain(TransfersCall::ALL.iter().copied().map(Self::Transfers))
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Gateway { interface, call } => call.operation_name(interface),
            Self::Terminal(call) => call.as_str(),
            Self::Transfers(call) => call.as_str(),
        }
    }

    /// The error codes documented for it.
    pub(crate) fn codes(self) -> Vec<u16> {
        let numbers = |codes: &[(Code, _)]| codes.iter().map(|(code, _)| code.number()).collect();
        match self {
            Self::Gateway { call, .. } => call.errors().to_vec(),
            Self::Terminal(call) => numbers(call.errors()),
            Self::Transfers(call) => numbers(call.errors()),
        }
    }

    /// The refusal with one of these codes, and the meaning that the document gives it.
    pub(crate) fn refusal(self, number: u16) -> Option<Refusal> {
        let refusal = |codes: &[(Code, &str)]| {
            let (code, meaning) = codes.iter().find(|(code, _)| code.number() == number)?;
            Some(Refusal { code: *code, message: (*meaning).to_owned() })
        };
        match self {
            Self::Gateway { call, .. } => call.error(number).map(Refusal::from_code),
            Self::Terminal(call) => refusal(call.errors()),
            Self::Transfers(call) => refusal(call.errors()),
        }
    }

    /// The only messages it may fail with, where the document lists them.
    pub(crate) const fn messages(self) -> Option<&'static [ClosingError]> {
        match self {
            Self::Terminal(TerminalCall::Closing) => Some(ClosingError::ALL),
            Self::Gateway { .. } | Self::Terminal(_) | Self::Transfers(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_reads_back_from_its_name() {
        assert_eq!(Operation::names().count(), 16 + 8 + 6);
        assert!(Operation::all().all(|operation| Operation::parse(operation.name()) == Some(operation)));
        assert_eq!(Operation::parse("gateway.v3.create"), None);
    }

    #[test]
    fn every_documented_code_of_every_operation_can_be_had() {
        for operation in Operation::all() {
            let name = operation.name();
            for code in operation.codes() {
                assert_eq!(operation.refusal(code).map(|refusal| refusal.code.number()), Some(code), "{name} {code}");
            }
            assert_eq!(operation.refusal(1), None, "{name}");
        }
    }
}
