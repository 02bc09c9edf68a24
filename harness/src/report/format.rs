//! A report format: its flag, its name, its reporter.

use std::io;
use std::path::PathBuf;

use super::Reporter;

/// A report format.
#[derive(Debug)]
pub struct Format {
    /// Its flag: `junit`.
    pub name: &'static str,
    /// The name of the file in a summary.
    pub label: &'static str,
    /// The help of the flag.
    pub help: &'static str,
    /// Whether its only content is the exchanges of played cases.
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
