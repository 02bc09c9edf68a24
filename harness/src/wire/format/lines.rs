//! The lines of a file, read one by one, so that the file is never held in memory.

use std::io::{BufRead, Read};

use encoding_rs::{Encoding, UTF_8};

use super::charset;
use crate::base::file_position::FilePosition;
use crate::wire::exchange::{BodyFault, MAX_BODY_BYTES};

/// The lines of a file.
pub(super) struct Lines<'s> {
    source: &'s mut dyn BufRead,
    encoding: &'static Encoding,
    /// Whether the request chooses the encoding: a file in another one is no matter of its layout.
    asked: bool,
    line: Vec<u8>,
    /// The number of lines and bytes read.
    lines: usize,
    bytes: usize,
}

impl<'s> Lines<'s> {
    /// The lines of a file in an encoding that writes ASCII as it is.
    pub(super) fn new(source: &'s mut dyn BufRead, encoding: &'static Encoding) -> Self {
        Self { source, encoding, asked: false, line: Vec::new(), lines: 0, bytes: 0 }
    }

    /// The same lines, whose encoding the request chooses or leaves to its default.
    pub(super) fn in_the_encoding_asked_for(self, asked: bool) -> Self {
        Self { asked, ..self }
    }

    /// Appends the next line with its line break. Returns `false` at the end of the file.
    pub(super) fn append(&mut self, text: &mut String) -> Result<bool, BodyFault> {
        let number = self.lines + 1;
        self.line.clear();
        let mut bounded = (&mut *self.source).take(MAX_BODY_BYTES as u64);
        let read =
            bounded.read_until(b'\n', &mut self.line).map_err(|error| BodyFault::new(FilePosition::line(number), error.to_string()))?;
        if read == MAX_BODY_BYTES {
            return Err(BodyFault::new(FilePosition::line(number), format!("a line of {MAX_BODY_BYTES} bytes is not read")));
        }
        let mark: &[u8] = if self.lines == 0 && self.encoding == UTF_8 { b"\xef\xbb\xbf" } else { b"" };
        let line = self.line.strip_prefix(mark).unwrap_or(&self.line);
        let before = self.bytes + (read - line.len());
        charset::append(self.encoding, line, text).map_err(|good| self.not_in_encoding(number, before + good))?;
        self.lines = number;
        self.bytes += read;
        Ok(read > 0)
    }

    fn not_in_encoding(&self, line: usize, byte: usize) -> BodyFault {
        let fault = charset::not_in(self.encoding, line, byte);
        if self.asked { fault.of_the_wrapping() } else { fault }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::WINDOWS_1250;

    fn lines(bytes: &[u8], encoding: &'static Encoding) -> Result<Vec<String>, BodyFault> {
        let mut source = bytes;
        let mut lines = Lines::new(&mut source, encoding);
        let mut all = Vec::new();
        loop {
            let mut line = String::new();
            if !lines.append(&mut line)? {
                return Ok(all);
            }
            all.push(line);
        }
    }

    #[test]
    fn lines_keep_what_ends_them() {
        assert_eq!(lines("\u{feff}a\r\nž\n\nb".as_bytes(), UTF_8).unwrap(), ["a\r\n", "ž\n", "\n", "b"]);
        assert_eq!(lines(b"\x9e\nx", WINDOWS_1250).unwrap(), ["ž\n", "x"]);
        assert_eq!(lines(b"", UTF_8).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_wrong_byte_is_found_on_its_line() {
        assert_eq!(lines(b"a;b\r\n\x9elu", UTF_8).unwrap_err().position.to_string(), "line 2, byte 5 of the file");
    }

    #[test]
    fn a_line_without_end_is_not_read() {
        let mut endless = std::io::BufReader::new(std::io::repeat(b'x'));
        let fault = Lines::new(&mut endless, UTF_8).append(&mut String::new()).unwrap_err();
        assert_eq!(fault.message, "a line of 4194304 bytes is not read");
    }
}
