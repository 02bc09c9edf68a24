//! A request that the user provides, for a target with an endpoint that simulates the payer.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::{Map, Value};
use url::Url;
use url::form_urlencoded::Serializer;

use super::super::WorldError;
use super::fill::filled;
use crate::engine::client::explained;
use crate::spec::target::{DriverBody, HttpDriver};
use crate::wire::expression::text_of;

/// The most bytes read of a response.
const MOST: usize = 1 << 20;

/// Sends the request. A JSON object in the response is the action's result.
pub(super) async fn send(
    client: &reqwest::Client,
    action: &str,
    driver: &HttpDriver,
    variables: &Map<String, Value>,
) -> Result<Value, WorldError> {
    let failed = |why: String| failed(action, &why);
    let request = request(client, action, driver, variables)?;
    let response = request.send().await.map_err(|error| failed(explained::advised(explained::request(error))))?;
    let status = response.status();
    let text = limited(response).await.map_err(failed)?;
    let body = body_of(&text);
    if !status.is_success() {
        return Err(failed(format!("HTTP {}: {}", status.as_u16(), beginning(&text))));
    }
    for (field, wanted) in &driver.expect {
        let got = body.get(field);
        if got.and_then(text_of) != text_of(wanted) {
            return Err(failed(format!("`{field}` is to be {wanted}: {}", beginning(&text))));
        }
    }
    Ok(body)
}

/// The request with its templates filled in.
fn request(
    client: &reqwest::Client,
    action: &str,
    driver: &HttpDriver,
    variables: &Map<String, Value>,
) -> Result<reqwest::RequestBuilder, WorldError> {
    let url = filled(action, &driver.url, variables)?;
    let url = Url::parse(&url).map_err(|error| failed(action, &format!("`{url}` is no URL: {error}")))?;
    let mut request = client.request(driver.method.clone(), url);
    if let Some((user, password)) = &driver.basic {
        let pair = format!("{}:{}", filled(action, user, variables)?, filled(action, password, variables)?);
        request = request.header(AUTHORIZATION, format!("Basic {}", STANDARD.encode(pair)));
    }
    request = match &driver.body {
        DriverBody::Empty => request,
        DriverBody::Json(body) => {
            let body = body.render(variables).map_err(|error| failed(action, &error.to_string()))?;
            request.header(CONTENT_TYPE, "application/json").body(body.to_string())
        }
        DriverBody::Form(fields) => {
            let mut form = Serializer::new(String::new());
            for (name, value) in fields {
                form.append_pair(name, &filled(action, value, variables)?);
            }
            request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form.finish())
        }
    };
    for (name, value) in &driver.headers {
        request = request.header(name, filled(action, value, variables)?);
    }
    Ok(request)
}

fn failed(action: &str, why: &str) -> WorldError {
    WorldError::Driver(format!("the request for `{action}`: {why}"))
}

async fn limited(mut response: reqwest::Response) -> Result<String, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(explained::request)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MOST {
            return Err(format!("its response is longer than {MOST} bytes"));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The fields of a JSON object or a form; none of any other text.
fn body_of(text: &str) -> Value {
    if let Ok(object @ Value::Object(_)) = serde_json::from_str(text) {
        return object;
    }
    let is_form = text.contains('=') && !text.trim_start().starts_with('<');
    let pairs = url::form_urlencoded::parse(text.as_bytes()).filter(|_| is_form);
    Value::Object(pairs.map(|(name, value)| (name.into_owned(), Value::String(value.into_owned()))).collect())
}

fn beginning(text: &str) -> String {
    text.chars().take(200).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_response_is_a_json_object_or_a_form() {
        assert_eq!(body_of("{\"code\": 0}"), json!({"code": 0}));
        assert_eq!(body_of("code=0&message=OK"), json!({"code": "0", "message": "OK"}));
        assert_eq!(body_of("<a href='x=y'>"), json!({}));
        assert_eq!(body_of("[1]"), json!({}));
    }
}
