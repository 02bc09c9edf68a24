use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use h2::server::{self, SendResponse};
use h2::{Reason, RecvStream};
use http::{Request, Response};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use crate::engine::client::{Connector, LONGEST_HEAD, SpokenOver};
use crate::engine::request::ConnectionRequest;
use crate::engine::transport::connection::Connection;
use crate::engine::transport::connections::Connections;
use crate::engine::transport::reply::Failure;
use crate::spec::target::HttpChoice;
use crate::wire::exchange::{HttpVersion, TransportFailureKind};

type Incoming = (Request<RecvStream>, SendResponse<Bytes>);
type Serving = server::Connection<TcpStream, Bytes>;

fn request(body: &'static str) -> ConnectionRequest {
    let request = Request::post("/page?a=1").header("host", "shop.example").header("accept", "*/*");
    ConnectionRequest::of_test(request.body(Bytes::from(body)).unwrap())
}

/// A server without TLS; what it does with each connection, one after the other.
async fn server<F>(serves: impl FnMut(usize, Serving) -> F + Send + 'static) -> Url
where
    F: Future<Output = ()> + Send,
{
    server_with(server::Builder::new(), serves).await
}

/// A server with settings of its own.
async fn server_with<F>(settings: server::Builder, mut serves: impl FnMut(usize, Serving) -> F + Send + 'static) -> Url
where
    F: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move {
        for number in 0.. {
            let stream = listener.accept().await.unwrap().0;
            serves(number, settings.handshake(stream).await.unwrap()).await;
        }
    });
    base
}

fn connections() -> Connections {
    Connections::own(Connector::of_test(None, HttpChoice::Two))
}

fn connection(connections: &Connections, base: &Url) -> Connection {
    Connection::new(connections.clone(), base.clone(), Duration::from_secs(5))
}

fn respond((_, mut respond): Incoming) {
    let mut body = respond.send_response(Response::new(()), false).unwrap();
    body.send_data(Bytes::from_static(b"ok"), true).unwrap();
}

/// Serves to the end of a connection.
async fn drain(mut serving: Serving) {
    let mut held = Vec::new();
    while let Some(Ok(incoming)) = serving.accept().await {
        held.push(incoming);
    }
}

/// What becomes of one request to a server that does this with it.
async fn failure<F>(serves: impl FnMut(usize, Serving) -> F + Send + 'static) -> Failure
where
    F: Future<Output = ()> + Send,
{
    let base = server(serves).await;
    connection(&connections(), &base).send(&request(""), 100).await.1.unwrap_err()
}

#[tokio::test]
async fn a_request_names_its_host_in_its_address_and_has_its_body() {
    let (seen, mut saw) = tokio::sync::mpsc::unbounded_channel();
    let base = server(move |_, mut serving: Serving| {
        let seen = seen.clone();
        async move {
            while let Some(Ok((mut asked, response))) = serving.accept().await {
                let seen = seen.clone();
                tokio::spawn(async move {
                    let body = asked.body_mut().data().await.map(Result::unwrap).unwrap_or_default();
                    seen.send((asked.uri().to_string(), asked.headers().clone(), body)).unwrap();
                    respond((asked, response));
                });
            }
        }
    })
    .await;
    let connections = connections();
    let mut connection = connection(&connections, &base);
    for body in ["", "price=1"] {
        let reply = connection.send(&request(body), 100).await.1.unwrap();
        assert_eq!((reply.status, reply.body.as_ref(), reply.http), (200, b"ok".as_slice(), HttpVersion::Two));
        let (uri, headers, read) = saw.recv().await.unwrap();
        assert_eq!((uri.as_str(), read.as_ref()), ("http://shop.example/page?a=1", body.as_bytes()));
        assert!(!headers.contains_key("host"), "{headers:?}");
        assert_eq!(headers.get("content-length").map(|length| length.to_str().unwrap()), (!body.is_empty()).then_some("7"));
    }
    assert_eq!(connections.spoken(), [SpokenOver { http: HttpVersion::Two, opened: 1, streams: 1 }]);
}

#[tokio::test]
async fn users_that_share_a_connection_send_at_the_same_time() {
    let base = server(|_, mut serving: Serving| async move {
        let mut waiting = Vec::new();
        while let Some(Ok(incoming)) = serving.accept().await {
            waiting.push(incoming);
            if waiting.len() == 3 {
                waiting.drain(..).for_each(respond);
            }
        }
    })
    .await;
    let mut shared = connections();
    shared.share(1);
    let sent = (0..3).map(|_| {
        let mut connection = connection(&shared, &base);
        async move { connection.send(&request("a"), 100).await.1.unwrap().status }
    });
    assert_eq!(futures::future::join_all(sent).await, [200, 200, 200]);
    assert_eq!(shared.spoken(), [SpokenOver { http: HttpVersion::Two, opened: 1, streams: 3 }]);
}

#[tokio::test]
async fn a_request_that_waits_for_a_stream_is_not_counted_as_one() {
    let mut settings = server::Builder::new();
    settings.max_concurrent_streams(1);
    let base = server_with(settings, |_, mut serving: Serving| async move {
        while let Some(Ok(incoming)) = serving.accept().await {
            respond(incoming);
        }
    })
    .await;
    let mut shared = connections();
    shared.share(1);
    let mut first = connection(&shared, &base);
    // With its response comes what the target allows.
    assert_eq!(first.send(&request("a"), 100).await.1.unwrap().status, 200);
    let sent = (0..5).map(|_| {
        let mut connection = connection(&shared, &base);
        async move { connection.send(&request("a"), 100).await.1.unwrap().status }
    });
    assert_eq!(futures::future::join_all(sent).await, [200; 5]);
    assert_eq!(shared.spoken(), [SpokenOver { http: HttpVersion::Two, opened: 1, streams: 1 }]);
}

#[tokio::test]
async fn a_connection_that_the_target_has_ended_is_opened_again() {
    let base = server(|_, mut serving: Serving| async move {
        respond(serving.accept().await.unwrap().unwrap());
        serving.graceful_shutdown();
        drain(serving).await;
    })
    .await;
    let connections = connections();
    let mut connection = connection(&connections, &base);
    for _ in 0..3 {
        assert_eq!(connection.send(&request("a"), 100).await.1.unwrap().status, 200);
    }
    assert_eq!(connections.spoken()[0].opened, 3);
}

#[tokio::test]
async fn what_ends_an_exchange_is_said_in_words() {
    let refused = failure(|_, mut serving: Serving| async move {
        let (_, mut response) = serving.accept().await.unwrap().unwrap();
        response.send_reset(Reason::REFUSED_STREAM);
        drain(serving).await;
    });
    let gone = failure(|_, mut serving: Serving| async move {
        let _held = serving.accept().await;
        serving.abrupt_shutdown(Reason::ENHANCE_YOUR_CALM);
        drain(serving).await;
    });
    let broken_off = failure(|_, mut serving: Serving| async move {
        let (_, mut response) = serving.accept().await.unwrap().unwrap();
        let mut body = response.send_response(Response::new(()), false).unwrap();
        body.send_data(Bytes::from_static(b"beginn"), false).unwrap();
        body.send_reset(Reason::INTERNAL_ERROR);
        drain(serving).await;
    });
    let cut = failure(|_, mut serving: Serving| async move {
        let _held = serving.accept().await;
    });
    for (failure, detail) in [
        (refused.await, "the target refused the request unprocessed (REFUSED_STREAM)"),
        (gone.await, "the target closed the connection (GOAWAY, ENHANCE_YOUR_CALM"),
        (broken_off.await, "the target broke off the exchange (RST_STREAM, INTERNAL_ERROR"),
        (cut.await, "the connection was closed before the response was complete"),
    ] {
        assert_eq!(failure.kind, TransportFailureKind::Broken, "{failure:?}");
        assert!(failure.detail.starts_with(detail), "{failure:?}");
    }
}

#[tokio::test]
async fn a_response_is_bounded_in_head_and_body() {
    let long = failure(|_, mut serving: Serving| async move {
        let (_, mut response) = serving.accept().await.unwrap().unwrap();
        let mut body = response.send_response(Response::new(()), false).unwrap();
        body.send_data(Bytes::from(vec![b'x'; 101]), true).unwrap();
        drain(serving).await;
    });
    assert_eq!(long.await.kind, TransportFailureKind::TooLarge);
    let heads = failure(|_, mut serving: Serving| async move {
        let (_, mut response) = serving.accept().await.unwrap().unwrap();
        let mut head = Response::new(());
        for number in 0..LONGEST_HEAD / 1000 {
            let name = http::HeaderName::try_from(format!("x-{number}")).unwrap();
            head.headers_mut().insert(name, "x".repeat(1000).parse().unwrap());
        }
        response.send_response(head, true).unwrap();
        drain(serving).await;
    });
    let failure = heads.await;
    assert_eq!(failure.kind, TransportFailureKind::Broken, "{failure:?}");
    assert!(failure.detail.starts_with("the target does not keep to HTTP/2"), "{failure:?}");
}

#[tokio::test(start_paused = true)]
async fn a_missing_response_is_a_timeout() {
    let failure = failure(|_, serving: Serving| drain(serving)).await;
    assert_eq!(failure.kind, TransportFailureKind::Timeout, "{failure:?}");
}

/// A server with TLS that offers these protocols, and closes what it accepts. Returns also its certificate.
async fn offering(protocols: &'static [&'static str]) -> (Url, Vec<u8>) {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key.into()).unwrap();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("https://{}", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move {
        loop {
            let accepted = acceptor.accept(listener.accept().await.unwrap().0).await;
            drop(accepted);
        }
    });
    (base, made.cert.pem().into_bytes())
}

#[tokio::test]
async fn a_target_that_does_not_offer_what_is_asked_for_is_told_apart() {
    let (both, one, two, none) = (&["h2", "http/1.1"][..], &["http/1.1"][..], &["h2"][..], &[][..]);
    use HttpChoice::{Auto, One, Two};
    for (offered, asked, spoken) in [
        (both, Auto, Ok(HttpVersion::Two)),
        (both, One, Ok(HttpVersion::One)),
        (both, Two, Ok(HttpVersion::Two)),
        (one, Auto, Ok(HttpVersion::One)),
        (none, Auto, Ok(HttpVersion::One)),
        (none, One, Ok(HttpVersion::One)),
        (one, Two, Err("the target offers no HTTP/2 in the TLS handshake")),
        (none, Two, Err("the target offers no HTTP/2 in the TLS handshake")),
        (two, One, Err("the target offers no HTTP/1.1 in the TLS handshake")),
    ] {
        let (base, certificate) = offering(offered).await;
        let connector = Connector::of_test(Some(&certificate), asked);
        let opened = connector.connect(&base).await.map(|(_, http)| http).map_err(|error| error.to_string());
        let checked = connector.check_http([&base].into_iter()).await.map_err(|error| error.to_string());
        match spoken {
            Ok(http) => assert_eq!((opened, checked), (Ok(http), Ok(())), "{offered:?} {asked:?}"),
            Err(why) => assert!([opened.unwrap_err(), checked.unwrap_err()].iter().all(|error| error.starts_with(why)), "{offered:?}"),
        }
    }
}

#[tokio::test]
async fn a_target_that_knows_no_http2_without_tls_is_told_apart() {
    let two = server(|_, serving: Serving| drain(serving)).await;
    let connector = Connector::of_test(None, HttpChoice::Two);
    assert!(connector.check_http([&two, &two].into_iter()).await.is_ok());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let one: Url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        assert!(stream.read(&mut [0; 24]).await.unwrap() > 0);
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
    });
    let refused = connector.check_http([&two, &one].into_iter()).await.unwrap_err().to_string();
    assert!(refused.contains("does not speak HTTP/2 without TLS") && refused.contains("`http: auto`"), "{refused}");
    let closed_port: Url = "http://127.0.0.1:1".parse().unwrap();
    assert!(connector.check_http([&closed_port].into_iter()).await.is_ok(), "that it can't be reached is said elsewhere");
}
