//! What a report format is: its flag, its name, its reporter.

use std::io;
use std::path::PathBuf;

use super::Reporter;

/// A report format.
#[derive(Debug)]
pub struct Format {
    /// Its flag: `junit`.
    pub name: &'static str,
    /// What a summary calls the file.
    pub label: &'static str,
    /// What the flag writes.
    pub help: &'static str,
    /// Whether it holds nothing but what played cases exchanged.
    pub needs_exchanges: bool,
    /// Makes its reporter.
    pub reporter: fn(FormatOptions) -> io::Result<Box<dyn Reporter>>,
}

/// How a report is written.
#[derive(Clone, Debug)]
pub struct FormatOptions {
    /// The file, or `-` for standard output.
    pub to: PathBuf,
    /// Whether wall times are written. Without them the same run gives the same bytes.
    pub timings: bool,
}
