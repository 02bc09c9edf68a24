//! Identifiers of QR payments as numbers: "transId" has no type in their document. Translated in responses, and back in requests.

use crate::common::TransId;

/// What stands before an identifier in a body.
const FIELD: &str = "\"transId\":";

/// What stands before an identifier in a path.
const PATH: &str = "/pos/qr-api/payment/";

/// Translates a body of JSON that leaves the world.
pub(crate) fn outward(text: &str) -> String {
    behind_each(text, FIELD, |rest| {
        let (code, rest) = rest.trim_ascii_start().strip_prefix('"')?.split_once('"')?;
        Some((TransId::parse(code)?.number().to_string(), rest))
    })
}

/// Translates a body of JSON that enters the world, with the identifier as a number or as its digits.
pub(crate) fn inward(text: &str) -> String {
    behind_each(text, FIELD, |rest| {
        let rest = rest.trim_ascii_start();
        let unquoted = rest.strip_prefix('"').unwrap_or(rest);
        let (id, behind) = leading_number(unquoted)?;
        let behind = if unquoted.len() == rest.len() { behind } else { behind.strip_prefix('"')? };
        Some((format!("\"{id}\""), behind))
    })
}

/// Translates an address that enters the world.
pub(crate) fn inward_address(text: &str) -> String {
    behind_each(text, PATH, |rest| leading_number(rest).map(|(id, rest)| (id.to_string(), rest)))
}

/// A number that is a word of its own.
fn leading_number(text: &str) -> Option<(TransId, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((TransId::from_random(digits.parse().ok()?), rest))
}

/// Copies a text; what stands behind each mark is written anew where `write` can read it.
fn behind_each(text: &str, mark: &str, write: impl Fn(&str) -> Option<(String, &str)>) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, behind)) = rest.split_once(mark) {
        out.push_str(before);
        out.push_str(mark);
        rest = behind;
        if let Some((written, behind)) = write(behind) {
            out.push_str(&written);
            rest = behind;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_goes_out_as_a_number_and_comes_back() {
        let (inside, code) = (r#"{"refId":"AB12-CD34-EF56","transId":"AB12-CD34-EF56","refunds":[]}"#, "AB12-CD34-EF56");
        let number = TransId::parse(code).unwrap().number();
        let outside = outward(inside);
        assert_eq!(outside, format!(r#"{{"refId":"{code}","transId":{number},"refunds":[]}}"#));
        assert_eq!(inward(&outside), inside);
        assert_eq!(inward(&format!(r#"{{"transId":"{number}"}}"#)), format!(r#"{{"transId":"{code}"}}"#));
        assert_eq!(
            inward_address(&format!("/w/1/pos/qr-api/payment/{number}/cancel?a=1")),
            format!("/w/1/pos/qr-api/payment/{code}/cancel?a=1")
        );
        let pretty = outside.replace("\"transId\":", "\"transId\": ");
        assert_eq!((outward(&inside.replace("\"transId\":", "\"transId\": ")), inward(&pretty)), (outside, inside.to_owned()));
        for other in
            [r#"{"transId":"x"}"#, r#"{"transId":"00en-0d1i-bqs0"}"#, "/pos/qr-api/payment/00en-0d1i-bqs0", "/v2.0/x/12", "\"transId\":"]
        {
            assert_eq!([outward(other), inward(other), inward_address(other)], [other; 3]);
        }
    }
}
