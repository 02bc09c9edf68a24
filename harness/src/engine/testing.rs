//! Shared by tests that play against an emulator.

/// A target file with every part of the credentials that some API asks for; `BASE` is replaced by the emulator's address.
pub(crate) const TARGET: &str = r#"
title: the emulator
base: BASE
assert-assumed: true
world: { emulator: "BASE" }
notifications: { listen: "127.0.0.1:0", within: 5s }
timeout: 10s
poll-every: 5ms
poll-within: 500ms
credentials:
  main:
    { merchant: "100001", secret: main-secret-4d1b, terminal: T100001, terminal-secret: main-terminal-4d1b, qr-user: qr-100001,
      qr-password: main-qr-4d1b, mid: M100001, qr-terminal: Q100001, device-user: device-100001, device-password: main-device-4d1b,
      serial: SN100001, activation-code: AC100001 }
  other:
    { merchant: "200002", secret: other-secret-90aa, terminal: T200002, terminal-secret: other-terminal-90aa, qr-user: qr-200002,
      qr-password: other-qr-90aa, mid: M200002, qr-terminal: Q200002, device-user: device-200002, device-password: other-device-90aa,
      serial: SN200002, activation-code: AC200002 }
"#;
