//! The command line: arguments as typed. What they mean is in one file per command.

mod compare;
mod contracts;
mod coverage;
mod embedded;
mod emulate;
mod explore;
mod fuzz;
mod inputs;
mod known;
mod load;
mod mutate;
mod notify;
mod qr;
mod reports;
mod transcripts;
mod verify;

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use url::Url;

use crate::exit::Exit;
use crate::source::Problems;

/// Contract and load tests for a family of payment APIs.
#[derive(Debug, Parser)]
#[command(name = "paycheck", version, max_term_width = 100, after_help = EXIT_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto)]
    color: Colour,
}

const EXIT_HELP: &str = "Exit codes: 0 passed, 1 findings, 2 inconclusive, 3 invalid input, 4 target unreachable, \
                         70 internal error, 130 interrupted. `paycheck exit-codes` explains them.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Holds a target against the documents: every scenario, every contract, every generated violation.
    Verify(VerifyArguments),
    /// Plays random sequences of calls and events against a target, and holds every answer against a model of the documents.
    Explore(explore::ExploreArguments),
    /// Runs the same scenarios against two targets, or takes tapes of them, and says how they differ.
    Compare(Box<CompareArguments>),
    /// Loads a target as a profile says, and judges every answer.
    Load(Box<load::LoadArguments>),
    /// Breaks what a green run recorded, one place at a time, and tells what nobody would have noticed.
    Mutate(mutate::MutateArguments),
    /// Sends broken requests, and finds answers that nobody documents, failures of the target and silence.
    Fuzz(fuzz::FuzzArguments),
    /// Plays the gateway towards a merchant's notification endpoint and judges the merchant.
    Notify(NotifyArguments),
    /// Runs the emulator until Ctrl-C.
    Emulate(EmulateArguments),
    /// Runs everything and says, clause by clause and row by row, what is proved and by what.
    Coverage(CoverageArguments),
    /// Lists the operations that the contracts know, or shows one.
    Contracts(ContractsArguments),
    /// Draws the QR data of a payment (paymentData), and says what it says and what is wrong with it.
    Qr(QrArguments),
    /// Explains the exit codes.
    ExitCodes,
    /// Prints the JSON Schema of a file that Paycheck reads or writes.
    Schema {
        /// Of which file.
        of: SchemaOf,
    },
}

#[derive(Debug, Clone, Args)]
struct QrArguments {
    /// The data: SPAYD, EPC or PAY by square; `-` reads it from the standard input.
    #[arg(value_name = "DATA")]
    text: String,
    /// Draws into this SVG file instead of the terminal.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draws into this PNG file instead of the terminal.
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SchemaOf {
    /// A scenario script.
    Scenario,
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

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Colour {
    /// On a terminal.
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Args)]
struct Source {
    /// Contracts from this folder instead of those in the binary.
    #[arg(long, value_name = "DIR")]
    contracts: Option<PathBuf>,
    /// The target; without it the emulator in this binary.
    #[arg(long, value_name = "FILE")]
    target: Option<PathBuf>,
    /// How many scenarios run at the same time.
    #[arg(long, short, value_name = "N", default_value_t = 32, value_parser = jobs)]
    jobs: usize,
    /// Seed of everything random: the same seed gives the same requests and the same report.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..=10_000) => Ok(jobs),
        Ok(_) | Err(_) => Err("a number from 1 to 10000".to_owned()),
    }
}

#[derive(Debug, Clone, Args)]
struct VerifyArguments {
    /// Scenario files or folders; without any, those in the binary.
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<PathBuf>,
    /// Only scenarios and cases whose name contains this.
    #[arg(long, short, value_name = "TEXT")]
    filter: Vec<String>,
    /// Only what carries this clause.
    #[arg(long, value_name = "ID")]
    clause: Vec<String>,
    /// Runs everything this often, each time in a world of its own.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = jobs)]
    repeat: usize,
    /// Skipped scenarios don't make the run inconclusive.
    #[arg(long)]
    allow_skipped: bool,
    /// Records everything that happens into this file, for `mutate` and `compare`.
    #[arg(long, value_name = "FILE")]
    tape: Option<PathBuf>,
    /// Writes the transcript of each scenario into this folder.
    #[arg(long, value_name = "DIR")]
    transcripts: Option<PathBuf>,
    #[command(flatten)]
    known: KnownArguments,
    #[command(flatten)]
    reports: ReportArguments,
    #[command(flatten)]
    source: Source,
}

#[derive(Debug, Clone, Args)]
struct CompareArguments {
    /// The one side: a target file (.yaml), `emulator` for the one in this binary, or a tape of `verify --tape`.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The other side, likewise.
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Scenario files or folders; without any, those in the binary.
    #[arg(long = "scenario", value_name = "PATH")]
    scenarios: Vec<PathBuf>,
    /// Only scenarios and cases whose name contains this.
    #[arg(long, short, value_name = "TEXT")]
    filter: Vec<String>,
    /// Changes that break no rule don't fail the command.
    #[arg(long)]
    allow_changes: bool,
    /// What was skipped on one side doesn't make the comparison inconclusive.
    #[arg(long)]
    allow_skipped: bool,
    /// Writes the result as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes a JUnit report: a test case for each difference.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Tells every difference.
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    known: KnownArguments,
    /// Contracts from this folder instead of those in the binary.
    #[arg(long, value_name = "DIR")]
    contracts: Option<PathBuf>,
    /// How many scenarios run at the same time.
    #[arg(long, short, value_name = "N", default_value_t = 32, value_parser = jobs)]
    jobs: usize,
    /// Seed of everything random, for both sides.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// What is accepted for a while.
#[derive(Debug, Clone, Args)]
struct KnownArguments {
    /// Findings that are accepted for a while: told, not counted, failures again when out of date.
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
    /// The day that it is for them, instead of today's (UTC).
    #[arg(long, value_name = "YYYY-MM-DD", hide = true)]
    today: Option<jiff::civil::Date>,
}

/// What is told of a run, and where.
#[derive(Debug, Clone, Args)]
struct ReportArguments {
    /// Writes a JUnit report.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Writes every event, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// The events carry every exchange, not only those of failed scenarios.
    #[arg(long, requires = "events")]
    all_exchanges: bool,
    /// The JUnit report carries wall times; then it differs from run to run.
    #[arg(long, requires = "junit")]
    timings: bool,
    /// Lists every failed case.
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Debug, Clone, Args)]
struct NotifyArguments {
    /// The merchant's notification endpoint.
    #[arg(value_name = "URL")]
    endpoint: Url,
    /// Where the gateway listens that the merchant asks back; port 0 takes a free one.
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:0")]
    gateway: SocketAddr,
    /// The merchant's credentials, part by part as in a target file; else from PAYCHECK_MERCHANT and PAYCHECK_SECRET, else made up.
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// A command that prints how often the goods of each payment were handed over, {"<transId>": <times>, …}. Run
    /// without a shell; takes all words that follow, so it comes last.
    #[arg(long, value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true)]
    orders: Vec<String>,
    /// How long the merchant may take to answer a notification.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time)]
    within: Duration,
    /// How long the body of the slow case takes, at most a minute.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = time)]
    slow: Duration,
    /// How long to wait until somebody listens at the endpoint.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = time)]
    wait: Duration,
    /// Lets the endpoint be on another machine. It gets forged and broken notifications: never one that is in use.
    #[arg(long)]
    allow_remote: bool,
    /// Only cases whose name contains this.
    #[arg(long, short, value_name = "TEXT")]
    filter: Vec<String>,
    /// Skipped cases don't make the run inconclusive.
    #[arg(long)]
    allow_skipped: bool,
    /// Contracts from this folder instead of those in the binary.
    #[arg(long, value_name = "DIR")]
    contracts: Option<PathBuf>,
    /// Seed of everything random: the same seed gives the same notifications.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    reports: ReportArguments,
}

fn time(text: &str) -> Result<Duration, String> {
    crate::values::parse_duration(text).ok_or_else(|| "a number and a unit, for example 250ms, 30s, 5m".to_owned())
}

#[derive(Debug, Clone, Args)]
struct EmulateArguments {
    /// Where to listen.
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Settings of the world at the root: merchants, leniency, retries (see docs/world.example.yaml).
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,
    /// Forgets finished payments beyond the newest N, and notification attempts beyond the last N: for long loads.
    /// Without it all are kept, about 800 bytes each.
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
    /// Speaks TLS with a certificate made for this run; written to this file for clients to trust.
    #[arg(long, value_name = "FILE")]
    tls: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
struct CoverageArguments {
    /// Only clauses whose id contains this.
    #[arg(value_name = "TEXT")]
    filter: Option<String>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    source: Source,
}

#[derive(Debug, Clone, Args)]
struct ContractsArguments {
    /// The operation to show, for example `gateway.v2.status`.
    operation: Option<String>,
    /// Contracts from this folder instead of those in the binary.
    #[arg(long, value_name = "DIR")]
    contracts: Option<PathBuf>,
}

/// How a command ends when it can't do its work: the words for the user and the exit code.
#[derive(Debug)]
enum Failure {
    /// Mistakes in files.
    Problems(Problems),
    /// Whoever reads our output has closed it: there is nobody to tell anything.
    Closed,
    /// Anything else.
    Other(Exit, String),
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::Problems(problems)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Other(Exit::Internal, error.to_string()),
        }
    }
}

/// Where a command prints, and how.
struct Console {
    colours: bool,
    live: bool,
    width: u16,
}

impl Console {
    fn new(colour: Colour) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let quiet = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let colours = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => terminal && !quiet,
        };
        let ci = std::env::var_os("CI").is_some();
        let width = terminal_size::terminal_size().map_or(100, |(width, _)| width.0);
        Self { colours, live: terminal && !ci, width: if terminal { width.max(60) } else { 0 } }
    }
}

/// Runs the command line.
async fn main() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Exit::InvalidInput } else { Exit::Passed };
        }
    };
    let console = Console::new(arguments.color);
    let ended = match arguments.command {
        Command::Verify(arguments) => verify::run(&arguments, &console).await,
        Command::Explore(arguments) => explore::run(&arguments, &console).await,
        Command::Compare(arguments) => compare::run(&arguments, &console).await,
        Command::Load(arguments) => load::run(&arguments, &console).await,
        Command::Mutate(arguments) => mutate::run(&arguments, &console).await,
        Command::Fuzz(arguments) => fuzz::run(&arguments, &console).await,
        Command::Notify(arguments) => notify::run(&arguments, &console).await,
        Command::Emulate(arguments) => emulate::run(&arguments).await,
        Command::Coverage(arguments) => coverage::run(&arguments, &console).await,
        Command::Contracts(arguments) => contracts::run(&arguments),
        Command::Qr(arguments) => qr::run(&arguments),
        Command::ExitCodes => print_exit_codes(),
        Command::Schema { of } => print_schema(of),
    };
    ended.unwrap_or_else(|failure| explain(&failure, &console))
}

fn explain(failure: &Failure, console: &Console) -> Exit {
    let mut out = std::io::stderr().lock();
    // Nothing is left to do if standard error itself can't be written.
    match failure {
        Failure::Problems(problems) => {
            let _ = out.write_all(problems.render(console.colours).as_bytes());
            Exit::InvalidInput
        }
        Failure::Closed => Exit::Interrupted,
        Failure::Other(exit, message) => {
            let _ = writeln!(out, "error: {message}");
            *exit
        }
    }
}

fn print_exit_codes() -> Result<Exit, Failure> {
    let mut out = std::io::stdout().lock();
    for (_, code, sentence) in Exit::ALL {
        writeln!(out, "{code:>4}  {sentence}")?;
    }
    Ok(Exit::Passed)
}

fn print_schema(of: SchemaOf) -> Result<Exit, Failure> {
    let schema = match of {
        SchemaOf::Scenario => crate::scenario::schema(),
        SchemaOf::Profile => crate::load::profile::schema(),
        SchemaOf::Known => crate::known::schema(),
        SchemaOf::Events => crate::report::schema(),
        SchemaOf::Load => crate::load::report::schema(),
        SchemaOf::Compare => crate::compare::schema(),
        SchemaOf::Mutate => crate::mutate::schema(),
    };
    writeln!(std::io::stdout().lock(), "{schema:#}")?;
    Ok(Exit::Passed)
}

/// Sets up the process and runs the command line.
pub fn run() -> Exit {
    let filter = tracing_subscriber::EnvFilter::try_from_env("PAYCHECK_LOG").unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    // A second provider can't be installed; the first one serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(main()),
        Err(error) => explain(&Failure::Other(Exit::Internal, format!("no runtime: {error}")), &Console::new(Colour::Never)),
    }
}
