//! A body that is received here and read there, piece by piece: only a few pieces wait in between, and
//! their memory is used again.

use std::io::{self, BufRead, Read};

use tokio::sync::mpsc;

/// About as many bytes make a piece.
const PIECE: usize = 128 * 1024;
/// As many pieces wait to be read.
const WAITING: usize = 8;

/// The two ends.
pub(crate) fn channel() -> (Outgoing, Incoming) {
    let (pieces, received) = mpsc::channel(WAITING);
    let (spare, spares) = mpsc::unbounded_channel();
    (Outgoing { pieces, spares, piece: Vec::new() }, Incoming { pieces: received, spare, piece: Vec::new(), read: 0 })
}

/// Where a body is received.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pieces: mpsc::Sender<Vec<u8>>,
    spares: mpsc::UnboundedReceiver<Vec<u8>>,
    piece: Vec<u8>,
}

impl Outgoing {
    /// Hands bytes on; they are copied, so that whoever received them can use their memory again. `false` =
    /// nobody reads any more.
    pub(crate) async fn send(&mut self, bytes: &[u8]) -> bool {
        self.piece.extend_from_slice(bytes);
        self.piece.len() < PIECE || self.flush().await
    }

    /// Hands on what was not enough for a piece.
    pub(crate) async fn flush(&mut self) -> bool {
        let empty = self.spares.try_recv().unwrap_or_default();
        self.pieces.send(std::mem::replace(&mut self.piece, empty)).await.is_ok()
    }
}

/// Where a body is read, in a thread that may wait.
#[derive(Debug)]
pub(crate) struct Incoming {
    pieces: mpsc::Receiver<Vec<u8>>,
    spare: mpsc::UnboundedSender<Vec<u8>>,
    piece: Vec<u8>,
    read: usize,
}

impl BufRead for Incoming {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.read == self.piece.len() {
            let Some(next) = self.pieces.blocking_recv() else { break };
            let mut done = std::mem::replace(&mut self.piece, next);
            self.read = 0;
            done.clear();
            // The other end is gone when all was received.
            let _ = self.spare.send(done);
        }
        Ok(self.piece.get(self.read..).unwrap_or_default())
    }

    fn consume(&mut self, bytes: usize) {
        self.read = self.piece.len().min(self.read + bytes);
    }
}

impl Read for Incoming {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_sent_is_read_and_only_a_few_pieces_wait() {
        let (mut outgoing, mut incoming) = channel();
        let reading = tokio::task::spawn_blocking(move || {
            let mut all = Vec::new();
            incoming.read_to_end(&mut all).map(|_| all)
        });
        let mut sent = Vec::new();
        for number in 0..10_000_u32 {
            let bytes = number.to_le_bytes().repeat(50);
            sent.extend_from_slice(&bytes);
            assert!(outgoing.send(&bytes).await);
        }
        assert!(outgoing.flush().await);
        assert!(outgoing.spares.len() <= WAITING + 2);
        drop(outgoing);
        assert!(reading.await.unwrap().unwrap() == sent);
    }

    #[tokio::test]
    async fn nothing_is_received_for_nobody() {
        let (mut outgoing, incoming) = channel();
        drop(incoming);
        assert!(!outgoing.send(&vec![0; PIECE]).await);
    }
}
