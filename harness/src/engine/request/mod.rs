//! Requests as they are sent and as they are recorded.

mod content;
mod encode;
mod guard;
mod routes;
mod written;

use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, InvalidHeaderValue, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method};
use http_body_util::Full;
use url::{Position, Url};

pub(crate) use content::RequestContent;
pub(crate) use encode::encode;
pub(crate) use guard::{Consent, Encoded, Guard, Origin, RefusedRequest};
pub(crate) use written::written;

use crate::base::text::all_of;
use crate::engine::client;
use crate::engine::recorder::Recorder;
use crate::spec::contract::{Contracts, Operation, PathTemplate};
use crate::spec::target::{Credential, NOBODY, Target};
use crate::wire::exchange::{Coding, HttpVersion, Request, Vault, encode_form};
use crate::wire::expression::text_of;

/// A request that may be sent, as it is sent and recorded.
///
/// The guard has checked each of them, and nothing but the token can be changed afterwards.
#[derive(Clone, Debug)]
pub(crate) struct PreparedRequest {
    method: Method,
    /// The address as it is recorded: before anything of it is spelt otherwise for the wire.
    written: String,
    url: Url,
    accept: HeaderValue,
    authorization: Option<HeaderValue>,
    /// Not sent without a body.
    media_type: Option<HeaderValue>,
    body: Bytes,
    content: RequestContent,
    consent: Consent,
}

/// Why there is no request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PrepareError {
    /// The target must not receive it.
    #[error(transparent)]
    Refused(#[from] RefusedRequest),
    /// The target file has no credentials for an identity.
    #[error("the target has no credentials for `{0}`")]
    NoCredentials(String),
    /// The credentials lack some parts.
    #[error("the target's credentials of `{identity}` have no {}", all_of(parts))]
    MissingParts {
        /// Whose credentials.
        identity: String,
        /// The missing parts.
        parts: Vec<String>,
    },
    /// The target has no address for the operation's API.
    #[error("the target has no base URL for `{0}`")]
    NoBase(String),
    /// The address or a header can't be written.
    #[error("{operation} can't be sent to the target's address: {reason}")]
    Unwritable {
        /// The operation.
        operation: String,
        /// The obstacle.
        reason: String,
    },
}

/// The settings with which requests to a target are prepared.
#[derive(Clone, Copy)]
pub(crate) struct Preparation<'p> {
    pub(crate) contracts: &'p Contracts,
    pub(crate) target: &'p Target,
    pub(crate) guard: &'p Guard,
}

impl Preparation<'_> {
    /// Prepares a request to an operation below a base URL. `place` names the step that asks for it.
    pub(crate) fn prepare(
        self,
        operation: &Operation,
        mut content: RequestContent,
        base: Option<&Url>,
        place: &str,
    ) -> Result<PreparedRequest, PrepareError> {
        // An API that the target file leaves out needs no credentials either.
        let base = base.ok_or_else(|| PrepareError::NoBase(operation.api.clone()))?;
        let credential = self.add_credential(operation, &mut content)?;
        content.fields.retain(|field, _| !content.without.contains(field));
        let unwritable = |reason: String| PrepareError::Unwritable { operation: operation.id.clone(), reason };
        let written = self.address(operation, &content, base);
        let url = Url::parse(&written).map_err(|error| unwritable(error.to_string()))?;
        let (media_type, body) = encoded_body(operation, &mut content);
        let authorization = authorization(operation, &content, credential.as_ref()).map_err(|error| unwritable(error.to_string()))?;
        let headers: Vec<(&str, &[u8])> = media_type.iter().map(|media_type| (CONTENT_TYPE.as_str(), media_type.as_bytes())).collect();
        let method = content.method.clone().unwrap_or_else(|| self.target.method(operation).to_owned());
        let encoded = Encoded {
            method: &method,
            path: url.path().as_bytes(),
            query: url.query().unwrap_or_default().as_bytes(),
            headers: &headers,
            body: body.as_bytes(),
        };
        let consent = self.guard.consent(&encoded, Origin { operation: &operation.id, place })?;
        Ok(PreparedRequest {
            method: method.parse().unwrap_or(Method::POST),
            written,
            url,
            accept: HeaderValue::from_str(accepted(operation, &content)).map_err(|error| unwritable(error.to_string()))?,
            authorization,
            media_type: media_type.map(HeaderValue::try_from).transpose().map_err(|error| unwritable(error.to_string()))?,
            body: body.into(),
            content,
            consent,
        })
    }

    /// Adds the credentials of the request's identity in path, query and body, and returns them; none are sent as nobody.
    fn add_credential(self, operation: &Operation, content: &mut RequestContent) -> Result<Option<Credential>, PrepareError> {
        let credential = self.target.credential(self.contracts, &content.identity);
        match &credential {
            None if content.identity == NOBODY => {}
            None => return Err(PrepareError::NoCredentials(content.identity.clone())),
            Some(credential) => {
                let parts = content.missing_parts(operation, credential);
                if !parts.is_empty() {
                    return Err(PrepareError::MissingParts { identity: content.identity.clone(), parts });
                }
                content.add_credential(operation, credential);
            }
        }
        Ok(credential)
    }

    /// The address of a request: the link that the step opens, or the operation's own below the base URL.
    fn address(self, operation: &Operation, content: &RequestContent, base: &Url) -> String {
        if let Some(link) = &content.link {
            return link.to_string();
        }
        let own_path = self.target.paths.get(&operation.id).map(|path| PathTemplate::new(path.as_str()));
        let path = own_path.as_ref().unwrap_or(&operation.path).fill(&content.path);
        format!("{}{path}{}", base.as_str().trim_end_matches('/'), query(content))
    }
}

impl PreparedRequest {
    /// Whose credentials are sent.
    pub(crate) fn identity(&self) -> &str {
        &self.content.identity
    }

    /// The content of the request.
    pub(crate) fn content(&self) -> &RequestContent {
        &self.content
    }

    /// Its method.
    pub(crate) fn method(&self) -> &Method {
        &self.method
    }

    /// Its URL, with the query.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// The body; empty if there is none.
    pub(crate) fn body(&self) -> &Bytes {
        &self.body
    }

    /// Sends it with a token, or without one.
    pub(crate) fn set_token(&mut self, token: Option<&str>) -> Result<(), InvalidHeaderValue> {
        self.authorization = token.map(bearer).transpose()?;
        Ok(())
    }

    /// The headers that are its own; the sender adds those about itself and the connection.
    pub(crate) fn headers(&self) -> HeaderMap {
        let own = [(ACCEPT, Some(&self.accept)), (AUTHORIZATION, self.authorization.as_ref()), (CONTENT_TYPE, self.media_type.as_ref())];
        own.into_iter().filter_map(|(name, value)| Some((name, value?.clone()))).collect()
    }

    /// The request for a client that keeps connections itself.
    pub(crate) fn to_client(&self) -> reqwest::Request {
        let mut request = reqwest::Request::new(self.method.clone(), self.url.clone());
        *request.headers_mut() = self.headers();
        if self.media_type.is_some() {
            *request.body_mut() = Some(self.body.clone().into());
        }
        request
    }

    /// The request for a connection to the target's host.
    pub(crate) fn to_connection(&self) -> Result<ConnectionRequest, PrepareError> {
        let unwritable = |reason: String| PrepareError::Unwritable { operation: self.written.clone(), reason };
        let host = &self.url[Position::BeforeHost..Position::AfterPort];
        let host = HeaderValue::from_str(host).map_err(|error| unwritable(error.to_string()))?;
        let mut request = http::Request::new(self.body.clone());
        *request.method_mut() = self.method.clone();
        let target = &self.url[Position::BeforePath..Position::AfterQuery];
        *request.uri_mut() = target.parse().map_err(|error: http::uri::InvalidUri| unwritable(error.to_string()))?;
        let headers = request.headers_mut();
        headers.insert(HOST, host);
        headers.insert(ACCEPT, self.accept.clone());
        headers.insert(USER_AGENT, HeaderValue::from_static(client::USER_AGENT));
        headers.extend(self.authorization.iter().map(|value| (AUTHORIZATION, value.clone())));
        headers.extend(self.media_type.iter().map(|value| (CONTENT_TYPE, value.clone())));
        Ok(ConnectionRequest::new(request, self.consent))
    }

    /// The request as it is recorded, with the headers that it was sent with.
    pub(crate) fn record(&self, operation: &Operation, headers: &HeaderMap, recorder: &Recorder, vault: &Vault) -> Request {
        let content = operation.request.as_ref();
        Request {
            method: self.method.to_string(),
            url: recorder.text(&self.written),
            path: recorder.fields(&self.content.path),
            query: recorder.fields(&self.content.query),
            headers: recorder.headers(headers, vault),
            body: recorder.body(&self.body, content.map_or(Coding::Other, |content| content.coding), content),
            http: HttpVersion::default(),
        }
    }
}

/// A request as a connection sends it.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionRequest {
    request: http::Request<Bytes>,
    /// Its bytes in HTTP/1.1. The same request is mostly sent many times.
    http1: OnceLock<Bytes>,
    _consent: Consent,
}

impl ConnectionRequest {
    fn new(request: http::Request<Bytes>, consent: Consent) -> Self {
        Self { request, http1: OnceLock::new(), _consent: consent }
    }

    /// A request to the control API of an emulator.
    pub(crate) fn to_control(method: Method, url: &Url, body: Bytes) -> Result<Self, http::Error> {
        let request = http::Request::builder()
            .method(method)
            .uri(&url[Position::BeforePath..Position::AfterQuery])
            .header(HOST, &url[Position::BeforeHost..Position::AfterPort])
            .header(USER_AGENT, client::USER_AGENT)
            .header(CONTENT_TYPE, "application/json");
        Ok(Self::new(request.body(body)?, guard::for_control()))
    }

    /// Its headers.
    pub(crate) fn headers(&self) -> &HeaderMap {
        self.request.headers()
    }

    /// The same request with a token.
    pub(crate) fn with_token(&self, token: &str) -> Result<Self, InvalidHeaderValue> {
        let mut request = self.request.clone();
        request.headers_mut().insert(AUTHORIZATION, bearer(token)?);
        Ok(Self::new(request, self._consent))
    }

    /// Its method.
    pub(super) fn method(&self) -> &Method {
        self.request.method()
    }

    /// The request for a library that writes it.
    pub(super) fn to_http(&self) -> http::Request<Full<Bytes>> {
        self.request.clone().map(Full::new)
    }

    /// The request as a connection of HTTP/1.1 writes it.
    pub(super) fn to_http1(&self) -> &Bytes {
        self.http1.get_or_init(|| written(&self.request))
    }

    /// One for a connection under test.
    #[cfg(test)]
    pub(super) fn of_test(request: http::Request<Bytes>) -> Self {
        Self::new(request, guard::given())
    }
}

/// The query string with its question mark.
fn query(content: &RequestContent) -> String {
    let documented: Vec<_> = content.query.iter().filter_map(|(name, value)| Some((name.as_str(), text_of(value)?))).collect();
    let documented = documented.iter().map(|(name, value)| (*name, value.as_str()));
    let query = encode_form(documented.chain(content.further_query.iter().map(|(name, value)| (name.as_str(), value.as_str()))));
    if query.is_empty() { query } else { format!("?{query}") }
}

/// Media type and body. A text of the step's own takes the place of the fields.
fn encoded_body(operation: &Operation, content: &mut RequestContent) -> (Option<String>, String) {
    let (media_type, body) = match content.body.take() {
        Some(own) => (encode::media_type(operation.request.as_ref()), own),
        None => encode(operation.request.as_ref(), &content.fields),
    };
    // In an encoded form, `%20` is a space and nothing else.
    let body = if content.plus_for_space { body.replace("%20", "+") } else { body };
    // No body has no media type, unless the step names one: a call may be documented with the header and without a body.
    let usual = media_type.filter(|_| !body.is_empty()).map(str::to_owned);
    content.media_type.take().or(usual).map_or((None, String::new()), |media_type| (Some(media_type), body))
}

/// The `Authorization` header of a request without its token: the step's own, or a login.
fn authorization(
    operation: &Operation,
    content: &RequestContent,
    credential: Option<&Credential>,
) -> Result<Option<HeaderValue>, InvalidHeaderValue> {
    if let Some(own) = &content.authorization {
        return HeaderValue::from_str(own).map(Some);
    }
    let (Some((username, password)), Some(credential)) = (content.login(operation), credential) else { return Ok(None) };
    let login = credential.get(username).zip(credential.get(password));
    login.map(|(user, secret)| basic(content.scheme.as_deref(), user, secret)).transpose()
}

fn bearer(token: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    HeaderValue::try_from(format!("Bearer {token}"))
}

/// A login under a scheme, `Basic` unless a step has one of its own.
fn basic(scheme: Option<&str>, user: &str, secret: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    HeaderValue::try_from(format!("{} {}", scheme.unwrap_or("Basic"), BASE64.encode(format!("{user}:{secret}"))))
}

/// What a browser accepts when it opens a page.
const PAGE: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

/// The accepted media type: the one documented for a request with these fields, if there is only one; a page may have several.
fn accepted<'o>(operation: &'o Operation, content: &RequestContent) -> &'o str {
    let fields = [&content.fields, &content.query, &content.path];
    let mut documented = operation.response.iter().filter(|response| response.when.holds_for(&fields));
    match (documented.next(), documented.next()) {
        (Some(only), None) => &only.media_type,
        (Some(first), Some(_)) if first.media_type == "text/html" => PAGE,
        (Some(_), Some(_)) | (None, _) => "*/*",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::wire::exchange::{Masker, Secret};

    #[test]
    fn the_accepted_media_type_is_the_one_that_is_documented_for_the_request() {
        let contracts = Contracts::shipped();
        let accepts = |id: &str, values: serde_json::Value| {
            let operation = &contracts.operations[id];
            accepted(operation, &RequestContent::new(operation, values.as_object().unwrap().clone(), "main")).to_owned()
        };
        let form = "application/x-www-form-urlencoded";
        assert_eq!(accepts("gateway.v1.create", json!({ "prepareOnly": true })), form);
        assert_eq!(accepts("gateway.v1.create", json!({ "prepareOnly": false })), PAGE, "a browser");
        assert_eq!(accepts("gateway.v1.create", json!({})), PAGE);
        assert_eq!(accepts("gateway.v1.cancel", json!({ "transId": "AB12" })), form);
        assert_eq!(accepts("gateway.v2.create", json!({})), "application/json");
    }

    #[test]
    fn no_secret_is_recorded_in_a_parameter() {
        let contracts = Contracts::shipped();
        let operation = &contracts.operations["gateway.v2.status"];
        let values = json!({ "transId": "of s3cr3t-of-main" }).as_object().unwrap().clone();
        let content = RequestContent { query: values.clone(), ..RequestContent::new(operation, values, "main") };
        let request = PreparedRequest {
            method: Method::GET,
            written: "http://shop/".to_owned(),
            url: Url::parse("http://shop/").unwrap(),
            accept: HeaderValue::from_static("*/*"),
            authorization: None,
            media_type: None,
            body: Bytes::new(),
            content,
            consent: guard::given(),
        };
        let secret = Secret { owner: "main".to_owned(), logins: Vec::new(), value: "s3cr3t-of-main".to_owned() };
        let recorder = Recorder::new(Masker::new(vec![secret]), Vec::new());
        let recorded = request.record(operation, &HeaderMap::new(), &recorder, &Vault::default());
        assert_eq!((&recorded.path["transId"], &recorded.query["transId"]), (&json!("of ***main***"), &json!("of ***main***")));
    }

    #[test]
    fn an_empty_body_has_the_media_type_that_a_step_names_and_no_other() {
        let contracts = Contracts::shipped();
        let sent = |media_type: Option<&str>| {
            let operation = &contracts.operations["qr.cancel"];
            let mut content = RequestContent::new(operation, serde_json::Map::new(), "main");
            (content.body, content.media_type) = (Some(String::new()), media_type.map(str::to_owned));
            encoded_body(operation, &mut content)
        };
        assert_eq!(sent(None), (None, String::new()));
        assert_eq!(sent(Some("application/json")), (Some("application/json".to_owned()), String::new()));
    }
}
