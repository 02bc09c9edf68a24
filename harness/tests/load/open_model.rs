//! A server that stalls: open load shows the stall in every call that was due meanwhile.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::server::{Reply, Server, created};
use super::stage::{Loaded, Stage};

const USERS: u64 = 4;
const RATE: u64 = 100;
const STALL: Duration = Duration::from_secs(3);
/// Far above what a response takes even on a busy machine, far below the stall.
const LONG: Duration = Duration::from_secs(1);

/// A server that stalls once: no request gets a response for a while, new or under way.
async fn stalling() -> Server {
    let until: Mutex<Option<Instant>> = Mutex::default();
    Server::start(move |number| {
        let mut until = until.lock().unwrap();
        if number == RATE {
            *until = Some(Instant::now() + STALL);
        }
        Reply { body: created(number), not_before: *until }
    })
    .await
}

/// How many response times, and how many service times, were long.
fn long(loaded: &Loaded) -> (u64, u64) {
    let [create] = loaded.result.operations.as_slice() else { panic!("{:?}", loaded.result.operations) };
    let bound = u64::try_from(LONG.as_micros()).unwrap();
    let above = |latency: &harness::load::result::Latency| latency.times().unwrap().count_between(bound, u64::MAX);
    (above(&create.response), above(&create.service))
}

async fn loaded(shape: &str) -> (Loaded, u64) {
    let server = stalling().await;
    let stage = Stage::at(&server.url);
    let loaded = stage.load(&format!("{shape}\nconservation: off\nmix: [{{ scenario: ./gateway/creation.yaml }}]\n"), &[]).await;
    (loaded, server.asked())
}

#[tokio::test(flavor = "multi_thread")]
async fn open_load_shows_a_stall_in_every_call_that_was_due_meanwhile() {
    let (loaded, asked) = loaded(&format!("kind: constant-arrival-rate\nrate: {RATE}\nusers: {USERS}\nfor: 6s")).await;
    loaded.ended_with(0);
    let arrivals = loaded.result.arrivals.as_ref().unwrap();
    assert_eq!((arrivals.intended, arrivals.started + arrivals.dropped), (6 * RATE, 6 * RATE));
    assert_eq!((loaded.requests(), loaded.all_errors()), (asked, 0));
    let (responses, services) = long(&loaded);
    let due_meanwhile = RATE * STALL.as_secs() / 2;
    assert!(responses >= due_meanwhile, "{responses} of at least {due_meanwhile} waited");
    assert!((1..=USERS).contains(&services), "{services} were sent and not answered");
    assert!(arrivals.delayed >= due_meanwhile, "{arrivals:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_load_hides_the_same_stall() {
    let (loaded, asked) = loaded(&format!("kind: constant-users\nusers: {USERS}\nfor: 6s")).await;
    loaded.ended_with(0);
    assert_eq!(loaded.result.arrivals, None);
    assert_eq!((loaded.requests(), loaded.all_errors()), (asked, 0));
    let (responses, services) = long(&loaded);
    assert_eq!(responses, services, "who waits for a response asks nothing meanwhile");
    assert!((1..=USERS).contains(&responses), "{responses}");
}
