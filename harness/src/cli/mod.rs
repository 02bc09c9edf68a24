//! The command line. A command is a file with its arguments; it turns the arguments into a mode, the outcome into reports, and
//! the outcome into an exit code.

mod advice;
mod arguments;
mod ask;
mod clause;
mod compare;
mod completions;
mod console;
mod contracts;
mod coverage;
#[cfg(test)]
mod documented;
mod embedded;
mod emulate;
mod exit_codes;
mod explore;
mod failure;
mod formats;
mod fuzz;
mod init;
mod inputs;
mod interrupt;
mod known_findings;
mod listing;
mod load;
mod merchant;
mod merchants;
mod mutate;
mod notify;
mod play;
mod progress;
mod qr;
mod reporters;
mod rerun;
mod schema;
mod selected;
mod separate;
mod settings;
mod show;
mod template;
mod transcripts;
mod verify;
mod world_file;

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::base::exit::Exit;
use console::{Colour, Console};
use failure::Failure;

/// Options that every command has come after its own in `--help`.
const GLOBAL_OPTIONS_ORDER: usize = 900;

/// Contract and load tests for a family of payment APIs.
#[derive(Debug, Parser)]
#[command(name = "paycheck", version, max_term_width = 100, after_help = exit_codes::HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, display_order = GLOBAL_OPTIONS_ORDER)]
    color: Colour,
    /// Prints nothing unless something is wrong; reports are written all the same.
    #[arg(long, short, global = true, display_order = GLOBAL_OPTIONS_ORDER)]
    quiet: bool,
    /// Options from this file, instead of the nearest paycheck.toml.
    #[arg(long, global = true, value_name = "FILE", display_order = GLOBAL_OPTIONS_ORDER)]
    config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Checks a target against the documents: every scenario, every contract, every generated violation.
    Verify(verify::VerifyArguments),
    /// Plays random sequences of calls and events against a target, and checks every response against a model of the documents.
    Explore(explore::ExploreArguments),
    /// Runs the same scenarios against two targets, or reads their tapes, and shows how they differ.
    Compare(Box<compare::CompareArguments>),
    /// Loads a target as a profile describes, and judges every response.
    Load(Box<load::LoadArguments>),
    /// Changes what a green run recorded, one place at a time, and lists the changes that no check notices.
    Mutate(mutate::MutateArguments),
    /// Sends broken requests, and finds undocumented responses, failures of the target, and calls without a response.
    Fuzz(fuzz::FuzzArguments),
    /// Plays the gateway towards a merchant's notification endpoint and judges the merchant.
    Notify(notify::NotifyArguments),
    /// Runs the emulator until Ctrl-C; its state is in memory only.
    Emulate(emulate::EmulateArguments),
    /// Plays everything on the emulator, and lists the proof of each clause and transition; with `--target`, sends nothing and lists what
    /// the target lets a run judge.
    Coverage(coverage::CoverageArguments),
    /// Shows one clause: its text, its source, what checks it, and its result in the last run.
    Clause(clause::ClauseArguments),
    /// Lists the operations that the contracts know, or shows one.
    Contracts(contracts::ContractsArguments),
    /// Lists the files in this binary, or prints one: contracts, scenarios, load profiles.
    Show(show::ShowArguments),
    /// Draws the QR data of a payment (paymentData), decodes it, and lists what is wrong with it.
    Qr(qr::QrArguments),
    /// Writes a target file and a first scenario, and asks the target whether it knows the credentials.
    Init(init::InitArguments),
    /// Explains the exit codes.
    ExitCodes,
    /// Prints the JSON Schema of a file that Paycheck reads or writes.
    Schema {
        /// The file that it describes.
        #[arg(value_name = "NAME")]
        of: schema::SchemaOf,
    },
    /// Shows which options are set, and where: by the environment or in paycheck.toml.
    Config(settings::ConfigArguments),
    /// Prints a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Prints the manual page, or writes those of all commands.
    Man(completions::ManArguments),
}

impl Command {
    /// The name of a command that may take long and ends by itself.
    fn name(&self) -> Option<&'static str> {
        match self {
            Self::Verify(_) => Some("verify"),
            Self::Explore(_) => Some("explore"),
            Self::Compare(_) => Some("compare"),
            Self::Load(_) => Some("load"),
            Self::Mutate(_) => Some("mutate"),
            Self::Fuzz(_) => Some("fuzz"),
            Self::Notify(_) => Some("notify"),
            Self::Coverage(_) => Some("coverage"),
            Self::Emulate(_)
            | Self::Contracts(_)
            | Self::Show(_)
            | Self::Qr(_)
            | Self::Init(_)
            | Self::Clause(_)
            | Self::ExitCodes
            | Self::Schema { .. }
            | Self::Config(_)
            | Self::Completions { .. }
            | Self::Man(_) => None,
        }
    }
}

/// What is logged without `PAYCHECK_LOG`: this program's own warnings. What a library warns of is in the command's error, or of no use.
const UNASKED: &str = "off,harness=warn,emulator=warn";

/// Sets up the process and runs the command line.
pub fn run() -> Exit {
    log();
    // goose makes its own clients with the process-wide provider; a second provider cannot be installed.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => catch_panics(|| runtime.block_on(main())),
        Err(error) => Failure::internal(format!("no runtime: {error}")).explain(false),
    }
}

/// Logs to standard error. Without `PAYCHECK_LOG` a warning is a line among the others, so it has neither time nor module.
fn log() {
    let asked = tracing_subscriber::EnvFilter::try_from_env("PAYCHECK_LOG");
    let is_asked = asked.is_ok();
    let colours = Console::new(Colour::Auto, false).error_colours;
    let log = tracing_subscriber::fmt().with_env_filter(asked.unwrap_or_else(|_| UNASKED.into()));
    let log = log.with_ansi(colours).with_writer(std::io::stderr);
    if is_asked { log.init() } else { log.without_time().with_target(false).init() }
}

/// Runs to the end; a panic, which has been printed, is a fault of this program.
fn catch_panics(run: impl FnOnce() -> Exit) -> Exit {
    let fault = |_| Failure::internal("paycheck broke down, for the reason above; please report it").explain(false);
    std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(fault)
}

async fn main() -> Exit {
    let environment = settings::Environment::of_this_process();
    let here = std::env::current_dir().unwrap_or_default();
    let words: Vec<_> = std::env::args_os().collect();
    let arguments = match settings::read::<Arguments>(&words, &environment, &here) {
        Ok(arguments) => arguments,
        Err(error) => return error.explain(),
    };
    let console = Console::new(arguments.color, arguments.quiet);
    let file = settings::find(arguments.config.as_deref(), &environment, &here);
    if let Some(path) = file.as_ref().ok().and_then(settings::ConfigFile::path) {
        separate::note_options(Path::new(path));
    }
    if let Err(failure) = interrupt::install() {
        return failure.explain(console.error_colours);
    }
    if let Command::Config(shown) = &arguments.command {
        let shown = file.and_then(|file| settings::show(Arguments::command(), shown, file, &environment));
        return shown.unwrap_or_else(|failure| failure.explain(console.error_colours));
    }
    let name = arguments.command.name();
    let has_a_bar = console.live && matches!(arguments.command, Command::Verify(_) | Command::Load(_));
    let every = if console.live { progress::AT_A_TERMINAL } else { progress::IN_A_PIPE };
    // A task of its own, because some commands keep this thread busy.
    let reporting = name.filter(|_| !has_a_bar && !console.quiet);
    let reporting =
        reporting.map(|name| tokio::spawn(progress::report_regularly(name, console.progress.clone(), every, std::io::stderr())));
    let ends_by_signal = matches!(arguments.command, Command::Emulate(_));
    let ended = execute(arguments.command, &console).await;
    if let Some(reporting) = reporting {
        reporting.abort();
    }
    let exit = ended.unwrap_or_else(|failure| failure.explain(console.error_colours));
    if interrupt::is_raised() && !ends_by_signal { Exit::Interrupted } else { exit }
}

async fn execute(command: Command, console: &Console) -> Result<Exit, Failure> {
    match command {
        Command::Verify(arguments) => verify::run(&arguments, console).await,
        Command::Explore(arguments) => explore::run(&arguments, console).await,
        Command::Compare(arguments) => compare::run(&arguments, console).await,
        Command::Load(arguments) => load::run(&arguments, console).await,
        Command::Mutate(arguments) => mutate::run(&arguments, console).await,
        Command::Fuzz(arguments) => fuzz::run(&arguments, console).await,
        Command::Notify(arguments) => notify::run(&arguments, console).await,
        Command::Emulate(arguments) => emulate::run(&arguments, console).await,
        Command::Coverage(arguments) => coverage::run(&arguments, console).await,
        Command::Clause(arguments) => clause::run(&arguments),
        Command::Contracts(arguments) => contracts::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Qr(arguments) => qr::run(&arguments),
        Command::Init(arguments) => init::run(&arguments).await,
        Command::ExitCodes => exit_codes::run(),
        Command::Schema { of } => schema::run(of),
        Command::Completions { shell } => completions::run(shell, Arguments::command()),
        Command::Man(arguments) => completions::man(&arguments, Arguments::command()),
        // Shown before any command runs, because it is about the arguments themselves.
        Command::Config(_) => Ok(Exit::Passed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_fault_of_paycheck_itself() {
        assert_eq!(catch_panics(|| Exit::Passed), Exit::Passed);
        assert_eq!(catch_panics(|| panic!("as a test wants it")), Exit::Internal);
    }
}
