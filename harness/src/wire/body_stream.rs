//! A body that one task receives and another thread reads, piece by piece. Only a few pieces wait in between, and their
//! memory is reused.

use std::io::{self, BufRead, Read};

use tokio::sync::mpsc;

/// The size of a piece, in bytes.
const PIECE: usize = 128 * 1024;
/// How many pieces may wait to be read.
const WAITING: usize = 8;

/// Returns the two ends of a stream.
pub(crate) fn channel() -> (BodyWriter, BodyReader) {
    let (pieces, received) = mpsc::channel(WAITING);
    let (spare, spares) = mpsc::unbounded_channel();
    (BodyWriter { pieces, spares, piece: Vec::new() }, BodyReader { pieces: received, spare, piece: Vec::new(), read: 0 })
}

/// The end that receives the body.
#[derive(Debug)]
pub(crate) struct BodyWriter {
    pieces: mpsc::Sender<Vec<u8>>,
    spares: mpsc::UnboundedReceiver<Vec<u8>>,
    piece: Vec<u8>,
}

impl BodyWriter {
    /// Passes bytes on as a copy, so that the receiver can reuse their memory. Returns `false` if the reader has gone.
    pub(crate) async fn send(&mut self, bytes: &[u8]) -> bool {
        self.piece.extend_from_slice(bytes);
        self.piece.len() < PIECE || self.flush().await
    }

    /// Passes on the last, incomplete piece.
    pub(crate) async fn flush(&mut self) -> bool {
        let empty = self.spares.try_recv().unwrap_or_default();
        self.pieces.send(std::mem::replace(&mut self.piece, empty)).await.is_ok()
    }
}

/// The end that reads the body, in a thread that may block.
#[derive(Debug)]
pub(crate) struct BodyReader {
    pieces: mpsc::Receiver<Vec<u8>>,
    spare: mpsc::UnboundedSender<Vec<u8>>,
    piece: Vec<u8>,
    read: usize,
}

impl BufRead for BodyReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.read == self.piece.len() {
            let Some(next) = self.pieces.blocking_recv() else { break };
            let mut done = std::mem::replace(&mut self.piece, next);
            self.read = 0;
            done.clear();
            // The writer is gone once everything has been received.
            let _ = self.spare.send(done);
        }
        Ok(self.piece.get(self.read..).unwrap_or_default())
    }

    fn consume(&mut self, bytes: usize) {
        self.read = self.piece.len().min(self.read + bytes);
    }
}

impl Read for BodyReader {
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
        let (mut writer, mut reader) = channel();
        let reading = tokio::task::spawn_blocking(move || {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).map(|_| all)
        });
        let mut sent = Vec::new();
        for number in 0..10_000_u32 {
            let bytes = number.to_le_bytes().repeat(50);
            sent.extend_from_slice(&bytes);
            assert!(writer.send(&bytes).await);
        }
        assert!(writer.flush().await);
        assert!(writer.spares.len() <= WAITING + 2);
        drop(writer);
        assert!(reading.await.unwrap().unwrap() == sent);
    }

    #[tokio::test]
    async fn nothing_is_received_without_a_reader() {
        let (mut writer, reader) = channel();
        drop(reader);
        assert!(!writer.send(&vec![0; PIECE]).await);
    }
}
