//! Adds an encoded histogram to a sum without decoding it into a histogram of its own, which would take 184 KiB. A merge reads tens of
//! thousands of them.

use std::cell::RefCell;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Decompress, FlushDecompress, Status};
use hdrhistogram::Histogram;

use super::latency::{self, LONGEST, LatencyError};
use super::result::Latency;

/// The first four bytes of a V2 histogram, deflated and plain.
const DEFLATED: u32 = 0x1c84_9314;
const PLAIN: u32 = 0x1c84_9313;
/// Bytes before the counts.
const HEADER: usize = 40;
/// Significant digits and conversion factor of all histograms of a load.
const DIGITS: u32 = 3;
const FACTOR: f64 = 1.0;
/// The counters of a histogram of a load, and the most bytes that one takes.
const COUNTERS: usize = 23_552;
const BYTES: usize = 9;
/// Each value below this has a counter of its own; above, each further power of two has half as many counters.
const EXACT: u64 = 2048;

thread_local! {
    /// The buffer holds the largest histogram. It is zeroed once: zeroing a new vector for each histogram takes longer than everything
    /// else.
    static INFLATE: RefCell<(Decompress, Box<[u8]>)> =
        RefCell::new((Decompress::new(true), vec![0; HEADER + COUNTERS * BYTES].into()));
}

/// Adds an encoded histogram and returns the number of its samples; an empty text has none.
///
/// # Errors
/// When it is no histogram, or has other bounds.
pub(crate) fn add_encoded(sum: &mut Histogram<u64>, text: &str) -> Result<u64, LatencyError> {
    if text.is_empty() {
        return Ok(0);
    }
    if let Some(steps) = steps(text) {
        steps.iter().for_each(|&(value, count)| sum.saturating_record_n(value, count));
        return Ok(steps.iter().map(|(_, count)| count).fold(0, |all, count| all.saturating_add(*count)));
    }
    // The library reads other encodings and describes what is wrong with invalid ones.
    let times = latency::decode(text)?;
    latency::add(sum, &times);
    Ok(times.len())
}

impl Latency {
    /// Adds the times to a histogram, exactly as if they had been measured together.
    ///
    /// # Errors
    /// When the histogram can't be read, or its number of samples is not `count`.
    pub fn add_to(&self, sum: &mut Histogram<u64>) -> Result<(), LatencyError> {
        let held = add_encoded(sum, &self.histogram)?;
        if held == self.count { Ok(()) } else { Err(LatencyError::Count { said: self.count, held }) }
    }
}

/// Returns values in rising order with their counts; `None` for an encoding that this program does not write.
fn steps(text: &str) -> Option<Vec<(u64, u64)>> {
    let bytes = STANDARD.decode(text).ok()?;
    let (head, rest) = (bytes.first_chunk::<8>()?, bytes.get(8..)?);
    let length = usize::try_from(number(head, 4)?).ok()?;
    (number(head, 0)? == DEFLATED && rest.len() == length).then_some(())?;
    INFLATE.with_borrow_mut(|(inflate, out)| {
        inflate.reset(true);
        let status = inflate.decompress(rest, out, FlushDecompress::Finish).ok()?;
        (status == Status::StreamEnd).then_some(())?;
        counts(payload(out.get(..usize::try_from(inflate.total_out()).ok()?)?)?)
    })
}

/// The counts of a histogram, if it has the common bounds.
fn payload(plain: &[u8]) -> Option<&[u8]> {
    let length = usize::try_from(number(plain, 4)?).ok()?;
    let wide = |at: usize| plain.get(at..)?.first_chunk::<8>().copied();
    let is_ours = number(plain, 0)? == PLAIN
        && number(plain, 8)? == 0
        && number(plain, 12)? == DIGITS
        && u64::from_be_bytes(wide(16)?) == 1
        && u64::from_be_bytes(wide(24)?) == LONGEST
        && f64::from_be_bytes(wide(32)?) == FACTOR;
    let payload = plain.get(HEADER..)?;
    (is_ours && payload.len() == length).then_some(payload)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Reads a count for each counter from the lowest; a negative number is the length of a run of zeros.
fn counts(mut payload: &[u8]) -> Option<Vec<(u64, u64)>> {
    let (mut steps, mut counter, end) = (Vec::new(), 0_u64, u64::try_from(COUNTERS).ok()?);
    while !payload.is_empty() {
        let zigzag = varint(&mut payload)?;
        let magnitude = zigzag >> 1;
        if zigzag & 1 == 1 {
            counter = counter.checked_add(magnitude.checked_add(1)?)?;
        } else {
            (counter < end).then_some(())?;
            if magnitude > 0 {
                steps.push((value(counter), magnitude));
            }
            counter += 1;
        }
        (counter <= end).then_some(())?;
    }
    Some(steps)
}

/// The lowest value of a counter.
fn value(counter: u64) -> u64 {
    let half = EXACT / 2;
    if counter < EXACT { counter } else { (counter % half + half) << (counter / half - 1) }
}

/// Groups of seven bits, the lowest first; the ninth byte has eight of them.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for index in 0..BYTES {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let is_last = index == BYTES - 1;
        let bits = if is_last { u64::from(*byte) } else { u64::from(byte & 0x7f) };
        number |= bits << (7 * index);
        if is_last || byte & 0x80 == 0 {
            break;
        }
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::load::latency::{decode, encode, histogram};

    fn histogram_of(times: &[(u64, u64)]) -> Histogram<u64> {
        let mut histogram = histogram();
        times.iter().for_each(|&(time, count)| histogram.saturating_record_n(time, count));
        histogram
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn it_adds_what_the_library_reads(
            before in prop::collection::vec((0..LONGEST, 1_u64..4), 0..10),
            times in prop::collection::vec((prop_oneof![0_u64..3000, 0..LONGEST], prop_oneof![Just(1), 1_u64..(1 << 50)]), 0..40),
        ) {
            let text = encode(&histogram_of(&times));
            let steps = steps(&text).expect("what this program wrote is read the fast way");
            prop_assert_eq!(steps.iter().map(|(_, count)| count).sum::<u64>(), times.iter().map(|(_, count)| count).sum::<u64>());
            let (mut fast, mut slow) = (histogram_of(&before), histogram_of(&before));
            let added = add_encoded(&mut fast, &text).unwrap();
            let read = decode(&text).unwrap();
            latency::add(&mut slow, &read);
            prop_assert_eq!(added, read.len());
            prop_assert_eq!((fast.min(), fast.max(), fast.value_at_quantile(0.5)), (slow.min(), slow.max(), slow.value_at_quantile(0.5)));
            prop_assert_eq!(fast, slow);
        }

        #[test]
        fn whatever_a_text_holds_it_is_read_as_the_library_reads_it(
            times in prop::collection::vec((0..LONGEST, 1_u64..9), 0..9), at in any::<prop::sample::Index>(), byte in any::<u8>(),
        ) {
            let mut bytes = STANDARD.decode(encode(&histogram_of(&times))).unwrap();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let text = STANDARD.encode(bytes);
            let mut sum = histogram();
            match (add_encoded(&mut sum, &text), decode(&text)) {
                (Ok(_), Ok(read)) => prop_assert_eq!(sum, read),
                (fast, slow) => prop_assert_eq!(fast.map_err(|error| error.to_string()).err(), slow.map_err(|error| error.to_string()).err()),
            }
        }
    }

    #[test]
    fn an_empty_text_adds_nothing() {
        let mut sum = histogram();
        assert_eq!(add_encoded(&mut sum, "").unwrap(), 0);
        assert_eq!(add_encoded(&mut sum, &encode(&histogram::<u64>())).unwrap(), 0);
        assert!(add_encoded(&mut sum, "?").unwrap_err().to_string().contains("base64") && sum.is_empty());
    }
}
