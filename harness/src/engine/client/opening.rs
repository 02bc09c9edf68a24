//! Whether a connection was opened for a request, or one was used that had been open before.

use std::cell::Cell;

use tower::util::MapRequestLayer;

tokio::task_local! {
    /// Whether the request that this task sends has opened a connection.
    static OPENED: Cell<bool>;
}

/// Sends a request. Returns whether a connection was opened for it. If not, it went over one that had been open.
pub(crate) async fn noted<T>(sending: impl Future<Output = T>) -> (T, bool) {
    let noted = async {
        let sent = sending.await;
        (sent, OPENED.with(Cell::get))
    };
    OPENED.scope(Cell::new(false), noted).await
}

/// A layer around what opens connections.
pub(super) fn layer<R>() -> MapRequestLayer<fn(R) -> R> {
    MapRequestLayer::new(note)
}

/// A client opens connections in the task that waits for them.
fn note<R>(to: R) -> R {
    let _ = OPENED.try_with(|opened| opened.set(true));
    to
}
