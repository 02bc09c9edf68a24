//! Contract tests for a family of payment APIs: the online gateway (v1.0, v2.0) with its notifications and status API, card
//! terminals with transfers and statements, QR payments, and cash-register devices.
//!
//! Most people use the program, `paycheck`. [`Verification`] does the same from a test of yours: it plays the scenarios
//! against a target, live or in this process, and judges all that is sent and received by the documents.
//!
//! ```
//! use emulator::{Config, Emulator};
//! use harness::Verification;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // Your server, started in the test; here the emulator stands for it.
//!     let server = Emulator::start(Config::default()).await?;
//!     let base = server.base_url();
//!
//!     let verified = Verification::from_text(format!(
//!         r#"
//! title: the shop in this process
//! base: {base}
//! credentials:
//!   main: {{ merchant: "100001", secret: secret-100001 }}
//! world: {{ emulator: {base} }}
//! "#
//!     ))
//!     .only("a-creation-is-answered")
//!     .run()
//!     .await?;
//!
//!     // Printed, it is the screen of `paycheck verify`.
//!     assert!(verified.passed(), "{verified}");
//!     server.stop().await;
//!     Ok(())
//! }
//! ```
//!
//! Inside are nine rooms; a room uses the rooms below it. From the lowest to the highest: `base`, `wire`, `spec`, `judge`,
//! `engine`, `load`, `modes`, `report`, `cli`. `docs/architecture.md` describes each. They are public for the tests,
//! the fuzz targets and the program of this crate only, and may change with any version.

mod verification;

pub use verification::{Verification, VerificationError, Verified};

#[doc(hidden)]
pub mod base;
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod judge;
#[doc(hidden)]
pub mod load;
#[doc(hidden)]
pub mod modes;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod spec;
#[doc(hidden)]
pub mod wire;
