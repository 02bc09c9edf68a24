//! `paycheck show`: the files in this binary.

use std::sync::Arc;

use clap::Args;

use super::console::print;
use super::failure::Failure;
use crate::base::exit::Exit;
use crate::base::source::{Problems, Source, nearest};
use crate::spec::contract::Files;

/// Lines shown before and after the one that was asked for.
const AROUND: usize = 5;

/// Files beside the data that help texts, and these files themselves, name.
const NAMED_IN_HELP: [(&str, &str); 6] = [
    ("docs/target.ask.example.yaml", include_str!("../../../docs/target.ask.example.yaml")),
    ("docs/target.example.yaml", include_str!("../../../docs/target.example.yaml")),
    ("docs/target.http.example.yaml", include_str!("../../../docs/target.http.example.yaml")),
    ("docs/world.example.yaml", include_str!("../../../docs/world.example.yaml")),
    ("emulator/freedoms.yaml", include_str!("../../../emulator/freedoms.yaml")),
    ("emulator/openapi.yaml", include_str!("../../../emulator/openapi.yaml")),
];

#[derive(Debug, Clone, Args)]
pub(super) struct ShowArguments {
    /// A file or a folder, as findings, `clause`, `load profiles` and help texts name it, for example `scenarios/gateway`; with `:LINE`
    /// or, in a contract, `#POINTER`, what is around this place. Without it all files are listed.
    path: Option<String>,
}

/// Lists the files, or prints one.
pub(super) fn run(arguments: &ShowArguments) -> Result<Exit, Failure> {
    let sources = sources();
    let asked = FilePlace::parse(arguments.path.as_deref().unwrap_or_default());
    if let Some(source) = asked.file(&sources) {
        print(&asked.part_of(source))?;
        return Ok(Exit::Passed);
    }
    let below = asked.below(&sources);
    if below.is_empty() {
        return Err(unknown(asked.path, &sources));
    }
    below.into_iter().try_for_each(print)?;
    Ok(Exit::Passed)
}

/// All files, in the order in which they are listed.
fn sources() -> Vec<Arc<Source>> {
    let sets = [Files::contracts(), Files::scenarios(), Files::profiles()];
    let data = sets.iter().flat_map(|files| files.matching(|_| true)).map(|(_, source)| Arc::clone(source));
    data.chain(NAMED_IN_HELP.map(|(path, text)| Source::new(path, text))).collect()
}

/// What was asked for: `scenarios/x.yaml:12:3` is about line 12, `schemas/x.json#/properties/price` about a part of a contract.
#[derive(Debug, PartialEq, Eq)]
struct FilePlace<'a> {
    path: &'a str,
    line: Option<usize>,
    pointer: Option<&'a str>,
}

impl<'a> FilePlace<'a> {
    fn parse(asked: &'a str) -> Self {
        let asked = asked.strip_prefix("./").unwrap_or(asked).trim_end_matches('/');
        let (place, pointer) = asked.split_once('#').map_or((asked, None), |(place, pointer)| (place, Some(pointer)));
        let (path, line) = place.split_once(':').map_or((place, None), |(path, line)| (path, Some(line)));
        let line = line.and_then(|line| line.split(':').next()?.parse().ok());
        Self { path, line, pointer }
    }

    /// The paths that may be meant: findings name contracts from their folder on, `load profiles` has no paths.
    fn paths(&self) -> [String; 3] {
        [self.path.to_owned(), format!("contracts/{}", self.path), format!("load/{}.yaml", self.path)]
    }

    /// The file, unless it is none.
    fn file<'s>(&self, sources: &'s [Arc<Source>]) -> Option<&'s Arc<Source>> {
        self.paths().iter().find_map(|path| sources.iter().find(|source| source.path == *path))
    }

    /// The paths below the folder; all of them if nothing was asked for.
    fn below<'s>(&self, sources: &'s [Arc<Source>]) -> Vec<&'s str> {
        let all = || sources.iter().map(|source| source.path.as_str());
        if self.path.is_empty() {
            return all().collect();
        }
        let below = |path: &String| {
            let folder = format!("{path}/");
            all().filter(|path| path.starts_with(&folder)).collect::<Vec<_>>()
        };
        self.paths().iter().map(below).find(|paths| !paths.is_empty()).unwrap_or_default()
    }

    /// The lines around the place, or the whole file.
    fn part_of(&self, source: &Arc<Source>) -> String {
        let line = self.line.or_else(|| line_at(source, self.pointer?));
        line.map_or_else(|| source.text.trim_end().to_owned(), |line| around(source, line))
    }
}

/// The line of what is at a JSON Pointer, or of the nearest part above it.
fn line_at(source: &Arc<Source>, pointer: &str) -> Option<usize> {
    let root = source.parse(&mut Problems::new())?;
    Some(root.nearest_to(pointer).span.line)
}

/// The lines around a line, with their numbers.
fn around(source: &Source, line: usize) -> String {
    let lines = source.text.lines().enumerate().map(|(index, text)| (index + 1, text));
    let near = lines.filter(|(number, _)| number.abs_diff(line) <= AROUND);
    near.map(|(number, text)| format!("{number:>5} {} {text}", if number == line { '>' } else { '|' })).collect::<Vec<_>>().join("\n")
}

fn unknown(path: &str, sources: &[Arc<Source>]) -> Failure {
    let near = nearest(path, sources.iter().map(|source| source.path.as_str()));
    let help = near.map_or_else(|| "`paycheck show` lists them".to_owned(), |near| format!("did you mean `{near}`?"));
    Failure::invalid(format!("there is no file or folder `{path}` in this binary; {help}"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::super::Arguments;
    use super::*;

    #[test]
    fn a_place_is_a_path_with_a_line_or_a_pointer() {
        for (asked, path, line, pointer) in [
            ("scenarios/a.yaml", "scenarios/a.yaml", None, None),
            ("./scenarios/", "scenarios", None, None),
            ("scenarios/a.yaml:12", "scenarios/a.yaml", Some(12), None),
            ("scenarios/a.yaml:12:3", "scenarios/a.yaml", Some(12), None),
            ("scenarios/a.yaml:x", "scenarios/a.yaml", None, None),
            ("schemas/a.json#/properties/a:b", "schemas/a.json", None, Some("/properties/a:b")),
            ("a.openapi.yaml:9#/items", "a.openapi.yaml", Some(9), Some("/items")),
        ] {
            assert_eq!(FilePlace::parse(asked), FilePlace { path, line, pointer }, "{asked}");
        }
    }

    #[test]
    fn of_a_file_the_lines_around_one_are_shown() {
        let text: String = (1..=20).map(|number| format!("line {number}\n")).collect();
        let shown = around(&Source::new("a.yaml", text), 2);
        assert!(shown.starts_with("    1 | line 1\n    2 > line 2\n") && shown.ends_with("    7 | line 7"), "{shown}");
    }

    #[test]
    fn of_a_contract_the_lines_around_a_pointer_are_shown() {
        let source = Source::new("a.json", "{\n  \"properties\": {\n    \"price\": {\n      \"type\": \"integer\"\n    }\n  }\n}\n");
        let shown = |asked: &str| FilePlace::parse(asked).part_of(&source);
        assert!(shown("a.json#/properties/price/type").contains("    4 >       \"type\": \"integer\""));
        assert!(shown("a.json#/properties/price/maximum").contains(" > "), "what is missing is looked for above");
        assert_eq!(shown("a.json"), source.text.trim_end());
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

    #[test]
    fn a_contract_is_found_as_findings_name_it_and_a_profile_by_its_name() {
        let sources = sources();
        let file = |asked: &str| FilePlace::parse(asked).file(&sources).map(|source| source.path.as_str());
        let (contracts, profiles) = (Files::contracts(), Files::profiles());
        let schema = contracts.paths().find(|path| path.starts_with("schemas/")).unwrap();
        assert_eq!(file(&format!("{schema}#/properties")), Some(format!("contracts/{schema}").as_str()));
        let profile = profiles.paths().find_map(|path| path.strip_suffix(".yaml")).unwrap();
        assert_eq!(file(profile), Some(format!("load/{profile}.yaml").as_str()));
        assert!(!FilePlace::parse("schemas").below(&sources).is_empty());
    }

    #[test]
    fn every_file_that_a_help_text_names_is_there() {
        let (sources, mut program) = (sources(), Arguments::command());
        let mut named = Vec::new();
        for command in program.get_subcommands_mut() {
            let help = command.render_long_help().to_string();
            let words = help.split(|c: char| c.is_whitespace() || "()`;,".contains(c)).map(str::to_owned);
            named.extend(words.filter(|word| word.ends_with(".yaml") && (word.starts_with("docs/") || word.starts_with("emulator/"))));
        }
        assert!(!named.is_empty());
        for path in named {
            assert!(FilePlace::parse(&path).file(&sources).is_some(), "{path}");
        }
    }
}
