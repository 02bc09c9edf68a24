//! All statements of a day in a ZIP file, one entry each.

use std::io::{Cursor, Write as _};

use jiff::civil::Date;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::pages::Pages;

/// The media type of the file.
pub(super) const MEDIA_TYPE: &str = "application/zip";

/// Little effort: statements compress well, and a client waits for them.
const EFFORT: i64 = 1;

/// Packs files, each a name and its pages, as if made on a day.
pub(super) fn pack(date: Date, files: impl Iterator<Item = (String, Pages)>) -> zip::result::ZipResult<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(EFFORT))
        .last_modified_time(midnight(date));
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, pages) in files {
        archive.start_file(name, options)?;
        for page in pages {
            archive.write_all(&page)?;
        }
    }
    Ok(archive.finish()?.into_inner())
}

/// ZIP files know the years from 1980 to 2107.
fn midnight(date: Date) -> DateTime {
    let parts = (u16::try_from(date.year()), u8::try_from(date.month()), u8::try_from(date.day()));
    let (Ok(year), Ok(month), Ok(day)) = parts else { return DateTime::default() };
    DateTime::from_date_and_time(year, month, day, 0, 0, 0).unwrap_or_default()
}
