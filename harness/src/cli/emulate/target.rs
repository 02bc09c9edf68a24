//! The target file of a running emulator.

use std::path::{Path, absolute};

use emulator::{MerchantSettings, WorldSettings};
use serde_json::Value;

use super::super::merchants;
use super::super::template::{filled, quoted};
use super::Failure;
use crate::base::output::write_whole;

const TEMPLATE: &str = include_str!("target.yaml");

/// Writes the file for the emulator at a base URL.
pub(super) fn write(path: &Path, base: &str, world: &WorldSettings, certificate: Option<&Path>) -> Result<(), Failure> {
    let mut text = text(base, world)?;
    if let Some(certificate) = certificate {
        let certificate = quoted(&absolute(certificate)?.display().to_string());
        text.push_str(&format!("\n# The certificate of this run.\ncertificate: {certificate}\n"));
    }
    Ok(write_whole(path, text.as_bytes())?)
}

/// Adds the merchants that a target file names and the world does not have.
pub(super) fn complete(world: &mut WorldSettings) {
    for id in [merchants::main_id(), merchants::other_id()] {
        if world.merchants.len() < NAMED && world.merchants.iter().all(|merchant| merchant.merchant != id) {
            world.merchants.push(MerchantSettings::named(id));
        }
    }
}

/// The merchants of a target file: `main` and `other`.
const NAMED: usize = 2;

fn text(base: &str, world: &WorldSettings) -> Result<String, Failure> {
    let parts: Vec<String> = world.merchants.iter().take(NAMED).cloned().map(parts).collect::<Result<_, _>>()?;
    let [main, other] = parts.as_slice() else { return Err(Failure::internal("a target file names two merchants")) };
    let (title, base) = (quoted(&format!("emulator on {base}")), quoted(base));
    Ok(filled(TEMPLATE, &[("TITLE", &title), ("BASE", &base), ("MAIN", main), ("OTHER", other)]))
}

/// The parts of a credential, one line each, under the names that target files have for them.
fn parts(merchant: MerchantSettings) -> Result<String, Failure> {
    let settings = serde_json::to_value(merchant.with_identities()).map_err(Failure::internal)?;
    let value = |name: &str| settings.get(name).and_then(Value::as_str).map(quoted);
    let lines = merchants::parts().filter_map(|name| Some(format!("    {name}: {}", value(name)?)));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}
