//! Notifications over HTTP.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::uri::Scheme;
use http::{HeaderValue, Request, Response, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::trust::Trust;
use crate::base::access::Access;
use crate::common::Merchant;
use crate::common::freedoms::Freedoms;
use crate::gateway::core::{Interface, Payment};
use crate::gateway::wire::notification;
use crate::wire::shape;
use crate::world::{DeliveryResult, Notification, NotificationBody, Notifier, PendingDelivery, TrustError};

/// More of a response than this is not read; the connection is closed instead.
const LONGEST_RESPONSE: usize = 64 * 1024;

type HttpClient<C> = Client<C, Full<Bytes>>;
type SecureClient = HttpClient<HttpsConnector<HttpConnector>>;

/// Sends notifications by an HTTP client that reuses its connections and follows no redirects.
#[derive(Debug, Clone)]
pub(crate) struct HttpNotifier {
    plain: HttpClient<HttpConnector>,
    trust: Trust,
    /// Made for the first https endpoint: most emulators never see one, and asking the platform takes a while.
    secure: OnceLock<Result<SecureClient, String>>,
    access: Arc<Access>,
}

impl HttpNotifier {
    /// Sends to allowed addresses only.
    pub(crate) fn new(access: Arc<Access>) -> Self {
        Self { plain: client(tcp()), trust: Trust::default(), secure: OnceLock::default(), access }
    }
}

impl Notifier for HttpNotifier {
    fn trusting(&self, pem: &str) -> Result<Arc<dyn Notifier>, TrustError> {
        Ok(Arc::new(Self {
            plain: self.plain.clone(),
            trust: Trust::from_pem(pem)?,
            secure: OnceLock::default(),
            access: Arc::clone(&self.access),
        }))
    }

    fn write(&self, payment: &Payment, merchant: &Merchant, freedoms: &Freedoms) -> NotificationBody {
        let body = notification::write(payment, merchant);
        if freedoms.is_empty() {
            return body;
        }
        let operation = match payment.interface {
            Interface::V1 => "gateway.v1.notification",
            Interface::V2 => "gateway.v2.notification",
        };
        let (headers, bytes) = shape::notification(freedoms, operation, body.media_type, body.bytes);
        NotificationBody { bytes, headers: Some(Box::new(headers)), ..body }
    }

    fn send<'n>(&'n self, notification: &'n Notification, timeout: Duration) -> PendingDelivery<'n> {
        Box::pin(self.post(notification, timeout))
    }
}

impl HttpNotifier {
    async fn post(&self, notification: &Notification, timeout: Duration) -> DeliveryResult {
        if !self.access.notifies(&notification.url) {
            let reason = "not sent: the endpoint is not on this machine (`paycheck emulate --allow-remote` opens that)";
            return DeliveryResult::TransportError(reason.to_owned());
        }
        if notification.url.scheme() != Some(&Scheme::HTTPS) {
            return exchange(&self.plain, notification, timeout).await;
        }
        match self.secure.get_or_init(|| secure(&self.trust)) {
            Ok(client) => exchange(client, notification, timeout).await,
            Err(reason) => DeliveryResult::TransportError(reason.clone()),
        }
    }
}

fn tcp() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.enforce_http(false);
    connector
}

fn client<C: Connect + Clone>(connector: C) -> HttpClient<C> {
    // After a burst to one endpoint, its connections are closed again.
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(Duration::from_secs(5))
        .pool_max_idle_per_host(128)
        .build(connector)
}

fn secure(trust: &Trust) -> Result<SecureClient, String> {
    let config = trust.client_config().map_err(|error| format!("no https: {error}"))?;
    Ok(client(HttpsConnectorBuilder::new().with_tls_config(config).https_only().enable_http1().wrap_connector(tcp())))
}

async fn exchange<C: Connect + Clone + Send + Sync + 'static>(
    client: &HttpClient<C>,
    notification: &Notification,
    timeout: Duration,
) -> DeliveryResult {
    match tokio::time::timeout(timeout, client.request(request(notification))).await {
        Ok(Ok(response)) => finish(response, timeout).await,
        Ok(Err(error)) => DeliveryResult::TransportError(reason(&error)),
        Err(_) => DeliveryResult::TransportError(format!("no response within {} s", timeout.as_secs())),
    }
}

fn request(notification: &Notification) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(notification.body.bytes.clone()));
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = notification.url.clone();
    request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(notification.body.media_type));
    request.headers_mut().insert(header::USER_AGENT, HeaderValue::from_static("paycheck-emulator"));
    if let Some(headers) = &notification.body.headers {
        request.headers_mut().extend(headers.as_ref().clone());
    }
    request
}

/// Returns the status. The body is read only so that the connection can be used again.
async fn finish(response: Response<Incoming>, timeout: Duration) -> DeliveryResult {
    let result = DeliveryResult::Status(response.status().as_u16());
    let _ = tokio::time::timeout(timeout, Limited::new(response.into_body(), LONGEST_RESPONSE).collect()).await;
    result
}

/// The innermost error names the cause, the outer ones only the context.
fn reason(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
