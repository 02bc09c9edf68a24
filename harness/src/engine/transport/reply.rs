//! The result of a request: a response, or the reason why there is none.

use bytes::{Bytes, BytesMut};
use http::HeaderMap;

use crate::wire::exchange::{HttpVersion, TransportFailureKind};

/// A complete response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) http: HttpVersion,
}

/// Why there is no complete response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: TransportFailureKind,
    /// The library's words, without any part of the request.
    pub(crate) detail: String,
}

/// How an attempt ended without a response.
#[derive(Debug)]
pub(super) enum FailedAttempt {
    /// The request was not sent: the target had closed the idle connection.
    Unsent,
    /// The connection ended before the response began.
    Closed(Failure),
    Failed(Failure),
}

impl FailedAttempt {
    /// The failure that it is where the request is not sent again.
    pub(super) fn failure(self) -> Failure {
        match self {
            Self::Unsent => Failure { kind: TransportFailureKind::Broken, detail: "the connection was closed at once".to_owned() },
            Self::Closed(failure) | Self::Failed(failure) => failure,
        }
    }
}

pub(super) fn too_large(most: usize) -> Failure {
    Failure { kind: TransportFailureKind::TooLarge, detail: format!("more than {most} bytes; the rest was not read") }
}

/// The failure of a response that HTTP allows and the library does not read, by the words of the library.
pub(super) fn unread(words: &str) -> Option<Failure> {
    let detail = "its response can't be read: the chunk extensions of the body have 16 KiB or more, which HTTP allows (RFC 9112, 7.1.1)";
    words.contains("chunk extensions over limit").then(|| Failure { kind: TransportFailureKind::Unread, detail: detail.to_owned() })
}

/// The bytes read of a body. A body that comes in one piece, as most do, is not copied.
pub(super) enum Chunks {
    Nothing,
    Piece(Bytes),
    Pieces(BytesMut),
}

impl Chunks {
    pub(super) fn and(self, data: Bytes) -> Self {
        match self {
            Self::Nothing => Self::Piece(data),
            Self::Piece(first) => {
                let mut both = BytesMut::from(first);
                both.extend_from_slice(&data);
                Self::Pieces(both)
            }
            Self::Pieces(mut all) => {
                all.extend_from_slice(&data);
                Self::Pieces(all)
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Piece(piece) => piece.len(),
            Self::Pieces(pieces) => pieces.len(),
        }
    }

    pub(super) fn joined(self) -> Bytes {
        match self {
            Self::Nothing => Bytes::new(),
            Self::Piece(piece) => piece,
            Self::Pieces(pieces) => pieces.freeze(),
        }
    }
}
