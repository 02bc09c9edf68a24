//! JSON texts that may be larger than what is kept of them: the items of a top-level list are read one by one, and a text that
//! stands for a file is streamed as that file.

use std::io::{self, BufRead, BufReader, Read};

use serde_json::{Map, Value};

use super::body_fault::MOST_FIELDS;
use super::json::decode_json_into;
use super::{BodyFault, MAX_BODY_BYTES, Request};
use crate::base::file_position::FilePosition;
use crate::base::pointer;
use crate::wire::format::{FileFormat, Places};
use crate::wire::ingest::Ingest;

/// The number of bytes read at once.
const PIECE: usize = 64 * 1024;

/// The format of the file that a top-level field stands for, by the name of the field.
pub(crate) type FileOf<'f> = &'f dyn Fn(&str) -> Option<&'f FileFormat>;

/// Reads a JSON text. `file_of` says which fields hold files; a file that cannot be read is noted and dropped.
pub(crate) fn read_json(
    source: &mut dyn BufRead,
    file_of: FileOf<'_>,
    request: &Request,
    ingest: &mut Ingest<'_>,
) -> Result<(Value, Places), BodyFault> {
    let mut scanner = Scanner { source, offset: 0, value: Vec::new() };
    let read = match scanner.peek()? {
        Some(b'[') => (scanner.list(ingest)?, Places::Unknown),
        Some(b'{') => scanner.mapping(file_of, request, ingest)?,
        Some(_) | None => {
            let mut value = Value::Null;
            scanner.read_over(&mut value)?.into_iter().for_each(|fault| ingest.fault(fault));
            (value, Places::Unknown)
        }
    };
    match scanner.peek()? {
        Some(_) => Err(BodyFault::at_byte(scanner.offset, "not JSON: trailing characters")),
        None => Ok(read),
    }
}

/// Splits a JSON text at its top level; the strict reader decodes the parts.
struct Scanner<'s> {
    source: &'s mut dyn BufRead,
    offset: usize,
    /// The bytes of the last value.
    value: Vec<u8>,
}

impl Scanner<'_> {
    /// Returns the next byte that is no white space, without consuming it.
    fn peek(&mut self) -> Result<Option<u8>, BodyFault> {
        loop {
            let buffer = self.source.fill_buf().map_err(|error| broken(self.offset, &error))?;
            let blanks = buffer.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
            let (next, at_end) = (buffer.get(blanks).copied(), buffer.is_empty());
            self.step(blanks);
            if next.is_some() || at_end {
                return Ok(next);
            }
        }
    }

    fn step(&mut self, bytes: usize) {
        self.source.consume(bytes);
        self.offset += bytes;
    }

    /// Consumes the next byte if it is `wanted`.
    fn skip_if(&mut self, wanted: u8) -> Result<bool, BodyFault> {
        let is_there = self.peek()? == Some(wanted);
        self.step(usize::from(is_there));
        Ok(is_there)
    }

    fn expect(&mut self, wanted: u8) -> Result<(), BodyFault> {
        if self.skip_if(wanted)? {
            return Ok(());
        }
        Err(BodyFault::at_byte(self.offset, format!("not JSON: expected `{}`", char::from(wanted))))
    }

    fn list(&mut self, ingest: &mut Ingest<'_>) -> Result<Value, BodyFault> {
        let mut items = ingest.list("");
        self.expect(b'[')?;
        if self.skip_if(b']')? {
            return Ok(items.end(ingest));
        }
        loop {
            let faults = self.read_over(items.next())?;
            items.push(ingest, self.value.len(), faults)?;
            if !self.skip_if(b',')? {
                self.expect(b']')?;
                return Ok(items.end(ingest));
            }
        }
    }

    fn mapping(&mut self, file_of: FileOf<'_>, request: &Request, ingest: &mut Ingest<'_>) -> Result<(Value, Places), BodyFault> {
        let (mut fields, mut files) = (Map::new(), Vec::new());
        self.expect(b'{')?;
        let mut goes_on = !self.skip_if(b'}')?;
        while goes_on {
            let at = self.offset;
            let key = self.key()?;
            ingest.keep(key.len())?;
            self.expect(b':')?;
            let mut value = Value::Null;
            match file_of(&key) {
                Some(format) if self.peek()? == Some(b'"') => {
                    let pointer = pointer::field("", &key);
                    value = Value::String(String::new());
                    if let Some((file, places)) = self.file(format, &pointer, request, ingest)? {
                        value = file;
                        files.push((pointer, FilePosition::whole(), places));
                    }
                }
                Some(_) | None => {
                    let faults = self.read_over(&mut value)?;
                    ingest.keep(self.value.len())?;
                    faults.into_iter().for_each(|fault| ingest.fault(fault));
                }
            }
            if fields.contains_key(&key) {
                ingest.fault(BodyFault::at_byte(at, format!("the key `{key}` is repeated")));
            } else if fields.len() == MOST_FIELDS {
                return Err(BodyFault::at_byte(at, format!("not read: an object of more than {MOST_FIELDS} fields")));
            } else {
                fields.insert(key, value);
            }
            goes_on = self.skip_if(b',')?;
            if !goes_on {
                self.expect(b'}')?;
            }
        }
        Ok((Value::Object(fields), if files.is_empty() { Places::Unknown } else { Places::Files(files) }))
    }

    /// Reads a text as the file that it stands for; `None` if the file cannot be read, which is a fault of its own.
    fn file(
        &mut self,
        format: &FileFormat,
        pointer: &str,
        request: &Request,
        ingest: &mut Ingest<'_>,
    ) -> Result<Option<(Value, Places)>, BodyFault> {
        let mut text = Text::open(self)?;
        let read = ingest.inside(&FilePosition::whole(), pointer, |ingest| {
            format.read(&mut BufReader::with_capacity(PIECE, &mut text), request, ingest)
        });
        text.skip()?;
        Ok(read)
    }

    fn key(&mut self) -> Result<String, BodyFault> {
        let at = self.peek().map(|_| self.offset)?;
        let mut key = Value::Null;
        self.read_over(&mut key)?;
        match key {
            Value::String(key) => Ok(key),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                Err(BodyFault::at_byte(at, "not JSON: key must be a string"))
            }
        }
    }

    /// Reads the next value over an existing one.
    fn read_over(&mut self, value: &mut Value) -> Result<Vec<BodyFault>, BodyFault> {
        self.peek()?;
        let start = self.offset;
        self.copy_value()?;
        decode_json_into(value, &self.value, start)
    }

    /// Copies the bytes of the next value.
    fn copy_value(&mut self) -> Result<(), BodyFault> {
        self.value.clear();
        let mut end = End::default();
        while !end.is_reached {
            let buffer = self.source.fill_buf().map_err(|error| broken(self.offset, &error))?;
            // If the text ends too early, the strict reader reports what is missing.
            if buffer.is_empty() {
                return Ok(());
            }
            let taken = end.of_value_in(buffer);
            self.value.extend_from_slice(buffer.get(..taken).unwrap_or_default());
            self.step(taken);
            if self.value.len() > MAX_BODY_BYTES {
                return Err(BodyFault::at_byte(self.offset, format!("a part of more than {MAX_BODY_BYTES} bytes is not read")));
            }
        }
        Ok(())
    }
}

/// Finds the end of a value.
#[derive(Default)]
struct End {
    depth: usize,
    is_quoted: bool,
    is_escaped: bool,
    has_begun: bool,
    is_reached: bool,
}

impl End {
    /// Returns how many of these bytes belong to the value.
    fn of_value_in(&mut self, bytes: &[u8]) -> usize {
        for (at, byte) in bytes.iter().enumerate() {
            if self.is_quoted {
                self.quoted(*byte);
            } else {
                match byte {
                    b'"' => self.is_quoted = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' if self.depth > 0 => {
                        self.depth -= 1;
                        self.is_reached = self.depth == 0;
                    }
                    b',' | b':' | b'}' | b']' if self.depth == 0 => {
                        self.is_reached = true;
                        return at;
                    }
                    b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 && self.has_begun => {
                        self.is_reached = true;
                        return at;
                    }
                    _ => {}
                }
            }
            self.has_begun = true;
            if self.is_reached {
                return at + 1;
            }
        }
        bytes.len()
    }

    fn quoted(&mut self, byte: u8) {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => {
                self.is_quoted = false;
                self.is_reached = self.depth == 0;
            }
            _ => {}
        }
    }
}

fn broken(offset: usize, error: &io::Error) -> BodyFault {
    BodyFault::at_byte(offset, format!("not JSON: {error}"))
}

/// The content of a JSON string, streamed.
struct Text<'t, 's> {
    scanner: &'t mut Scanner<'s>,
    /// The decoded bytes of an escape that were not read yet.
    escaped: Vec<u8>,
    has_ended: bool,
}

impl<'t, 's> Text<'t, 's> {
    /// Consumes the opening quote.
    fn open(scanner: &'t mut Scanner<'s>) -> Result<Self, BodyFault> {
        scanner.expect(b'"')?;
        Ok(Self { scanner, escaped: Vec::new(), has_ended: false })
    }

    /// Skips to the end of the string.
    fn skip(mut self) -> Result<(), BodyFault> {
        io::copy(&mut self, &mut io::sink()).map(|_| ()).map_err(|error| broken(self.scanner.offset, &error))
    }

    /// Reads an escape; a character beyond the first 65,536 is a pair of escapes.
    fn escape(&mut self) -> io::Result<()> {
        let mut spelling = vec![b'"'];
        self.copy(&mut spelling, 2)?;
        if spelling.ends_with(b"u") {
            self.copy(&mut spelling, 4)?;
            let is_half = spelling.get(3..5).is_some_and(|digits| matches!(digits, [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B']));
            if is_half {
                self.copy(&mut spelling, 6)?;
            }
        }
        spelling.push(b'"');
        self.escaped = serde_json::from_slice::<String>(&spelling).map_err(io::Error::other)?.into_bytes();
        Ok(())
    }

    fn copy(&mut self, out: &mut Vec<u8>, bytes: usize) -> io::Result<()> {
        for _ in 0..bytes {
            let byte = self.scanner.source.fill_buf()?.first().copied();
            out.push(byte.ok_or_else(|| io::Error::other("EOF while parsing a string"))?);
            self.scanner.step(1);
        }
        Ok(())
    }
}

impl Read for Text<'_, '_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.escaped.is_empty() {
                let read = self.escaped.as_slice().read(out)?;
                self.escaped.drain(..read);
                return Ok(read);
            }
            if self.has_ended || out.is_empty() {
                return Ok(0);
            }
            let buffer = self.scanner.source.fill_buf()?;
            let window = buffer.get(..buffer.len().min(out.len())).unwrap_or_default();
            let plain = window.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20)).unwrap_or(window.len());
            if let (Some(out), Some(plain)) = (out.get_mut(..plain), window.get(..plain).filter(|plain| !plain.is_empty())) {
                out.copy_from_slice(plain);
                let read = plain.len();
                self.scanner.step(read);
                return Ok(read);
            }
            match window.first() {
                Some(b'"') => {
                    self.scanner.step(1);
                    self.has_ended = true;
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return Err(io::Error::other("control character (\\u0000-\\u001F) found while parsing a string")),
                None => return Err(io::Error::other("EOF while parsing a string")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_count_as_kept_bytes() {
        let key = "k".repeat(MAX_BODY_BYTES / 4);
        let read = |keys: usize| {
            let fields: Vec<String> = (0..keys).map(|index| format!("\"{key}{index}\": {index}")).collect();
            let text = format!("{{{}}}", fields.join(","));
            read_json(&mut text.as_bytes(), &|_| None, &Request::default(), &mut Ingest::keep_all()).map(|(value, _)| value)
        };
        assert_eq!(read(3).unwrap().as_object().map(Map::len), Some(3));
        assert!(read(5).unwrap_err().message.contains("would have to be kept"));
    }
}
