//! Broken inputs by number: the seeds of a target first, then what comes of them after some changes.

use std::path::{Path, PathBuf};

use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// No input is longer.
const LONGEST: usize = 64 << 10;
/// The most changes of one input.
const CHANGES: usize = 8;
/// What parsers stumble over.
const TOKENS: [&[u8]; 40] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"'",
    b"{{",
    b"}}",
    b"{%",
    b"%}",
    b"&",
    b"=",
    b"%",
    b"%00",
    b"%zz",
    b";",
    b",",
    b":",
    b": ",
    b"- ",
    b"? ",
    b"*a",
    b"&a ",
    b"!!int ",
    b"|\n",
    b"\r\n",
    b"\n",
    b"\0",
    b"\t",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"\\u0000",
    b"1e400",
    b"-0",
    b"18446744073709551616",
    b"9223372036854775807",
    b"null",
    b"PK\x01\x02",
];

/// The seeds of a target, always in the same order.
pub fn seeds(name: &str) -> Vec<Vec<u8>> {
    let harness = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![harness.join("fuzz/seeds").join(name)];
    match name {
        "scenario" => folders.extend(["device", "gateway", "qr"].map(|api| harness.join("../scenarios").join(api))),
        "profile" => folders.push(harness.join("../load")),
        _ => {}
    }
    let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_none_or(|ending| ending != "json")).collect();
    files.sort();
    files.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// The input of this number.
pub fn input(name: &str, seeds: &[Vec<u8>], number: u32) -> Vec<u8> {
    let index = number as usize;
    if let Some(seed) = seeds.get(index) {
        return seed.clone();
    }
    let mixed = name.bytes().fold(u64::from(number), |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mut random = Pcg32::seed_from_u64(mixed);
    let mut bytes = seed(seeds, &mut random).to_vec();
    for _ in 0..=below(&mut random, CHANGES) {
        change(&mut bytes, seeds, &mut random);
        bytes.truncate(LONGEST);
    }
    bytes
}

fn seed<'s>(seeds: &'s [Vec<u8>], random: &mut Pcg32) -> &'s [u8] {
    if seeds.is_empty() { b"" } else { &seeds[below(random, seeds.len())] }
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Pcg32) {
    let (start, end) = part(bytes, random);
    match below(random, 9) {
        0 => bytes.truncate(start),
        1 => drop(bytes.drain(start..end)),
        2 => bytes[start..end].iter_mut().take(1).for_each(|byte| *byte ^= 1 << below(random, 8)),
        3 => bytes[start..end].iter_mut().take(4).for_each(|byte| *byte = random.next_u32() as u8),
        4 => drop(bytes.splice(start..start, TOKENS[below(random, TOKENS.len())].iter().copied())),
        5 => drop(bytes.splice(start..end, TOKENS[below(random, TOKENS.len())].iter().copied())),
        // Many times the same: depth, length, numbers of many digits.
        6 => {
            let token = TOKENS[below(random, TOKENS.len())].repeat(1 << below(random, 13));
            drop(bytes.splice(start..start, token));
        }
        7 => {
            let repeated = bytes[start..end].repeat(1 + below(random, 8));
            drop(bytes.splice(start..end, repeated));
        }
        _ => {
            let other = seed(seeds, random);
            let (from, to) = part(other, random);
            drop(bytes.splice(start..end, other[from..to].iter().copied()));
        }
    }
}

/// A part of some bytes, mostly a short one.
fn part(bytes: &[u8], random: &mut Pcg32) -> (usize, usize) {
    let start = below(random, bytes.len() + 1);
    let longest = if below(random, 4) == 0 { bytes.len() - start } else { (bytes.len() - start).min(16) };
    (start, start + below(random, longest + 1))
}

/// A number below a limit; the bias of the multiplication can't be noticed.
fn below(random: &mut Pcg32, limit: usize) -> usize {
    ((u64::from(random.next_u32()) * limit as u64) >> 32) as usize
}
