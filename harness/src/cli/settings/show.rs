//! `paycheck config`: the values of options, and their origins.

use clap::{Args, Command};
use serde_json::{Value, json};

use super::super::console::print;
use super::super::failure::Failure;
use super::file::ConfigFile;
use super::options::{OptionSpec, Takes, options};
use super::origin::{Environment, Origin, Setting, setting, variable};
use super::unknown;
use crate::base::exit::Exit;
use crate::base::login::masked;
use crate::base::source::nearest;

#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct ConfigArguments {
    /// The command whose options are shown, all of them: `verify`, or `load notification`. Without one: what is set, of
    /// every command.
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// An option and its value.
struct Shown {
    command: String,
    option: OptionSpec,
    variable: String,
    setting: Option<Setting>,
}

/// Prints the values of the options of a program.
pub(in crate::cli) fn run(
    mut program: Command,
    arguments: &ConfigArguments,
    file: ConfigFile,
    environment: &Environment,
) -> Result<Exit, Failure> {
    program.build();
    let file = file.checked(&program)?;
    unknown::refuse(&program, environment, std::iter::empty())?;
    let words: Vec<&str> = arguments.command.iter().map(String::as_str).collect();
    let command = words.iter().try_fold(&program, |command, name| command.find_subcommand(name).ok_or_else(|| unknown(command, name)))?;
    let mut shown = Vec::new();
    collect(command, &words, &file, environment, &mut shown)?;
    if words.is_empty() {
        shown.retain(|option| option.setting.is_some());
    }
    if arguments.json {
        print(&format!("{:#}", json!({ "file": file.path(), "options": shown.iter().map(as_json).collect::<Vec<_>>() })))?;
        return Ok(Exit::Passed);
    }
    print(&format!("config  {}", file.path().unwrap_or("no paycheck.toml here")))?;
    if shown.is_empty() {
        print("no option is set; `paycheck config verify` lists those of a command")?;
    }
    let mut before = "";
    for option in &shown {
        if option.command != before {
            print(&format!("\n{}", option.command))?;
            before = &option.command;
        }
        print(&line(option))?;
    }
    Ok(Exit::Passed)
}

fn unknown(command: &Command, name: &str) -> Failure {
    let near = nearest(name, command.get_subcommands().map(Command::get_name));
    let help = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Failure::invalid(format!("there is no command `{name}`{help}"))
}

/// The options of a command and its subcommands.
fn collect(command: &Command, path: &[&str], file: &ConfigFile, environment: &Environment, shown: &mut Vec<Shown>) -> Result<(), Failure> {
    // The program itself only holds commands.
    for option in options(command).filter(|_| !path.is_empty()) {
        let setting = setting(path, &option, environment, file).map_err(Failure::invalid)?;
        shown.push(Shown { command: path.join(" "), variable: variable(path, &option.name), option, setting });
    }
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        let path: Vec<&str> = path.iter().copied().chain([below.get_name()]).collect();
        collect(below, &path, file, environment, shown)?;
    }
    Ok(())
}

fn line(shown: &Shown) -> String {
    let (value, origin) = match &shown.setting {
        Some(setting) => (value_of(setting), setting.origin.to_string()),
        None => match (&shown.option.default, shown.option.takes) {
            (Some(default), _) => (default.clone(), "default".to_owned()),
            (None, Takes::Flag) => ("false".to_owned(), "default".to_owned()),
            (None, Takes::One { .. } | Takes::Many { .. } | Takes::Rest) => ("-".to_owned(), "not set".to_owned()),
        },
    };
    format!("  {:<22} {value:<28} {origin}", format!("--{}", shown.option.name))
}

fn value_of(setting: &Setting) -> String {
    if setting.values.is_empty() {
        "true".to_owned()
    } else {
        setting.values.iter().map(|value| masked(value)).collect::<Vec<_>>().join(" ")
    }
}

fn as_json(shown: &Shown) -> Value {
    let origin = match shown.setting.as_ref().map(|setting| &setting.origin) {
        Some(Origin::Variable(name)) => json!({ "variable": name }),
        Some(Origin::File(place)) => json!({ "file": place }),
        None => Value::Null,
    };
    let value = match (&shown.setting, shown.option.takes) {
        (Some(setting), _) => Value::String(value_of(setting)),
        (None, Takes::Flag) => Value::String("false".to_owned()),
        (None, _) => shown.option.default.clone().map_or(Value::Null, Value::String),
    };
    json!({ "command": shown.command, "option": shown.option.name, "value": value, "from": origin, "variable": shown.variable })
}
