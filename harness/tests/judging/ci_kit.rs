//! The kit for pipelines: valid where its readers publish a schema, and carried out as far as a shell can.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use harness::base::source::{Problems, Source};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::support::binary::file;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn yaml(path: &str) -> Value {
    from_yaml(path, &std::fs::read_to_string(root().join(path)).unwrap())
}

fn from_yaml(name: &str, text: &str) -> Value {
    let mut problems = Problems::new();
    let node = Source::new(name, text).parse(&mut problems);
    problems.or(node).unwrap_or_else(|problems| panic!("{problems}")).unwrap().to_json()
}

/// What the published schema says against a file.
fn faults(schema: &str, value: &Value) -> Vec<String> {
    let path = root().join("harness/tests/schemas/ci").join(schema);
    let schema = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// The blocks of docs/ci.md in a language.
fn snippets(language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let fence = format!("```{language}\n");
    let blocks = text.split(&fence).skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn every_file_is_valid_against_its_published_schema() {
    let (github, gitlab): (Vec<String>, Vec<String>) = snippets("yaml").into_iter().partition(|text| text.contains("runs-on"));
    assert_eq!((github.len(), gitlab.len()), (1, 1));
    for (schema, value) in [
        ("github-actions.json", yaml("deploy/ci/action.yml")),
        ("github-workflows.json", yaml(".github/workflows/release.yml")),
        ("github-workflows.json", from_yaml("docs/ci.md", &github[0])),
        ("gitlab-ci.json", yaml("deploy/ci/paycheck.gitlab-ci.yml")),
        ("gitlab-ci.json", from_yaml("docs/ci.md", &gitlab[0])),
    ] {
        assert_eq!(faults(schema, &value), Vec::<String>::new(), "{schema}");
    }
}

/// The words of an instruction of a Dockerfile, each time it is given.
fn instructions<'d>(dockerfile: &'d str, name: &str) -> Vec<&'d str> {
    dockerfile.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).collect()
}

#[test]
fn the_image_of_a_release_runs_the_program_of_an_archive() {
    let image = std::fs::read_to_string(root().join("deploy/Dockerfile.release")).unwrap();
    assert_eq!(instructions(&image, "USER"), ["65532:65532"], "it is not root");
    assert_eq!(instructions(&image, "WORKDIR"), ["/work"]);
    assert!(image.contains("install -d -o 65532 -g 65532 /work"), "its user can write there");
    assert_eq!(instructions(&image, "ENTRYPOINT"), ["[\"paycheck\"]"]);
    assert_eq!(instructions(&image, "STOPSIGNAL"), ["SIGINT"], "what Ctrl-C sends");
    assert_eq!(instructions(&image, "ADD"), ["${ARCHIVE} /usr/local/"], "what `tar -xzf … -C /usr/local` does");
    assert_eq!(instructions(&image, "ARG"), ["ARCHIVE"]);
    // The workflow builds this image, and passes the archive that it has packed.
    let workflow = std::fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
    assert!(workflow.contains("deploy/Dockerfile.release") && workflow.contains("ARCHIVE="), "{workflow}");
}

#[test]
fn the_schemas_see_mistakes() {
    let mut action = yaml("deploy/ci/action.yml");
    action["runs"]["steps"][0].as_object_mut().unwrap().remove("shell");
    let mut workflow = yaml(".github/workflows/release.yml");
    workflow["jobs"]["binaries"]["step"] = Value::Array(Vec::new());
    let mut gitlab = yaml("deploy/ci/paycheck.gitlab-ci.yml");
    gitlab["paycheck"]["allow_failure"] = "2".into();
    for (schema, value) in [("github-actions.json", action), ("github-workflows.json", workflow), ("gitlab-ci.json", gitlab)] {
        assert_ne!(faults(schema, &value), Vec::<String>::new(), "{schema}");
    }
}

/// A release on disk, packed as the workflow packs it. The program in it calls the one under test, so that packing is quick.
struct Release {
    folder: TempDir,
}

impl Release {
    fn new() -> Self {
        let folder = tempdir().unwrap();
        let program = format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_paycheck"));
        let program = file(folder.path(), "build/paycheck", &program);
        let release = Self { folder };
        release.shell(
            &format!("chmod +x '{0}'; '{1}/deploy/package.sh' '{0}' 'releases/v{2}'", program.display(), root().display(), VERSION),
            &[],
        );
        release
    }

    /// Runs a script in the folder; it must end well.
    fn shell(&self, script: &str, variables: &[(&str, &str)]) -> String {
        let mut command = Command::new("bash");
        command.args(["-euo", "pipefail", "-c", script]).current_dir(self.folder.path()).stdin(Stdio::null());
        let releases = format!("file://{}/releases", self.folder.path().display());
        command.env("NO_COLOR", "1").env("PAYCHECK_RELEASES", releases).envs(variables.iter().copied());
        let output = command.output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{script}\n{out}\n{err}");
        out.into_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn a_release_is_packed_installed_and_run_by_the_action() {
    let release = Release::new();
    let action = yaml("deploy/ci/action.yml");
    assert_eq!(action["inputs"]["version"]["default"], VERSION, "the action installs the version it comes with");
    let step = |index: usize| action["runs"]["steps"][index]["run"].as_str().unwrap().to_owned();
    let file = |name: &str| release.path(name).display().to_string();
    let (temp, paths, outputs) = (file("temp"), file("path"), file("output"));
    let releases = format!("file://{}", file("releases"));
    let ci = root().join("deploy/ci").display().to_string();
    let install = [
        ("VERSION", VERSION),
        ("RELEASES", &releases),
        ("OURS", "file:///nowhere"),
        ("ACTION", &ci),
        ("RUNNER_TEMP", &temp),
        ("GITHUB_PATH", &paths),
    ];
    std::fs::create_dir(&temp).unwrap();
    assert!(release.shell(&step(0), &install).contains(VERSION));
    for installed in [
        "bin/paycheck",
        "share/man/man1/paycheck-verify.1",
        "share/bash-completion/completions/paycheck",
        "share/zsh/site-functions/_paycheck",
        "share/fish/vendor_completions.d/paycheck.fish",
        "share/doc/paycheck/docs/ci.md",
    ] {
        assert!(release.path("temp/paycheck").join(installed).exists(), "{installed}");
    }
    let added = std::fs::read_to_string(&paths).unwrap();
    let path = format!("{}:{}", added.trim(), std::env::var("PATH").unwrap());
    let run = [
        ("PATH", path.as_str()),
        ("ARGUMENTS", "verify --seed 7\n  --filter a-creation-is-answered\n"),
        ("REPORTS", "paycheck-reports"),
        ("GITHUB_OUTPUT", &outputs),
    ];
    release.shell(&step(1), &run);
    assert_eq!(std::fs::read_to_string(&outputs).unwrap(), "exit-code=0\n");
    for report in ["junit.xml", "events.ndjson", "report.html"] {
        assert!(release.path("paycheck-reports").join(report).exists(), "{report}");
    }
}

/// The commands of the workflow's last job, with programs in the place of `gh` and `docker` that write down what they are asked.
#[test]
fn a_tag_becomes_a_release_and_an_image() {
    let release = Release::new();
    let workflow = yaml(".github/workflows/release.yml");
    let run = |job: &str, name: &str| {
        let steps = workflow["jobs"][job]["steps"].as_array().unwrap();
        steps.iter().find(|step| step["name"] == name).unwrap()["run"].as_str().unwrap().to_owned()
    };
    let tag = format!("v{VERSION}");
    release.shell(&format!("cd '{}'\n{}", root().display(), run("binaries", "The tag is the version")), &[("GITHUB_REF_NAME", &tag)]);
    for tool in ["gh", "docker"] {
        let program = format!("#!/bin/sh\ncat >/dev/null\necho \"{tool} $*\" >>asked\n");
        file(release.folder.path(), &format!("tools/{tool}"), &program);
    }
    release.shell("chmod +x tools/*; ln -s 'releases/v'* dist", &[]);
    let path = format!("{}:{}", release.path("tools").display(), std::env::var("PATH").unwrap());
    let variables = [
        ("PATH", path.as_str()),
        ("GITHUB_REF_NAME", &tag),
        ("GITHUB_REPOSITORY", "Our-Shop/Paycheck"),
        ("GITHUB_ACTOR", "jane"),
        ("GH_TOKEN", "a-token-6120"),
    ];
    release.shell(&run("release", "Release"), &variables);
    release.shell(&run("release", "Image"), &variables);
    let asked = std::fs::read_to_string(release.path("asked")).unwrap();
    let archive = format!("paycheck-{VERSION}-x86_64-linux.tar.gz");
    for part in [
        format!("gh release create {tag} dist/"),
        format!("--build-arg ARCHIVE={archive} -t ghcr.io/our-shop/paycheck:{VERSION} dist"),
        format!("docker push ghcr.io/our-shop/paycheck:{VERSION}"),
    ] {
        assert!(asked.contains(&part), "{part}\n{asked}");
    }
    assert!(!asked.contains("a-token-6120"), "a token is no argument: {asked}");
    // The archive that the image is made of is the one that was packed for this platform.
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        assert!(release.path("dist").join(&archive).exists(), "{archive}");
    }
}

#[test]
fn the_step_of_jenkins_leaves_the_report_that_it_names() {
    let release = Release::new();
    let pipeline = snippets("groovy").concat();
    let quoted = |before: &str| pipeline.split(before).nth(1).and_then(|rest| rest.split('\'').next()).unwrap().to_owned();
    let path = format!("{}:{}", release.path("build").display(), std::env::var("PATH").unwrap());
    release.shell(&quoted("sh '"), &[("PATH", &path), ("PAYCHECK_FILTER", "a-creation-is-answered")]);
    assert!(release.path(&quoted("junit '")).exists());
}

#[test]
fn an_archive_that_is_not_the_one_that_was_packed_is_not_installed() {
    let release = Release::new();
    let archive = std::fs::read_dir(release.path(&format!("releases/v{VERSION}"))).unwrap();
    let archive = archive.map(|entry| entry.unwrap().path()).find(|path| path.extension().is_some_and(|ending| ending == "gz")).unwrap();
    std::fs::write(archive, "another").unwrap();
    let install = root().join("deploy/ci/install.sh").display().to_string();
    release.shell(&format!("if '{install}' {VERSION} prefix 2>errors; then exit 1; fi"), &[]);
    assert!(!release.path("prefix/bin/paycheck").exists());
    assert!(std::fs::read_to_string(release.path("errors")).unwrap().contains("NOT match"));
}

#[test]
fn the_job_of_gitlab_runs_and_leaves_its_reports() {
    let release = Release::new();
    let job = &yaml("deploy/ci/paycheck.gitlab-ci.yml")["paycheck"];
    assert_eq!(job["variables"]["PAYCHECK_VERSION"], VERSION);
    let lines = |key: &str| job[key].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect::<Vec<_>>();
    // A container is root and is thrown away; this machine is neither.
    let script: Vec<String> = [lines("before_script"), lines("script")].concat();
    let script: Vec<String> =
        script.into_iter().filter(|line| !line.starts_with("apt-get")).map(|line| line.replace("/usr/local", "prefix")).collect();
    assert_eq!(script.len(), 5, "{script:?}");
    let path = format!("{}:{}", release.path("prefix/bin").display(), std::env::var("PATH").unwrap());
    let mut variables = vec![("PATH", path.as_str())];
    for (name, value) in job["variables"].as_object().unwrap() {
        let value = if name == "RUN" { "verify --filter a-creation-is-answered" } else { value.as_str().unwrap() };
        // Releases are those of this folder.
        if name != "PAYCHECK_RELEASES" {
            variables.push((name, value));
        }
    }
    release.shell(&format!("mkdir prefix\n{}", script.join("\n")), &variables);
    assert!(release.path(job["artifacts"]["reports"]["junit"].as_str().unwrap()).exists());
    let kept = job["artifacts"]["paths"][0].as_str().unwrap();
    assert!(release.path(kept).join("report.html").exists(), "{kept}");
}
