#!/usr/bin/env bash
# Are there false alarms? Emulators that use the freedoms of the documents by chance (emulator/freedoms.yaml), each judged by
# everything. Prints the seed and the findings of each that is not green.
#   bench/strangers.sh [combinations] [first seed]
set -euo pipefail
cd "$(dirname "$0")/.."
count=${1:-200} first=${2:-1}
paycheck=${PAYCHECK:-${CARGO_TARGET_DIR:-target}/release/paycheck}
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT

[ -n "${PAYCHECK:-}" ] || cargo build --quiet --release --locked --bin paycheck

credentials() {
  printf '{ merchant: "%s", secret: bench-%s, terminal: T%s, terminal-secret: bench-t%s, qr-user: qr-%s, qr-password: bench-q%s, ' "$1" "$1" "$1" "$1" "$1" "$1"
  printf 'mid: M%s, qr-terminal: Q%s, device-user: device-%s, device-password: bench-d%s, serial: SN%s, activation-code: AC%s }' "$1" "$1" "$1" "$1" "$1" "$1"
}

red=0
for seed in $(seq "$first" $((first + count - 1))); do
  rm -f "$work/out"
  "$paycheck" emulate --listen 127.0.0.1:0 --freedoms "random:$seed" >"$work/out" & pid=$!
  until grep -q 'http' "$work/out" 2>/dev/null; do sleep 0.01; done
  url=$(grep -o 'http://[0-9.:]*' "$work/out" | head -1)
  cat >"$work/target.yaml" <<YAML
title: a stranger
base: $url
credentials:
  main: $(credentials 100001)
  other: $(credentials 200002)
notifications: { listen: "127.0.0.1:0", within: 20s }
world: { emulator: "$url" }
YAML
  # Exit code 2 says that something could not be judged, which a freedom may explain; a false alarm is 1.
  code=0
  "$paycheck" verify --target "$work/target.yaml" --allow-skipped >"$work/verdict" 2>&1 || code=$?
  if [ "$code" -ne 0 ] && [ "$code" -ne 2 ]; then
    red=$((red + 1))
    printf '== random:%s\n' "$seed"
    cat "$work/verdict"
  fi
  kill "$pid"; wait "$pid" 2>/dev/null || true
  pid=
done
echo "strangers              $red of $count flagged (wanted: 0)"
[ "$red" -eq 0 ]
