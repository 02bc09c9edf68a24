//! `deploy/`: what Kubernetes publishes of its manifests holds, and what their scripts do is done here.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::binary::{CommandResult, Emulate, ended, file};
use crate::support::contracts;
use harness::base::source::{Problems, Source};
use harness::load::profile::{self, Profile};
use harness::report::load as report;
use harness::spec::contract::Files;
use harness::spec::target::{self, Target};
use serde_json::{Value, json};
use tempfile::tempdir;

/// The manifests, and how many objects of which kind.
const MANIFESTS: [(&str, &str); 3] = [("load.yaml", "Job"), ("merge.yaml", "Job"), ("storage.yaml", "PersistentVolumeClaim")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn text(name: &str) -> String {
    std::fs::read_to_string(root().join("deploy/kubernetes").join(name)).unwrap()
}

fn yaml(name: &str) -> Value {
    let mut problems = Problems::new();
    let node = Source::new(name, text(name)).parse(&mut problems);
    assert!(problems.is_empty(), "{}", problems.render(false));
    node.unwrap().to_json()
}

/// The value of a key in run.env.
fn setting(key: &str) -> String {
    let text = text("run.env");
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=')).map(str::to_owned);
    line.unwrap_or_else(|| panic!("run.env has no {key}"))
}

/// A manifest after the replacements of kustomization.yaml, as kustomize does them: a number stays a number.
fn built(name: &str) -> Value {
    let mut manifest = yaml(name);
    for replacement in yaml("kustomization.yaml")["replacements"].as_array().unwrap() {
        assert_eq!(replacement["source"]["name"], "paycheck-run");
        let key = replacement["source"]["fieldPath"].as_str().unwrap().strip_prefix("data.").unwrap();
        let value: u64 = setting(key).parse().unwrap();
        for target in replacement["targets"].as_array().unwrap() {
            if target["select"]["kind"] == manifest["kind"] && target["select"]["name"] == manifest["metadata"]["name"] {
                for path in target["fieldPaths"].as_array().unwrap() {
                    let pointer = format!("/{}", path.as_str().unwrap().replace('.', "/"));
                    // Without `create`, kustomize refuses a field that is not there.
                    *manifest.pointer_mut(&pointer).unwrap_or_else(|| panic!("{name} has no {pointer}")) = json!(value);
                }
            }
        }
    }
    manifest
}

/// What the published schema finds in an object.
fn mistakes(object: &Value) -> Vec<String> {
    let mut schema: Value = serde_json::from_str(include_str!("deploy/kubernetes.schema.json")).unwrap();
    let suffix = format!(".{}", object["kind"].as_str().unwrap_or_default());
    let mut names = schema["$defs"].as_object().unwrap().keys();
    let name = names.find(|name| name.ends_with(&suffix)).cloned().unwrap_or_else(|| panic!("schema.py leaves out {suffix}"));
    schema["$ref"] = json!(format!("#/$defs/{name}"));
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.iter_errors(object).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn pod(job: &Value) -> &Value {
    &job["spec"]["template"]["spec"]
}

fn container(job: &Value) -> &Value {
    let containers = pod(job)["containers"].as_array().unwrap();
    assert_eq!(containers.len(), 1);
    &containers[0]
}

fn script(job: &Value) -> &str {
    let command = container(job)["command"].as_array().unwrap();
    assert_eq!(command[..2], [json!("/bin/sh"), json!("-euc")]);
    command[2].as_str().unwrap()
}

fn shipped_target() -> Target {
    let source = Source::new("deploy/kubernetes/target.yaml", text("target.yaml"));
    let environment = |name: &str| (name == "PAYCHECK_SECRET").then(|| "from-the-environment".to_owned());
    target::parse(&source, &contracts(), &environment).unwrap_or_else(|problems| panic!("{}", problems.render(false)))
}

fn shipped_profile() -> Profile {
    let scenarios =
        harness::spec::scenario::parse_all(&Files::scenarios(), &contracts()).unwrap().into_iter().map(Into::into).collect::<Vec<_>>();
    let source = Source::new("deploy/kubernetes/profile.yaml", text("profile.yaml"));
    let profile = profile::parse(&source, &contracts(), &scenarios);
    profile.unwrap_or_else(|problems| panic!("{}", problems.render(false)))
}

#[test]
fn every_manifest_is_as_kubernetes_publishes_it() {
    for (name, kind) in MANIFESTS {
        let object = built(name);
        assert_eq!(object["kind"], kind, "{name}");
        assert_eq!(mistakes(&object), [""; 0], "{name}");
    }
    let shipped =
        std::fs::read_dir(root().join("deploy/kubernetes")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let others = ["kustomization.yaml", "profile.yaml", "target.yaml", "run.env"];
    let unknown: Vec<_> =
        shipped.filter(|name| !others.contains(&name.as_str()) && MANIFESTS.iter().all(|(known, _)| known != name)).collect();
    assert_eq!(unknown, [""; 0], "what nobody holds against a schema");
}

#[test]
fn what_kubernetes_does_not_know_is_found_at_any_depth() {
    let broken = |change: fn(&mut Value)| {
        let mut job = built("load.yaml");
        change(&mut job);
        mistakes(&job).join("\n")
    };
    assert!(broken(|job| job["spec"]["completion"] = json!(3)).contains("completion"));
    assert!(broken(|job| job["spec"]["completions"] = json!("3")).contains("/spec/completions"));
    assert!(
        broken(|job| job["spec"]["template"]["spec"]["containers"][0]["securityContext"]["readOnlyRootFileSystem"] = json!(true))
            .contains("readOnlyRootFileSystem")
    );
    assert!(broken(|job| drop(job["spec"]["template"]["spec"].as_object_mut().unwrap().remove("containers"))).contains("containers"));
    assert!(broken(|job| job["apiVersion"] = json!("v1")).contains("/apiVersion"));
}

#[test]
fn the_number_of_parts_is_written_in_one_place() {
    let (load, parts) = (built("load.yaml"), setting("PARTS").parse::<u64>().unwrap());
    assert!(parts > 1);
    assert_eq!((&load["spec"]["completions"], &load["spec"]["parallelism"]), (&json!(parts), &json!(parts)), "all at the same time");
    assert_eq!(load["spec"]["completionMode"], "Indexed");
    assert_eq!(load["spec"]["activeDeadlineSeconds"], json!(setting("DEADLINE").parse::<u64>().unwrap()));
    for name in ["load.yaml", "merge.yaml"] {
        assert!(script(&built(name)).contains("$PARTS"), "{name}");
        assert!(
            container(&built(name))["envFrom"].as_array().unwrap().contains(&json!({ "configMapRef": { "name": "paycheck-run" } })),
            "{name}"
        );
    }
}

#[test]
fn a_part_is_never_played_again() {
    let (load, merge) = (built("load.yaml"), built("merge.yaml"));
    assert_eq!((&load["spec"]["backoffLimitPerIndex"], &merge["spec"]["backoffLimit"]), (&json!(0), &json!(0)));
    // Kubernetes asks for both where there is a podFailurePolicy.
    assert_eq!((&pod(&load)["restartPolicy"], &load["spec"]["podReplacementPolicy"]), (&json!("Never"), &json!("Failed")));
    let rules = load["spec"]["podFailurePolicy"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 1);
    assert_eq!(rules[0]["onExitCodes"]["containerName"], container(&load)["name"]);
    let codes = crate::support::binary::run(["exit-codes"]).with_code(0).out;
    let known: Vec<u64> = codes.lines().map(|line| line.split_whitespace().next().unwrap().parse().unwrap()).collect();
    assert!(rules[0]["onExitCodes"]["values"].as_array().unwrap().iter().all(|code| known.contains(&code.as_u64().unwrap())), "{codes}");
}

#[test]
fn pods_can_do_no_more_than_they_must() {
    for name in ["load.yaml", "merge.yaml"] {
        let job = built(name);
        assert_eq!(pod(&job)["automountServiceAccountToken"], json!(false), "{name}");
        let user = &pod(&job)["securityContext"];
        assert_eq!((&user["runAsNonRoot"], &user["seccompProfile"]["type"]), (&json!(true), &json!("RuntimeDefault")), "{name}");
        assert!(user["runAsUser"].as_u64().unwrap() > 0, "{name}");
        let security = &container(&job)["securityContext"];
        let wanted = json!({ "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": { "drop": ["ALL"] } });
        assert_eq!(security, &wanted, "{name}");
        for bound in ["requests", "limits"] {
            assert!(container(&job)["resources"][bound].as_object().unwrap().keys().eq(["cpu", "memory"]), "{name}");
        }
    }
    assert_eq!(
        container(&built("load.yaml"))["resources"]["requests"],
        container(&built("load.yaml"))["resources"]["limits"],
        "whole cores"
    );
}

#[test]
fn no_file_contains_a_secret() {
    for (name, _) in MANIFESTS {
        assert_ne!(yaml(name)["kind"], "Secret", "{name}");
        let literal = |entry: &&Value| entry["value"].as_str().is_some_and(|value| !value.contains("$("));
        assert_eq!(
            yaml(name).pointer("/spec/template/spec/containers/0/env").and_then(|env| env.as_array()?.iter().find(literal)),
            None,
            "{name}"
        );
    }
    let target = shipped_target();
    let contracts = contracts();
    let given = target.credentials.values().flatten().filter(|(part, _)| contracts.secret_parts.contains(part));
    let given: Vec<_> = given.map(|(_, value)| value.as_str()).collect();
    assert_eq!(given, ["from-the-environment"]);
}

#[test]
fn the_target_opens_what_the_profile_asks_for_and_no_more() {
    let (target, profile) = (shipped_target(), shipped_profile());
    assert_eq!(target.may_load(&profile.kind.asked()), Ok(()));
    assert!(!target.allow.production && !target.allow.faults && !target.allow.control);
    assert_eq!(target.allow.load.map(|load| Some(load.rate)), Some(profile.kind.highest_rate()));
    let mut closed = target;
    closed.allow.load = None;
    assert!(closed.may_load(&profile.kind.asked()).is_err(), "the target is on this machine");
}

/// The lines that are a comment in the file, opened as its reader would.
#[test]
fn every_pod_has_an_inbox_of_its_own() {
    let opened =
        with(&text("target.yaml"), &[("# notifications:", "notifications:"), ("#   listen:", "  listen:"), ("#   public:", "  public:")]);
    let source = Source::new("target.yaml", opened);
    let parse = |public: Option<&str>| {
        let environment = |name: &str| match name {
            "PAYCHECK_PUBLIC" => public.map(str::to_owned),
            _ => Some("x".to_owned()),
        };
        target::parse(&source, &contracts(), &environment).map(|target| target.notifications)
    };
    let variables = container(&built("load.yaml"))["env"].clone();
    let public = json!({ "name": "PAYCHECK_PUBLIC", "value": "http://$(POD_IP):9080" });
    assert_eq!(variables[1], public, "behind POD_IP: Kubernetes fills in what stands before");
    let notifications = parse(Some("http://10.0.0.7:9080")).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    assert_eq!(notifications.listen.unwrap().port(), 9080);
    assert_eq!(notifications.public.unwrap().as_str(), "http://10.0.0.7:9080/");
    for (given, says) in [(None, "PAYCHECK_PUBLIC is not set"), (Some("10.0.0.7"), "PAYCHECK_PUBLIC holds no URL like")] {
        let problem = parse(given).unwrap_err().render(false);
        assert!(problem.contains(says) && problem.contains("target.yaml:15:"), "{problem}");
    }
}

/// The scripts of the Jobs, with folders of this machine.
struct Cluster<'c> {
    folder: &'c Path,
    start_at: String,
    parts: String,
    /// How long the merge waits, in seconds.
    deadline: i64,
}

impl Cluster<'_> {
    fn start(&self, job: &Value, more: &[(&str, &str)]) -> Child {
        let folder = |name: &str| format!("{}/{name}", self.folder.display());
        let script = script(job).replace("/input", &folder("input")).replace("/results", &folder("results"));
        let binary = Path::new(env!("CARGO_BIN_EXE_paycheck")).parent().unwrap().display().to_string();
        let mut command = Command::new("/bin/sh");
        command.args(["-euc", &script]).env("PATH", format!("{binary}:{}", std::env::var("PATH").unwrap())).env("NO_COLOR", "1");
        let deadline = self.deadline.to_string();
        command.envs([("START_AT", self.start_at.as_str()), ("PARTS", &self.parts), ("DEADLINE", &deadline)]);
        command.envs(more.iter().copied()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn merge(&self) -> Child {
        self.start(&built("merge.yaml"), &[])
    }

    fn whole(&self) -> PathBuf {
        self.folder.join("results").join(&self.start_at).join("whole")
    }
}

/// What is replaced is there.
fn with(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "no `{from}` in:\n{text}");
        text.replace(from, to)
    })
}

/// A machine with other work may need longer than the first ones leave until all parts are ready.
#[test]
fn the_jobs_play_every_part_and_judge_the_whole() {
    assert!([10, 20, 40, 80].into_iter().any(the_jobs_are_played_within), "no part was ready in time");
}

/// Plays the Jobs so many seconds from now; false where a part was not ready by then, and said so.
fn the_jobs_are_played_within(seconds: u64) -> bool {
    let folder = tempdir().unwrap();
    let emulator = Emulate::start(&[]);
    file(folder.path(), "input/target.yaml", &with(&text("target.yaml"), &[("https://pay.staging.example.com", &emulator.url)]));
    let short = [("rate: 300", "rate: 30"), ("users: 150", "users: 9"), ("for: 10m", "for: 2s"), ("warm-up: 30s", "warm-up: 0s")];
    file(folder.path(), "input/profile.yaml", &with(&text("profile.yaml"), &short));
    let at = jiff::Timestamp::now() + std::time::Duration::from_secs(seconds);
    // As the README's line writes it.
    let cluster =
        Cluster { folder: folder.path(), start_at: at.strftime("%Y%m%dT%H%M%SZ").to_string(), parts: setting("PARTS"), deadline: 0 };
    let parts: u64 = cluster.parts.parse().unwrap();
    let mut merging = cluster.merge();
    let play = |index: u64| {
        let index = index.to_string();
        cluster.start(&built("load.yaml"), &[("JOB_COMPLETION_INDEX", &index), ("PAYCHECK_SECRET", "secret-100001")])
    };
    let playing: Vec<Child> = (0..parts).map(play).collect();
    let parts: Vec<CommandResult> = playing.into_iter().map(ended).collect();
    if parts.iter().any(|part| part.err.contains("the other parts have begun without this one")) {
        merging.kill().unwrap();
        merging.wait().unwrap();
        return false;
    }
    for CommandResult { code, out, err } in parts {
        assert!(code == 0 || out.contains("generator-limited"), "{code}\n{out}\n{err}");
    }
    let merged = ended(merging);
    assert!(merged.out.contains("results of 3 of 3 parts"), "{}\n{}", merged.out, merged.err);
    let whole = report::read(&std::fs::read(cluster.whole().join("result.json")).unwrap(), "whole").unwrap();
    assert_eq!((whole.shards.of, whole.shards.parts.as_slice()), (3, [1, 2, 3].as_slice()));
    assert_eq!(whole.arrivals.as_ref().map(|arrivals| arrivals.intended), Some(60), "2 s of 30/s, by three");
    assert_eq!(whole.findings, []);
    assert_eq!(merged.code, i32::from(report::outcome(&whole, false).exit().code()), "{}", merged.out);
    assert!(cluster.whole().join("report.html").exists());
    true
}

#[test]
fn a_part_that_does_not_come_is_waited_for_only_so_long() {
    let folder = tempdir().unwrap();
    // The minute after the deadline has passed.
    let cluster = Cluster { folder: folder.path(), start_at: "20261122T100000Z".to_owned(), parts: "3".to_owned(), deadline: -60 };
    file(folder.path(), "results/20261122T100000Z/part-1.json", "");
    let ended = ended(cluster.merge()).with_code(3).complaining(&["RESULT"]);
    assert!(ended.out.contains("results of 0 of 3 parts"), "what is empty is no result: {}", ended.out);
}

#[test]
fn the_image_is_built_from_what_the_workspace_needs() {
    let read = |name: &str| std::fs::read_to_string(root().join("deploy").join(name)).unwrap();
    let ignored = read("Dockerfile.dockerignore");
    assert!(ignored.starts_with("*\n"), "all but:");
    let kept: Vec<&str> = ignored.lines().filter_map(|line| line.strip_prefix('!')).collect();
    assert!(kept.iter().all(|name| root().join(name).exists()), "{kept:?}");
    // The members of the workspace, and the folders that are embedded into the binary.
    for needed in ["Cargo.toml", "Cargo.lock", "harness", "emulator", "contracts", "scenarios", "load"] {
        assert!(kept.contains(&needed), "{needed}");
    }
    let image = read("Dockerfile");
    for line in [
        "--locked --bin paycheck",
        "USER 65532:65532",
        "-o 65532 -g 65532 /work",
        "WORKDIR /work",
        "STOPSIGNAL SIGINT",
        "ENTRYPOINT [\"paycheck\"]",
    ] {
        assert!(image.contains(line), "{line}");
    }
    assert_eq!(pod(&built("load.yaml"))["securityContext"]["runAsUser"], json!(65532));
}
