//! Values of a script with `{{ … }}` for values known when the step runs.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, LazyLock};

use minijinja::{Environment, UndefinedBehavior};
use serde_json::{Map, Value};

use super::interned::Interned;

/// The names that templates may use.
pub type Variables = Map<String, Value>;

/// A value with templates in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Template {
    /// A value without templates.
    Plain(Value),
    /// One expression; its value keeps its type.
    Expression(Expression),
    /// A text with expressions in it.
    Text(Text),
    /// A list with templates in it.
    List(Vec<Template>),
    /// A mapping with templates in it.
    Map(Vec<(String, Template)>),
}

/// minijinja counts lines and columns in 16 bits.
const LONGEST: usize = 65_000;

/// The template engine's compiler recurses with each operator of a chain, and would overflow the stack.
const LONGEST_EXPRESSION: usize = 1_000;

/// Why a template can't be read or filled in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// It is longer than the template engine can count.
    #[error("a template has at most {} bytes, and this one has {length}", LONGEST)]
    TooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// An expression in it is longer than the template engine can nest.
    #[error("an expression in a template has at most {} bytes, and this one has {length}", LONGEST_EXPRESSION)]
    ExpressionTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// An error of the template engine.
    #[error("{0}")]
    Engine(String),
    /// Its value can't be written as JSON.
    #[error("{0}")]
    Value(String),
}

impl From<minijinja::Error> for TemplateError {
    fn from(error: minijinja::Error) -> Self {
        Self::Engine(error.to_string())
    }
}

impl From<TemplateError> for String {
    fn from(error: TemplateError) -> Self {
        error.to_string()
    }
}

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(environment);

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.add_filter("seconds", super::instant::seconds);
    environment.add_filter("later", super::instant::later);
    environment.add_filter("minor_units", super::amount::minor_units);
    environment.add_filter("linked", super::link::linked);
    environment.add_filter("unsigned", super::forged::unsigned);
    environment.add_filter("alg_none", super::forged::alg_none);
    environment
}

/// An expression. Equal ones share what they are compiled to.
#[derive(Clone)]
pub struct Expression(Arc<CompiledExpression>);

struct CompiledExpression {
    text: String,
    /// None where the text is the name of a variable and nothing else, as most are: compiled code takes 9 kB, a name none.
    code: Option<minijinja::Expression<'static, 'static>>,
}

impl CompiledExpression {
    fn compile(text: &str) -> Result<Self, TemplateError> {
        let code = ENVIRONMENT.compile_expression_owned(text.to_owned())?;
        let is_name = code.undeclared_variables(false).contains(text);
        Ok(Self { text: text.to_owned(), code: (!is_name).then_some(code) })
    }
}

impl Expression {
    fn compile(text: &str) -> Result<Self, TemplateError> {
        static IN_USE: LazyLock<Interned<CompiledExpression>> = LazyLock::new(Interned::default);
        IN_USE.compiled(text, CompiledExpression::compile).map(Self)
    }

    /// The names that it reads, or with `nested` their parts.
    fn reads(&self, nested: bool) -> BTreeSet<String> {
        match &self.0.code {
            None => BTreeSet::from([self.0.text.clone()]),
            Some(code) => code.undeclared_variables(nested).into_iter().collect(),
        }
    }

    fn render(&self, variables: &Variables) -> Result<Value, TemplateError> {
        let Some(code) = &self.0.code else { return Ok(variables.get(&self.0.text).cloned().unwrap_or_default()) };
        let value = code.eval(minijinja::value::Serde(variables))?;
        serde_json::to_value(&value).map_err(|error| TemplateError::Value(error.to_string()))
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.0.text == other.0.text
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.text.fmt(f)
    }
}

/// A text with expressions in it. Equal ones share what they are compiled to.
#[derive(Clone)]
pub struct Text(Arc<CompiledText>);

/// Compiled in an environment of its own.
struct CompiledText {
    text: String,
    code: Environment<'static>,
}

impl CompiledText {
    fn compile(text: &str) -> Result<Self, TemplateError> {
        let mut code = environment();
        code.add_template_owned("", text.to_owned())?;
        Ok(Self { text: text.to_owned(), code })
    }
}

impl Text {
    fn compile(text: &str) -> Result<Self, TemplateError> {
        static IN_USE: LazyLock<Interned<CompiledText>> = LazyLock::new(Interned::default);
        IN_USE.compiled(text, CompiledText::compile).map(Self)
    }

    fn names(&self) -> BTreeSet<String> {
        self.0.code.get_template("").map(|template| template.undeclared_variables(false)).into_iter().flatten().collect()
    }

    fn render(&self, variables: &Variables) -> Result<Value, TemplateError> {
        let template = self.0.code.get_template("")?;
        Ok(template.render(minijinja::value::Serde(variables)).map(Value::String)?)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.0.text == other.0.text
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.text.fmt(f)
    }
}

impl Template {
    /// Compiles a value; the error says what is wrong with a template in it.
    pub fn parse(value: &Value) -> Result<Self, TemplateError> {
        match value {
            Value::String(text) => Self::parse_text(text),
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(Self::parse).collect::<Result<_, _>>()?;
                Ok(if items.iter().all(Self::is_plain) { Self::Plain(value.clone()) } else { Self::List(items) })
            }
            Value::Object(map) => {
                let entries: Vec<_> = map.iter().map(|(k, v)| Ok((k.clone(), Self::parse(v)?))).collect::<Result<_, TemplateError>>()?;
                Ok(if entries.iter().all(|(_, v)| v.is_plain()) { Self::Plain(value.clone()) } else { Self::Map(entries) })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(Self::Plain(value.clone())),
        }
    }

    fn parse_text(text: &str) -> Result<Self, TemplateError> {
        if !has_template(text) {
            return Ok(Self::Plain(Value::String(text.to_owned())));
        }
        if text.len() > LONGEST {
            return Err(TemplateError::TooLong { length: text.len() });
        }
        let length = longest_expression(text);
        if length > LONGEST_EXPRESSION {
            return Err(TemplateError::ExpressionTooLong { length });
        }
        match whole_expression(text) {
            Some(expression) => Expression::compile(expression).map(Self::Expression),
            None => Text::compile(text).map(Self::Text),
        }
    }

    /// A template for a plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Plain(Value::String(text.into()))
    }

    fn is_plain(&self) -> bool {
        matches!(self, Self::Plain(_))
    }

    /// The plain value, if there is no template in it.
    pub fn plain(&self) -> Option<&Value> {
        match self {
            Self::Plain(value) => Some(value),
            Self::Expression(_) | Self::Text(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The names that must be known when it is rendered.
    pub fn names(&self) -> BTreeSet<String> {
        match self {
            Self::Plain(_) => BTreeSet::new(),
            Self::Expression(expression) => expression.reads(false),
            Self::Text(text) => text.names(),
            Self::List(items) => items.iter().flat_map(Self::names).collect(),
            Self::Map(entries) => entries.iter().flat_map(|(_, v)| v.names()).collect(),
        }
    }

    /// The parts of known values that its expressions read: `credentials.main.merchant`.
    pub fn attributes(&self) -> BTreeSet<String> {
        match self {
            Self::Plain(_) | Self::Text(_) => BTreeSet::new(),
            Self::Expression(expression) => expression.reads(true),
            Self::List(items) => items.iter().flat_map(Self::attributes).collect(),
            Self::Map(entries) => entries.iter().flat_map(|(_, v)| v.attributes()).collect(),
        }
    }

    /// The value, with everything filled in.
    pub fn render(&self, variables: &Variables) -> Result<Value, TemplateError> {
        match self {
            Self::Plain(value) => Ok(value.clone()),
            Self::Expression(expression) => expression.render(variables),
            Self::Text(text) => text.render(variables),
            Self::List(items) => items.iter().map(|item| item.render(variables)).collect::<Result<_, _>>().map(Value::Array),
            Self::Map(entries) => {
                let entries: Result<Map<_, _>, TemplateError> =
                    entries.iter().map(|(k, v)| Ok((k.clone(), v.render(variables)?))).collect();
                entries.map(Value::Object)
            }
        }
    }
}

/// Whether a text has a template in it.
pub(super) fn has_template(text: &str) -> bool {
    text.contains("{{") || text.contains("{%")
}

/// The expression, if the whole text is one.
fn whole_expression(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("{{")?.strip_suffix("}}")?;
    (!inner.contains("{{") && !inner.contains("}}")).then(|| inner.trim())
}

/// The length of the longest expression in a text, in bytes.
fn longest_expression(text: &str) -> usize {
    let mut longest = 0;
    let mut rest = text;
    while let Some((_, inner)) =
        [rest.find("{{"), rest.find("{%")].into_iter().flatten().min().and_then(|start| rest.split_at_checked(start + 2))
    {
        let length = end_of_expression(inner);
        longest = longest.max(length);
        rest = inner.get(length..).unwrap_or_default();
    }
    longest
}

/// The end of an expression: the first `}}` or `%}` outside quotes and brackets.
fn end_of_expression(inner: &str) -> usize {
    let (mut quote, mut escaped, mut depth) = (None, false, 0_usize);
    for (place, c) in inner.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) => quote = (c != open).then_some(open),
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '(' | '[') => depth += 1,
            (None, '}' | '%') if depth == 0 && inner.get(place + 1..).is_some_and(|rest| rest.starts_with('}')) => return place,
            (None, '}' | ')' | ']') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
    }
    inner.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn render(value: Value) -> Value {
        let variables = json!({"price": 10000, "payment": "AB12"});
        Template::parse(&value).unwrap().render(variables.as_object().unwrap()).unwrap()
    }

    #[test]
    fn an_expression_keeps_its_type_and_a_text_stays_a_text() {
        assert_eq!(render(json!("{{ price - 4000 }}")), json!(6000));
        assert_eq!(render(json!("{{ payment }}")), json!("AB12"));
        assert_eq!(render(json!("no. {{ price }}")), json!("no. 10000"));
        assert_eq!(render(json!({"a": ["{{ price }}", 1], "b": "${id}"})), json!({"a": [10000, 1], "b": "${id}"}));
    }

    #[test]
    fn a_name_without_code_means_what_the_engine_makes_of_it() {
        assert_eq!(render(json!(["{{ true }}", "{{ none }}", "{{ 12 }}"])), json!([true, null, 12]));
        let unknown = |text| Template::parse(&json!(text)).unwrap().render(&Variables::new());
        assert_eq!(unknown("{{ price }}"), unknown("{{ (price) }}"));
        assert!(Template::parse(&json!("{{ not }}")).is_err());
    }

    #[test]
    fn names_are_known_before_the_first_request() {
        let template = Template::parse(&json!(["{{ price - fee }}", "x {{ payment }}"])).unwrap();
        assert_eq!(template.names().into_iter().collect::<Vec<_>>(), ["fee", "payment", "price"]);
    }

    #[test]
    fn a_template_is_not_longer_than_its_places_can_be_counted() {
        for text in [format!("{}{{{{ price", "x".repeat(70_000)), format!("{}{{{{ price", "\n".repeat(70_000))] {
            assert!(Template::parse(&json!(text)).unwrap_err().to_string().contains("at most 65000 bytes"));
        }
        assert_eq!(render(json!("x".repeat(70_000))), json!("x".repeat(70_000)));
    }

    #[test]
    fn an_expression_is_not_longer_than_the_stack_is_deep() {
        let chain = "-0".repeat(2_000);
        let deep = [
            format!("{{{{ price{chain} }}}}"),
            format!("a {{{{ price }}}} b {{{{ price{chain}"),
            format!("{{% if price{chain} %}}b{{% endif %}}"),
            format!("{{{{ {{'a': {{}}}}{chain} }}}}"),
            format!("{{{{ '\\'}}}}'{chain} }}}}"),
        ];
        for text in deep {
            let refused = Template::parse(&json!(text)).unwrap_err().to_string();
            assert!(refused.contains("an expression in a template has at most 1000 bytes"), "{refused}");
        }
        let long = format!("{{{{ price }}}}{}{{{{ payment }}}}", "-0".repeat(2_000));
        assert_eq!(render(json!(long)), json!(format!("10000{}AB12", "-0".repeat(2_000))));
    }

    #[test]
    fn a_broken_template_is_refused() {
        assert!(Template::parse(&json!("{{ price - }}")).is_err());
        assert!(Template::parse(&json!("{{ a }} {{ b ")).is_err());
    }
}
