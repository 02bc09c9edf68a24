//! Identifiers in links: `{{ page | linked('id') }}`.

use minijinja::value::Rest;

/// The filter `linked`: the identifier that a link carries, that of the first of these query parameters that it has, or else the last
/// part of its path. The structure of a link is not documented: what is found is only a guess, which the target may refuse.
#[expect(clippy::needless_pass_by_value, reason = "a filter takes its value")]
pub(super) fn linked(link: String, parameters: Rest<String>) -> String {
    let without_fragment = link.split('#').next().unwrap_or_default();
    let (path, query) = without_fragment.split_once('?').unwrap_or((without_fragment, ""));
    let value_of = |parameter: &String| {
        let mut values = url::form_urlencoded::parse(query.as_bytes());
        values.find(|(name, _)| name == parameter).map(|(_, value)| value.into_owned())
    };
    parameters.iter().find_map(value_of).unwrap_or_else(|| path.rsplit('/').next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identifier_is_in_the_query_or_ends_the_path() {
        for link in [
            "https://pay1.example.org/AB12-CD34",
            "https://pay1.example.org/client/AB12-CD34?lang=cs#pay",
            "https://pay1.example.org/init?lang=cs&id=AB12-CD34",
            "https://pay1.example.org/init?transId=AB12%2DCD34#pay/x",
            "/AB12-CD34",
        ] {
            let names = Rest(vec!["id".to_owned(), "transId".to_owned()]);
            assert_eq!(linked(link.to_owned(), names), "AB12-CD34", "{link}");
        }
    }
}
