//! The `paycheck` command line.
fn main() {}
