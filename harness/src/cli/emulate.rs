//! `paycheck emulate`: the emulator on its own, until Ctrl-C or SIGTERM.

use std::path::Path;

use emulator::{Config, Emulator, Tls, WorldSettings};
use tokio::signal::unix::{SignalKind, signal};

use super::verify::print;
use super::{EmulateArguments, Failure};
use crate::exit::Exit;
use crate::report::write_whole;
use crate::source::{Diagnostic, Node, Problems, Source};

/// Starts, says where, waits, stops gracefully.
pub(super) async fn run(arguments: &EmulateArguments) -> Result<Exit, Failure> {
    let tls = match &arguments.tls {
        None => None,
        Some(path) => {
            let tls = Tls::self_signed().map_err(|e| Failure::Other(Exit::Internal, format!("no certificate could be made: {e}")))?;
            write_whole(path, tls.certificate_pem().as_bytes())?;
            Some(tls)
        }
    };
    let world = world(arguments)?;
    let merchants = merchants(&world);
    let config = Config { listen: arguments.listen, tls, world };
    let emulator = Emulator::start(config).await.map_err(|e| Failure::Other(Exit::Internal, e.to_string()))?;
    let stop = stop_signal()?;
    print(&format!("emulator on {}  (control API: /__emulator/openapi.yaml, stop with Ctrl-C)", emulator.base_url()))?;
    print(&merchants)?;
    stop.await;
    emulator.stop().await;
    Ok(Exit::Passed)
}

/// The world at the root: of the file, with what the command line says laid over it.
fn world(arguments: &EmulateArguments) -> Result<WorldSettings, Failure> {
    let mut world = arguments.world.as_deref().map_or_else(|| Ok(Config::default().world), settings)?;
    world.keep_finished = arguments.keep.or(world.keep_finished);
    Ok(world)
}

/// The settings of the world at the root. It runs on real time unless the file says otherwise.
fn settings(path: &Path) -> Result<WorldSettings, Failure> {
    let mut problems = Problems::new();
    let node = Source::read(path, &mut problems).and_then(|source| source.parse(&mut problems));
    let node = problems.or(node)?.ok_or_else(|| Failure::Other(Exit::Internal, "a file without mistakes was not read".to_owned()))?;
    let mut settings = node.to_json();
    if let Some(fields) = settings.as_object_mut() {
        fields.entry("clock").or_insert_with(|| "real".into());
    }
    serde_json::from_value(settings).map_err(|error| {
        let mut problems = Problems::new();
        problems.add(Diagnostic::at(named_in(&node, &error.to_string()).unwrap_or(&node), error.to_string()));
        Failure::Problems(problems)
    })
}

/// The value whose key the message names in backticks.
fn named_in<'n>(node: &'n Node, message: &str) -> Option<&'n Node> {
    let key = message.split('`').nth(1)?;
    let below = node.entries().into_iter().flatten().map(|entry| &entry.value).chain(node.list().into_iter().flatten());
    node.get(key).or_else(|| below.into_iter().find_map(|inner| named_in(inner, message)))
}

/// Who may call: the secrets that were not given are no secrets, they are made of the identifier.
fn merchants(world: &WorldSettings) -> String {
    let known = world.merchants.iter().map(|merchant| match merchant.secret.is_empty() {
        true => format!("merchant {0}, secret secret-{0}", merchant.merchant),
        false => format!("merchant {}, secret as given", merchant.merchant),
    });
    let known: Vec<_> = known.collect();
    if known.is_empty() { "merchant 100001, secret secret-100001".to_owned() } else { known.join("\n") }
}

/// Resolves at Ctrl-C or SIGTERM; both are heard from the call on, so that whoever reads that the
/// emulator is there may stop it at once.
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_are_kept_is_said_by_the_file_or_the_command_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("world.yaml");
        std::fs::write(&file, "keep-finished: 5\n").unwrap();
        let keep = |file: Option<&Path>, keep| {
            let listen = Config::default().listen;
            world(&EmulateArguments { listen, world: file.map(Path::to_path_buf), keep, tls: None }).unwrap().keep_finished
        };
        assert_eq!(
            [keep(None, None), keep(Some(&file), None), keep(Some(&file), Some(7)), keep(None, Some(0))],
            [None, Some(5), Some(7), Some(0)]
        );
    }
}
