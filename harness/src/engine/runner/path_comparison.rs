//! Whether a target responds at an assumed path as it does where it surely has nothing.
//!
//! Many servers do not answer an unknown path with HTTP 404, but with an error of their API, even by HTTP 200. Such an answer shows
//! nothing of the operation. It is recognised by sending the same request to a path that can't exist: an answer that is the same
//! is one of the server, not of the operation. One answer that differs shows that the operation is there, and nothing more is sent.

use url::Url;

use super::session::Session;
use super::unknown_paths::Answer;
use crate::base::not_judged::NOTHING_THERE;
use crate::engine::request::PreparedRequest;
use crate::judge::check;
use crate::spec::contract::{Operation, PathTemplate};
use crate::spec::scenario::Step;
use crate::wire::exchange::Exchange;

/// A word that no server has in a path.
const MADE_UP: &str = "paycheck-3f9c1e7ab2d84560";

impl Session<'_> {
    /// Whether an answer shows nothing of an operation whose path is assumed, because an unknown path has the same.
    pub(super) async fn is_as_at_unknown_path(
        &mut self,
        operation: &Operation,
        request: &PreparedRequest,
        exchange: &Exchange,
        step: &Step,
    ) -> bool {
        let context = self.context;
        let is_open = self.absences.is_some() && context.target.assumed_path(operation).is_some() && request.content().link.is_none();
        let Some(answer) = Answer::of(exchange, request.url().path()).filter(|_| is_open) else { return false };
        if operation.accepted(exchange) {
            context.unknown_paths.note_there(operation);
        }
        // A server that fails shows nothing, and what says by its status that nothing is there needs no comparison.
        let is_told = answer.status >= 500 || NOTHING_THERE.contains(&answer.status);
        if is_told || context.unknown_paths.knows(operation) {
            return false;
        }
        let cell = context.unknown_paths.cell(operation, &answer);
        let (asked, own) = (self.answer_elsewhere(operation, request, step), &answer);
        let is_same = *cell.get_or_init(|| async move { asked.await.as_ref() == Some(own) }).await;
        if !is_same && check::is_shown_there(exchange) {
            context.unknown_paths.note_there(operation);
        }
        is_same
    }

    /// The answer to the same request at a path that can't exist.
    async fn answer_elsewhere(&mut self, operation: &Operation, request: &PreparedRequest, step: &Step) -> Option<Answer> {
        let mut content = request.content().clone();
        content.link = Some(elsewhere(operation, request)?);
        let mut request = self.prepare_content(operation, content, step.place.as_str()).ok()?;
        self.authorize(operation, &mut request, step).await.ok()?;
        let exchange = self.context.transport.send(operation, &request, self.records()).await;
        tracing::debug!(operation = operation.id, url = %request.url(), "an unknown path was asked for comparison");
        Answer::of(&exchange, request.url().path())
    }
}

/// The address of a request with an unknown path: the last word of it that is no parameter is another one.
fn elsewhere(operation: &Operation, request: &PreparedRequest) -> Option<Url> {
    let filled = |path: &PathTemplate| path.fill(&request.content().path);
    let (own, other) = (filled(&operation.path), filled(&PathTemplate::new(unknown(operation.path.as_str()))));
    let base = request.url().path().strip_suffix(own.as_str())?;
    let mut url = request.url().clone();
    url.set_path(&format!("{base}{other}"));
    Some(url)
}

/// A path with a made-up word in place of the last one that is no parameter; its ending stays.
fn unknown(path: &str) -> String {
    let mut segments: Vec<&str> = path.split('/').collect();
    let last = segments.iter_mut().rev().find(|segment| !segment.is_empty() && !segment.contains('{'));
    let other = last.as_ref().map(|word| match word.split_once('.') {
        Some((_, ending)) => format!("{MADE_UP}.{ending}"),
        None => MADE_UP.to_owned(),
    });
    if let (Some(last), Some(other)) = (last, &other) {
        *last = other;
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_a_path_is_replaced() {
        for (path, other) in [
            ("/shop/send.json", "/shop/X.json"),
            ("/shop/send", "/shop/X"),
            ("/shop/orders/id/{order}.json", "/shop/orders/X/{order}.json"),
            ("/shop/orders/{order}/send", "/shop/orders/{order}/X"),
        ] {
            assert_eq!(unknown(path), other.replace('X', MADE_UP));
        }
    }
}
