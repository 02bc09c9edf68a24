#!/usr/bin/env bash
# Journeys in open load for a given time, emulator and harness in processes of their own; halfway the emulator is
# killed and started again. Prints what the load says (errors fall into the restart; what was in memory is gone with
# it), notifications lost and doubled, and the memory of both over time. Fails if one is doubled, or if more are lost than
# journeys were under way when the emulator was killed (one second of them).
#   bench/soak.sh [minutes] [journeys a second]
# PAYCHECK=path/to/paycheck names another binary; KEEP=folder (target/soak) is where result and memory are kept.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-30} rate=${2:-50}
paycheck=${PAYCHECK:-${CARGO_TARGET_DIR:-target}/release/paycheck}
[ -n "${PAYCHECK:-}" ] || cargo build --quiet --release --locked --bin paycheck
work=$(mktemp -d)
emulator='' load=''
keep=${KEEP:-${CARGO_TARGET_DIR:-target}/soak}
mkdir -p "$keep"
trap 'kill -9 $emulator $load 2>/dev/null || true; rm -rf "$work"' EXIT

emulate() {
  "$paycheck" emulate --listen "${address:-127.0.0.1:0}" --keep 10000 --world "$work/world.yaml" >"$work/emulator" 2>&1 & emulator=$!
  until grep -q '^emulator on' "$work/emulator"; do sleep 0.05; done
}
resident() { awk '/^VmRSS/ { printf "%.0f", $2 / 1024 }' "/proc/$1/status" 2>/dev/null || echo -; }

# The world at the root, which is there again after the restart; worlds of their own would be gone with it.
inbox=${INBOX:-127.0.0.1:18099}
cat >"$work/world.yaml" <<W
merchants: [{ merchant: "100001", secret: secret-100001, notification-url: "http://$inbox/push" }]
W
emulate
base=$(awk 'NR == 1 { print $3 }' "$work/emulator"); base=${base%/}; address=${base#http://}
cat >"$work/target.yaml" <<T
title: soaked
base: $base
world: { http: { payer.pays: { url: "$base/__emulator/worlds/default/actions/payer.pays", json: "{{ parameters }}" } } }
notifications: { listen: "$inbox", within: 10s }
credentials: { main: { merchant: "100001", secret: secret-100001 } }
T
cat >"$work/soak.yaml" <<P
title: soaked
killswitch: { errors: '100%', after: 100 }
kind: constant-arrival-rate
rate: $rate
users: 100
for: ${minutes}m
mix:
  - { scenario: gateway/a-paid-payment-is-notified-and-reads-as-paid, case: v1.0 }
  - { scenario: gateway/a-paid-payment-is-notified-and-reads-as-paid, case: v2.0 }
P
"$paycheck" load "$work/soak.yaml" --target "$work/target.yaml" --json "$work/result.json" >"$work/said" 2>&1 & load=$!
began=$SECONDS restarted=no pause=$((minutes * 60 / 20))
printf '%8s %12s %12s\n' seconds 'emulator MB' 'harness MB' | tee "$keep/memory"
while kill -0 "$load" 2>/dev/null; do
  printf '%8s %12s %12s\n' $((SECONDS - began)) "$(resident "$emulator")" "$(resident "$load")" | tee -a "$keep/memory"
  if [ "$restarted" = no ] && [ $((SECONDS - began)) -ge $((minutes * 30)) ]; then
    kill -9 "$emulator"; wait "$emulator" 2>/dev/null || true
    emulate; restarted=yes
    echo "         the emulator was killed and started again"
  fi
  for _ in $(seq $((pause > 0 ? pause : 1))); do kill -0 "$load" 2>/dev/null && sleep 1; done
done
code=0; wait "$load" || code=$?
cat "$work/said"
echo "exit code $code"
cp "$work/result.json" "$keep/result.json" || { echo 'there is no result'; exit 1; }
# A count of the notifications in the result.
count() { sed -n '/^  "notifications": {/,/^  }/s/^ *"'"$1"'": \([0-9]*\),\{0,1\}$/\1/p' "$keep/result.json"; }
expected=$(count expected) lost=$(count lost) doubled=$(count duplicated)
echo "${expected:?} notifications, ${lost:?} lost, ${doubled:?} doubled; result and memory are in $keep"
[ "$restarted" = yes ] || { echo 'the emulator was never restarted'; exit 1; }
[ "$expected" -gt 0 ] && [ "$doubled" -eq 0 ] && [ "$lost" -le "$rate" ]
