//! Templates of files that commands write, with marks such as `$BASE` for values.

use serde_json::Value;

/// The template with each mark replaced by its value. A value that looks like a mark stays as it is.
pub(super) fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut parts = template.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match values.iter().find_map(|(mark, value)| Some((part.strip_prefix(mark)?, value))) {
            Some((rest, value)) => text.extend([value, rest]),
            None => text.extend(["$", part]),
        }
    }
    text
}

/// A text as JSON writes it, which is always valid YAML.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_replaced_once_and_other_signs_stay() {
        let values = [("TITLE", "of $BASE"), ("BASE", "here")];
        assert_eq!(filled("$TITLE: $BASE, $OTHER, 5 $\n", &values), "of $BASE: here, $OTHER, 5 $\n");
        assert_eq!(quoted("a: \"b\" # c"), r##""a: \"b\" # c""##);
    }
}
