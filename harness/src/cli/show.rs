//! `paycheck show`: the files in this binary.

use clap::Args;

use super::console::print;
use super::failure::Failure;
use crate::base::exit::Exit;
use crate::base::source::{Source, nearest};
use crate::spec::contract::Files;

/// Lines shown before and after the one that was asked for.
const AROUND: usize = 5;

#[derive(Debug, Clone, Args)]
pub(super) struct ShowArguments {
    /// A file or a folder, as findings, `clause` and `load profiles` name it, for example `scenarios/gateway`; with `:LINE`, what is
    /// around this line. Without it all files are listed.
    path: Option<String>,
}

/// Lists the files, or prints one.
pub(super) fn run(arguments: &ShowArguments) -> Result<Exit, Failure> {
    let sets = [Files::contracts(), Files::scenarios(), Files::profiles()];
    let sources: Vec<_> = sets.iter().flat_map(|files| files.matching(|_| true)).map(|(_, source)| &**source).collect();
    let asked = arguments.path.as_deref().unwrap_or_default();
    let (path, line) = place(asked);
    if let Some(source) = sources.iter().find(|source| source.path == path) {
        print(&line.map_or_else(|| source.text.trim_end().to_owned(), |line| around(source, line)))?;
        return Ok(Exit::Passed);
    }
    let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
    let below: Vec<_> = sources.iter().map(|source| source.path.as_str()).filter(|path| path.starts_with(&folder)).collect();
    if below.is_empty() {
        return Err(unknown(path, &sources));
    }
    below.into_iter().try_for_each(print)?;
    Ok(Exit::Passed)
}

/// A path and the line after it: `scenarios/x.yaml:12:3` is about line 12.
fn place(asked: &str) -> (&str, Option<usize>) {
    let asked = asked.strip_prefix("./").unwrap_or(asked).trim_end_matches('/');
    let Some((path, place)) = asked.split_once(':') else { return (asked, None) };
    (path, place.split(':').next().and_then(|line| line.parse().ok()))
}

/// The lines around a line, with their numbers.
fn around(source: &Source, line: usize) -> String {
    let lines = source.text.lines().enumerate().map(|(index, text)| (index + 1, text));
    let near = lines.filter(|(number, _)| number.abs_diff(line) <= AROUND);
    near.map(|(number, text)| format!("{number:>5} {} {text}", if number == line { '>' } else { '|' })).collect::<Vec<_>>().join("\n")
}

fn unknown(path: &str, sources: &[&Source]) -> Failure {
    let near = nearest(path, sources.iter().map(|source| source.path.as_str()));
    let help = near.map_or_else(|| "`paycheck show` lists them".to_owned(), |near| format!("did you mean `{near}`?"));
    Failure::invalid(format!("there is no file or folder `{path}` in this binary; {help}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_path_and_a_line() {
        for (asked, path, line) in [
            ("scenarios/a.yaml", "scenarios/a.yaml", None),
            ("./scenarios/", "scenarios", None),
            ("scenarios/a.yaml:12", "scenarios/a.yaml", Some(12)),
            ("scenarios/a.yaml:12:3", "scenarios/a.yaml", Some(12)),
            ("scenarios/a.yaml:x", "scenarios/a.yaml", None),
        ] {
            assert_eq!(place(asked), (path, line), "{asked}");
        }
    }

    #[test]
    fn of_a_file_the_lines_around_one_are_shown() {
        let text: String = (1..=20).map(|number| format!("line {number}\n")).collect();
        let shown = around(&Source::new("a.yaml", text), 2);
        assert!(shown.starts_with("    1 | line 1\n    2 > line 2\n") && shown.ends_with("    7 | line 7"), "{shown}");
    }

    #[test]
    fn what_is_missing_is_named_with_the_nearest_path() {
        let run = |path: &str| run(&ShowArguments { path: Some(path.to_owned()) });
        let scenarios = Files::scenarios();
        let known = format!("scenarios/{}", scenarios.paths().next().unwrap());
        assert!(run(&known).is_ok() && run("load").is_ok() && run("contracts/schemas/gateway").is_ok());
        let message = format!("{:?}", run(&known.replace(".yaml", ".yml")).unwrap_err());
        assert!(message.contains(&known), "{message}");
        assert!(run("scenario").is_err() && run("scenarios/gate").is_err());
    }
}
