//! Activation: once per installation, a device gets its long-lived token.

use super::document_codes::{DocumentCode, DocumentCodes};
use super::settings::ReceiptPrint;
use super::{Connection, ErrorCode, Platform, Refusal, app_version};

/// How a request names the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name<'a> {
    /// Of a POS.
    SerialNumber(&'a str),
    /// Of a SOFTPOS.
    ActivationCode(&'a str),
}

impl Name<'_> {
    /// The code for a connection that doesn't exist.
    pub(crate) const fn unknown(self) -> ErrorCode {
        match self {
            Self::SerialNumber(_) => ErrorCode::DeviceNotRegistered,
            Self::ActivationCode(_) => ErrorCode::ActivationCodeUnknown,
        }
    }
}

/// A request of the right form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Activation<'a> {
    platform: Platform,
    pub(crate) name: Name<'a>,
    app_version: Option<&'a str>,
}

impl<'a> Activation<'a> {
    /// Checks the form. If a field that has to be empty is filled, the connection is ambiguous.
    pub(crate) fn read(
        platform: Option<&str>,
        serial_number: Option<&'a str>,
        activation_code: Option<&'a str>,
        app_version: Option<&'a str>,
    ) -> Result<Self, Refusal> {
        let platform = platform.and_then(Platform::parse).ok_or_else(|| Refusal::invalid("platform is POS or SOFTPOS"))?;
        let (wanted, unwanted) = match platform {
            Platform::Pos => (serial_number.map(Name::SerialNumber), activation_code),
            Platform::Softpos => (activation_code.map(Name::ActivationCode), serial_number),
        };
        if unwanted.is_some() {
            return Err(ErrorCode::AmbiguousInput.into());
        }
        let name = wanted.ok_or_else(|| Refusal::invalid("a POS needs a serialNumber, a SOFTPOS an activationCode"))?;
        Ok(Self { platform, name, app_version: app_version::check(app_version)? })
    }

    /// Activates the connection's device, anew if there was one: "the last issued token wins and the previous one fails".
    pub(crate) fn apply(self, connection: &mut Connection, codes: &mut DocumentCodes) -> Result<(), Refusal> {
        self.check(connection)?;
        let device = connection.device.get_or_insert_default();
        device.generation += 1;
        device.revoked = false;
        device.exchanged = false;
        device.app_version = self.app_version.map(str::to_owned).or(device.app_version.take());
        configure(connection, codes);
        Ok(())
    }

    fn check(self, connection: &Connection) -> Result<(), Refusal> {
        if connection.platform != self.platform {
            return Err(Refusal::invalid("platform is not that of the shop connection's terminal"));
        }
        let code = if !connection.registered {
            ErrorCode::DeviceNotRegistered
        } else if connection.deactivated {
            ErrorCode::ConnectionDeactivated
        } else if connection.blocked {
            ErrorCode::ActivationBlocked
        } else if !connection.ready {
            ErrorCode::ConnectionNotReady
        } else if self.is_used_up(connection) {
            ErrorCode::ActivationCodeUsed
        } else {
            return Ok(());
        };
        Err(code.into())
    }

    /// "Repeating is safe": an activation whose response was lost is repeated with the same code. The code is used up when
    /// the token it brought was exchanged, for then the response surely arrived.
    fn is_used_up(self, connection: &Connection) -> bool {
        matches!(self.name, Name::ActivationCode(_)) && connection.device.as_ref().is_some_and(|device| device.exchanged)
    }
}

/// "Printing on the terminal is switched off at activation", and the server assigns a free document code.
fn configure(connection: &mut Connection, codes: &mut DocumentCodes) {
    if connection.settings.receipt_print != ReceiptPrint::Off {
        connection.settings.receipt_print = ReceiptPrint::Off;
        connection.config_version += 1;
    }
    if connection.document_code == DocumentCode::Open {
        connection.document_code = codes.assign();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::device::core::examples::connection;

    fn read<'a>(platform: Option<&'a str>, serial: Option<&'a str>, code: Option<&'a str>) -> Result<Activation<'a>, ErrorCode> {
        Activation::read(platform, serial, code, None).map_err(|refusal| refusal.code)
    }

    fn pos() -> Activation<'static> {
        read(Some("POS"), Some("SN1"), None).unwrap()
    }

    fn softpos() -> Activation<'static> {
        read(Some("SOFTPOS"), None, Some("AC1")).unwrap()
    }

    fn apply(activation: Activation<'_>, connection: &mut Connection) -> Option<ErrorCode> {
        activation.apply(connection, &mut DocumentCodes::default()).err().map(|refusal| refusal.code)
    }

    #[test]
    fn a_pos_has_a_serial_number_and_a_softpos_an_activation_code() {
        assert_eq!(pos().name, Name::SerialNumber("SN1"));
        assert_eq!(softpos().name, Name::ActivationCode("AC1"));
        for (platform, serial, code, refusal) in [
            (None, Some("SN1"), None, ErrorCode::InvalidRequest),
            (Some("pos"), Some("SN1"), None, ErrorCode::InvalidRequest),
            (Some("POS"), None, None, ErrorCode::InvalidRequest),
            (Some("SOFTPOS"), None, None, ErrorCode::InvalidRequest),
            (Some("POS"), Some("SN1"), Some("AC1"), ErrorCode::AmbiguousInput),
            (Some("SOFTPOS"), Some("SN1"), Some("AC1"), ErrorCode::AmbiguousInput),
            (Some("POS"), None, Some("AC1"), ErrorCode::AmbiguousInput),
            (Some("SOFTPOS"), Some("SN1"), None, ErrorCode::AmbiguousInput),
        ] {
            assert_eq!(read(platform, serial, code), Err(refusal), "{platform:?} {serial:?} {code:?}");
        }
    }

    #[test]
    fn the_platform_is_that_of_the_connection() {
        assert_eq!(apply(pos(), &mut connection(Platform::Softpos)), Some(ErrorCode::InvalidRequest));
    }

    #[test]
    fn each_state_of_a_connection_that_forbids_activation_has_its_code() {
        for (spoil, code) in [
            ((|c| c.registered = false) as fn(&mut Connection), ErrorCode::DeviceNotRegistered),
            (|c| c.deactivate(), ErrorCode::ConnectionDeactivated),
            (|c| c.blocked = true, ErrorCode::ActivationBlocked),
            (|c| c.ready = false, ErrorCode::ConnectionNotReady),
        ] {
            let mut connection = connection(Platform::Pos);
            spoil(&mut connection);
            assert_eq!(apply(pos(), &mut connection), Some(code));
            assert!(connection.device.is_none());
        }
    }

    #[test]
    fn the_last_token_wins_and_what_was_uploaded_stays() {
        let mut connection = connection(Platform::Pos);
        apply(pos(), &mut connection);
        let device = connection.device.as_mut().unwrap();
        device.logs.push(json!("kept"));
        device.revoked = true;
        assert_eq!(apply(pos(), &mut connection), None);
        let device = connection.device.as_mut().unwrap();
        assert_eq!((device.admit(1).is_err(), device.admit(2)), (true, Ok(())));
        assert_eq!(device.logs, [json!("kept")]);
    }

    #[test]
    fn an_activation_code_is_used_up_by_the_first_exchange() {
        let mut connection = connection(Platform::Softpos);
        assert_eq!(apply(softpos(), &mut connection), None);
        assert_eq!(apply(softpos(), &mut connection), None, "repeating is safe");
        connection.device.as_mut().unwrap().exchange(None).unwrap();
        assert_eq!(apply(softpos(), &mut connection), Some(ErrorCode::ActivationCodeUsed));
    }

    #[test]
    fn activation_switches_printing_off_and_assigns_a_document_code() {
        let mut connection = connection(Platform::Pos);
        let changes = json!({ "receiptPrint": "CUSTOMER" });
        connection.change_config(changes.as_object().unwrap().clone(), &mut DocumentCodes::default()).unwrap();
        apply(pos(), &mut connection);
        assert_eq!(connection.settings.receipt_print, ReceiptPrint::Off);
        assert_eq!(connection.document_code.shown(), Some("01"));
    }
}
