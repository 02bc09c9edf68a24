//! The interval log: the histograms of each second, in the format of HdrHistogram's tools.
//!
//! Log format 1.3 with histograms V2, deflated; all values are microseconds, `Interval_Max` too. The tag names what was measured:
//! `gateway.v2.create` is the response time of that operation, from the intended start; `gateway.v2.create:service` its service time,
//! from the sending; `notification:lag` the lag of notifications; `scheduling` the delay of the generator itself. An empty histogram
//! has no line.

use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, IntervalLogWriterError, Tag};

use super::meter::Interval;
use crate::base::output::StreamFile;

/// The column names that other tools expect.
const LEGEND: &str = r#""StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram""#;

/// An interval log that is being written.
pub struct IntervalLog<W: Write> {
    out: W,
    serializer: V2DeflateSerializer,
}

impl IntervalLog<StreamFile> {
    /// Begins a log beside a file, which it replaces when it is complete; folders are created. `title` is the profile's, `started` is when
    /// measuring began.
    ///
    /// # Errors
    /// When the file can't be written; the error names it.
    pub fn create(path: &Path, title: &str, started: SystemTime) -> io::Result<Self> {
        Self::new(StreamFile::new(path)?, title, started)
    }

    /// Replaces an earlier log.
    ///
    /// # Errors
    /// When it can't be written completely; the error names the file.
    pub fn complete(self) -> io::Result<()> {
        self.out.complete()
    }
}

impl<W: Write> IntervalLog<W> {
    /// Begins a log.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn new(out: W, title: &str, started: SystemTime) -> io::Result<Self> {
        let mut log = Self { out, serializer: V2DeflateSerializer::new() };
        log.header(title, started)?;
        Ok(log)
    }

    fn header(&mut self, title: &str, started: SystemTime) -> io::Result<()> {
        IntervalLogWriterBuilder::new()
            .add_comment(&format!("[Paycheck: {}; times are microseconds]", title.replace(['\r', '\n'], " ")))
            .add_comment("[Histogram log format version 1.3]")
            .with_start_time(started)
            .with_base_time(started)
            .begin_log_with(&mut self.out, &mut self.serializer)?;
        writeln!(self.out, "{LEGEND}")?;
        self.out.flush()
    }

    /// Writes the histograms of an interval, and flushes them, so that a pipe can be followed.
    ///
    /// # Errors
    /// When it can't be written; the error names the file.
    pub fn write(&mut self, interval: &Interval<'_>) -> io::Result<()> {
        for (operation, calls) in interval.operations.iter().zip(&interval.metrics.operations) {
            self.line(interval, operation, &calls.response)?;
            self.line(interval, &format!("{operation}:service"), &calls.service)?;
        }
        self.line(interval, "notification:lag", &interval.metrics.lag)?;
        self.line(interval, "scheduling", &interval.metrics.scheduling)?;
        self.out.flush()
    }

    fn line(&mut self, interval: &Interval<'_>, tag: &str, times: &Histogram<u64>) -> io::Result<()> {
        if times.is_empty() {
            return Ok(());
        }
        // The library's writer borrows its output and has no other state, so each line gets a new one.
        let written = IntervalLogWriterBuilder::new().begin_log_with(&mut self.out, &mut self.serializer)?.write_histogram(
            times,
            interval.at,
            interval.length,
            Tag::new(&spelled(tag)),
        );
        written.map_err(|error| match error {
            IntervalLogWriterError::IoError(error) => error,
            IntervalLogWriterError::SerializeError(error) => io::Error::other(error),
        })
    }
}

/// A tag without the separators of columns and lines.
fn spelled(tag: &str) -> String {
    tag.replace([',', ' ', '\r', '\n'], "_")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::{Duration, UNIX_EPOCH};

    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    use super::*;
    use crate::load::latency::{add, decode, histogram};
    use crate::load::meter::{MeasuredCall, Meter, ResultCode, Tick};

    fn started() -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(1_700_000_000_250)
    }

    fn play(log: &mut IntervalLog<impl Write>) -> Meter {
        let meter = Meter::new(vec!["gateway.v2.create".to_owned(), "odd, name".to_owned()], Vec::new(), 1);
        for second in 1..4_u64 {
            for user in 0..second * 5 {
                let call = MeasuredCall {
                    service: Duration::from_micros(100 * user),
                    late: Duration::from_micros(40),
                    error: None,
                    status: Some(200),
                    code: ResultCode::None,
                };
                meter.call(0, call);
            }
            if second == 2 {
                meter.call(
                    1,
                    MeasuredCall {
                        service: Duration::from_micros(5),
                        late: Duration::ZERO,
                        error: None,
                        status: Some(200),
                        code: ResultCode::None,
                    },
                );
                meter.lag(Duration::from_millis(7));
                meter.started(Some(Duration::from_micros(60)), Duration::ZERO);
            }
            let tick = Tick { at: Duration::from_secs(second), users: 1, intended: None };
            meter.tick(tick, |interval| log.write(interval)).unwrap();
        }
        meter
    }

    #[test]
    fn what_is_read_back_adds_up_to_the_results() {
        let mut bytes = Vec::new();
        let meter = play(&mut IntervalLog::new(&mut bytes, "steady", started()).unwrap());
        let mut sums = BTreeMap::new();
        let mut starts = Vec::new();
        for entry in IntervalLogIterator::new(&bytes) {
            match entry.unwrap() {
                LogEntry::StartTime(time) | LogEntry::BaseTime(time) => assert_eq!(time, Duration::from_millis(1_700_000_000_250)),
                LogEntry::Interval(interval) => {
                    let times = decode(interval.encoded_histogram()).unwrap();
                    assert_eq!((interval.max(), interval.duration()), (times.max() as f64, Duration::from_secs(1)));
                    starts.push(interval.start_timestamp().as_secs());
                    add(sums.entry(interval.tag().unwrap().to_string()).or_insert_with(histogram), &times);
                }
            }
        }
        assert_eq!(starts, [0, 0, 1, 1, 1, 1, 1, 1, 2, 2]);
        let measured = meter.finish(Duration::from_secs(3));
        let expected = [
            ("gateway.v2.create", &measured.operations[0].response),
            ("gateway.v2.create:service", &measured.operations[0].service),
            ("notification:lag", &measured.lag),
            ("odd__name", &measured.operations[1].response),
            ("odd__name:service", &measured.operations[1].service),
            ("scheduling", &measured.scheduling),
        ];
        let expected: BTreeMap<_, _> = expected.map(|(tag, latency)| (tag.to_owned(), latency.times().unwrap())).into();
        assert_eq!(sums, expected);
    }

    #[test]
    fn a_title_of_several_lines_stays_one_comment() {
        let mut bytes = Vec::new();
        IntervalLog::new(&mut bytes, "one\n[StartTime: 1 (seconds since epoch)]", started()).unwrap();
        insta::assert_snapshot!(String::from_utf8(bytes).unwrap(), @r#"
        #[Paycheck: one [StartTime: 1 (seconds since epoch)]; times are microseconds]
        #[Histogram log format version 1.3]
        #[StartTime: 1700000000.250 (seconds since epoch)]
        #[BaseTime: 1700000000.250 (seconds since epoch)]
        "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
        "#);
    }

    #[test]
    fn the_file_is_named_when_it_can_not_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let message = IntervalLog::create(folder.path(), "steady", started()).err().unwrap().to_string();
        assert!(message.starts_with(&format!("{} cannot be written: ", folder.path().display())), "{message}");
        let full = Path::new("/dev/full");
        if full.exists() {
            let message = IntervalLog::create(full, "steady", started()).err().unwrap().to_string();
            assert!(message.starts_with("/dev/full cannot be written: "), "{message}");
        }
    }

    #[test]
    fn a_log_replaces_the_file_once_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b.hlog");
        let mut log = IntervalLog::create(&path, "steady", started()).unwrap();
        play(&mut log);
        assert!(!path.exists());
        log.complete().unwrap();
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert_eq!(lines, 5 + 10);
    }
}
