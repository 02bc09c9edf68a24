//! `paycheck completions` and `paycheck man`, from the definitions of the command line.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;

use super::console::print;
use super::failure::Failure;
use crate::base::exit::Exit;
use crate::base::output::write_whole;

#[derive(Debug, Clone, Args)]
pub(super) struct ManArguments {
    /// Writes a page for each command into this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints the script that completes commands, options and values in a shell.
pub(super) fn run(shell: Shell, mut program: Command) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut program, "paycheck", &mut script);
    print(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Passed)
}

/// Prints the page of the program, or writes all pages.
pub(super) fn man(arguments: &ManArguments, program: Command) -> Result<Exit, Failure> {
    if let Some(folder) = &arguments.out {
        return pages(folder, program).map_err(|error| Failure::cannot_write(folder, &error)).map(|()| Exit::Passed);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(program).render(&mut page)?;
    print(String::from_utf8_lossy(&page).trim_end())?;
    Ok(Exit::Passed)
}

/// Writes all pages, each whole: the library truncates files, so it gets a folder of its own.
fn pages(folder: &Path, program: Command) -> io::Result<()> {
    let drafts = tempfile::tempdir()?;
    clap_mangen::generate_to(program, drafts.path())?;
    for draft in std::fs::read_dir(drafts.path())? {
        let draft = draft?;
        write_whole(&folder.join(draft.file_name()), &std::fs::read(draft.path())?)?;
    }
    Ok(())
}
