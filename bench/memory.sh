#!/usr/bin/env bash
# How much memory does the emulator take for finished payments: all of them kept, and only the newest ones?
# Payments are created, paid, notified to an endpoint in the same process and asked; without sockets but for the
# notifications.
#   bench/memory.sh [payments] [kept]
set -euo pipefail
cd "$(dirname "$0")/.."
payments=${1:-200000} kept=${2:-10000}
program=${CARGO_TARGET_DIR:-target}/release/examples/memory

cargo build --quiet --release --locked -p emulator --example memory

echo "all kept"
taskset -c 1 "$program" "$payments"
echo "the newest $kept kept"
taskset -c 1 "$program" "$payments" "$kept"
