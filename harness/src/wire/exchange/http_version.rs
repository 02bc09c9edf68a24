//! The version of HTTP that an exchange went over.

/// A version of HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/1.1.
    #[default]
    One,
    /// HTTP/2.
    Two,
}

impl HttpVersion {
    /// As it is written: `HTTP/1.1`.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "HTTP/1.1",
            Self::Two => "HTTP/2",
        }
    }
}

impl From<http::Version> for HttpVersion {
    fn from(version: http::Version) -> Self {
        if version == http::Version::HTTP_2 { Self::Two } else { Self::One }
    }
}
