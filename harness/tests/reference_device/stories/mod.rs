//! The stories: what happens to a device, and what it does. Each is told in the words of the document.

pub mod activation;
pub mod configuration;
pub mod events;
pub mod logs;
pub mod qr;
pub mod refusals;
pub mod uploads;
pub mod versions;
