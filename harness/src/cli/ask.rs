//! Asks a person at this terminal to carry out an action outside the API.

use std::io::{self, Write as _};
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};
use tokio::sync::{Mutex, oneshot};

use crate::base::text::clean;
use crate::engine::world::{Person, Question};
use crate::report::qr::Drawing;

/// The person at this terminal. Questions go to standard error, so that a report on standard output is not mixed with them.
#[derive(Default)]
pub(super) struct AtTerminal {
    /// One question at a time.
    turn: Arc<Mutex<()>>,
}

impl Person for AtTerminal {
    fn ask(&self, question: Question) -> BoxFuture<'_, Result<(), String>> {
        async move {
            let _turn = self.turn.lock().await;
            let (reply, answer) = oneshot::channel();
            // A thread of its own: waiting for a line must not keep the program from ending.
            std::thread::spawn(move || reply.send(put(&question)));
            answer.await.unwrap_or_else(|_| Err("the question could not be put".to_owned()))
        }
        .boxed()
    }
}

/// Asks a question and reads the reply: an empty line means done, any other text is the reason why not.
fn put(question: &Question) -> Result<(), String> {
    let mut line = String::new();
    let asked = io::stderr().lock().write_all(written(question).as_bytes());
    let read = asked.and_then(|()| io::stdin().read_line(&mut line)).map_err(|error| format!("no person can be asked: {error}"))?;
    match line.trim() {
        _ if read == 0 => Err("no person is there to be asked: standard input has ended".to_owned()),
        "" => Ok(()),
        why => Err(why.to_owned()),
    }
}

/// The text of the question. Values from the target are shown as plain text.
fn written(question: &Question) -> String {
    let drawn = question.qr.as_deref().and_then(|text| Drawing::new(text).ok()).map(|drawing| drawing.terminal());
    let facts = question.facts.iter().map(|(name, value)| format!("  {:<10} {}\n", clean(name), clean(value)));
    let (action, says) = (&question.action, &question.says);
    let code = drawn.map(|drawn| format!("{drawn}\n")).unwrap_or_default();
    format!("\n{action}: {says}\n{}{code}Do this, then press Enter; if it can't be done, type why: ", facts.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_shows_what_to_do_and_a_code_to_scan() {
        let facts = [("amount", "123.00 CZK"), ("page", "https://shop.example/\u{1b}[2Jpay")];
        let question = Question {
            action: "payer.pays".to_owned(),
            says: "The payer completes the payment.".to_owned(),
            facts: facts.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            qr: Some("https://shop.example/pay".to_owned()),
        };
        let text = written(&question);
        assert!(text.starts_with("\npayer.pays: The payer completes the payment.\n  amount     123.00 CZK\n"), "{text}");
        assert!(text.contains('█') && !text.contains('\u{1b}'), "{text}");
        assert!(!written(&Question { qr: None, ..question }).contains('█'));
    }
}
