//! The stories: what happens to a device, and how it must react, in the words of the document.

pub mod activation;
pub mod configuration;
pub mod events;
pub mod logs;
pub mod qr;
pub mod refusals;
pub mod uploads;
pub mod versions;
