//! `paycheck emulate`: the emulator on its own, until Ctrl-C or SIGTERM.

use emulator::{Config, Emulator, Tls};

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
    print(&format!("emulator on {}  (control API: /__emulator/openapi.yaml, stop with Ctrl-C)", emulator.base_url()))?;
    wait_for_stop().await;
    emulator.stop().await;
    Ok(Exit::Passed)
}

async fn wait_for_stop() {
    let interrupt = tokio::signal::ctrl_c();
    let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) else {
        let _ = interrupt.await;
        return;
    };
    tokio::select! {
        _ = interrupt => {}
        _ = terminate.recv() => {}
    }
}
