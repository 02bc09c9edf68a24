//! An emulator embedded in a program or a test.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::app::AppState;
use crate::base::access::Access;
use crate::base::log::Log;
use crate::common::freedoms::FreedomSettings;
use crate::server::run;
use crate::tls::Tls;
use crate::world::{ClockKind, SettingsError, WorldSettings};

/// The address of an emulator, and the settings of its default world.
#[derive(Clone)]
pub struct Config {
    /// Address and port; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Serve https.
    pub tls: Option<Tls>,
    /// The world at the root. By default it runs on real time.
    pub world: WorldSettings,
    /// Alternatives where the documents leave a choice, for every world; a world's own choices take precedence.
    pub freedoms: Option<FreedomSettings>,
    /// What is allowed beyond this machine.
    pub access: Access,
    /// Takes an entry for each request and each notification.
    pub log: Option<Log>,
    /// How many of the newest requests it keeps with their responses, for its console and its control API: none by default.
    pub journal: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            tls: None,
            world: WorldSettings { clock: ClockKind::Real, ..WorldSettings::default() },
            freedoms: None,
            access: Access::default(),
            log: None,
            journal: 0,
        }
    }
}

/// Why an emulator didn't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address can't be listened on.
    #[error("failed to listen on {0}: {1}")]
    Listen(SocketAddr, #[source] io::Error),
    /// The address can be reached from other machines.
    #[error("{0} can be reached from other machines, which may then open worlds and read payments; `Access::remote` opens it")]
    Remote(SocketAddr),
    /// There is an error in the settings of the default world.
    #[error("failed to open the default world: {0}")]
    Settings(#[from] SettingsError),
}

/// A running emulator. Dropped, it stops by itself; [`Emulator::stop`] also waits until it has.
///
/// ```
/// # async fn example() -> Result<(), emulator::StartError> {
/// let emulator = emulator::Emulator::start(emulator::Config::default()).await?;
/// println!("create payments at {}/v2.0/payment.json", emulator.base_url());
/// emulator.stop().await;
/// # Ok(())
/// # }
/// ```
pub struct Emulator {
    address: SocketAddr,
    scheme: &'static str,
    stop: oneshot::Sender<()>,
    server: JoinHandle<io::Result<()>>,
}

/// Connections that may wait to be accepted: thousands of devices come at once.
const BACKLOG: u32 = 4096;

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

impl Emulator {
    /// Listens and serves in the background of the current Tokio runtime.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        if !config.access.listens_at(config.listen) {
            return Err(StartError::Remote(config.listen));
        }
        let refused = |error| StartError::Listen(config.listen, error);
        let listener = listen(config.listen).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let state = AppState::open_to(config.world, config.freedoms, config.access, config.log, config.journal)?;
        let scheme = if config.tls.is_some() { "https" } else { "http" };
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(run(listener, state, config.tls, stopped));
        Ok(Self { address, scheme, stop, server })
    }

    /// The address it listens on.
    pub const fn addr(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:port`, the root of the default world.
    pub fn base_url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// Stops accepting, lets requests in flight finish, for five seconds at most.
    pub async fn stop(self) {
        let _ = self.stop.send(());
        let _ = self.server.await;
    }
}
