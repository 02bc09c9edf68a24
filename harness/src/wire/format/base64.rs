//! Base64, as RFC 4648 writes it.

use std::io::{self, BufRead, Read};

use ::base64::Engine as _;
use ::base64::engine::general_purpose::STANDARD;

/// The number of letters decoded at once.
const PIECE: usize = 64 * 1024;

/// The bytes that a text stands for. Line breaks, which some encoders put in, are allowed.
pub(super) struct Base64<'s> {
    source: &'s mut dyn BufRead,
    letters: Vec<u8>,
    bytes: Vec<u8>,
    read: usize,
    /// The padding has been reached.
    has_ended: bool,
    /// Why the text is no Base64.
    fault: Option<String>,
}

impl<'s> Base64<'s> {
    /// The bytes of a text.
    pub(super) fn new(source: &'s mut dyn BufRead) -> Self {
        Self { source, letters: Vec::new(), bytes: Vec::new(), read: 0, has_ended: false, fault: None }
    }

    /// Why the text is no Base64, as far as it was read.
    pub(super) fn fault(self) -> Option<String> {
        self.fault
    }

    fn broken(&mut self, what: String) -> io::Error {
        self.fault = Some(what.clone());
        io::Error::other(what)
    }

    /// Decodes the next letters; returns no bytes at the end of the text.
    fn decode(&mut self) -> io::Result<()> {
        self.bytes.clear();
        self.read = 0;
        let mut is_last = false;
        while self.letters.len() < PIECE && !is_last {
            let buffer = self.source.fill_buf()?;
            is_last = buffer.is_empty();
            let taken = buffer.len().min(PIECE);
            let buffer = buffer.get(..taken).unwrap_or_default();
            for line in buffer.split(|byte| matches!(byte, b'\r' | b'\n')) {
                self.letters.extend_from_slice(line);
            }
            self.source.consume(taken);
        }
        // Four letters are three bytes; an incomplete group waits for the next piece.
        let whole = if is_last { self.letters.len() } else { self.letters.len() - self.letters.len() % 4 };
        let letters = self.letters.get(..whole).unwrap_or_default();
        if self.has_ended && !letters.is_empty() {
            return Err(self.broken("not Base64: letters after the padding".to_owned()));
        }
        self.has_ended = letters.ends_with(b"=");
        if let Err(error) = STANDARD.decode_vec(letters, &mut self.bytes) {
            return Err(self.broken(format!("not Base64: {error}")));
        }
        self.letters.drain(..whole);
        Ok(())
    }
}

impl BufRead for Base64<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read == self.bytes.len() {
            self.decode()?;
        }
        Ok(self.bytes.get(self.read..).unwrap_or_default())
    }

    fn consume(&mut self, bytes: usize) {
        self.read = self.bytes.len().min(self.read + bytes);
    }
}

impl Read for Base64<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(text: &[u8]) -> io::Result<Vec<u8>> {
        let (mut source, mut bytes) = (text, Vec::new());
        Base64::new(&mut source).read_to_end(&mut bytes).map(|_| bytes)
    }

    #[test]
    fn lines_may_be_broken_and_the_rest_is_strict() {
        assert_eq!(decoded(b"YWJj\r\nZA==").unwrap(), b"abcd");
        let padded = [STANDARD.encode(vec![0; PIECE / 4 * 3 - 1]), "YWJj".into()].concat();
        for wrong in ["YWJj*", "YWJ", "YWJjZA", "YQ==YWJj", &padded] {
            let error = decoded(wrong.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with("not Base64"), "{error}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn pieces_make_the_whole(bytes in proptest::collection::vec(any::<u8>(), 0..200_000), width in 1_usize..200) {
            let broken: Vec<Vec<u8>> = STANDARD.encode(&bytes).into_bytes().chunks(width).map(<[u8]>::to_vec).collect();
            prop_assert_eq!(decoded(&broken.join(&b"\r\n"[..])).unwrap(), bytes);
        }
    }
}
