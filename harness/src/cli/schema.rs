//! `paycheck schema`: the JSON Schemas of files that Paycheck reads or writes.

use super::console::print;
use super::failure::Failure;
use super::inputs;
use crate::base::exit::Exit;

/// Files with a schema.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum SchemaOf {
    /// A scenario script.
    Scenario,
    /// A target file.
    Target,
    /// The world file of `emulate --world`.
    World,
    /// A load profile.
    Profile,
    /// The findings that `--known` accepts.
    Known,
    /// A line of the events that `verify --events` writes.
    Events,
    /// The result that `load --json` writes.
    Load,
    /// The result that `compare --json` writes.
    Compare,
    /// The result that `mutate --json` writes.
    Mutate,
}

/// Prints a schema.
pub(super) fn run(of: SchemaOf) -> Result<Exit, Failure> {
    let schema = match of {
        SchemaOf::Scenario => crate::spec::scenario::schema(),
        SchemaOf::Target => crate::spec::target::schema(&*inputs::contracts(None)?),
        SchemaOf::World => super::world_file::schema()?,
        SchemaOf::Profile => crate::load::profile::schema(),
        SchemaOf::Known => crate::judge::known::schema(),
        SchemaOf::Events => crate::report::schema(),
        SchemaOf::Load => crate::report::load::schema(),
        SchemaOf::Compare => crate::modes::compare::schema(),
        SchemaOf::Mutate => crate::modes::mutate::schema(),
    };
    print(&format!("{schema:#}"))?;
    Ok(Exit::Passed)
}
