//! `paycheck qr`: draws a payment's QR data, and says what it says.

use std::io::Read;

use super::verify::print;
use super::{Failure, QrArguments};
use crate::exchange::Request;
use crate::exit::Exit;
use crate::format::Format;
use crate::qr::Drawing;
use crate::report::write_whole;

/// Pixels a module.
const SCALE: usize = 8;
/// Nothing longer fits in a QR code.
const MOST: u64 = 8 * 1024;

/// Draws a code and tells what is wrong with it.
pub(super) fn run(arguments: &QrArguments) -> Result<Exit, Failure> {
    let text = text(&arguments.text)?;
    let drawing = Drawing::of(&text).map_err(|message| Failure::Other(Exit::InvalidInput, message))?;
    if let Some(path) = &arguments.svg {
        write_whole(path, drawing.svg().as_bytes())?;
    }
    if let Some(path) = &arguments.png {
        let image = drawing.png(SCALE).map_err(|error| Failure::Other(Exit::Internal, format!("no PNG could be made: {error}")))?;
        write_whole(path, &image)?;
    }
    if arguments.svg.is_none() && arguments.png.is_none() {
        print(&drawing.terminal())?;
    }
    tell(&text)
}

fn text(argument: &str) -> Result<String, Failure> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut text = String::new();
    let read = std::io::stdin().take(MOST).read_to_string(&mut text);
    read.map_err(|error| Failure::Other(Exit::InvalidInput, format!("the standard input can't be read: {error}")))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// What the data says, line by line, and what is wrong with it.
fn tell(text: &str) -> Result<Exit, Failure> {
    let (format, name) = Format::of_qr_code(text);
    let view = match format.decode(text.as_bytes(), &Request::default()) {
        Ok(view) => view,
        Err(fault) => {
            print(&format!("{name}: {}", fault.message))?;
            return Ok(Exit::Findings);
        }
    };
    print(&name)?;
    print(&format!("{:#}", view.value))?;
    for fault in &view.faults {
        let place =
            [fault.place.as_str(), fault.pointer.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        print(&format!("wrong: {}{}", fault.message, if place.is_empty() { String::new() } else { format!(" ({place})") }))?;
    }
    Ok(if view.faults.is_empty() { Exit::Passed } else { Exit::Findings })
}
