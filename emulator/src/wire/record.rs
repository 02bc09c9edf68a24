//! Records of named values, written as a form or as JSON straight into the body.

use super::form;

/// Takes the fields of a record in order.
pub(crate) trait Record {
    /// A field that is text.
    fn text(&mut self, name: &str, value: &str);
    /// A field that is an integer.
    fn integer(&mut self, name: &str, value: i64);
    /// A field that is a boolean.
    fn flag(&mut self, name: &str, value: bool);

    /// A field that is left out without a value.
    fn optional(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }
}

/// A form.
#[derive(Debug, Default)]
pub(crate) struct FormRecord(Vec<u8>);

impl FormRecord {
    /// An empty form with room for this many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// The form as sent.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn name(&mut self, name: &str) {
        if !self.0.is_empty() {
            self.0.push(b'&');
        }
        form::escape(name, &mut self.0);
        self.0.push(b'=');
    }
}

impl Record for FormRecord {
    fn text(&mut self, name: &str, value: &str) {
        self.name(name);
        form::escape(value, &mut self.0);
    }

    fn integer(&mut self, name: &str, value: i64) {
        self.name(name);
        self.0.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }

    fn flag(&mut self, name: &str, value: bool) {
        self.text(name, if value { "true" } else { "false" });
    }
}

/// A flat JSON object.
#[derive(Debug)]
pub(crate) struct JsonRecord(Vec<u8>);

impl Default for JsonRecord {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl JsonRecord {
    /// An empty object with room for this many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        let mut body = Vec::with_capacity(bytes);
        body.push(b'{');
        Self(body)
    }

    /// The object as sent.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.0.push(b'}');
        self.0
    }

    /// A field that is an array of objects.
    pub(crate) fn objects(&mut self, name: &str, objects: impl Iterator<Item = Self>) {
        self.name(name);
        self.0.extend_from_slice(&array(objects));
    }

    /// A field that is null.
    pub(crate) fn null(&mut self, name: &str) {
        self.name(name);
        self.0.extend_from_slice(b"null");
    }

    /// Names are the documents' own: nothing in them needs an escape.
    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        self.0.push(b'"');
        self.0.extend_from_slice(name.as_bytes());
        self.0.extend_from_slice(b"\":");
    }
}

/// Objects as a JSON array.
pub(crate) fn array(objects: impl Iterator<Item = JsonRecord>) -> Vec<u8> {
    let mut array = vec![b'['];
    for object in objects {
        if array.len() > 1 {
            array.push(b',');
        }
        array.extend_from_slice(&object.into_bytes());
    }
    array.push(b']');
    array
}

impl Record for JsonRecord {
    fn text(&mut self, name: &str, value: &str) {
        self.name(name);
        // Text always serializes, and a vector always takes it.
        let _ = serde_json::to_writer(&mut self.0, value);
    }

    fn integer(&mut self, name: &str, value: i64) {
        self.name(name);
        self.0.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }

    fn flag(&mut self, name: &str, value: bool) {
        self.name(name);
        self.0.extend_from_slice(if value { b"true" } else { b"false" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(record: &mut impl Record) {
        record.integer("code", 0);
        record.text("label", "a \"b\"&š");
        record.flag("test", true);
        record.optional("name", None);
    }

    #[test]
    fn objects_within_objects() {
        let mut outer = JsonRecord::default();
        outer.objects("none", std::iter::empty());
        outer.objects("two", [JsonRecord::default(), JsonRecord::default()].into_iter());
        outer.null("nothing");
        assert_eq!(String::from_utf8_lossy(&outer.into_bytes()), r#"{"none":[],"two":[{},{}],"nothing":null}"#);
    }

    #[test]
    fn one_record_in_two_syntaxes() {
        let (mut form, mut json) = (FormRecord::default(), JsonRecord::default());
        fill(&mut form);
        fill(&mut json);
        assert_eq!(String::from_utf8_lossy(&form.into_bytes()), "code=0&label=a%20%22b%22%26%C5%A1&test=true");
        assert_eq!(String::from_utf8_lossy(&json.into_bytes()), r#"{"code":0,"label":"a \"b\"&š","test":true}"#);
    }
}
