//! Forwards each request, changed by the tamperer.

use std::collections::{HashMap, HashSet, VecDeque};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::header::LOCATION;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Barrier;

use super::message::{basic, bearer, text_of, without_lengths};
use super::{Ending, Memory, Message, ObservedRequest, Push, Tamper, Translation, WorldAction, route};

type Body = BoxBody<Bytes, io::Error>;

/// The state that all connections share.
pub(super) struct Shared {
    pub(super) emulator: SocketAddr,
    pub(super) inbox: OnceLock<SocketAddr>,
    pub(super) tamper: Tamper,
    pub(super) memory: Memory,
    pub(super) kept_back: Mutex<KeptBack>,
    /// What card holders are about to do.
    pub(super) in_hand: Mutex<VecDeque<InHand>>,
    /// Where calls that come twice wait for each other, by what they ask.
    pub(super) meetings: Mutex<HashMap<String, Arc<Barrier>>>,
    /// The number of responses that were changed.
    pub(super) changed: AtomicUsize,
    pub(super) client: Client<HttpConnector, Full<Bytes>>,
}

pub(super) async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            let service = hyper::service::service_fn(|request| {
                let shared = Arc::clone(&shared);
                async move { shared.pass(request).await }
            });
            let mut server = hyper::server::conn::http1::Builder::new();
            let _ = server.title_case_headers(shared.tamper.title_case).serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// Notifications that wait for the status call of their payment.
#[derive(Default)]
pub(super) struct KeptBack {
    /// Mailboxes and what is for them.
    pushes: Vec<(String, Push)>,
    /// The payments whose status was asked for.
    asked: HashSet<String>,
}

impl KeptBack {
    /// Keeps a notification back; returns it if the status of its payment was asked for already.
    fn unless_early(&mut self, mailbox: &str, push: Push) -> Option<Push> {
        if self.asked.contains(&push.message.get("transId")) {
            return Some(push);
        }
        self.pushes.push((mailbox.to_owned(), push));
        None
    }

    /// The notifications of a payment whose status is asked for.
    fn released_by_the_status_of(&mut self, payment: String) -> Vec<(String, Push)> {
        let released = self.pushes.extract_if(.., |(_, push)| push.message.get("transId") == payment).collect();
        self.asked.insert(payment);
        released
    }
}

/// What a card holder is about to do, and after how many status calls.
pub(super) struct InHand {
    head: http::request::Parts,
    bytes: Bytes,
    calls: usize,
}

/// The calls of the terminal that find a card holder still busy.
const BUSY: usize = 2;

/// The connection ends without a response.
type Passed = Result<Response<Body>, io::Error>;

impl Shared {
    async fn pass(&self, request: Request<Incoming>) -> Passed {
        let (head, body) = request.into_parts();
        let bytes = body.collect().await.map_err(io::Error::other)?.to_bytes();
        match head.uri.path().strip_prefix("/inbox/") {
            Some(mailbox) => self.notification(mailbox, &head.headers, &bytes).await,
            None if self.tamper.slow_hands && is_of_a_card_holder(head.uri.path()) => {
                self.in_hand.lock().unwrap().push_back(InHand { head, bytes, calls: BUSY });
                whole(200, HeaderMap::new(), b"{}".to_vec())
            }
            None => match (self.tamper.world, route::action(head.uri.path())) {
                (Some(tamper), Some(action)) => self.deed(tamper, action, &head, &bytes).await,
                _ => self.call(&head, &bytes).await,
            },
        }
    }

    /// Passes an action of the world on, unless the tamperer responds to it.
    async fn deed(
        &self,
        tamper: fn(&mut WorldAction<'_>),
        (control, action): (&str, &str),
        head: &http::request::Parts,
        bytes: &Bytes,
    ) -> Passed {
        let with = Message::read(0, head.headers.clone(), bytes).fields;
        if self.tamper.overlaps.is_some() {
            hold(ROUNDS / 2).await;
        }
        let mut deed =
            WorldAction { action: action.to_owned(), world: route::world(head.uri.path()), with, response: None, memory: &self.memory };
        tamper(&mut deed);
        if let Some(response) = deed.response {
            return whole(200, HeaderMap::new(), response.to_string().into_bytes());
        }
        let with = Bytes::from(Value::Object(deed.with).to_string());
        let (status, headers, bytes) = self.forward(head, &format!("{control}{}", deed.action), &head.headers, with).await?;
        whole(status, headers, bytes.to_vec())
    }

    async fn call(&self, head: &http::request::Parts, bytes: &Bytes) -> Passed {
        let path = self.inward(head.uri.path_and_query().map_or("/", |p| p.as_str()));
        let bytes = self.inward_bytes(bytes);
        let Some(asked) = self.asked(head, &path, &bytes) else {
            let bytes = self.settings(head, &path, bytes);
            let (status, headers, bytes) = self.forward(head, &path, &head.headers, bytes).await?;
            return whole(status, headers, bytes.to_vec());
        };
        if let Some(response) = self.tamper.instead.and_then(|instead| instead(&asked)) {
            self.changed.fetch_add(1, Ordering::Relaxed);
            return send(response).await;
        }
        if asked.is_of_api("terminal") && ["status", "create", "closing"].into_iter().any(|call| asked.is(call)) {
            self.move_hands().await?;
        }
        if self.tamper.twins.is_some_and(|twins| twins(&asked)) {
            self.meets_its_twin(&asked).await;
        }
        let path = self.tamper.way.map_or_else(|| path.clone(), |way| way(&asked, &path));
        let (status, headers, bytes) = match self.tamper.onward {
            None => self.forward(head, &path, &head.headers, bytes).await?,
            Some(tamper) => {
                let mut sent = Message::read(0, head.headers.clone(), &bytes);
                tamper(&asked, &mut sent);
                if self.tamper.overlaps.is_some_and(|overlaps| overlaps(&asked)) {
                    hold(ROUNDS).await;
                }
                self.forward(head, &path, &sent.headers, Bytes::from(sent.bytes())).await?
            }
        };
        let given = Message::read(status, headers, &bytes);
        let mut message = given.clone();
        if let Some(tamper) = self.tamper.response {
            tamper(&asked, &mut message);
        }
        if message != given {
            self.changed.fetch_add(1, Ordering::Relaxed);
        }
        if asked.is("status") {
            let kept = self.kept_back.lock().unwrap().released_by_the_status_of(asked.text("transId"));
            for (mailbox, push) in kept {
                self.deliver(&mailbox, &push).await?;
            }
        }
        send(message).await
    }

    /// Waits until an equal call has arrived.
    async fn meets_its_twin(&self, asked: &ObservedRequest<'_>) {
        let same = format!("{} {} {}", asked.world, asked.operation, Value::Object(asked.fields.clone()));
        let meeting = Arc::clone(self.meetings.lock().unwrap().entry(same).or_insert_with(|| Arc::new(Barrier::new(2))));
        meeting.wait().await;
    }

    /// Lets the card holder who came first go on, and do it in the end.
    async fn move_hands(&self) -> Result<(), io::Error> {
        let done = {
            let mut in_hand = self.in_hand.lock().unwrap();
            let Some(first) = in_hand.front_mut() else { return Ok(()) };
            if first.calls > 0 {
                first.calls -= 1;
                return Ok(());
            }
            in_hand.pop_front()
        };
        if let Some(InHand { head, bytes, .. }) = done {
            self.forward(&head, head.uri.path(), &head.headers, bytes).await?;
        }
        Ok(())
    }

    /// Forwards a request to the emulator; returns status, headers and body of the response.
    async fn forward(
        &self,
        head: &http::request::Parts,
        path: &str,
        headers: &HeaderMap,
        bytes: Bytes,
    ) -> Result<(u16, HeaderMap, Bytes), io::Error> {
        let mut request = Request::builder().method(head.method.clone()).uri(format!("http://{}{path}", self.emulator));
        *request.headers_mut().unwrap() = without_lengths(headers);
        let response = self.client.request(request.body(Full::new(bytes)).unwrap()).await.map_err(io::Error::other)?;
        let (answered, body) = response.into_parts();
        let bytes = body.collect().await.map_err(io::Error::other)?.to_bytes();
        Ok((answered.status.as_u16(), without_lengths(&answered.headers), self.outward_bytes(&bytes)))
    }

    /// Changes the settings of a world that is being opened; any other body stays.
    fn settings(&self, head: &http::request::Parts, path: &str, bytes: Bytes) -> Bytes {
        let Some(tamper) = self.tamper.setting.filter(|_| route::opens_a_world(head.method.as_str(), path)) else { return bytes };
        let mut settings = Message::read(0, head.headers.clone(), &bytes).fields;
        tamper(&mut settings);
        Bytes::from(Value::Object(settings).to_string())
    }

    fn asked(&self, head: &http::request::Parts, path: &str, bytes: &Bytes) -> Option<ObservedRequest<'_>> {
        let (operation, about) = route::operation(head.method.as_str(), path)?;
        let mut fields = Message::read(0, head.headers.clone(), bytes).fields;
        if let Some((name, value)) = about {
            fields.insert(name.to_owned(), value.into());
        }
        let query = path.split_once('?').map_or("", |(_, query)| query);
        let query = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let in_body = || (text_of(fields.get("merchant")), text_of(fields.get("secret")));
        let credentials = basic(&head.headers).unwrap_or_else(in_body);
        let token = bearer(&head.headers).unwrap_or_default();
        Some(ObservedRequest { operation, fields, query, credentials, token, world: route::world(path), memory: &self.memory })
    }

    async fn notification(&self, mailbox: &str, headers: &HeaderMap, bytes: &Bytes) -> Passed {
        let message = Message::read(0, without_lengths(headers), &self.outward_bytes(bytes));
        let mut push = Push { message, times: 1, method: "POST", query: None, besides: Vec::new(), after: Duration::ZERO };
        if let Some(tamper) = self.tamper.push {
            tamper(&self.memory, &mut push);
        }
        tokio::time::sleep(push.after).await;
        let chosen = push.message.status;
        let now = if self.tamper.late { self.kept_back.lock().unwrap().unless_early(mailbox, push) } else { Some(push) };
        let status = match now {
            Some(push) => self.deliver(mailbox, &push).await?,
            None => 200,
        };
        whole(if chosen == 0 { status } else { chosen }, HeaderMap::new(), Vec::new())
    }

    /// Delivers to the inbox; returns the last status.
    async fn deliver(&self, mailbox: &str, push: &Push) -> Result<u16, io::Error> {
        let mut status = 200;
        let inbox = self.inbox.get().expect("a notification came before there was an inbox");
        let query = push.query.as_deref().unwrap_or_default();
        for message in push.besides.iter().chain(std::iter::repeat_n(&push.message, push.times)) {
            let mut request = Request::builder().method(push.method).uri(format!("http://{inbox}/{mailbox}{query}"));
            *request.headers_mut().unwrap() = message.headers.clone();
            let request = request.body(Full::new(Bytes::from(message.bytes()))).unwrap();
            status = self.client.request(request).await.map_err(io::Error::other)?.status().as_u16();
        }
        Ok(status)
    }

    fn inward(&self, text: &str) -> String {
        self.tamper.words.map_or_else(|| text.to_owned(), |words| (words.inward)(text))
    }

    fn inward_bytes(&self, bytes: &Bytes) -> Bytes {
        self.translated(bytes, |words| words.inward)
    }

    fn outward_bytes(&self, bytes: &Bytes) -> Bytes {
        self.translated(bytes, |words| words.outward)
    }

    fn translated(&self, bytes: &Bytes, which: fn(Translation) -> fn(&str) -> String) -> Bytes {
        match (self.tamper.words, std::str::from_utf8(bytes)) {
            (Some(words), Ok(text)) => {
                let other = which(words)(text);
                if other != text {
                    self.changed.fetch_add(1, Ordering::Relaxed);
                }
                Bytes::from(other)
            }
            _ => bytes.clone(),
        }
    }
}

fn is_of_a_card_holder(path: &str) -> bool {
    route::action(path).is_some_and(|(_, action)| action.starts_with("cardholder."))
}

async fn send(message: Message) -> Passed {
    let bytes = message.bytes();
    match message.ending {
        Ending::Whole => whole(message.status, message.headers, bytes),
        Ending::Chunked => {
            let pieces: Vec<_> = bytes.chunks(7).map(|piece| Ok(Frame::data(Bytes::copy_from_slice(piece)))).collect();
            response(message.status, message.headers, StreamBody::new(futures::stream::iter(pieces)).boxed())
        }
        Ending::Cut => {
            let half = Bytes::copy_from_slice(&bytes[..bytes.len() / 2]);
            let pieces = [Ok(Frame::data(half)), Err(io::Error::other("cut"))];
            response(message.status, message.headers, StreamBody::new(futures::stream::iter(pieces)).boxed())
        }
        Ending::Reset => Err(io::Error::other("reset")),
        Ending::Never => std::future::pending().await,
    }
}

fn whole(status: u16, headers: HeaderMap, bytes: Vec<u8>) -> Passed {
    let body = Full::new(Bytes::from(bytes)).map_err(|never: Infallible| match never {});
    response(status, headers, body.boxed())
}

fn response(status: u16, headers: HeaderMap, body: Body) -> Passed {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    *response.headers_mut() = headers;
    if response.status().is_redirection() {
        response.headers_mut().entry(LOCATION).or_insert(HeaderValue::from_static("/elsewhere"));
    }
    Ok(response)
}

/// The rounds of the scheduler that a call is held. Harness and proxy share a runtime, and each round looks at all sockets: what was
/// sent together has arrived long before the last.
const ROUNDS: usize = 200;

async fn hold(rounds: usize) {
    for _ in 0..rounds {
        tokio::task::yield_now().await;
    }
}
