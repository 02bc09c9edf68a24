#!/usr/bin/env bash
# Are there false alarms? Emulators that use the freedoms of the documents by chance (emulator/freedoms.yaml), each judged by
# everything. Prints the seed and the findings of each that is flagged, and why others could not be judged in full.
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

red=0 open=0
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
  # Exit code 2 says that something could not be judged, which a freedom may explain, but nothing else; a false alarm is 1.
  code=0
  "$paycheck" verify --target "$work/target.yaml" --allow-skipped >"$work/verdict" 2>&1 || code=$?
  case $code in
    0) ;;
    2) open=$((open + 1)); printf '== random:%s could not be judged in full\n' "$seed"; tail -n 12 "$work/verdict" ;;
    *) red=$((red + 1)); printf '== random:%s\n' "$seed"; cat "$work/verdict" ;;
  esac
  kill "$pid"; wait "$pid" 2>/dev/null || true
  pid=
done
echo "strangers              $red of $count flagged (wanted: 0), $open not judged in full"
[ "$red" -eq 0 ]
