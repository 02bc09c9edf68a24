//! The target file of a running emulator.

use std::path::{Path, absolute};

use emulator::{MerchantSettings, WorldSettings};

use super::super::template::{filled, quoted};
use super::Failure;
use crate::base::output::write_whole;

const TEMPLATE: &str = include_str!("target.yaml");

/// Refuses to replace an existing file without `--force`.
pub(super) fn check(path: Option<&Path>, force: bool) -> Result<(), Failure> {
    match path {
        Some(path) if path.is_file() && !force => {
            let path = path.display();
            Err(Failure::invalid(format!("{path} exists, and is left as it is; `--force` replaces it")))
        }
        _ => Ok(()),
    }
}

/// Writes the file for the emulator at a base URL.
pub(super) fn write(path: &Path, base: &str, world: &WorldSettings, certificate: Option<&Path>) -> Result<(), Failure> {
    let mut text = text(base, world);
    if let Some(certificate) = certificate {
        let certificate = quoted(&absolute(certificate)?.display().to_string());
        text.push_str(&format!("\n# The certificate of this run.\ncertificate: {certificate}\n"));
    }
    Ok(write_whole(path, text.as_bytes())?)
}

fn text(base: &str, world: &WorldSettings) -> String {
    let mut merchants = world.merchants.iter().cloned();
    let main = merchants.next().unwrap_or_else(|| MerchantSettings::named("100001"));
    let free = if main.merchant == "200002" { "100001" } else { "200002" };
    let other = merchants.next().unwrap_or_else(|| MerchantSettings::named(free));
    let (title, base) = (quoted(&format!("emulator on {base}")), quoted(base));
    let [main, other] = [main, other].map(|merchant| parts(credential(merchant)));
    filled(TEMPLATE, &[("TITLE", &title), ("BASE", &base), ("MAIN", &main), ("OTHER", &other)])
}

/// The parts of a credential, under the names that target files have for them.
fn credential(merchant: MerchantSettings) -> [(&'static str, String); 12] {
    let merchant = merchant.with_identities();
    [
        ("merchant", merchant.merchant),
        ("secret", merchant.secret),
        ("terminal", merchant.terminal),
        ("terminal-secret", merchant.terminal_secret),
        ("qr-user", merchant.qr_user),
        ("qr-password", merchant.qr_password),
        ("mid", merchant.mid),
        ("qr-terminal", merchant.qr_terminal),
        ("device-user", merchant.device_user),
        ("device-password", merchant.device_password),
        ("serial", merchant.serial),
        ("activation-code", merchant.activation_code),
    ]
}

/// One line a part.
fn parts(parts: [(&str, String); 12]) -> String {
    let lines = parts.iter().map(|(name, value)| format!("    {name}: {}", quoted(value)));
    lines.collect::<Vec<_>>().join("\n")
}
