#!/usr/bin/env bash
# How many notifications a second does the emulator deliver to an inbox on loopback, each on a core of its own, and are
# any lost or doubled? So many payments expire at the same moment of a virtual clock; the time until all notifications
# are acknowledged counts. The best round is printed.
#   bench/notifications.sh [payments] [rounds]
set -euo pipefail
cd "$(dirname "$0")/.."
payments=${1:-100000} rounds=${2:-3}
target=${CARGO_TARGET_DIR:-target}
program=$target/release/examples/notifications
work=$(mktemp -d)
trap 'kill "$inbox" 2>/dev/null || true; rm -rf "$work"' EXIT

cargo build --quiet --release --locked -p emulator --example notifications

best=0
for _ in $(seq "$rounds"); do
  taskset -c 1 "$program" inbox >"$work/inbox" & inbox=$!
  until grep -q http "$work/inbox"; do sleep 0.05; done
  url=$(cat "$work/inbox")
  rate=$(taskset -c 0 "$program" push "$url" "$payments")
  read -r received distinct < <(curl -sf "$url"; echo)
  kill "$inbox"; wait "$inbox" 2>/dev/null || true
  [ "$received" = "$payments" ] && [ "$distinct" = "$payments" ] || { echo "$payments sent, $received received, about $distinct payments"; exit 1; }
  if [ "$rate" -gt "$best" ]; then best=$rate; fi
done
echo "notifications      $best a second, none of $payments lost, none doubled (wanted: 15000)"
