//! `paycheck init`: a commented target file and a first scenario, ready to be played. Existing files are not changed.

mod shop;

use std::io::{self, BufRead, IsTerminal as _, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::Value;
use url::Url;

use super::arguments::url;
use super::console::print;
use super::failure::Failure;
use super::inputs;
use super::template::{filled, quoted};
use crate::base::exit::Exit;
use crate::base::output::create_whole;
use crate::base::source::Source;
use crate::engine::runner::{Context, Selection, plan};
use crate::modes::preflight::{PreflightError, called, preflight};
use crate::spec::contract::Contracts;
use crate::spec::scenario::parse_all;
use crate::spec::target;
use shop::{FirstApi, Shop};

/// The template of the target file, with marks for the replies.
const TARGET: &str = include_str!("target.yaml");
/// The default base URL: the emulator on this machine.
const EMULATOR: &str = "http://127.0.0.1:8080";

#[derive(Debug, Clone, Args)]
pub(super) struct InitArguments {
    /// The target file to write.
    #[arg(value_name = "FILE", default_value = "target.yaml")]
    target: PathBuf,
    /// The target's name in reports.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Where its APIs are.
    #[arg(long, value_name = "URL", value_parser = url)]
    base: Option<Url>,
    /// The API that the first scenario is about, and whose credentials are asked for. With any but the gateway, the file says that the
    /// target has no other API; add more by hand.
    #[arg(long, value_enum, default_value_t)]
    api: FirstApi,
    /// The merchant's identifier; for another API than the gateway, its login.
    #[arg(long, value_name = "ID")]
    merchant: Option<String>,
    /// The environment variable that holds the merchant's secret. The secret itself is never written.
    #[arg(long, value_name = "NAME")]
    secret_env: Option<String>,
    /// The scenario to write. [default: scenarios/API/my-first-scenario.yaml]
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// Sends nothing: the target is not asked whether it knows the credentials.
    #[arg(long)]
    offline: bool,
}

/// The values for the target file.
struct Replies {
    title: String,
    base: Url,
    /// The parts of the credential, in the order of the shop's.
    parts: Vec<String>,
}

impl InitArguments {
    fn shop(&self) -> &'static Shop {
        self.api.shop()
    }

    /// Where the scenario is written.
    fn scenario(&self) -> PathBuf {
        self.scenario.clone().unwrap_or_else(|| ["scenarios", self.shop().name, "my-first-scenario.yaml"].iter().collect())
    }
}

/// Asks for missing values, writes the files, and checks them.
pub(super) async fn run(arguments: &InitArguments) -> Result<Exit, Failure> {
    let contracts = inputs::contracts(None)?;
    let scenario_path = arguments.scenario();
    let files = [arguments.target.as_path(), scenario_path.as_path()];
    if let Some(path) = files.into_iter().find(|path| path.exists()) {
        return Err(Failure::invalid(format!(
            "{} exists, and is left as it is; nothing was written. `paycheck init FILE --scenario FILE` writes others",
            path.display()
        )));
    }
    let replies = if io::stdin().is_terminal() && io::stderr().is_terminal() {
        replies(arguments, Some(Person { input: &mut io::stdin().lock(), prompt: &mut io::stderr() }))?
    } else {
        replies(arguments, None)?
    };
    let scenario = scenario(&contracts, arguments.shop(), &scenario_path)?;
    let schemas = [("target", target::schema(&contracts)), ("scenario", crate::spec::scenario::schema())];
    for (name, schema) in &schemas {
        write_schema(&schema_path(name), schema)?;
    }
    create(&arguments.target, &target_text(&replies, arguments))?;
    create(&scenario_path, &scenario)?;
    print(&format!("wrote  {}\n       {}", arguments.target.display(), scenario_path.display()))?;
    check(arguments, &replies, contracts).await
}

/// Reads the written target file and, if its secret is known, checks it with the target.
async fn check(arguments: &InitArguments, replies: &Replies, contracts: Arc<Contracts>) -> Result<Exit, Failure> {
    let next = format!("paycheck verify {} --target {}", arguments.scenario().display(), arguments.target.display());
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let secret = replies.secret(arguments.shop());
    let known = set(secret).is_some();
    let mut problems = crate::base::source::Problems::new();
    let source = Source::read(&arguments.target, &mut problems);
    let source = problems.or(source)?.ok_or_else(|| Failure::internal("a file without mistakes was not read"))?;
    let target = target::parse(&source, &contracts, &|name| Some(set(name).unwrap_or_else(|| "not-set".to_owned())))?;
    if !known || arguments.offline {
        let set = if known { String::new() } else { format!("export {secret}=…\n       ") };
        print(&format!("next   {set}{next}"))?;
        return Ok(Exit::Passed);
    }
    let scenarios = inputs::scenarios(&[], &contracts)?;
    let plan = plan(&scenarios, &contracts, &Selection::default());
    let context = Context::start(contracts, target, Vec::new(), 1).await?;
    let unchecked = preflight(&context, &called(&context, &plan)).await.map_err(|error| refused(&error, arguments, replies))?;
    let asked = if unchecked.is_empty() { format!("{} knows the credentials", replies.base) } else { unchecked.join("\n       ") };
    print(&format!("asked  {asked}\nnext   {next}"))?;
    Ok(Exit::Passed)
}

/// The contradiction between the target and the written file.
fn refused(error: &PreflightError, arguments: &InitArguments, replies: &Replies) -> Failure {
    let file = arguments.target.display();
    match error {
        PreflightError::Unreachable { why, .. } => {
            let key = if why.contains("certificate") { "certificate" } else { "base" };
            Failure::unreachable(format!("{error}; the files are written, see `{key}` in {file}"))
        }
        PreflightError::SpeaksTls { .. } | PreflightError::NotTheApi { .. } => {
            Failure::invalid(format!("{error}; the files are written, see `base` in {file}"))
        }
        PreflightError::Credentials { .. } => {
            let (shop, secret) = (arguments.shop(), replies.secret(arguments.shop()));
            let login = shop.parts.first().map_or("credentials", |part| part.name);
            Failure::invalid(format!("{error}; the files are written, see `{login}` in {file} and the variable {secret}"))
        }
    }
}

/// The values from the command line; a missing one is asked for at a terminal, or else set for the emulator.
fn replies(arguments: &InitArguments, mut person: Option<Person<'_>>) -> Result<Replies, Failure> {
    let mut ask = |question: &str, given: Option<String>, default: &str| match (given, &mut person) {
        (Some(given), _) => Ok(given),
        (None, Some(person)) => person.asked(question, default),
        (None, None) => Ok(default.to_owned()),
    };
    let base = ask("Where are the APIs?", arguments.base.as_ref().map(Url::to_string), EMULATOR)?;
    let base = Url::parse(&base)
        .map_err(|error| Failure::invalid(format!("`{base}` is no URL, which begins with http:// or https:// ({error})")))?;
    if !matches!(base.scheme(), "http" | "https") || !base.username().is_empty() || base.password().is_some() {
        return Err(Failure::invalid("a target is at http:// or https://, without user name and password"));
    }
    let title = ask("What is it called in reports?", arguments.title.clone(), base.host_str().unwrap_or("our test shop"))?;
    // The login and the secret come first; for further parts there is no option.
    let given = [&arguments.merchant, &arguments.secret_env].into_iter().cloned().chain(std::iter::repeat(None));
    let parts = arguments.shop().parts.iter().zip(given).map(|(part, given)| {
        let value = ask(part.question, given, &part.default())?;
        if part.is_secret() { name_of_variable(value) } else { Ok(value) }
    });
    Ok(Replies { title, base, parts: parts.collect::<Result<_, _>>()? })
}

/// The name of an environment variable, and not a secret that was typed in its place.
fn name_of_variable(typed: String) -> Result<String, Failure> {
    let is_name = !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_name {
        return Ok(typed);
    }
    Err(Failure::invalid("the name of an environment variable has letters, digits and `_`; the secret itself is not written"))
}

impl Replies {
    /// The variable that holds the secret.
    fn secret(&self, shop: &Shop) -> &str {
        let secret = shop.parts.iter().zip(&self.parts).find(|(part, _)| part.is_secret());
        secret.map_or("", |(_, name)| name)
    }
}

/// A person at a terminal.
struct Person<'t> {
    input: &'t mut dyn BufRead,
    prompt: &'t mut dyn Write,
}

impl Person<'_> {
    /// Asks a question. An empty reply is the default.
    fn asked(&mut self, question: &str, default: &str) -> Result<String, Failure> {
        write!(self.prompt, "{question} [{default}] ")?;
        self.prompt.flush()?;
        let mut line = String::new();
        self.input.read_line(&mut line)?;
        let line = line.trim();
        Ok(if line.is_empty() { default.to_owned() } else { line.to_owned() })
    }
}

/// The target file.
fn target_text(replies: &Replies, arguments: &InitArguments) -> String {
    let shop = arguments.shop();
    let [title, base] = [&replies.title, replies.base.as_str().trim_end_matches('/')].map(quoted);
    let apis = if shop.api == FirstApi::Gateway { base.clone() } else { format!("{{ {}: {base} }}", shop.name) };
    let credentials = shop.credentials(&replies.parts);
    let values = [("TITLE", title.as_str()), ("CREDENTIALS", &credentials), ("APIS", &apis), ("BASE", &base)];
    with_schema("target", &arguments.target, &filled(TARGET, &values))
}

/// The scenario, if it is valid at the requested path.
fn scenario(contracts: &Contracts, shop: &Shop, path: &Path) -> Result<String, Failure> {
    let name = format!("{}/my-first-scenario.yaml", shop.name);
    let files = crate::spec::contract::Files::from_texts([(name.as_str(), shop.scenario)]);
    parse_all(&files, contracts)?;
    Ok(with_schema("scenario", path, shop.scenario))
}

/// Adds a comment that shows editors where the schema is, relative to the file.
fn with_schema(name: &str, path: &Path, text: &str) -> String {
    let is_below = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let folders = path.parent().map_or(0, |folder| folder.components().filter(|part| matches!(part, Component::Normal(_))).count());
    let up = if is_below { (0..folders).map(|_| "..").collect() } else { std::env::current_dir().unwrap_or_default() };
    format!("# yaml-language-server: $schema={}\n{text}", up.join(schema_path(name)).display())
}

fn schema_path(name: &str) -> PathBuf {
    PathBuf::from(format!(".paycheck/{name}.schema.json"))
}

/// Writes a schema for editors; an existing one stays.
fn write_schema(path: &Path, schema: &Value) -> Result<(), Failure> {
    if path.exists() { Ok(()) } else { create(path, &format!("{schema:#}\n")) }
}

/// Writes a file that does not exist.
fn create(path: &Path, text: &str) -> Result<(), Failure> {
    create_whole(path, text.as_bytes()).map_err(|error| Failure::cannot_write(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_finds_the_schema_from_wherever_the_file_is() {
        let schema = |path: &str| with_schema("target", Path::new(path), "").trim_end().rsplit('=').next().unwrap_or_default().to_owned();
        let near = ["target.yaml", "./target.yaml", "conf/target.yaml", "./conf/live/target.yaml"].map(schema);
        let paths = ["", "", "../", "../../"].map(|up| format!("{up}.paycheck/target.schema.json"));
        assert_eq!(near, paths);
        let here = std::env::current_dir().unwrap();
        assert_eq!(schema("../other/target.yaml"), here.join(".paycheck/target.schema.json").display().to_string());
    }

    fn arguments(merchant: Option<&str>) -> InitArguments {
        InitArguments {
            target: PathBuf::from("target.yaml"),
            title: None,
            base: None,
            api: FirstApi::Gateway,
            merchant: merchant.map(str::to_owned),
            secret_env: None,
            scenario: None,
            offline: true,
        }
    }

    /// What a person is asked who types this, and the replies that are used.
    fn session(arguments: &InitArguments, typed: &str) -> (String, Result<Vec<String>, String>) {
        let mut prompt = Vec::new();
        let replies = replies(arguments, Some(Person { input: &mut typed.as_bytes(), prompt: &mut prompt }));
        let replies = replies.map(|replies| [vec![replies.title, replies.base.to_string()], replies.parts].concat());
        (String::from_utf8(prompt).unwrap(), replies.map_err(|failure| failure.to_string()))
    }

    #[test]
    fn a_person_is_asked_what_is_missing_and_an_empty_reply_is_the_default() {
        let (asked, replies) = session(&arguments(None), "https://shop.example/pay\n\n 4711 \nSHOP_SECRET\n");
        assert_eq!(replies.unwrap(), ["shop.example", "https://shop.example/pay", "4711", "SHOP_SECRET"]);
        insta::assert_snapshot!(asked.replace("] ", "]\n"), @r"
        Where are the APIs? [http://127.0.0.1:8080]
        What is it called in reports? [shop.example]
        Which merchant? [100001]
        Which environment variable holds the merchant's secret? [PAYCHECK_SECRET]
        ");
        let (asked, replies) = session(&arguments(Some("7")), "");
        assert_eq!(replies.unwrap(), ["127.0.0.1", "http://127.0.0.1:8080/", "7", "PAYCHECK_SECRET"]);
        assert!(!asked.contains("Which merchant?"), "{asked}");
    }

    #[test]
    fn without_a_person_nothing_is_asked() {
        let replies = replies(&arguments(None), None).unwrap();
        assert_eq!(replies.parts, ["100001", "PAYCHECK_SECRET"]);
    }

    #[test]
    fn a_shop_of_another_api_is_asked_for_its_own_credentials() {
        let of_qr = InitArguments { api: FirstApi::Qr, ..arguments(None) };
        let (asked, replies) = session(&of_qr, "https://qr.example\n\nshop7\n\nM7\n\n");
        assert_eq!(replies.unwrap()[2..], ["shop7", "PAYCHECK_QR_PASSWORD", "M7", "Q100001"]);
        insta::assert_snapshot!(asked.replace("] ", "]\n"), @r"
        Where are the APIs? [http://127.0.0.1:8080]
        What is it called in reports? [qr.example]
        Which user of QR payments? [qr-100001]
        Which environment variable holds its password? [PAYCHECK_QR_PASSWORD]
        Which merchant (`mid`)? [M100001]
        Which terminal? [Q100001]
        ");
        assert_eq!(of_qr.scenario(), Path::new("scenarios/qr/my-first-scenario.yaml"));
    }

    #[test]
    fn a_secret_that_is_typed_in_place_of_a_name_is_not_taken() {
        let (_, replies) = session(&arguments(None), "\n\n\ns3cret!\n");
        assert!(replies.unwrap_err().starts_with("the name of an environment variable"));
    }
}
