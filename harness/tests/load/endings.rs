//! How a load ends: thresholds, the killswitch, Ctrl-C, a target that is not there, and what is refused before anything is sent.

use std::process::Stdio;
use std::time::Duration;

use harness::load::result::{Early, ErrorKind, LoadResult, LoadVerdict};

use super::server::{Server, refused};
use super::stage::{Stage, run};
use super::support::binary::{file, paycheck};
use super::support::free_address;

/// Closed load on creations, with further lines at the top.
fn profile(more: &str) -> String {
    format!("{more}kind: constant-users\nusers: 2\nfor: 1s\nconservation: off\nmix: [{{ scenario: ./gateway/creation.yaml }}]\n")
}

/// A target whose responses are documented and a little slow.
async fn calm() -> Server {
    Server::slow(Duration::from_millis(5)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_threshold_passes_fails_or_is_not_measured() {
    let server = calm().await;
    let stage = Stage::at(&server.url);
    let (holds, fails, blind) = ("gateway.v2.create p50 < 1m", "service p50 < 1ms", "gateway.v1.status p99 < 1m");
    let asks = |rules: &[&str]| profile(&format!("thresholds: {rules:?}\n"));
    let passed = stage.load(&asks(&["errors = 0", holds]), &[]).await;
    assert_eq!(passed.ended_with(0).threshold(holds).verdict, LoadVerdict::Passed);
    let failed = stage.load(&asks(&[holds, fails]), &[]).await;
    assert_eq!(failed.ended_with(1).threshold(holds).verdict, LoadVerdict::Passed);
    let threshold = failed.threshold(fails);
    assert_eq!(threshold.verdict, LoadVerdict::Failed);
    assert!(threshold.observed.unwrap() >= 5000.0, "{threshold:?}");
    assert!(failed.result.reasons.iter().any(|reason| reason.contains(fails)), "{:?}", failed.result.reasons);
    let unmeasured = stage.load(&asks(&[holds, blind]), &[]).await;
    let threshold = unmeasured.ended_with(2).threshold(blind);
    assert_eq!((threshold.verdict, threshold.observed), (LoadVerdict::Inconclusive, None));
    assert_eq!(threshold.reason.as_deref(), Some("no call of gateway.v1.status ended in the measured time"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_killswitch_ends_a_run_that_shows_nothing_new() {
    let server = Server::responding(|_| refused()).await;
    let stage = Stage::at(&server.url);
    let asked = "killswitch: { errors: 50%, after: 20 }\nkind: constant-arrival-rate\nrate: 100\nusers: 2\nfor: 1m\nconservation: off\nmix: [{ scenario: ./gateway/creation.yaml }]\n";
    let loaded = stage.load(asked, &[]).await;
    loaded.ended_with(1);
    assert_eq!(loaded.result.ended_early, Some(Early::Killswitch));
    // A refusal is documented, but the script does not expect it.
    assert_eq!((loaded.errors(ErrorKind::Business), loaded.all_errors()), (server.asked(), server.asked()));
    assert!((20..5000).contains(&server.asked()), "a minute has 6000: {}", server.asked());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_re_checked_where_nothing_was_created() {
    let server = Server::responding(|_| refused()).await;
    let asked = profile("killswitch: { errors: 100%, after: 1 }\n").replace("conservation: off", "conservation: complete");
    let loaded = Stage::at(&server.url).load(&asked, &[]).await;
    let conservation = loaded.ended_with(1).result.conservation.clone().unwrap();
    assert_eq!((conservation.examined, conservation.held), (0, 0));
    assert!(loaded.ended.out.contains("there was nothing to re-check"), "{}", loaded.ended.out);
    assert_eq!(loaded.requests(), server.asked(), "nothing was asked after the load");
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_of_a_profile_are_replaced_on_the_command_line() {
    let server = calm().await;
    let stage = Stage::at(&server.url);
    let mix = "conservation: off\nmix: [{ scenario: ./gateway/creation.yaml }]\n";
    let constant = format!("kind: constant-arrival-rate\nrate: 1\nusers: 1\nfor: 10m\n{mix}");
    let replaced = ["--rate", "20", "--users", "4", "--for", "1s"];
    let loaded = stage.load(&constant, &replaced).await;
    assert_eq!(loaded.ended_with(0).result.arrivals.as_ref().unwrap().intended, 20);
    assert!(loaded.result.profile.ends_with("--rate 20 --users 4 --for 1s"), "{}", loaded.result.profile);
    let ramp =
        format!("kind: ramping-arrival-rate\nstart: 20\nusers: 4\nstages: [{{ rate: 1, for: 10m }}, {{ rate: 1, for: 10m }}]\n{mix}");
    let loaded = stage.load(&ramp, &["--stage", "500ms:20", "--stage", "1s:0"]).await;
    assert_eq!(loaded.ended_with(0).result.arrivals.as_ref().unwrap().intended, 20, "half a second at 20, and down to 0 in a second");
    let before = server.asked();
    stage.refused(&ramp, &["--rate", "20"]).await.with_code(3).complaining(&["--rate"]);
    assert_eq!(server.asked(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_is_not_there_has_an_exit_code_of_its_own() {
    let unreachable = format!("http://{}", free_address());
    let ended = Stage::at(&unreachable).refused(&profile(""), &[]).await.with_code(4);
    assert!(ended.err.contains("reach") || ended.out.contains("reach"), "{}\n{}", ended.out, ended.err);
    let world = Stage::emulator(&unreachable).refused(&profile(""), &[]).await;
    world.with_code(4).complaining(&["error: "]);
    let ramp = "kind: ramping-users\nstages: [{ users: 2, for: 2s }]\nconservation: off\nmix: [{ scenario: gateway/a-payment-is-asked-about-again }]\n";
    // Users of ramping load get ready during the run, so the failure shows then.
    let coming = Stage::at(&unreachable).refused(ramp, &[]).await;
    coming.with_code(4).complaining(&["the load can't begin"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_shown_at_their_place_and_nothing_is_sent() {
    let server = calm().await;
    let stage = Stage::at(&server.url);
    let wrong = [
        (profile("warmup: 1s\n"), "did you mean `warm-up`"),
        (profile("thresholds: [gateway.v2.creat p99 < 1s]\n"), "did you mean `gateway.v2.create`"),
        (profile("").replace("users: 2", "users: 0"), "profile.yaml:3:8"),
        (profile("").replace("creation.yaml", "cretion.yaml"), "gateway/cretion.yaml"),
        (profile("").replace("./gateway/creation.yaml", "gateway/a-creation-is-answered"), "a-creation-is-answered"),
    ];
    for (profile, message) in wrong {
        stage.refused(&profile, &[]).await.with_code(3).complaining(&[message, "nothing was sent"]);
    }
    let baseline = file(&stage.path(""), "baseline.json", "{\"format\": 99}");
    stage.refused(&profile(""), &["--baseline", baseline.to_str().unwrap()]).await.with_code(3).complaining(&["baseline.json"]);
    stage.refused(&profile(""), &["--baseline", "no-such-file.json"]).await.with_code(3).complaining(&["no-such-file.json"]);
    stage.refused(&profile(""), &["--html", stage.path("").to_str().unwrap()]).await.with_code(3);
    assert_eq!(server.asked(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_compared_with_an_earlier_one() {
    let server = calm().await;
    let stage = Stage::at(&server.url);
    let before = stage.load(&profile("thresholds: [service p50 < 1m]\n"), &[]).await;
    let baseline = file(&stage.path(""), "baseline.json", &before.ended_with(0).json);
    let after = stage.load(&profile("thresholds: [service p50 < 1m]\n"), &["--baseline", baseline.to_str().unwrap()]).await;
    let shown = &after.ended_with(0).ended.out;
    let (started, _) = before.result.started.split_once('.').unwrap();
    assert!(shown.contains(&format!("against profile of {started}Z")), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_a_run_and_what_was_measured_is_reported() {
    let server = calm().await;
    let stage = Stage::at(&server.url);
    let loaded = stage.interrupted(&profile("").replace("for: 1s", "for: 10m"), server.was_asked(100)).await;
    assert_eq!(loaded.result.ended_early, Some(Early::Interrupted));
    assert_eq!((loaded.result.verdict, loaded.all_errors()), (LoadVerdict::Inconclusive, 0));
    let iterations = loaded.result.iterations;
    assert_eq!((iterations.started, iterations.cut_off), (loaded.requests(), 0), "each is one call");
    let left = std::fs::read_dir(stage.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(left.filter(|name| name.ends_with(".partial")).collect::<Vec<_>>(), Vec::<String>::new());
    assert_eq!(loaded.requests(), server.asked(), "what was under way was awaited and counted");
    assert!(loaded.ended.out.contains("gateway.v2.create"), "{}", loaded.ended.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_killed_leaves_what_it_had_measured() {
    let server = calm().await;
    let stage = Stage::at(&server.url);
    let log = stage.path("intervals.hlog");
    let arguments = stage.arguments(&profile("").replace("for: 1s", "for: 10m"), &["--hlog", log.to_str().unwrap()]);
    let mut child = paycheck(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let partial = |begin: &str| {
        let names = std::fs::read_dir(stage.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.into_iter().find(|name| name.starts_with(begin) && name.ends_with(".partial")).map(|name| stage.path(&name))
    };
    // Two seconds of it: the second one replaced the first.
    let so_far = loop {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its time");
        let written = partial("result.json.").and_then(|path| serde_json::from_slice::<LoadResult>(&std::fs::read(path).ok()?).ok());
        match written {
            Some(result) if result.timeline.len() >= 2 => break result,
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    };
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!stage.path("result.json").exists() && !log.exists());
    let left = partial("result.json.").unwrap();
    let result: LoadResult = serde_json::from_slice(&std::fs::read(&left).unwrap()).unwrap();
    assert_eq!((&result.ended_early, result.verdict), (&Some(Early::Unfinished), LoadVerdict::Inconclusive), "{:?}", result.reasons);
    assert!(result.seconds >= so_far.seconds && result.operations[0].requests > 0, "{} of {}", result.seconds, so_far.seconds);
    let logged = std::fs::read_to_string(partial("intervals.hlog.").unwrap()).unwrap();
    assert!(logged.lines().filter(|line| line.starts_with("Tag=gateway.v2.create,")).count() >= result.timeline.len(), "{logged}");
    let merged = run(["load", "merge", left.to_str().unwrap()].map(str::to_owned).into()).await.with_code(2);
    assert!(merged.out.contains("was stopped before the run ended"), "{}", merged.out);
    assert!(merged.out.contains("gateway.v2.create"), "{}", merged.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_the_user_ends_has_found_nothing_out() {
    let server = calm().await;
    let stage = Stage::at(&server.url);
    let search = "kind: capacity-search\nfrom: 20\nto: 1000\nhold: 10m\nusers: 2\nconservation: off\nthresholds: [errors = 0]\nmix: [{ scenario: ./gateway/creation.yaml }]\n";
    let result = stage.interrupted(search, server.was_asked(20)).await.result;
    assert_eq!((result.ended_early, result.verdict), (Some(Early::Interrupted), LoadVerdict::Inconclusive), "{:?}", result.reasons);
    let [trial] = result.trials.as_slice() else { panic!("{:?}", result.trials) };
    assert!(!trial.held, "{trial:?}");
}
