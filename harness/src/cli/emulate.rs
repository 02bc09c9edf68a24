//! `paycheck emulate`: the emulator on its own, until Ctrl-C or SIGTERM.

use emulator::{Config, Emulator, Tls};
use tokio::signal::unix::{SignalKind, signal};

use super::verify::print;
use super::{EmulateArguments, Failure};
use crate::exit::Exit;
use crate::report::write_whole;

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
    let config = Config { listen: arguments.listen, tls, ..Config::default() };
    let emulator = Emulator::start(config).await.map_err(|e| Failure::Other(Exit::Internal, e.to_string()))?;
    let stop = stop_signal()?;
    print(&format!("emulator on {}  (control API: /__emulator/openapi.yaml, stop with Ctrl-C)", emulator.base_url()))?;
    stop.await;
    emulator.stop().await;
    Ok(Exit::Passed)
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
