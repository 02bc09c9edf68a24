//! Floods: unsolicited messages take no more memory than their limit.

use std::time::Duration;

use serde_json::json;

use super::mailbox::size;
use super::*;
use crate::wire::exchange::{Decoded, TransportFailure, TransportFailureKind};

/// A notification whose body is this large.
fn notification(bytes: usize) -> Arc<Exchange> {
    let request = Request { body: Body { text: "x".repeat(bytes), ..Body::default() }, ..Request::default() };
    Arc::new(Exchange {
        number: 0,
        arrived: 0,
        direction: Direction::Notification,
        operation: String::new(),
        identity: String::new(),
        request,
        outcome: ExchangeOutcome::Failed(TransportFailure { kind: TransportFailureKind::Broken, detail: String::new() }),
        elapsed: Duration::ZERO,
    })
}

#[test]
fn notifications_that_no_case_knows_are_kept_up_to_a_limit_and_counted() {
    let contracts = Contracts::default();
    let sorting = Sorting::new(&contracts);
    for _ in 0..100 {
        sorting.wait(&contracts, "/push", notification(LARGEST));
    }
    let kept: usize = sorting.waiting(|exchange| Some(size(exchange))).into_iter().sum();
    assert!(kept <= 8 * 1024 * 1024 && kept > 7 * 1024 * 1024, "{kept}");
    assert_eq!(sorting.unexpected(), [Unexpected { path: "/push".to_owned(), count: 100, about: Vec::new() }], "none is forgotten");
}

#[test]
fn a_case_claims_what_fits_among_those_that_no_case_knows() {
    let contracts = Contracts::default();
    let sorting = Sorting::new(&contracts);
    [10, 20, 30].into_iter().for_each(|bytes| sorting.wait(&contracts, "/push", notification(bytes)));
    let claimed = sorting.claim(|exchange| exchange.request.body.text.len() == 20).unwrap();
    assert_eq!(claimed.request.body.text.len(), 20);
    assert!(sorting.claim(|exchange| exchange.request.body.text.len() == 20).is_none(), "once");
    assert_eq!(sorting.unexpected().iter().map(|found| found.count).sum::<usize>(), 2, "the others stay");
}

#[test]
fn a_case_that_claims_nothing_is_full_before_the_memory_is() {
    let mailbox = Mailbox::default();
    let mut taken = 0;
    while !mailbox.is_full() {
        mailbox.receive(notification(LARGEST));
        taken += 1;
    }
    assert!((30..=33).contains(&taken), "{taken}");
    assert!(mailbox.claim(|_| true).is_some() && !mailbox.is_full(), "room again");
    mailbox.receive(notification(LARGEST));
    assert!(mailbox.is_full());
    assert_eq!(mailbox.rest().len(), taken);
    assert!(!mailbox.is_full());
    while !mailbox.is_full() {
        mailbox.receive(notification(1));
        taken += 1;
    }
    assert!(taken >= 10_000, "{taken} small ones");
}

#[test]
fn a_full_mailbox_responds_nothing_that_a_script_has_set() {
    let mailbox = Arc::new(Mailbox::default());
    let refused = EndpointReply { status: Some(500), delay: Duration::ZERO };
    mailbox.respond_with([refused, EndpointReply::OK]);
    while !mailbox.is_full() {
        mailbox.receive(notification(LARGEST));
    }
    let destination = Destination::Case(Arc::clone(&mailbox));
    assert_eq!(destination.next_reply(|| None), None);
    mailbox.rest();
    assert_eq!(
        (destination.next_reply(|| None), destination.next_reply(|| None)),
        (Some(refused), Some(EndpointReply::OK)),
        "none was used up"
    );
    assert_eq!(Destination::Unknown.next_reply(|| None), Some(EndpointReply::OK));
}

#[test]
fn what_is_about_something_else_takes_no_response_away() {
    let mailbox = Mailbox::default();
    let refused = EndpointReply { status: Some(500), delay: Duration::ZERO };
    mailbox.respond_with([refused, EndpointReply::OK]);
    let reply = |about: &str| mailbox.next_reply(|| Some(about.to_owned()));
    assert_eq!(
        [reply("a"), reply("b"), reply("a"), reply("a"), reply("b")].map(|reply| reply == refused),
        [true, true, false, false, false]
    );
    mailbox.respond_with([refused, EndpointReply::OK]);
    assert_eq!(reply("a"), refused, "from the beginning again");
}

#[test]
fn a_notification_that_a_case_has_just_recognised_is_delivered() {
    let contracts = Contracts::shipped();
    let sorting = Sorting::new(&contracts);
    let mut notification = Arc::unwrap_or_clone(notification(10));
    notification.operation = "gateway.v2.notification".to_owned();
    notification.request.body.decoded = Decoded::Value(json!({"transId": "AB12-CD34-EF56"}), Vec::new());
    assert!(matches!(sorting.destination(&contracts, &notification), Destination::Unknown));
    let mailbox = Arc::new(Mailbox::default());
    sorting.recognise(&mailbox, &Mark::Id("AB12-CD34-EF56".to_owned()));
    sorting.wait(&contracts, "/push", Arc::new(notification));
    assert_eq!((mailbox.arrivals(), sorting.unexpected()), (1, Vec::new()));
}

#[tokio::test]
async fn a_connection_is_served_on_the_runtime_that_is_named() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let contracts = Arc::new(Contracts::default());
    let inbox = Inbox::open("127.0.0.1:0".parse().unwrap(), false, contracts, Arc::default(), None).await.unwrap();
    let mailbox = inbox.mailbox("u1");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    inbox.serve_on(vec![runtime.handle().clone()]);
    let mut stream = TcpStream::connect(inbox.address()).await.unwrap();
    stream.write_all(b"POST /u1 HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\na").await.unwrap();
    let mut read = [0; 12];
    stream.read_exact(&mut read).await.unwrap();
    assert_eq!((&read, mailbox.arrivals()), (b"HTTP/1.1 200", 1));
    runtime.shutdown_background();
    // With its runtime ends the connection.
    let mut rest = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut rest)).await.unwrap();
}

/// Sends a beginning, and then a byte a second for ever or nothing; returns the response, and how long the connection lasted. Time
/// passes as soon as there is nothing else to do.
async fn lasts(inbox: &Inbox, beginning: &[u8], trickles: bool) -> (String, Duration) {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let mut stream = TcpStream::connect(inbox.address()).await.unwrap();
    stream.write_all(beginning).await.unwrap();
    let (mut reader, mut writer) = stream.into_split();
    let begun = tokio::time::Instant::now();
    let trickle = tokio::spawn(async move {
        while !trickles || writer.write_all(b"a").await.is_ok() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    let mut response = Vec::new();
    // What is still on its way when the inbox closes the connection resets it.
    let _ = reader.read_to_end(&mut response).await;
    trickle.abort();
    (String::from_utf8(response).unwrap(), begun.elapsed())
}

#[tokio::test]
async fn a_connection_that_is_idle_or_slow_is_cut() {
    let contracts = Arc::new(Contracts::default());
    let inbox = Inbox::open("127.0.0.1:0".parse().unwrap(), false, contracts, Arc::default(), None).await.unwrap();
    let mailbox = inbox.mailbox("u1");
    tokio::time::pause();
    let whole = b"POST /u1 HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\na";
    let begun = b"POST /u1 HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\na";
    for (name, beginning, trickles, response) in [
        ("says nothing", &b""[..], false, ""),
        ("stalls in its head", b"POST /u1 HTTP/1.1\r\nho", false, ""),
        ("sends its head byte by byte", b"POST /u1 HTTP/1.1\r\nhost: x", true, ""),
        ("stalls in its body", begun, false, "HTTP/1.1 408"),
        ("sends its body byte by byte", begun, true, "HTTP/1.1 408"),
        ("is kept open after a notification", whole, false, "HTTP/1.1 200"),
    ] {
        let (found, lasted) = lasts(&inbox, beginning, trickles).await;
        assert!(found.starts_with(response) && lasted <= PATIENCE * 2 + Duration::from_secs(1), "{name}: {found} after {lasted:?}");
        assert_eq!(found.is_empty(), response.is_empty(), "{name}: {found}");
    }
    assert_eq!(mailbox.arrivals(), 1, "what is cut has not arrived");
}
