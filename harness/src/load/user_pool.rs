//! The virtual users of a run. They outlive goose's users, so that their iterations can be re-checked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::StreamExt;

use super::virtual_user::VirtualUser;
use crate::engine::runner::UserSession;

/// The number of users that close their worlds concurrently.
const CLOSED_AT_ONCE: usize = 16;

/// A place for each virtual user. It is empty until the user is ready, and while the user plays.
#[derive(Clone)]
pub(crate) struct UserPool(Arc<[Mutex<Option<Box<VirtualUser>>>]>);

impl UserPool {
    /// Creates a pool of empty places.
    pub(crate) fn new(places: usize) -> Self {
        Self((0..places).map(|_| Mutex::new(None)).collect())
    }

    /// Puts a user into its place.
    pub(crate) fn put(&self, number: usize, user: Box<VirtualUser>) {
        if let Some(mut place) = self.place(number) {
            *place = Some(user);
        }
    }

    /// Removes a user from its place, if it is there.
    pub(crate) fn claim(&self, number: usize) -> Option<Box<VirtualUser>> {
        self.place(number)?.take()
    }

    /// The session in which a user plays an entry of the mix.
    pub(crate) fn session(&self, number: usize, entry: usize) -> Option<Arc<UserSession>> {
        self.place(number)?.as_ref()?.session(entry)
    }

    /// Closes the worlds of all users.
    pub(crate) async fn leave(&self) {
        let users = (0..self.0.len()).filter_map(|number| self.claim(number));
        futures::stream::iter(users).for_each_concurrent(CLOSED_AT_ONCE, |user| user.leave()).await;
    }

    fn place(&self, number: usize) -> Option<MutexGuard<'_, Option<Box<VirtualUser>>>> {
        self.0.get(number).map(|place| place.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
