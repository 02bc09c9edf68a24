//! Serves an emulator: `cargo run --release -p emulator --example serve -- 127.0.0.1:8080`.
#![allow(clippy::print_stdout)]

use emulator::{Config, Emulator};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut config = Config::default();
    if let Some(listen) = std::env::args().nth(1) {
        config.listen = listen.parse()?;
    }
    let emulator = Emulator::start(config).await?;
    println!("{}", emulator.base_url());
    tokio::signal::ctrl_c().await?;
    emulator.stop().await;
    Ok(())
}
