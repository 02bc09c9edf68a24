//! The kinds of shops that `init` writes files for: the parts of their credentials, and a first scenario of their API.

use clap::ValueEnum;

use super::super::merchants;
use super::super::template::quoted;

/// The API that a shop is judged by first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum FirstApi {
    /// The online gateway.
    #[default]
    Gateway,
    /// The card terminal.
    Terminal,
    /// QR payments.
    Qr,
    /// Cash registers.
    Device,
}

/// A part of a credential, by the name that target files have for it.
pub(super) struct Part {
    pub(super) name: &'static str,
    /// What a person is asked.
    pub(super) question: &'static str,
    pub(super) value: PartValue,
}

/// What stands in a target file for a part.
pub(super) enum PartValue {
    /// The part itself; an example of it.
    Plain(&'static str),
    /// The name of an environment variable that holds it; an example.
    Secret(&'static str),
}

/// What a target file needs for one API.
pub(super) struct Shop {
    pub(super) api: FirstApi,
    /// The API, as target files name it.
    pub(super) name: &'static str,
    /// What the parts are, in a comment.
    says: &'static str,
    pub(super) parts: &'static [Part],
    pub(super) scenario: &'static str,
}

const fn plain(name: &'static str, question: &'static str, example: &'static str) -> Part {
    Part { name, question, value: PartValue::Plain(example) }
}

const fn secret(name: &'static str, question: &'static str, example: &'static str) -> Part {
    Part { name, question, value: PartValue::Secret(example) }
}

/// In each, the login comes first, then the secret.
const SHOPS: [Shop; 4] = [
    Shop {
        api: FirstApi::Gateway,
        name: "gateway",
        says: "The online gateway's merchant and secret:",
        parts: &[
            plain("merchant", "Which merchant?", "\"100001\""),
            secret("secret", "Which environment variable holds the merchant's secret?", "SECRET"),
        ],
        scenario: include_str!("scenarios/gateway.yaml"),
    },
    Shop {
        api: FirstApi::Terminal,
        name: "terminal",
        says: "The card terminal's login and password:",
        parts: &[
            plain("terminal", "Which login of the card terminal?", "T123"),
            secret("terminal-secret", "Which environment variable holds its password?", "TERMINAL_SECRET"),
        ],
        scenario: include_str!("scenarios/terminal.yaml"),
    },
    Shop {
        api: FirstApi::Qr,
        name: "qr",
        says: "QR payments, user, password, merchant and terminal:",
        parts: &[
            plain("qr-user", "Which user of QR payments?", "qr-user"),
            secret("qr-password", "Which environment variable holds its password?", "QR_PASSWORD"),
            plain("mid", "Which merchant (`mid`)?", "M123"),
            plain("qr-terminal", "Which terminal?", "Q123"),
        ],
        scenario: include_str!("scenarios/qr.yaml"),
    },
    Shop {
        api: FirstApi::Device,
        name: "device",
        says: "Cash registers, user and password of the first call, a registered serial number and an activation code:",
        parts: &[
            plain("device-user", "Which user of the first call?", "device-user"),
            secret("device-password", "Which environment variable holds its password?", "DEVICE_PASSWORD"),
            plain("serial", "Which registered serial number?", "SN123"),
            plain("activation-code", "Which activation code?", "AC123"),
        ],
        scenario: include_str!("scenarios/device.yaml"),
    },
];

impl FirstApi {
    /// What a target file needs for this API.
    pub(super) fn shop(self) -> &'static Shop {
        SHOPS.iter().find(|shop| shop.api == self).unwrap_or(&SHOPS[0])
    }
}

impl Part {
    /// What is meant where nothing is said: the emulator's merchant, or a variable for its secret.
    pub(super) fn default(&self) -> String {
        match self.value {
            PartValue::Plain(_) => merchants::main_part(self.name).to_owned(),
            PartValue::Secret(name) => format!("PAYCHECK_{name}"),
        }
    }

    pub(super) fn is_secret(&self) -> bool {
        matches!(self.value, PartValue::Secret(_))
    }

    /// The key with this value.
    fn line(&self, value: &str) -> String {
        let value = if self.is_secret() { format!("{{ env: {value} }}") } else { quoted(value) };
        format!("{}: {value}", self.name)
    }

    fn example(&self) -> String {
        match self.value {
            PartValue::Plain(example) => format!("{}: {example}", self.name),
            PartValue::Secret(name) => self.line(name),
        }
    }

    fn of_other(&self) -> String {
        match self.value {
            PartValue::Plain(_) => self.line(merchants::other_part(self.name)),
            PartValue::Secret(name) => self.line(&format!("OTHER_{name}")),
        }
    }
}

impl Shop {
    /// The credentials of a target file: those of this API, and in comments those of the others and of a second merchant.
    pub(super) fn credentials(&self, values: &[String]) -> String {
        let own = self.parts.iter().zip(values).map(|(part, value)| format!("    {}\n", part.line(value))).collect::<String>();
        let others = SHOPS.iter().filter(|shop| shop.api != self.api).map(Self::as_comment).collect::<String>();
        let other = self.parts.iter().map(Part::of_other).collect::<Vec<_>>().join(", ");
        format!(
            "{own}    # The other APIs have credentials of their own.\n{others}  \
             # A second merchant, so that one can be held against the other:\n  # other: {{ {other} }}\n"
        )
    }

    fn as_comment(&self) -> String {
        let parts = self.parts.iter().map(|part| format!("    # {}\n", part.example()));
        std::iter::once(format!("    # {}\n", self.says)).chain(parts).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_one_of_its_own_and_begins_with_a_login_and_a_secret() {
        for api in FirstApi::value_variants() {
            let shop = api.shop();
            assert_eq!(shop.api, *api);
            assert!(!shop.parts[0].is_secret() && shop.parts[1].is_secret());
        }
    }

    #[test]
    fn all_parts_that_target_files_have_are_in_some_kind() {
        let known: Vec<&str> = SHOPS.iter().flat_map(|shop| shop.parts).map(|part| part.name).collect();
        assert_eq!(known, merchants::parts().collect::<Vec<_>>());
    }
}
