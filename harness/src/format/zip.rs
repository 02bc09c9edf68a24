//! ZIP archives, with bounds: an archive may claim to hold more than any machine has.

use std::io::{Cursor, Read};

use serde_json::{Value, json};
use zip::ZipArchive;

use super::View;
use super::places::Places;
use crate::exchange::BodyFault;

/// The most that is unpacked of one archive.
const MAX_UNPACKED: u64 = 256 * 1024 * 1024;
/// The most entries that are read.
const MAX_ENTRIES: usize = 10_000;

/// The view `{entries: [{name, content}]}` of an archive; `inner` reads an entry.
pub(super) fn decode(bytes: &[u8], inner: impl Fn(&[u8]) -> Result<View, BodyFault>) -> Result<View, BodyFault> {
    let broken = |error: zip::result::ZipError| BodyFault::new(String::new(), format!("not a ZIP archive: {error}"));
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.len() > MAX_ENTRIES {
        return Err(BodyFault::new(
            String::new(),
            format!("the archive has {} entries, more than {MAX_ENTRIES} are not read", archive.len()),
        ));
    }
    let (mut entries, mut faults, mut files, mut left) = (Vec::new(), Vec::new(), Vec::new(), MAX_UNPACKED);
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(broken)?;
        let name = entry.name().map_err(broken)?.into_owned();
        let place = format!("entry `{name}`");
        let mut content = Vec::new();
        let read = entry.take(left).read_to_end(&mut content);
        read.map_err(|error| BodyFault::new(place.clone(), format!("the entry can't be unpacked: {error}")))?;
        left = left.saturating_sub(content.len() as u64);
        if left == 0 {
            return Err(BodyFault::new(place, format!("the archive unpacks to more than {MAX_UNPACKED} bytes; the rest was not read")));
        }
        let pointer = format!("/entries/{index}/content");
        match inner(&content) {
            Ok(view) => {
                faults.extend(view.faults.into_iter().map(|fault| fault.inside(&place, &pointer)));
                files.push((pointer, place, view.places));
                entries.push(json!({ "name": name, "content": view.value }));
            }
            Err(fault) => {
                faults.push(fault.inside(&place, &pointer));
                entries.push(json!({ "name": name, "content": Value::Null }));
            }
        }
    }
    Ok(View { value: json!({ "entries": entries }), faults, places: Places::Files(files) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::write::SimpleFileOptions;

    fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in entries {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn decoded(bytes: &[u8]) -> Result<View, BodyFault> {
        decode(bytes, |entry| super::super::csv::decode(std::str::from_utf8(entry).unwrap(), ';'))
    }

    #[test]
    fn every_entry_is_read() {
        let view = decoded(&archive(&[("a.csv", b"x\n1\n"), ("b.csv", b"x\n2\n")])).unwrap();
        assert_eq!(view.value["entries"][1], json!({"name": "b.csv", "content": {"header": ["x"], "rows": [{"x": "2"}]}}));
        assert_eq!(view.places.describe("/entries/1/content/rows/0/x").as_deref(), Some("entry `b.csv`, line 2, column 1 (`x`)"));
    }

    #[test]
    fn what_breaks_an_entry_is_told_with_its_name() {
        let view = decoded(&archive(&[("a.csv", b"x\n1\n"), ("b.csv", b"x;y\n2\n"), ("c.csv", b"")])).unwrap();
        let told: Vec<_> = view.faults.iter().map(|fault| (fault.place.as_str(), fault.pointer.as_str())).collect();
        assert_eq!(told, [("entry `b.csv`, line 2", "/entries/1/content/rows/0"), ("entry `c.csv`, line 1", "/entries/2/content")]);
    }

    #[test]
    fn what_is_no_archive_is_told() {
        assert!(decoded(b"x\n1\n").unwrap_err().message.starts_with("not a ZIP archive"));
        let mut cut = archive(&[("a.csv", b"x\n1\n")]);
        cut.truncate(cut.len() / 2);
        assert!(decoded(&cut).is_err());
    }
}
