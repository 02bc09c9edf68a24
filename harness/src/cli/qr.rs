//! `paycheck qr`: draws and decodes a payment's QR data.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;

use super::console::print;
use super::failure::Failure;
use super::separate::separate;
use crate::base::exit::Exit;
use crate::base::output::write_whole;
use crate::report::qr::Drawing;
use crate::wire::exchange::Request;
use crate::wire::format::FileFormat;

/// Pixels of a module.
const SCALE: usize = 8;
/// The longest text that fits into a QR code.
const MOST: u64 = 8 * 1024;

#[derive(Debug, Clone, Args)]
pub(super) struct QrArguments {
    /// The data: SPAYD, EPC or PAY by square; `-` reads it from the standard input.
    #[arg(value_name = "DATA")]
    text: String,
    /// Draws into this SVG file instead of the terminal.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draws into this PNG file instead of the terminal.
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
}

/// Draws a code, decodes it, and lists what is wrong with it.
pub(super) fn run(arguments: &QrArguments) -> Result<Exit, Failure> {
    separate([], [arguments.svg.as_deref(), arguments.png.as_deref()])?;
    let text = text(&arguments.text)?;
    let drawing = Drawing::new(&text).map_err(Failure::invalid)?;
    if let Some(path) = &arguments.svg {
        write_whole(path, drawing.svg().as_bytes())?;
    }
    if let Some(path) = &arguments.png {
        let image = drawing.png(SCALE).map_err(|error| Failure::internal(format!("no PNG could be made: {error}")))?;
        write_whole(path, &image)?;
    }
    if arguments.svg.is_none() && arguments.png.is_none() {
        print(&drawing.terminal())?;
    }
    describe(&text)
}

fn text(argument: &str) -> Result<String, Failure> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut text = String::new();
    let read = std::io::stdin().take(MOST).read_to_string(&mut text);
    read.map_err(|error| Failure::invalid(format!("the standard input can't be read: {error}")))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// Prints the decoded data and what is wrong with it.
fn describe(text: &str) -> Result<Exit, Failure> {
    let (format, name) = FileFormat::of_qr_code(text);
    let view = match format.decode(text.as_bytes(), &Request::default()) {
        Ok(view) => view,
        Err(fault) => {
            print(&format!("{name}: {}", fault.message))?;
            if matches!(format, FileFormat::PayBySquare) {
                print("(SPAYD would begin with SPD*, EPC with BCD)")?;
            }
            return Ok(Exit::Findings);
        }
    };
    print(&name)?;
    print(&format!("{:#}", view.value))?;
    for fault in &view.faults {
        let place =
            [fault.position.to_string(), fault.pointer.clone()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        print(&format!("wrong: {}{}", fault.message, if place.is_empty() { String::new() } else { format!(" ({place})") }))?;
    }
    Ok(if view.faults.is_empty() { Exit::Passed } else { Exit::Findings })
}
