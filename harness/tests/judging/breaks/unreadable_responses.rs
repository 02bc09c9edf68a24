//! Responses that can't be read, or never arrive.

use std::time::Duration;

use super::{Break, READ_V1, READ_V2};
use crate::support::proxy::Ending;

/// Responses that can't be read, or never arrive.
pub fn all() -> Vec<Break> {
    breaks! {
        "HTML instead of JSON" in READ_V2 => "gateway.v2.status.call":
            response(|asked, told| if asked.is("v2.status") { told.header("content-type", "text/html") });
        "JSON instead of a form" in READ_V1 => "gateway.v1.create.call":
            response(|asked, told| if asked.is("create") { told.as_json() });
        "a truncated body" in READ_V2 => "gateway.v2.status.call":
            response(|asked, told| if asked.is("v2.status") { told.ending = Ending::Cut });
        "half a JSON text" in READ_V2 => "gateway.v2.status.call":
            response(|asked, told| if asked.is("v2.status") { told.raw("{\"code\": 0, \"mess") });
        "JSON that is not UTF-8" in READ_V2 => "gateway.v2.create.call":
            response(|asked, told| if asked.is("create") { told.raw(b"{\"code\": 0, \"message\": \"\xe9\"}") });
        "a form that is not UTF-8" in READ_V1 => "gateway.v1.status.call":
            response(|asked, told| if asked.is("v1.status") { told.raw("code=0&message=%E9&status=PENDING") });
        "a broken percent escape" in READ_V1 => "gateway.v1.status.call":
            response(|asked, told| if asked.is("v1.status") { told.raw(told.body_text() + "&name=50%") });
        "a repeated key in a form" in READ_V1 => "gateway.v1.create.call":
            response(|asked, told| if asked.is("create") { told.raw(told.body_text() + "&code=0") });
        "a repeated key in JSON" in READ_V2 => "gateway.v2.create.call":
            response(|asked, told| if asked.is("create") { told.raw(told.body_text().replacen('{', "{\"code\":0,", 1)) });
        "no body" in READ_V1 => "gateway.v1.create.call":
            response(|asked, told| if asked.is("create") { told.raw("") });
        "HTTP 500 with a page" in READ_V2 => "gateway.v2.create.call":
            response(|asked, told| if asked.is("create") {
                told.status = 500;
                told.header("content-type", "text/html; charset=utf-8");
                told.raw("<html><body>Internal Server Error</body></html>");
            });
        "HTTP 200 with a page" in READ_V1 => "gateway.v1.create.call":
            response(|asked, told| if asked.is("create") {
                told.header("content-type", "text/html");
                told.raw("<html><body>Welcome</body></html>");
            });
        "a redirect instead of a response" in READ_V1 => "gateway.v1.create.call":
            response(|asked, told| if asked.is("create") {
                told.status = 302;
                told.header("location", &told.get("redirect"));
                told.header("content-type", "text/html");
                told.raw("");
            });
        "no response at all" in READ_V2 => "gateway.v2.create.call":
            response(|asked, told| if asked.is("create") { told.ending = Ending::Never }),
            within(Duration::from_millis(300));
        "the connection is reset" in READ_V1 => "gateway.v1.create.call":
            response(|asked, told| if asked.is("create") { told.ending = Ending::Reset });
    }
}
