//! Servers that speak as they like, down to the bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use url::Url;

/// A server whose every connection is handled by one function; it ends when it is dropped.
pub struct Raw {
    pub url: Url,
    /// Connections so far.
    pub connections: Arc<AtomicUsize>,
    /// Bytes written so far, by a handler that counts them.
    pub written: Arc<AtomicUsize>,
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
        let (connections, written) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (counted, bytes) = (Arc::clone(&connections), Arc::clone(&written));
        let server = tokio::spawn(async move {
            let mut handlers = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                handlers.spawn(handle(stream, Arc::clone(&bytes)));
            }
        });
        Self { url, connections, written, server }
    }

    /// Gives these bytes to every request, then closes.
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

impl Drop for Raw {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Reads a request to its end, so that closing the connection doesn't look like a reset.
pub async fn hear(stream: &mut TcpStream) {
    let mut heard = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(head) = heard.windows(4).position(|window| window == b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&heard[..head]).to_ascii_lowercase();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
            if heard.len() >= head + 4 + length.unwrap_or(0) {
                return;
            }
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(read) => heard.extend_from_slice(&buffer[..read]),
        }
    }
}
