//! Files that another `paycheck` has written, and that may be of another time or broken.

use harness::engine::tape;
use harness::load::merge::{ResultPart, merge};
use harness::load::verdict;
use harness::report::load::{read, write};

const NAME: &str = "fuzzed.json";

/// Results of loads, as `load merge` reads them: what is read reads the same when it is written again, and a part
/// is not added to itself.
pub fn load_result(bytes: &[u8]) {
    let result = match read(bytes, NAME) {
        Ok(result) => result,
        Err(error) => return assert!(error.to_string().contains(NAME)),
    };
    let part = |name: &str| ResultPart { file: name.to_owned(), result: result.clone() };
    let _ = merge(vec![part("one")], |_| Vec::new(), verdict::verdict);
    assert!(merge(vec![part("one"), part("two")], |_| Vec::new(), verdict::verdict).is_err());
    let written = write(&result).expect("a result can be written");
    assert_eq!(read(&written, NAME).expect("what was written is a result"), result);
}

/// Recordings of runs: one is read whole, or the fault has a place.
pub fn tape(bytes: &[u8]) {
    if let Err(error) = tape::read_from(bytes, NAME) {
        assert!(error.to_string().starts_with(NAME), "{error}");
    }
}
