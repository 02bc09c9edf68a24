//! Long documents are written page by page while they are sent, so that none is ever whole in memory. One that has to be
//! whole is sent in slices, so that it is not there twice.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

/// The approximate number of bytes written before they are sent.
const PAGE: usize = 64 * 1024;

/// A document, page by page.
pub(super) type Pages = Box<dyn Iterator<Item = Vec<u8>> + Send>;

/// The pages of a document that is written piece by piece: `write` appends the piece of a number and returns whether there
/// was one.
pub(super) fn pages(write: impl Fn(usize, &mut Vec<u8>) -> bool + Send + 'static) -> Pages {
    let mut next = 0;
    Box::new(std::iter::from_fn(move || {
        let mut page = Vec::with_capacity(PAGE + PAGE / 8);
        while page.len() < PAGE && write(next, &mut page) {
            next += 1;
        }
        (!page.is_empty()).then_some(page)
    }))
}

/// The same in Base64, between two texts.
pub(super) fn in_base64(before: Vec<u8>, pages: Pages, after: &'static [u8]) -> Pages {
    let (mut rest, mut pages) = (Vec::new(), pages.fuse());
    let encoded = std::iter::from_fn(move || {
        let page = pages.next();
        let is_last = page.is_none();
        rest.extend(page.unwrap_or_default());
        // Three bytes are four letters; an incomplete group waits for the next page.
        let whole = if is_last { rest.len() } else { rest.len() - rest.len() % 3 };
        let letters = STANDARD.encode(rest.drain(..whole).as_slice());
        (!is_last || !letters.is_empty()).then(|| letters.into_bytes())
    });
    Box::new(joined(std::iter::once(before).chain(encoded).chain(std::iter::once(after.to_vec()))))
}

/// Joins small pages.
fn joined(mut pages: impl Iterator<Item = Vec<u8>> + Send) -> impl Iterator<Item = Vec<u8>> + Send {
    std::iter::from_fn(move || {
        let mut page = pages.next()?;
        while page.len() < PAGE {
            match pages.next() {
                Some(next) => page.extend(next),
                None => break,
            }
        }
        Some(page)
    })
}

/// The pages as the body of a response; of a known length if there is only one.
pub(super) fn body(mut pages: Pages) -> Body {
    let first = pages.next().unwrap_or_default();
    match pages.next() {
        None => Body::from(first),
        Some(second) => Body::new(PagedBody(Box::new([first, second].into_iter().chain(pages)))),
    }
}

struct PagedBody(Pages);

impl http_body::Body for PagedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.next().map(|page| Ok(Frame::data(page.into()))))
    }
}

/// A complete document as the body of a response of a known length.
pub(super) fn sliced(document: Bytes) -> Body {
    Body::new(SlicedBody(document))
}

struct SlicedBody(Bytes);

impl http_body::Body for SlicedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let most = self.0.len().min(PAGE);
        let slice = self.0.split_to(most);
        Poll::Ready((most > 0).then(|| Ok(Frame::data(slice))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use proptest::prelude::*;

    use super::*;

    fn written(pieces: Vec<Vec<u8>>) -> Pages {
        pages(move |number, page| pieces.get(number).map(|piece| page.extend(piece)).is_some())
    }

    fn all(pages: Pages) -> Vec<u8> {
        pages.flatten().collect()
    }

    proptest! {
        #[test]
        fn base64_of_pages_is_base64_of_the_whole(pieces: Vec<Vec<u8>>) {
            let whole = pieces.concat();
            let encoded = all(in_base64(b"<".to_vec(), Box::new(pieces.into_iter()), b">"));
            prop_assert_eq!(String::from_utf8_lossy(&encoded), format!("<{}>", STANDARD.encode(whole)));
        }
    }

    #[tokio::test]
    async fn a_long_document_is_sent_in_pages_and_a_short_one_at_once() {
        let long = vec![vec![b'x'; 1_000]; 200];
        assert_eq!(written(long.clone()).count(), 4);
        let sent = body(written(long)).collect().await.unwrap().to_bytes();
        assert_eq!(sent, vec![b'x'; 200_000]);
        let short = body(written(vec![b"ab".to_vec(), b"c".to_vec()]));
        assert_eq!(http_body::Body::size_hint(&short).exact(), Some(3));
    }

    #[tokio::test]
    async fn a_whole_document_is_sent_in_slices_of_a_known_length() {
        let document: Vec<u8> = (0..PAGE * 3).map(|at| (at % 251) as u8).collect();
        let mut body = sliced(document.clone().into());
        assert_eq!(http_body::Body::size_hint(&body).exact(), Some(document.len() as u64));
        let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
        let rest = body.collect().await.unwrap().to_bytes();
        assert_eq!((first.len(), [first, rest].concat()), (PAGE, document));
    }
}
