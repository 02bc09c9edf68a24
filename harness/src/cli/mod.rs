//! The command line: a command is a file with its arguments; each turns arguments into a mode, its outcome into reports, and
//! the outcome into an exit code.

mod arguments;
mod ask;
mod compare;
mod console;
mod contracts;
mod coverage;
mod embedded;
mod emulate;
mod exit_codes;
mod explore;
mod failure;
mod fuzz;
mod inputs;
mod interrupt;
mod known;
mod load;
mod merchant;
mod mutate;
mod notify;
mod play;
mod qr;
mod reporters;
mod schema;
mod separate;
mod transcripts;
mod verify;

use clap::{Parser, Subcommand};

use crate::base::exit::Exit;
use console::{Colour, Console};
use failure::Failure;

/// Contract and load tests for a family of payment APIs.
#[derive(Debug, Parser)]
#[command(name = "paycheck", version, max_term_width = 100, after_help = exit_codes::HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto)]
    color: Colour,
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
    /// Runs the emulator until Ctrl-C; what happened in it is in memory, and gone with it.
    Emulate(emulate::EmulateArguments),
    /// Runs everything, and lists what is proved by what: clause by clause, transition by transition.
    Coverage(coverage::CoverageArguments),
    /// Lists the operations that the contracts know, or shows one.
    Contracts(contracts::ContractsArguments),
    /// Draws the QR data of a payment (paymentData), decodes it, and lists what is wrong with it.
    Qr(qr::QrArguments),
    /// Explains the exit codes.
    ExitCodes,
    /// Prints the JSON Schema of a file that Paycheck reads or writes.
    Schema {
        /// The file that it describes.
        of: schema::SchemaOf,
    },
}

/// Sets up the process and runs the command line.
pub fn run() -> Exit {
    let filter = tracing_subscriber::EnvFilter::try_from_env("PAYCHECK_LOG").unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    // goose makes clients of its own, which take what the process has; a second provider can't be installed.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(main()),
        Err(error) => Failure::internal(format!("no runtime: {error}")).explain(false),
    }
}

async fn main() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Exit::InvalidInput } else { Exit::Passed };
        }
    };
    let console = Console::new(arguments.color);
    if let Err(failure) = interrupt::install() {
        return failure.explain(console.colours);
    }
    let ends_by_signal = matches!(arguments.command, Command::Emulate(_));
    let exit = execute(arguments.command, &console).await.unwrap_or_else(|failure| failure.explain(console.colours));
    if interrupt::has_come() && !ends_by_signal { Exit::Interrupted } else { exit }
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
        Command::Emulate(arguments) => emulate::run(&arguments).await,
        Command::Coverage(arguments) => coverage::run(&arguments, console).await,
        Command::Contracts(arguments) => contracts::run(&arguments),
        Command::Qr(arguments) => qr::run(&arguments),
        Command::ExitCodes => exit_codes::run(),
        Command::Schema { of } => schema::run(of),
    }
}
