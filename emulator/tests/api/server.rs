//! The emulator on a real socket.

use std::time::Duration;

use bytes::Bytes;
use emulator::{Config, Emulator, Tls};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const HEALTH: &[u8] = b"GET /__emulator/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

const CREATE: &str =
    "merchant=100001&secret=secret-100001&prepareOnly=true&price=100&curr=CZK&label=a&refId=1&method=ALL&email=a@b.cz&fullName=A";

async fn exchange<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin>(mut stream: S, request: &[u8]) -> String {
    stream.write_all(request).await.unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.unwrap();
    String::from_utf8(response).unwrap()
}

#[tokio::test]
async fn an_emulator_starts_on_a_free_port_and_stops() {
    let emulator = Emulator::start(Config::default()).await.unwrap();
    let address = emulator.addr();
    assert_eq!(emulator.base_url(), format!("http://{address}"));
    let response = exchange(TcpStream::connect(address).await.unwrap(), HEALTH).await;
    assert!(response.ends_with("{\"ready\":true}"), "{response}");
    emulator.stop().await;
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_request_in_flight_is_finished_before_the_stop() {
    let emulator = Emulator::start(Config::default()).await.unwrap();
    let mut stream = TcpStream::connect(emulator.addr()).await.unwrap();
    stream.write_all(b"POST /v1.0/create HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\nte").await.unwrap();
    tokio::task::yield_now().await;
    // The server has read the head once it has responded to another request.
    exchange(TcpStream::connect(emulator.addr()).await.unwrap(), HEALTH).await;
    let stop = tokio::spawn(emulator.stop());
    stream.write_all(b"st=").await.unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.unwrap();
    assert!(String::from_utf8(response).unwrap().starts_with("HTTP/1.1 200 OK"));
    // From here on time passes only when there is nothing left to do: it is not waited for longer than needed.
    tokio::time::pause();
    let asked = tokio::time::Instant::now();
    stop.await.unwrap();
    assert!(asked.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn https_is_served_with_a_certificate_to_trust() {
    let tls = Tls::self_signed().unwrap();
    let emulator = Emulator::start(Config { tls: Some(tls.clone()), ..Config::default() }).await.unwrap();
    let stream = connect(&tls, emulator.addr()).await;
    let head = format!(
        "POST /v1.0/create HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/x-www-form-urlencoded\r\n\
         content-length: {}\r\n\r\n",
        CREATE.len()
    );
    let response = exchange(stream, format!("{head}{CREATE}").as_bytes()).await;
    assert!(response.contains("redirect=https%3A%2F%2Flocalhost%2F"), "{response}");
}

#[tokio::test]
async fn a_certificate_is_for_the_names_and_addresses_that_it_was_made_for() {
    let named = Tls::self_signed_for(&["pay.shop.test".to_owned(), "127.0.0.2".to_owned()]).unwrap();
    let plain = Tls::self_signed().unwrap();
    for (tls, name, covered) in [
        (&named, "pay.shop.test", true),
        (&named, "127.0.0.2", true),
        (&named, "localhost", true),
        (&named, "::1", true),
        (&named, "other.shop.test", false),
        (&plain, "pay.shop.test", false),
    ] {
        let emulator = Emulator::start(Config { tls: Some(tls.clone()), ..Config::default() }).await.unwrap();
        assert_eq!(handshake(tls, name, emulator.addr(), &[]).await.is_ok(), covered, "{name}");
    }
    assert!(Tls::self_signed_for(&["žluť.test".to_owned()]).is_err());
}

async fn connect(tls: &Tls, address: std::net::SocketAddr) -> tokio_rustls::client::TlsStream<TcpStream> {
    connect_with(tls, address, &[]).await
}

/// Connects, and offers these protocols.
async fn connect_with(tls: &Tls, address: std::net::SocketAddr, protocols: &[&str]) -> tokio_rustls::client::TlsStream<TcpStream> {
    handshake(tls, "localhost", address, protocols).await.unwrap()
}

/// Connects to a server under this name, trusting its certificate alone.
async fn handshake(
    tls: &Tls,
    name: &'static str,
    address: std::net::SocketAddr,
    protocols: &[&str],
) -> std::io::Result<tokio_rustls::client::TlsStream<TcpStream>> {
    use rustls::pki_types::pem::PemObject as _;
    let mut roots = rustls::RootCertStore::empty();
    roots.add(rustls::pki_types::CertificateDer::from_pem_slice(tls.certificate_pem().as_bytes()).unwrap()).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    let connector = tokio_rustls::TlsConnector::from(std::sync::Arc::new(config));
    connector.connect(name.try_into().unwrap(), TcpStream::connect(address).await.unwrap()).await
}

/// One request to a running emulator; what came back until the connection was closed.
async fn ask(emulator: &Emulator, method: &str, path: &str, body: &str) -> String {
    let media_type = if path.starts_with("/__emulator") { "application/json" } else { "application/x-www-form-urlencoded" };
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    exchange(TcpStream::connect(emulator.addr()).await.unwrap(), request.as_bytes()).await
}

#[tokio::test]
async fn a_disconnected_call_gets_no_response_and_the_next_one_does() {
    let emulator = Emulator::start(Config::default()).await.unwrap();
    let actions = "/__emulator/worlds/default/actions";
    let placed = ask(&emulator, "POST", &format!("{actions}/gateway.disconnects"), r#"{"operation":"gateway.v1.create"}"#).await;
    assert!(placed.starts_with("HTTP/1.1 200"), "{placed}");
    assert_eq!(ask(&emulator, "POST", "/v1.0/create", CREATE).await, "", "not a byte");
    assert!(ask(&emulator, "POST", "/v1.0/create", CREATE).await.contains("code=0"));
    assert!(ask(&emulator, "GET", "/__emulator/worlds/default", "").await.contains("\"payments\":1"), "nothing was created");
}

#[tokio::test]
async fn a_page_that_gives_its_name_this_address_reads_nothing() {
    let emulator = Emulator::start(Config::default()).await.unwrap();
    let asked = async |head: &str| {
        let request = format!("GET /__emulator/worlds/default/payments HTTP/1.1\r\n{head}\r\nconnection: close\r\n\r\n");
        exchange(TcpStream::connect(emulator.addr()).await.unwrap(), request.as_bytes()).await
    };
    for foreign in
        ["host: rebound.example:8080", "host: localhost\r\norigin: https://evil.example", "host: localhost\r\nsec-fetch-site: cross-site"]
    {
        let refused = asked(foreign).await;
        assert!(refused.starts_with("HTTP/1.1 403") && !refused.contains("payments\":"), "{foreign}: {refused}");
    }
    assert!(asked("host: localhost").await.starts_with("HTTP/1.1 200"));
}

/// A client of HTTP/2 on a stream; the connection is driven in the background.
async fn http2<S>(stream: S) -> SendRequest<Full<Bytes>>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

/// Creates a payment over HTTP/2; returns where its payer is sent.
async fn created(mut sender: SendRequest<Full<Bytes>>, url: &str) -> String {
    let request = http::Request::post(url).header("content-type", "application/x-www-form-urlencoded").body(CREATE.into()).unwrap();
    let response = sender.send_request(request).await.unwrap();
    assert_eq!(response.version(), http::Version::HTTP_2);
    String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn http2_is_spoken_by_clients_that_know_it_beforehand_and_by_those_that_agree_on_it() {
    let emulator = Emulator::start(Config::default()).await.unwrap();
    let sender = http2(TcpStream::connect(emulator.addr()).await.unwrap()).await;
    let response = created(sender, "http://shop.localhost/v1.0/create").await;
    assert!(response.contains("redirect=http%3A%2F%2Fshop.localhost%2F"), "{response}");
    let tls = Tls::self_signed().unwrap();
    let emulator = Emulator::start(Config { tls: Some(tls.clone()), ..Config::default() }).await.unwrap();
    for (offered, agreed) in [(vec!["h2"], "h2"), (vec!["http/1.1", "h2"], "h2"), (vec!["http/1.1"], "http/1.1")] {
        let stream = connect_with(&tls, emulator.addr(), &offered).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(agreed.as_bytes()));
        if agreed == "h2" {
            let response = created(http2(stream).await, "https://shop.localhost/v1.0/create").await;
            assert!(response.contains("redirect=https%3A%2F%2Fshop.localhost%2F"), "{response}");
        } else {
            assert!(exchange(stream, HEALTH).await.ends_with("{\"ready\":true}"));
        }
    }
}

/// The response to a request as text, on a connection of its own.
async fn answered(emulator: &Emulator, request: &str) -> String {
    exchange(TcpStream::connect(emulator.addr()).await.unwrap(), request.as_bytes()).await
}

#[tokio::test]
async fn a_request_of_http_1_1_names_its_host_once() {
    let emulator = Emulator::start(Config::default()).await.unwrap();
    let health = |version: &str, hosts: &str| format!("GET /health {version}\r\n{hosts}connection: close\r\n\r\n");
    for hosts in ["", "host: a\r\nhost: b\r\n", "host: a b\r\n", "host: user@a\r\n"] {
        let response = answered(&emulator, &health("HTTP/1.1", hosts)).await;
        assert!(response.starts_with("HTTP/1.1 400") && response.contains("names its host once"), "{hosts}: {response}");
    }
    for (version, hosts) in [("HTTP/1.1", "host: a\r\n"), ("HTTP/1.0", "")] {
        let response = answered(&emulator, &health(version, hosts)).await;
        assert!(response.contains(" 200 "), "{version}: {response}");
    }
}

#[tokio::test]
async fn without_a_host_the_payer_is_sent_to_the_address_that_was_called() {
    let emulator = Emulator::start(Config::default()).await.unwrap();
    let form = "content-type: application/x-www-form-urlencoded";
    let create = format!("POST /v1.0/create HTTP/1.0\r\n{form}\r\ncontent-length: {}\r\n\r\n{CREATE}", CREATE.len());
    let response = answered(&emulator, &create).await;
    let address = format!("redirect=http%3A%2F%2F127.0.0.1%3A{}%2F", emulator.addr().port());
    assert!(response.contains(&address), "{response}");
}

#[tokio::test]
async fn a_response_to_head_has_no_content_in_either_version() {
    let emulator = Emulator::start(Config::default()).await.unwrap();
    for path in ["/health", "/v1.0/create", "/nothing"] {
        let mut sender = http2(TcpStream::connect(emulator.addr()).await.unwrap()).await;
        let request = http::Request::head(format!("http://{}{path}", emulator.addr())).body(Full::default()).unwrap();
        let content = sender.send_request(request).await.unwrap().into_body().collect().await.unwrap().to_bytes();
        assert!(content.is_empty(), "{path}: {content:?}");
        let response = answered(&emulator, &format!("HEAD {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")).await;
        assert!(response.ends_with("\r\n\r\n"), "{path}: {response}");
    }
}

#[tokio::test]
async fn who_is_not_known_learns_how_to_say_who_it_is() {
    let emulator = Emulator::start(Config::default()).await.unwrap();
    for (method, path, challenge) in [
        ("POST", "/pos/auth-api/authenticate", "Basic realm=\"qr\""),
        ("GET", "/pos/qr-api/payment/AB12-CD34-EF56", "Bearer"),
        ("POST", "/pos/pokladna-api/activate", "Basic realm=\"device\""),
        ("GET", "/pos/pokladna-api/config", "Bearer"),
    ] {
        let head = format!("{method} {path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nconnection: close");
        let response = answered(&emulator, &format!("{head}\r\ncontent-length: 2\r\n\r\n{{}}")).await;
        assert!(response.starts_with("HTTP/1.1 401"), "{path}: {response}");
        assert!(response.contains(&format!("\r\nwww-authenticate: {challenge}\r\n")), "{path}: {response}");
    }
}

#[tokio::test]
async fn connections_that_have_said_nothing_do_not_delay_a_stop() {
    let emulator = Emulator::start(Config::default()).await.unwrap();
    let silent = TcpStream::connect(emulator.addr()).await.unwrap();
    let agreed = http2(TcpStream::connect(emulator.addr()).await.unwrap()).await;
    exchange(TcpStream::connect(emulator.addr()).await.unwrap(), HEALTH).await;
    tokio::time::pause();
    let asked = tokio::time::Instant::now();
    emulator.stop().await;
    assert!(asked.elapsed() < Duration::from_secs(1));
    drop((silent, agreed));
}

/// How often a listing is asked for on one connection: more than the buffers of any machine hold, so that the rest waits in the emulator.
const LISTINGS: usize = 100;

/// Asks for listings of ten thousand payments, and reads none of them but the first status.
async fn long_listing(emulator: &Emulator) -> TcpStream {
    let fill = r#"{"merchant":"100001","payments":10000}"#;
    let filled = ask(emulator, "POST", "/__emulator/worlds/default/actions/world.fills", fill).await;
    assert!(filled.starts_with("HTTP/1.1 200"), "{filled}");
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut reader = socket.connect(emulator.addr()).await.unwrap();
    let list = |connection: &str| format!("GET /__emulator/worlds/default/payments HTTP/1.1\r\nhost: localhost\r\n{connection}\r\n");
    let lists = list("").repeat(LISTINGS - 1) + &list("connection: close\r\n");
    reader.write_all(lists.as_bytes()).await.unwrap();
    let mut begun = [0; 15];
    reader.read_exact(&mut begun).await.unwrap();
    assert_eq!(&begun, b"HTTP/1.1 200 OK");
    reader
}

#[tokio::test]
async fn health_and_calls_are_answered_while_a_long_listing_waits_for_its_reader() {
    let emulator = Emulator::start(Config::default()).await.unwrap();
    let reader = long_listing(&emulator).await;
    assert!(ask(&emulator, "GET", "/__emulator/health", "").await.ends_with("{\"ready\":true}"));
    assert!(ask(&emulator, "POST", "/v1.0/create", CREATE).await.contains("code=0"));
    drop(reader);
}

#[tokio::test]
async fn a_response_that_is_not_read_is_given_up() {
    let emulator = Emulator::start(Config::default()).await.unwrap();
    let mut reader = long_listing(&emulator).await;
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(60)).await;
    let mut rest = Vec::new();
    let _ = reader.read_to_end(&mut rest).await;
    let listed = String::from_utf8_lossy(&rest).matches("\"transId\"").count();
    assert!(listed < LISTINGS * 10_000, "{listed}");
}

/// What is sent a byte a second for ever, after a beginning; the response, and how long it took. Time passes as soon as there is
/// nothing else to do.
async fn trickled(emulator: &Emulator, beginning: &str) -> (String, Duration) {
    let mut stream = TcpStream::connect(emulator.addr()).await.unwrap();
    stream.write_all(beginning.as_bytes()).await.unwrap();
    let (mut reader, mut writer) = stream.into_split();
    let begun = tokio::time::Instant::now();
    let trickle = tokio::spawn(async move {
        while writer.write_all(b"a").await.is_ok() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    let mut response = Vec::new();
    // What is still on its way when the emulator closes the connection resets it.
    let _ = reader.read_to_end(&mut response).await;
    trickle.abort();
    (String::from_utf8(response).unwrap(), begun.elapsed())
}

#[tokio::test]
async fn a_body_or_a_head_that_trickles_for_ever_is_cut() {
    let emulator = Emulator::start(Config::default()).await.unwrap();
    tokio::time::pause();
    let post = |path: &str, media_type: &str, framing: &str| {
        format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {media_type}\r\n{framing}\r\n\r\n")
    };
    let (form, json, long) = ("application/x-www-form-urlencoded", "application/json", "content-length: 100000");
    for (beginning, status) in [
        (post("/v1.0/create", form, long), "HTTP/1.1 408"),
        (post("/v1.0/create", form, "transfer-encoding: chunked") + "fffff\r\n", "HTTP/1.1 408"),
        (post("/__emulator/worlds", json, long), "HTTP/1.1 408"),
        // No request was sent yet.
        ("POST /v1.0/create HTTP/1.1\r\nhost: ".to_owned(), ""),
        ("P".to_owned(), ""),
    ] {
        let (response, took) = trickled(&emulator, &beginning).await;
        assert!(response.starts_with(status) && took <= Duration::from_secs(61), "{beginning}: {response} after {took:?}");
    }
}
