//! Responses that can't be read, or never arrive.

use std::time::Duration;

use super::{Break, READ_V1, READ_V2};
use crate::support::proxy::Ending;

/// Responses that can't be read, or never arrive.
pub fn all() -> Vec<Break> {
    breaks! {
        "JSON that is said to be HTML" in READ_V2 => "gateway.v2.status.call":
            response(|asked, message| if asked.is("v2.status") { message.header("content-type", "text/html") });
        "JSON instead of a form" in READ_V1 => "gateway.v1.create.call":
            response(|asked, message| if asked.is("create") { message.as_json() });
        "a truncated body" in READ_V2 => "gateway.v2.status.call":
            response(|asked, message| if asked.is("v2.status") { message.ending = Ending::Cut });
        "half a JSON text" in READ_V2 => "gateway.v2.status.call":
            response(|asked, message| if asked.is("v2.status") { message.raw("{\"code\": 0, \"mess") });
        "JSON that is not UTF-8" in READ_V2 => "gateway.v2.create.call":
            response(|asked, message| if asked.is("create") { message.raw(b"{\"code\": 0, \"message\": \"\xe9\"}") });
        "a form that is not UTF-8" in READ_V1 => "gateway.v1.status.call":
            response(|asked, message| if asked.is("v1.status") { message.raw("code=0&message=%E9&status=PENDING") });
        "a broken percent escape" in READ_V1 => "gateway.v1.status.call":
            response(|asked, message| if asked.is("v1.status") { message.raw(message.body_text() + "&name=50%") });
        "a repeated key in a form" in READ_V1 => "gateway.v1.create.call":
            response(|asked, message| if asked.is("create") { message.raw(message.body_text() + "&code=0") });
        "a repeated key in JSON" in READ_V2 => "gateway.v2.create.call":
            response(|asked, message| if asked.is("create") { message.raw(message.body_text().replacen('{', "{\"code\":0,", 1)) });
        "no body" in READ_V1 => "gateway.v1.create.call":
            response(|asked, message| if asked.is("create") { message.raw("") });
        "HTTP 500 with a page" in READ_V2 => "gateway.v2.create.call":
            response(|asked, message| if asked.is("create") {
                message.status = 500;
                message.header("content-type", "text/html; charset=utf-8");
                message.raw("<html><body>Internal Server Error</body></html>");
            });
        "HTTP 200 with a page" in READ_V1 => "gateway.v1.create.call":
            response(|asked, message| if asked.is("create") {
                message.header("content-type", "text/html");
                message.raw("<html><body>Welcome</body></html>");
            });
        "a redirect instead of a response" in READ_V1 => "gateway.v1.create.call":
            response(|asked, message| if asked.is("create") {
                message.status = 302;
                message.header("location", &message.get("redirect"));
                message.header("content-type", "text/html");
                message.raw("");
            });
        "no response at all" in READ_V2 => "gateway.v2.create.call":
            response(|asked, message| if asked.is("create") { message.ending = Ending::Never }),
            within(Duration::from_millis(300));
        "the connection is reset" in READ_V1 => "gateway.v1.create.call":
            response(|asked, message| if asked.is("create") { message.ending = Ending::Reset });
    }
}
