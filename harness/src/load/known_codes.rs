//! The documented result codes that a load counts separately.

use super::meter::ResultCode;
use crate::spec::contract::{Operation, Success};
use crate::wire::exchange::Exchange;

/// The documented result codes of an operation; none where its only code is the HTTP status. Reports name only these: an undocumented
/// code may be any text.
#[derive(Debug)]
pub(crate) struct KnownCodes {
    success: Success,
    names: Vec<String>,
}

impl KnownCodes {
    /// The codes of an operation. The code of success, if there is one, is the first.
    pub(crate) fn from_operation(operation: &Operation) -> Self {
        let mut names: Vec<String> = operation.success.value().iter().map(i64::to_string).collect();
        if operation.success.field().is_some() {
            let others = operation.codes.keys().filter(|code| !names.contains(code)).cloned().collect::<Vec<_>>();
            names.extend(others);
        }
        Self { success: operation.success.clone(), names }
    }

    /// The codes in order.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The code in a recorded response.
    pub(crate) fn code(&self, exchange: &Exchange) -> ResultCode {
        let Some(code) = self.success.field().and_then(|_| self.success.code(exchange)) else { return ResultCode::None };
        let number = self.names.iter().position(|name| *name == code).and_then(|number| u16::try_from(number).ok());
        number.map_or(ResultCode::Undocumented, ResultCode::Documented)
    }

    /// The code in a successful response with this status.
    pub(crate) fn code_of_success(&self, status: u16) -> ResultCode {
        // A redirect has no body.
        let has_code = self.success.value().is_some() && (200..300).contains(&status);
        if has_code { ResultCode::Documented(0) } else { ResultCode::None }
    }
}
