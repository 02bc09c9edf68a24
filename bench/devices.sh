#!/usr/bin/env bash
# Can this number of cash registers exchange their tokens and upload full batches at once, without an error and in bounded
# memory? Over real sockets on loopback, with the given number of connections; the emulator on core 0, the devices on core 1.
# Each round uploads the same transactions in a higher version: memory has to stay level after the first.
# Every round opens its connections anew, all at once: above about 1,000 the kernel's queue of connections not accepted
# yet runs over, and what is measured then is how long it takes to try again.
#   bench/devices.sh [devices] [rounds] [connections]
set -euo pipefail
cd "$(dirname "$0")/.."
devices=${1:-10000} rounds=${2:-5} connections=${3:-256}
target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d)
emulator=
trap 'if [ -n "$emulator" ]; then kill -INT "$emulator" 2>/dev/null || true; fi; rm -rf "$work"' EXIT

cargo build --quiet --release --locked -p emulator --example serve --example devices

taskset -c 0 "$target/release/examples/serve" 127.0.0.1:0 >"$work/emulator" & emulator=$!
until grep -q http "$work/emulator" 2>/dev/null; do sleep 0.05; done
address=$(sed 's|http://||' "$work/emulator")

# The client ends with an error if a single call went wrong or a single transaction is missing.
taskset -c 1 "$target/release/examples/devices" "$address" "$devices" "$rounds" "$connections" "$emulator" | tee "$work/rounds"

level() { sed -n "s/^round $1 .*memory \([0-9]*\) kB.*/\1/p" "$work/rounds"; }
peak=$(sed -n "s/^round $rounds .*at most \([0-9]*\) kB.*/\1/p" "$work/rounds")
rate=$(sed -n 's/^round .* \([0-9]*\) calls\/s.*/\1/p' "$work/rounds" | sort -n | tail -1)
errors=$(grep -o '[0-9]* errors' "$work/rounds" | awk '{ sum += $1 } END { print sum }')
growth=$(awk "BEGIN { printf \"%.1f\", 100 * ($(level "$rounds") / $(level 1) - 1) }")
echo "devices            $devices devices, $((2 * devices * rounds)) calls on $connections connections, $errors errors, $rate calls/s at best;" \
  "memory $growth% after the first round, $peak KB at most (wanted: no error, within 10%)"
