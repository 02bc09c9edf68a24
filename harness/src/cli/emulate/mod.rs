//! `paycheck emulate`: the emulator as a server, until Ctrl-C, SIGTERM or SIGHUP.

mod log;
mod target;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use emulator::{Access, Config, Emulator, FreedomSettings, MerchantSettings, StartError, Tls, WorldSettings};
use url::Url;

use super::arguments::{address, host, url};
use super::console::{Console, print};
use super::failure::Failure;
use super::interrupt;
use super::merchant::usable;
use super::merchants;
use super::reporters;
use super::separate::separate;
use super::world_file::{self, WorldFile};
use crate::base::exit::Exit;
use crate::base::output::write_whole;

#[derive(Debug, Clone, Args)]
#[command(group(ArgGroup::new("written").multiple(true).args(["target_file", "tls"])))]
pub(super) struct EmulateArguments {
    /// Where to listen.
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    listen: SocketAddr,
    /// Settings of the world at the root: merchants, leniency, retries (see docs/world.example.yaml).
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,
    /// Takes what the documents forbid and real client libraries send, as `tolerant: true` in the world file does.
    #[arg(long)]
    tolerant: bool,
    /// Where notifications of merchants without a `notification-url` of their own are sent.
    #[arg(long, value_name = "URL", value_parser = url)]
    notify: Option<Url>,
    /// Writes a target file for this emulator: `paycheck verify --target FILE` in another terminal judges it.
    #[arg(long, value_name = "FILE")]
    target_file: Option<PathBuf>,
    /// Replaces the target file, and what `--tls` names, if there are any.
    #[arg(long, requires = "written")]
    force: bool,
    /// Forgets, in every world, finished payments beyond the newest N, unpaid ones after 100,000 + N newer ones, and notification
    /// attempts beyond the last N. Without it N is 1,000,000: about 700 bytes each.
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
    /// Speaks TLS with a certificate made for this run and every `--host`; written to this file for clients to trust. A file that holds
    /// something else than such a certificate is left as it is.
    #[arg(long, value_name = "FILE")]
    tls: Option<PathBuf>,
    /// What it does where the documents leave a choice, in every world: `id=alternative,…`, or `random:SEED` (see
    /// emulator/freedoms.yaml).
    #[arg(long, value_name = "FREEDOMS", value_parser = FreedomSettings::parse)]
    freedoms: Option<FreedomSettings>,
    /// Lets it listen beyond this machine, and lets its worlds notify other machines. Any host that reaches it can then open worlds and read
    /// payments: for closed networks only.
    #[arg(long)]
    allow_remote: bool,
    /// Prints a line for each request with its result, and for each notification; without bodies, so without secrets. What starts it
    /// in a pipe has to read them.
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    log: Option<log::LogFormat>,
    /// Keeps the newest N requests with their responses in memory, without secrets, for the console and the control API. Bodies longer than
    /// 64 KiB are left out; 0 keeps none.
    #[arg(long, value_name = "N", default_value_t = JOURNAL)]
    journal: usize,
    /// A further name of it, as clients write it into `Host`. Addresses and names without a dot need none.
    #[arg(long, value_name = "NAME", value_parser = host)]
    host: Vec<String>,
}

/// Requests that the journal keeps, unless the command line says otherwise: 128 KiB each at most.
const JOURNAL: usize = 200;

/// Finished payments that a world keeps if neither the command line nor the world file says: an emulator may run for months.
const KEPT: usize = 1_000_000;

/// Starts, prints the address, waits, stops gracefully.
pub(super) async fn run(arguments: &EmulateArguments, console: &Console) -> Result<Exit, Failure> {
    separate(arguments.world.as_deref(), [arguments.tls.as_deref(), arguments.target_file.as_deref()])?;
    arguments.notify.iter().try_for_each(usable)?;
    let is_ours = |text: Vec<u8>| text.is_empty() || Tls::is_certificate(&text);
    let may_replace = |path: &Path| arguments.force || std::fs::read(path).is_ok_and(is_ours);
    arguments.target_file.iter().try_for_each(|path| kept(path, arguments.force))?;
    arguments.tls.iter().try_for_each(|path| kept(path, may_replace(path)))?;
    arguments.tls.iter().chain(&arguments.target_file).try_for_each(|path| reporters::check(path))?;
    let file = arguments.world.as_deref().map(world_file::read).transpose()?;
    let world = world(arguments, file.as_ref());
    let tls = arguments.tls.as_ref().map(|_| self_signed(arguments)).transpose()?;
    let certificate = tls.as_ref().map(|tls| tls.certificate_pem().to_owned());
    let merchants = merchants(&world);
    let access = Access { remote: arguments.allow_remote, hosts: arguments.host.clone() };
    let config = Config {
        listen: arguments.listen,
        tls,
        world: world.clone(),
        freedoms: arguments.freedoms.clone(),
        access,
        log: arguments.log.map(log::start),
        journal: arguments.journal,
    };
    let emulator = Emulator::start(config).await.map_err(|error| refused(error, file.as_ref(), &world))?;
    // Files are written once the emulator listens: an invalid world or a port in use replaces none of them.
    if let (Some(path), Some(certificate)) = (&arguments.tls, certificate) {
        write_whole(path, certificate.as_bytes())?;
    }
    if let Some(path) = &arguments.target_file {
        target::write(path, &reachable(&emulator), &world, arguments.tls.as_deref())?;
    }
    if arguments.allow_remote {
        let warning =
            "warning: every machine that reaches this emulator may open worlds in it, read payments and have other machines notified";
        writeln!(std::io::stderr(), "{warning}")?;
    }
    for (merchant, url) in unreached(&world, arguments.allow_remote) {
        let warning = format!("warning: merchant {merchant} gets no notifications: {url} is on another machine; `--allow-remote` opens it");
        writeln!(std::io::stderr(), "{warning}")?;
    }
    // Signals are handled before the address is printed, so that a script may stop the emulator at once.
    let stop = interrupt::handle_gracefully().wait();
    let target = arguments.target_file.as_deref();
    greeting(&emulator.base_url(), &merchants, target, console.quiet).iter().try_for_each(|line| print(line))?;
    stop.await;
    emulator.stop().await;
    Ok(Exit::Passed)
}

/// What is printed once it listens: for a script (`quiet`) the address alone.
fn greeting(base: &str, merchants: &str, target: Option<&Path>, quiet: bool) -> Vec<String> {
    if quiet {
        return vec![base.to_owned()];
    }
    let console = "(console: /__emulator/, control API: /__emulator/openapi.yaml, stop with Ctrl-C)";
    let target = target.map(|path| format!("target {0}: paycheck verify --target {0}", path.display()));
    [format!("emulator on {base}  {console}"), merchants.to_owned()].into_iter().chain(target).collect()
}

/// Refuses to replace an existing file, unless it may be.
fn kept(path: &Path, may_replace: bool) -> Result<(), Failure> {
    if may_replace || !path.is_file() {
        return Ok(());
    }
    Err(Failure::invalid(format!("{} exists, and is left as it is; `--force` replaces it", path.display())))
}

/// Merchants whose notifications the emulator does not send, because they would leave this machine.
fn unreached(world: &WorldSettings, remote: bool) -> Vec<(&str, &str)> {
    let urls = world.merchants.iter().filter_map(|merchant| Some((merchant.merchant.as_str(), merchant.notification_url.as_deref()?)));
    let access = Access { remote, hosts: Vec::new() };
    urls.filter(|(_, url)| url.parse().is_ok_and(|url| !access.notifies(&url))).collect()
}

/// A certificate for all names that clients may use.
fn self_signed(arguments: &EmulateArguments) -> Result<Tls, Failure> {
    let listens_at = arguments.listen.ip();
    let address = (!listens_at.is_unspecified()).then(|| listens_at.to_string());
    let names: Vec<String> = arguments.host.iter().cloned().chain(address).collect();
    Tls::self_signed_for(&names).map_err(|error| Failure::invalid(format!("{error} (for {})", names.join(", "))))
}

/// Where this machine reaches it: an emulator on all addresses is on this machine's own too.
fn reachable(emulator: &Emulator) -> String {
    emulator.base_url().replace("://0.0.0.0:", "://127.0.0.1:").replace("://[::]:", "://[::1]:")
}

/// The failure for an emulator that does not start with this world.
fn refused(error: StartError, file: Option<&WorldFile>, world: &WorldSettings) -> Failure {
    if let (StartError::Settings(error), Some(file)) = (&error, file) {
        return file.mistake(error, world);
    }
    match error {
        StartError::Remote(address) => {
            let why = "can be reached from other machines, which may then open worlds and read payments";
            Failure::invalid(format!("{address} {why}; `--allow-remote` opens it"))
        }
        StartError::Listen(address, error) if error.kind() == io::ErrorKind::AddrInUse => {
            Failure::invalid(format!("{address} is in use; `--listen {}:0` takes a free port", address.ip()))
        }
        error => Failure::invalid(error),
    }
}

/// The world at the root: the settings of the file, overridden by the command line.
fn world(arguments: &EmulateArguments, file: Option<&WorldFile>) -> WorldSettings {
    let mut world = file.map_or_else(|| Config::default().world, |file| file.settings.clone());
    world.tolerant |= arguments.tolerant;
    world.keep_finished = arguments.keep.or(world.keep_finished).or(Some(KEPT));
    if arguments.target_file.is_some() {
        target::complete(&mut world);
    }
    if let Some(url) = &arguments.notify {
        if world.merchants.is_empty() {
            world.merchants.push(MerchantSettings::named(merchants::main_id()));
        }
        world
            .merchants
            .iter_mut()
            .for_each(|merchant| merchant.notification_url = merchant.notification_url.take().or_else(|| Some(url.to_string())));
    }
    world
}

/// The merchants that may call: a secret that was not given is derived from the identifier, and is printed.
fn merchants(world: &WorldSettings) -> String {
    let known: Vec<_> = world.merchants.iter().map(merchant).collect();
    match known.is_empty() {
        true => merchant(&MerchantSettings::named(merchants::main_id())),
        false => known.join("\n"),
    }
}

fn merchant(settings: &MerchantSettings) -> String {
    let derived = MerchantSettings::named(&settings.merchant).secret;
    let secret = if settings.secret.is_empty() || settings.secret == derived { &derived } else { "as given" };
    format!("merchant {}, secret {secret}", settings.merchant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_told_the_address_alone() {
        let printed = |quiet| greeting("http://127.0.0.1:1", "merchant 1, secret s", Some(Path::new("t.yaml")), quiet);
        assert_eq!(printed(true), ["http://127.0.0.1:1"]);
        assert_eq!(printed(false).len(), 3);
        assert!(printed(false)[0].starts_with("emulator on http://127.0.0.1:1  "));
    }

    #[test]
    fn the_command_line_overrides_the_file_and_there_is_a_limit_without_either() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("world.yaml");
        std::fs::write(&file, "keep-finished: 5\n").unwrap();
        let keep = |file: Option<&Path>, keep| {
            let listen = Config::default().listen;
            let arguments = EmulateArguments {
                listen,
                world: file.map(Path::to_path_buf),
                tolerant: keep == Some(0),
                notify: None,
                target_file: None,
                force: false,
                keep,
                tls: None,
                freedoms: None,
                allow_remote: false,
                log: None,
                journal: JOURNAL,
                host: Vec::new(),
            };
            let file = file.map(|file| world_file::read(file).unwrap());
            let world = world(&arguments, file.as_ref());
            assert_eq!(world.tolerant, keep == Some(0));
            world.keep_finished
        };
        assert_eq!(
            [keep(None, None), keep(Some(&file), None), keep(Some(&file), Some(7)), keep(None, Some(0))],
            [Some(1_000_000), Some(5), Some(7), Some(0)]
        );
    }
}
