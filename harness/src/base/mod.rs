//! The foundation of every room: located reading of files with diagnostics, places, verdicts, exit codes.

pub mod exit;
pub(crate) mod expected;
pub(crate) mod figures;
pub mod file_position;
pub mod interrupt;
pub(crate) mod login;
pub mod name_filter;
pub mod not_judged;
pub mod output;
pub mod place;
pub mod pointer;
pub(crate) mod shell_words;
pub mod skip;
pub mod source;
pub mod source_place;
pub(crate) mod text;
pub mod values;
pub mod verdict;
pub mod wildcard;
