//! Servers that control every byte they send.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use url::Url;

/// A server whose every connection is handled by one function; it ends when it is dropped.
pub struct Raw {
    pub url: Url,
    /// The number of connections so far.
    pub connections: Arc<AtomicUsize>,
    /// What the handler counts.
    pub counted: Arc<AtomicUsize>,
    server: JoinHandle<()>,
}

impl Raw {
    pub async fn start<F, R>(handle: F) -> Self
    where
        F: Fn(TcpStream, Arc<AtomicUsize>) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let (connections, counted) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (accepted, by_handler) = (Arc::clone(&connections), Arc::clone(&counted));
        let server = tokio::spawn(async move {
            let mut handlers = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                accepted.fetch_add(1, Ordering::SeqCst);
                handlers.spawn(handle(stream, Arc::clone(&by_handler)));
            }
        });
        Self { url, connections, counted, server }
    }

    /// Sends these bytes to every request, then closes.
    pub async fn saying(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes: Arc<Vec<u8>> = Arc::new(bytes.into());
        Self::start(move |mut stream, _| {
            let bytes = Arc::clone(&bytes);
            async move {
                hear(&mut stream).await;
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
            }
        })
        .await
    }
}

/// An address at which connections hang: its queue of connections is full, so that the kernel drops every further one.
pub struct Full {
    pub url: Url,
    _listener: TcpListener,
    _queued: Vec<std::net::TcpStream>,
}

impl Full {
    pub fn start() -> Self {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(1).unwrap();
        let address = listener.local_addr().unwrap();
        let connect = || std::net::TcpStream::connect_timeout(&address, std::time::Duration::from_millis(500)).ok();
        let queued = std::iter::from_fn(connect).collect();
        Self { url: Url::parse(&format!("http://{address}")).unwrap(), _listener: listener, _queued: queued }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// A whole response with these lines in its head, and this body.
pub fn ok(headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\n{headers}\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Reads a request to its end, if only so that closing the connection doesn't look like a reset.
pub async fn hear(stream: &mut TcpStream) -> Vec<u8> {
    let mut heard = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(head) = heard.windows(4).position(|window| window == b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&heard[..head]).to_ascii_lowercase();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
            if heard.len() >= head + 4 + length.unwrap_or(0) {
                return heard;
            }
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return heard,
            Ok(read) => heard.extend_from_slice(&buffer[..read]),
        }
    }
}
